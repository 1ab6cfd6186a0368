// The OpenCL backend equals the reference bit for bit, on the driver that the environment names.
#include <gtest/gtest.h>

#include "backend/op_cases.h"
#include "backend/opencl/opencl_backend.h"

namespace hb::testing {
namespace {

class OpenclBitEquality : public ::testing::TestWithParam<CaseGroup> {};

TEST_P(OpenclBitEquality, EqualsReference) {
  const auto backend = make_opencl_backend({});
  ASSERT_TRUE(backend) << backend.error().message;
  for (const OpCase& op_case : GetParam().make()) expect_equal_to_reference(**backend, op_case);
}

INSTANTIATE_TEST_SUITE_P(Opencl, OpenclBitEquality,
                         ::testing::ValuesIn(op_case_groups().begin(), op_case_groups().end()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hb::testing
