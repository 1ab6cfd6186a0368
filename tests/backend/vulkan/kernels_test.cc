#include "backend/vulkan/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/vulkan/op_recorder.h"
#include "quant/format_traits.h"

namespace hb::vulkan {
namespace {

std::string chosen(const KernelRequest& request, std::vector<std::string> forced = {}) {
  const auto selection = choose_kernel({}, request, forced);
  return selection ? selection->kernel->name : selection.error().message;
}

TEST(ChooseKernel, EveryFormatHasItsKernels) {
  for (const FormatTraits& traits : kFormatTraits) {
    for (const uint32_t rows : {1u, 8u}) {
      EXPECT_TRUE(choose_kernel({}, {KernelOp::kMatvec, traits.type, rows}, {}))
          << tensor_type_name(traits.type);
    }
    EXPECT_TRUE(choose_kernel({}, {KernelOp::kEmbed, traits.type, 1}, {}));
  }
}

TEST(ChooseKernel, ServesAsManyRowsAsTheBatchHas) {
  EXPECT_EQ(chosen({KernelOp::kMatvec, TensorType::kQ4_1, 1}), "matvec_q4_1_x1");
  EXPECT_EQ(chosen({KernelOp::kMatvec, TensorType::kQ4_1, 8}), "matvec_q4_1_x4");
  EXPECT_EQ(chosen({KernelOp::kMatvec, TensorType::kQ4_1, 2}), "matvec_q4_1_x1");
}

TEST(ChooseKernel, AForcedKernelWinsWhereItFits) {
  EXPECT_EQ(chosen({KernelOp::kMatvec, TensorType::kQ4_1, 1}, {"matvec_q4_1_x4"}), "matvec_q4_1_x4");
  EXPECT_EQ(chosen({KernelOp::kMatvec, TensorType::kQ4_0, 1}, {"matvec_q4_1_x4"}), "matvec_q4_0_x1");
  EXPECT_EQ(chosen({KernelOp::kScale, {}, 1}, {"matvec_q4_1_x4"}), "scale");
}

TEST(Kernels, NamesAreUnique) {
  std::set<std::string> names;
  for (const Kernel& kernel : kernels()) EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
}

TEST(BatchClass, GrowsByEight) {
  EXPECT_EQ(batch_class(1, 1, 512), (BatchClass{true, 1}));
  EXPECT_EQ(batch_class(1, 0, 512), (BatchClass{false, 1}));
  EXPECT_EQ(batch_class(2, 1, 512), (BatchClass{false, 8}));
  EXPECT_EQ(batch_class(9, 9, 512), (BatchClass{false, 64}));
  EXPECT_EQ(batch_class(65, 1, 100), (BatchClass{false, 100}));
}

}  // namespace
}  // namespace hb::vulkan
