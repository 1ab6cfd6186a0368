// The list of kernels: which one runs what, and the rules that keep every program exact.
#include "backend/opencl/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "quant/format_traits.h"

namespace hb::opencl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(OpenclKernels, ContractionIsOffBeforeAnythingElse) {
  for (const Kernel& kernel : kernels()) {
    const std::string source = kernel_source(kernel);
    EXPECT_TRUE(source.starts_with("#pragma OPENCL FP_CONTRACT OFF\n")) << kernel.name;
    EXPECT_THAT(source, Not(HasSubstr("#include"))) << kernel.name;
    EXPECT_THAT(source, HasSubstr(kernel.entry)) << kernel.name;
  }
}

TEST(OpenclKernels, OptionsAreTheLanguageAndDefinitions) {
  for (const Kernel& kernel : kernels()) {
    std::istringstream options(build_options(kernel));
    for (std::string option; options >> option;)
      EXPECT_TRUE(option == "-cl-std=CL1.2" || option.starts_with("-D")) << kernel.name << ": " << option;
  }
}

// Functions whose result is the driver's affair, and operators that are not exact.
TEST(OpenclKernels, CallNoFunctionOfTheDriversMathematics) {
  for (const Kernel& kernel : kernels()) {
    std::string source = kernel_source(kernel);
    for (const char* banned : {" fma(", " mad(", " dot(", " exp(", " native_", " half_exp", " rsqrt(",
                               " sqrt(", " mix(", " clamp(", " fmax(", " fmin(", " tanh("})
      EXPECT_THAT(source, Not(HasSubstr(banned))) << kernel.name;
  }
}

TEST(OpenclKernels, EveryWeightTypeHasItsKernels) {
  std::vector<TensorType> types = {TensorType::kF32, TensorType::kF16, TensorType::kBF16};
  for (const FormatTraits& format : kFormatTraits) types.push_back(format.type);
  for (const TensorType type : types) {
    for (const KernelOp op : {KernelOp::kEmbed, KernelOp::kMatvec})
      EXPECT_TRUE(choose_kernel({}, {op, type, 1}, {})) << tensor_type_name(type);
  }
}

TEST(OpenclKernels, ColumnsFollowTheBatch) {
  const auto columns = [](uint32_t rows) {
    return choose_kernel({}, {KernelOp::kMatvec, TensorType::kQ4_0, rows}, {})->kernel->columns;
  };
  EXPECT_EQ(columns(1), 1u);
  EXPECT_EQ(columns(7), 1u);
  EXPECT_EQ(columns(8), 8u);
  EXPECT_EQ(columns(500), 8u);
}

TEST(OpenclKernels, AForcedKernelWinsWhereItFits) {
  const std::string forced[] = {"matvec_q4_0_x8"};
  EXPECT_STREQ(choose_kernel({}, {KernelOp::kMatvec, TensorType::kQ4_0, 1}, forced)->kernel->name,
               "matvec_q4_0_x8");
  EXPECT_STREQ(choose_kernel({}, {KernelOp::kMatvec, TensorType::kQ4_1, 1}, forced)->kernel->name,
               "matvec_q4_1_x1");
}

}  // namespace
}  // namespace hb::opencl
