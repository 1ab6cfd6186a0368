// Every variant of a matvec, forced on, equals the reference bit for bit, with both layouts of 4-bit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/op_cases.h"
#include "backend/vulkan/kernels.h"
#include "backend/vulkan/vulkan_backend.h"

namespace hb::testing {
namespace {

std::vector<std::string> variants() {
  std::vector<std::string> found;
  for (const vulkan::Kernel& kernel : vulkan::kernels()) {
    if (kernel.op == vulkan::KernelOp::kMatvec && kernel.needs != vulkan::kNoFeature)
      found.push_back(kernel.name);
  }
  return found;
}

class VulkanVariant : public ::testing::TestWithParam<std::string> {
 protected:
  void expect_equal(bool flip_codes) const {
    const vulkan::Kernel& kernel = *vulkan::find_kernel(GetParam());
    VulkanBackendOptions options = {.validate = true, .forced_kernels = {kernel.name}};
    options.flip_codes = flip_codes;
    const auto backend = make_vulkan_backend(options);
    ASSERT_TRUE(backend) << backend.error().message;
    for (const OpCase& op_case : quantised_matvec_cases(*kernel.type)) {
      const auto trace = run(**backend, op_case);
      if (!trace && trace.error().code == ErrorCode::kUnsupported) GTEST_SKIP() << trace.error().message;
      expect_equal_to_reference(**backend, op_case);
    }
    EXPECT_THAT(vulkan_report(**backend).messages, ::testing::IsEmpty());
  }
};

TEST_P(VulkanVariant, EqualsReference) { expect_equal(false); }
TEST_P(VulkanVariant, EqualsReferenceWithFlippedCodes) { expect_equal(true); }

INSTANTIATE_TEST_SUITE_P(Vulkan, VulkanVariant, ::testing::ValuesIn(variants()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace hb::testing
