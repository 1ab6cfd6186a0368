// Every instruction set that this machine can run equals the reference bit for bit, for one thread and for
// several.
#include "backend/cpu/cpu_backend.h"

#include <gtest/gtest.h>

#include <map>

#include "backend/cpu/kernel_table.h"
#include "backend/op_cases.h"

namespace hb::testing {
namespace {

struct IsaGroup {
  std::string isa;
  CaseGroup group;
};

std::vector<IsaGroup> isa_groups() {
  std::vector<IsaGroup> all;
  for (const cpu::KernelTable* table : cpu::usable_kernel_tables(detect_cpu_isa())) {
    for (const CaseGroup& group : op_case_groups()) all.push_back({table->isa, group});
  }
  return all;
}

class CpuBitEquality : public ::testing::TestWithParam<IsaGroup> {};

TEST_P(CpuBitEquality, EqualsReference) {
  for (const uint32_t threads : {1u, 3u}) {
    const auto backend = make_cpu_backend({.threads = threads, .isa = GetParam().isa});
    ASSERT_TRUE(backend) << backend.error().message;
    for (const OpCase& op_case : GetParam().group.make()) expect_equal_to_reference(**backend, op_case);
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, CpuBitEquality, ::testing::ValuesIn(isa_groups()),
                         [](const auto& info) { return info.param.isa + "_" + info.param.group.name; });

TEST(CpuBackend, TellsTheKernelOfEachWeight) {
  const auto backend = make_cpu_backend({});
  for (const OpCase& op_case : chain_cases()) expect_kernel_of_each_weight(**backend, op_case);
}

// Without the instruction set's name.
std::map<std::string, std::string> kernels_of(const Plan& plan) {
  const auto executable = (*make_cpu_backend({}))->compile(plan, {});
  std::map<std::string, std::string> kernels;
  for (const KernelChoice& choice : (*executable)->kernel_choices())
    kernels[choice.weight] = choice.kernel.substr(0, choice.kernel.rfind('_'));
  return kernels;
}

TEST(CpuBackend, TellsWhichKernelReadsAWeight) {
  OpCase op_case = std::move(chain_cases()[3]);
  auto kernels = kernels_of(op_case.plan);
  const std::map<std::string, std::string> expected = {
      {"embedding", "scale_row"}, {"norm", "rms_norm"},    {"query", "tile_f16"}, {"key", "tile_f16"},
      {"value", "tile_f16"},      {"bias", "finish_rows"}, {"gate", "tile_bf16"}, {"up", "tile_bf16"},
      {"down", "tile_bf16"},      {"output", "tile_f32"}};
  EXPECT_EQ(kernels, expected);

  std::get<MatvecOp>(op_case.plan.ops.back()).weight = 0;  // the table is the output matrix, too
  EXPECT_EQ(kernels_of(op_case.plan)["embedding"], "tile_f16");
}

TEST(CpuBackend, StopsBetweenWeights) { expect_stop_between_weights(**make_cpu_backend({.threads = 2})); }

TEST(CpuIsaChoice, TakesTheBestThatIsThere) {
  CpuIsa isa = {};
#if defined(__x86_64__)
  EXPECT_STREQ(cpu::choose_isa(isa, "auto")->table->isa, "scalar");
  isa.avx2 = isa.f16c = true;
  EXPECT_STREQ(cpu::choose_isa(isa, "auto")->table->isa, "avx2");
  isa.avx512 = isa.avx512_vnni = true;
  EXPECT_STREQ(cpu::choose_isa(isa, "auto")->table->isa, "avx512vnni");
  EXPECT_STREQ(cpu::choose_isa(isa, "avx512")->table->isa, "avx512");
  EXPECT_EQ(cpu::choose_isa(isa, "avxvnni").error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(cpu::choose_isa(isa, "neon").error().code, ErrorCode::kInvalidArgument);
#else
  isa.neon = true;
  EXPECT_STREQ(cpu::choose_isa(isa, "auto")->table->isa, "neon");
  isa.dotprod = true;
  EXPECT_STREQ(cpu::choose_isa(isa, "auto")->table->isa, "neondot");
  EXPECT_EQ(cpu::choose_isa(isa, "avx2").error().code, ErrorCode::kInvalidArgument);
#endif
}

}  // namespace
}  // namespace hb::testing
