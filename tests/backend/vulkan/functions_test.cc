// The exact functions on the driver, bit for bit those of C++: they are one text, but two compilers read it.
#include <gtest/gtest.h>

#include "backend/vulkan/recording.h"
#include "backend/vulkan/transfer.h"
#include "base/exact_math.h"
#include "base/half.h"
#include "support/test_data.h"

namespace hb::vulkan {
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

// In the order of functions_test.comp.
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

// A device with an input and an output buffer.
class DriverFunctions : public ::testing::Test {
 protected:
  void SetUp() override {
    auto instance = Instance::create(false);
    ASSERT_TRUE(instance) << instance.error().message;
    auto device = Device::create(*instance, {});
    ASSERT_TRUE(device) << device.error().message;
    device_ = *device;
    memory_ = std::make_unique<Memory>(device_, true);
    auto commands = Commands::create(device_);
    ASSERT_TRUE(commands);
    commands_ = std::make_unique<Commands>(std::move(*commands));
    pipelines_ = *Pipelines::create(device_, "");
    transfer_ = std::make_unique<Transfer>(std::move(*Transfer::create(*memory_, *commands_)));
    in_ = std::move(*memory_->allocate(4 * kCount, MemoryUse::kDevice, "inputs"));
    out_ = std::move(*memory_->allocate(4 * kCount, MemoryUse::kDevice, "outputs"));
  }

  std::vector<uint32_t> run(uint32_t function, std::vector<uint32_t> words) {
    const auto bytes = [&] { return std::span(reinterpret_cast<uint8_t*>(words.data()), 4 * words.size()); };
    EXPECT_TRUE(transfer_->write(in_, 0, bytes()));
    Dispatch dispatch;
    dispatch.kernel = find_kernel("functions_test");
    dispatch.bind(0, whole(in_), Access::kRead);
    dispatch.bind(1, whole(out_), Access::kWrite);
    dispatch.push_word(function);
    dispatch.push_word(kCount);
    dispatch.extent = {kCount / 64, 1, 1};
    auto recording = Recording::create(*memory_, *pipelines_, *commands_, {dispatch});
    EXPECT_TRUE(recording);
    const VkCommandBuffer commands = recording->commands();
    EXPECT_TRUE(commands_->run({&commands, 1}));
    EXPECT_TRUE(transfer_->read(out_, 0, bytes()));
    return words;
  }

  std::shared_ptr<Device> device_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Commands> commands_;
  std::shared_ptr<Pipelines> pipelines_;
  std::unique_ptr<Transfer> transfer_;
  Buffer in_, out_;
};

TEST_F(DriverFunctions, HaveTheBitsOfCpp) {
  for (uint32_t f = 0; f < std::size(kFunctions); ++f) {
    const Function& function = kFunctions[f];
    const std::vector<uint32_t> inputs = make_inputs(function.inputs);
    const std::vector<uint32_t> outputs = run(f, inputs);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < kCount; ++i) {
      if (outputs[i] == function.evaluate(inputs[i])) continue;
      if (wrong++ == 0)
        ADD_FAILURE() << function.name << std::hex << " of " << inputs[i] << ": expected "
                      << function.evaluate(inputs[i]) << ", got " << outputs[i];
    }
    EXPECT_EQ(wrong, 0u) << function.name;
  }
}

TEST_F(DriverFunctions, ConvertEveryHalf) {
  std::vector<uint32_t> inputs(kCount);
  for (uint32_t i = 0; i < kCount; ++i) inputs[i] = i & 0xffffu;
  const std::vector<uint32_t> outputs = run(8, inputs);
  for (uint32_t i = 0; i < 0x10000u; ++i) ASSERT_EQ(outputs[i], half_to_float_bits(i)) << i;
}

}  // namespace
}  // namespace hb::vulkan
