// The exact functions on the driver, bit for bit those of C++: they are one text, but two compilers read it.
#include <gtest/gtest.h>

#include "backend/driver_functions.h"
#include "backend/vulkan/recording.h"
#include "backend/vulkan/transfer.h"

namespace hb::vulkan {
namespace {

using namespace testing;  // driver_functions.h

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
