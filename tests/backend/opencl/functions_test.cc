// The exact functions on the driver, bit for bit those of C++: they are one text, but two compilers read it.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/opencl/recording.h"
#include "base/exact_math.h"
#include "base/half.h"
#include "support/test_data.h"

namespace hb::opencl {
namespace {

constexpr uint32_t kCount = 1u << 21;  // inputs of a function

// Bits with an exponent in [low, high], as of a float; 127 is the exponent of 1.
struct Exponents {
  uint32_t low, high;
  bool negative;  // too
};

struct Function {
  const char* name;
  Exponents inputs;
  uint32_t (*evaluate)(uint32_t bits);
};

template <float (*kF)(float)>
uint32_t on_bits(uint32_t bits) {
  return std::bit_cast<uint32_t>(kF(std::bit_cast<float>(bits)));
}

// In the order of functions_test.cl.
constexpr Function kFunctions[] = {
    {"settle", {60, 200, true}, on_bits<[](float x) { return exact::settle(x); }>},
    {"rcp", {27, 227, true}, on_bits<[](float x) { return exact::rcp(x); }>},
    {"rsqrt", {7, 247, false}, on_bits<[](float x) { return exact::rsqrt(x); }>},
    {"exp", {100, 135, true}, on_bits<[](float x) { return exact::exp(x); }>},
    {"sigmoid", {100, 135, true}, on_bits<[](float x) { return exact::sigmoid(x); }>},
    {"silu", {100, 135, true}, on_bits<[](float x) { return exact::silu(x); }>},
    {"gelu", {100, 135, true}, on_bits<[](float x) { return exact::gelu(x); }>},
    {"tanh", {100, 135, true}, on_bits<[](float x) { return exact::tanh(x); }>},
    {"half_to_float", {0, 255, true}, [](uint32_t bits) { return half_to_float_bits(bits & 0xffffu); }},
    {"float_to_half", {0, 255, true}, float_bits_to_half},
};
constexpr uint32_t kHalfToFloat = 8;  // the functions before it have a vector form, too

std::vector<uint32_t> make_inputs(const Exponents& exponents) {
  testing::Random random(exponents.low);
  std::vector<uint32_t> bits(kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    const uint32_t exponent = exponents.low + random.below(exponents.high - exponents.low + 1);
    const uint32_t mantissa = i % 4 == 0 ? random.below(8) << 20 : random.below(1u << 23);  // ties, too
    bits[i] = exponent << 23 | mantissa | (exponents.negative && random.below(2) ? 0x80000000u : 0u);
  }
  return bits;
}

void expect_same(const std::vector<uint32_t>& expected, const std::vector<uint32_t>& actual,
                 const std::string& what) {
  uint32_t wrong = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == actual[i]) continue;
    if (wrong++ == 0)
      ADD_FAILURE() << what << std::hex << ": input " << i << " should give " << expected[i] << ", got "
                    << actual[i];
  }
  EXPECT_EQ(wrong, 0u) << what;
}

class OpenclFunctions : public ::testing::Test {
 protected:
  struct Outputs {
    std::vector<uint32_t> scalar, vector;
  };

  void SetUp() override {
    auto device = Device::create({});
    ASSERT_TRUE(device) << device.error().message;
    programs_ = std::make_unique<Programs>(*device, "");
    queue_ = std::make_unique<Queue>(std::move(*Queue::create(*device)));
    for (Buffer* buffer : {&in_, &scalar_, &vector_})
      *buffer = std::move(*new_buffer(*device, 4 * kCount, "values"));
  }

  Outputs run(uint32_t function, const std::vector<uint32_t>& inputs) {
    EXPECT_TRUE(queue_->write(in_, 0, inputs.data(), 4 * inputs.size()));
    Dispatch dispatch;
    dispatch.kernel = find_kernel("functions_test");
    for (const Buffer* buffer : {&in_, &scalar_, &vector_}) dispatch.add(*buffer);
    dispatch.add(function);
    dispatch.extent = [](const BatchShape&) { return Extent{kCount / 16, 1}; };
    std::vector<Dispatch> dispatches;
    dispatches.push_back(std::move(dispatch));
    const auto recording = Recording::create(*programs_, std::move(dispatches));
    EXPECT_TRUE(recording) << recording.error().message;
    EXPECT_TRUE(recording->enqueue({}, *queue_, {}));
    Outputs out = {std::vector<uint32_t>(kCount), std::vector<uint32_t>(kCount)};
    EXPECT_TRUE(queue_->read(scalar_, 0, out.scalar.data(), 4 * kCount));
    EXPECT_TRUE(queue_->read(vector_, 0, out.vector.data(), 4 * kCount));
    return out;
  }

  std::unique_ptr<Programs> programs_;
  std::unique_ptr<Queue> queue_;
  Buffer in_, scalar_, vector_;
};

TEST_F(OpenclFunctions, HaveTheBitsOfCpp) {
  for (uint32_t f = 0; f < std::size(kFunctions); ++f) {
    const Function& function = kFunctions[f];
    const std::vector<uint32_t> inputs = make_inputs(function.inputs);
    std::vector<uint32_t> expected(kCount);
    std::ranges::transform(inputs, expected.begin(), function.evaluate);
    const Outputs outputs = run(f, inputs);
    expect_same(expected, outputs.scalar, function.name);
    if (f < kHalfToFloat) expect_same(expected, outputs.vector, std::string(function.name) + " of sixteen");
  }
}

// The vector form reads halves: sixteen out of every 32 that the inputs hold.
TEST_F(OpenclFunctions, ConvertEveryFiniteHalf) {
  std::vector<uint32_t> inputs(kCount, 0);
  std::vector<uint32_t> expected(kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    const uint32_t half = i % 0x10000u & ((i & 0x7c00u) == 0x7c00u ? 0x83ffu : 0xffffu);
    expected[i] = half_to_float_bits(half);
    const uint32_t at = i / 16 * 32 + i % 16;  // in halves
    inputs[at / 2] |= half << (16 * (at % 2));
  }
  expect_same(expected, run(kHalfToFloat, inputs).vector, "halves");
}

}  // namespace
}  // namespace hb::opencl
