// The Vulkan backend equals the reference bit for bit, on the driver that the environment names
// (CMakeLists.txt runs this once for each), under the validation layer.
#include "backend/vulkan/vulkan_backend.h"

#include <gtest/gtest.h>

#include "backend/op_cases.h"

namespace hb::testing {
namespace {

class VulkanBitEquality : public ::testing::TestWithParam<CaseGroup> {};

// Runs all cases of a group, and expects no word from the validation layer.
void run_group(const CaseGroup& group, VulkanBackendOptions options) {
  options.validate = true;
  const auto backend = make_vulkan_backend(options);
  ASSERT_TRUE(backend) << backend.error().message;
  for (const OpCase& op_case : group.make()) expect_equal_to_reference(**backend, op_case);
  EXPECT_EQ(vulkan_report(**backend).messages, std::vector<std::string>());
}

TEST_P(VulkanBitEquality, EqualsReference) { run_group(GetParam(), {}); }

INSTANTIATE_TEST_SUITE_P(Vulkan, VulkanBitEquality,
                         ::testing::ValuesIn(op_case_groups().begin(), op_case_groups().end()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hb::testing
