// What the compiler made of the shaders: no float operation that a driver may contract, none that the
// contract bans, and no capability that a kernel's row does not name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "backend/vulkan/kernels.h"

namespace hb::vulkan {
namespace {

using Words = std::vector<uint32_t>;

// Numbers of the SPIR-V specification.
enum SpirvOp : uint32_t {
  kOpExtInst = 12,
  kOpCapability = 17,
  kOpDecorate = 71,
  kOpFNegate = 127,
  kOpFAdd = 129,
  kOpFSub = 131,
  kOpFMul = 133,
  kOpFDiv = 136,
  kOpFRem = 140,
  kOpFMod = 141,
  kOpVectorTimesScalar = 142,
  kOpDot = 148,
};
constexpr uint32_t kNoContraction = 42;
// Of GLSL.std.450: UMin, SMin, UMax, SMax, UClamp, SClamp.
const std::set<uint32_t> kIntegerFunctions = {38, 39, 41, 42, 44, 45};

template <class F>
void for_each_instruction(std::span<const uint32_t> words, F&& f) {
  for (size_t at = 5; at < words.size();) {  // after the header
    const uint32_t count = words[at] >> 16;
    ASSERT_GT(count, 0u);
    f(words[at] & 0xffffu, words.subspan(at, count));
    at += count;
  }
}

bool must_not_contract(uint32_t op) {
  return op == kOpFNegate || op == kOpFAdd || op == kOpFSub || op == kOpFMul || op == kOpVectorTimesScalar;
}

// The float operations of a module that break the contract.
std::vector<std::string> breaches(std::span<const uint32_t> words) {
  std::set<uint32_t> precise;
  for_each_instruction(words, [&](uint32_t op, std::span<const uint32_t> i) {
    if (op == kOpDecorate && i[2] == kNoContraction) precise.insert(i[1]);
  });
  std::vector<std::string> found;
  for_each_instruction(words, [&](uint32_t op, std::span<const uint32_t> i) {
    if (must_not_contract(op) && !precise.contains(i[2]))
      found.push_back("may be contracted: op " + std::to_string(op));
    if (op == kOpFDiv || op == kOpFRem || op == kOpFMod || op == kOpDot)
      found.push_back("banned: op " + std::to_string(op));
    if (op == kOpExtInst && !kIntegerFunctions.contains(i[4]))
      found.push_back("function " + std::to_string(i[4]));
  });
  return found;
}

std::set<uint32_t> capabilities(std::span<const uint32_t> words) {
  std::set<uint32_t> found;
  for_each_instruction(words, [&](uint32_t op, std::span<const uint32_t> i) {
    if (op == kOpCapability) found.insert(i[1]);
  });
  return found;
}

TEST(Spirv, NoFloatOperationMayBeContractedOrIsADriversOwn) {
  for (const Kernel& kernel : kernels())
    EXPECT_THAT(breaches(kernel.spirv), ::testing::IsEmpty()) << kernel.name;
}

TEST(Spirv, ALostDecorationIsFound) {
  Words words(find_kernel("rms_norm")->spirv.begin(), find_kernel("rms_norm")->spirv.end());
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    if ((words[at] & 0xffffu) != kOpDecorate || words[at + 2] != kNoContraction) continue;
    words[at + 1] = 0;
    break;
  }
  EXPECT_EQ(breaches(words).size(), 1u);
}

TEST(Spirv, PortableKernelsNeedNothingButShaders) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.needs != kNoFeature) continue;
    EXPECT_EQ(capabilities(kernel.spirv), std::set<uint32_t>{1}) << kernel.name;
  }
}

}  // namespace
}  // namespace hb::vulkan
