// The exact functions on the driver, bit for bit those of C++: they are one text, but two compilers read it.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/driver_functions.h"
#include "backend/opencl/recording.h"

namespace hb::opencl {
namespace {

using namespace testing;  // driver_functions.h

constexpr uint32_t kHalfToFloat = 8;  // the functions before it have a vector form, too

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
