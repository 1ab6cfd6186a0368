// The backend's other ways: small allocations, forced kernels, flushing and waiting, compiled kernels on
// disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "backend/op_cases.h"
#include "backend/opencl/opencl_backend.h"
#include "backend/opencl/programs.h"

namespace hb::testing {
namespace {

void expect_equal(const std::vector<OpCase>& cases, const OpenclBackendOptions& options) {
  const auto backend = make_opencl_backend(options);
  ASSERT_TRUE(backend) << backend.error().message;
  for (const OpCase& op_case : cases) expect_equal_to_reference(**backend, op_case);
}

TEST(OpenclOptions, FlushingWaitingAndThreadsChangeNothing) {
  expect_equal(chain_cases(), {.threads = 3, .flush_every = 2});
  expect_equal(chain_cases(), {.flush_every = 1, .wait = true});
}

TEST(OpenclOptions, ForcedKernelsGiveTheSameBits) {
  expect_equal(quantised_matvec_cases(TensorType::kQ4_0), {.forced_kernels = {"matvec_q4_0_x8"}});
  expect_equal(quantised_matvec_cases(TensorType::kQ6_K), {.forced_kernels = {"matvec_q6_k_x1"}});
}

// 300 rows are ten tiles of 32; an allocation holds some of them.
OpCase tall_matrix_case() {
  constexpr uint32_t kRows = 300, kCols = 32 * 1024;
  CaseBuilder builder("a matrix in many allocations", 1);
  builder.plan().vocab_size = kRows;
  const BufferId in = builder.input("in", kCols, Activations::kPlain, PlanBuffer::Kind::kQ8);
  const BufferId out = builder.buffer("out", kRows), embedded = builder.buffer("embedded", kCols);
  const WeightId matrix = builder.weight("matrix", TensorType::kQ4_0, kRows, kCols);
  builder.op(MatvecOp{in, matrix, out, builder.weight("bias", TensorType::kF32, 1, kRows)});
  builder.op(EmbedOp{matrix, embedded});
  builder.step(5);
  return builder.build();
}

TEST(OpenclOptions, MatricesLargerThanAnAllocationAreSplit) {
  std::vector<OpCase> cases;
  cases.push_back(tall_matrix_case());
  expect_equal(cases, {.max_allocation = 2u << 20});
}

TEST(OpenclOptions, ABufferLargerThanAnAllocationIsAnError) {
  const auto backend = make_opencl_backend({.max_allocation = 1u << 20});
  ASSERT_TRUE(backend) << backend.error().message;
  const OpCase op_case = std::move(attention_cases().front());
  const auto executable = (*backend)->compile(op_case.plan, {});
  ASSERT_TRUE(executable);
  const auto context = (*executable)->new_context({.capacity = 1u << 24, .max_batch = 512});
  ASSERT_FALSE(context);
  EXPECT_EQ(context.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(context.error().message, ::testing::HasSubstr("allocates at most 1048576"));
}

TEST(OpenclOptions, UnknownNamesAreErrors) {
  EXPECT_EQ(make_opencl_backend({.device = "no such device"}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(make_opencl_backend({.library = "/no/such/libOpenCL.so"}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(make_opencl_backend({.forced_kernels = {"no_such"}}).error().code, ErrorCode::kInvalidArgument);
}

// Builds a kernel with a cache; how often from source.
uint32_t builds_from_source(const std::string& folder) {
  const auto device = opencl::Device::create({});
  EXPECT_TRUE(device);
  opencl::Programs programs(*device, folder);
  EXPECT_TRUE(programs.new_kernel(*opencl::find_kernel("scale")));
  EXPECT_TRUE(programs.new_kernel(*opencl::find_kernel("scale")));
  return programs.built_from_source();
}

TEST(OpenclProgramCache, KernelsAreBuiltOnceAndDamageIsIgnored) {
  const std::string folder = ::testing::TempDir() + "opencl_program_cache";
  std::filesystem::remove_all(folder);
  EXPECT_EQ(builds_from_source(folder), 1u);
  EXPECT_EQ(builds_from_source(folder), 0u);
  for (const auto& file : std::filesystem::directory_iterator(folder + "/opencl"))
    std::ofstream(file.path(), std::ios::app) << "x";
  EXPECT_EQ(builds_from_source(folder), 1u);
  EXPECT_EQ(builds_from_source(folder), 0u);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace hb::testing
