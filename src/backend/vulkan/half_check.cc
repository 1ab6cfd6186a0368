#include "backend/vulkan/half_check.h"

#include <algorithm>
#include <ranges>
#include <vector>

#include "backend/vulkan/recording.h"
#include "backend/vulkan/transfer.h"
#include "base/half.h"

namespace hb::vulkan {
namespace {

constexpr uint32_t kHalves = 1u << 16;
constexpr uint32_t kPairsPerWorkGroup = 64;

// Infinities and NaN are refused at load.
bool is_finite(uint32_t half) { return (half & 0x7c00u) != 0x7c00u; }

}  // namespace

Result<bool> converts_halves(Memory& memory, Pipelines& pipelines) {
  const std::shared_ptr<Device>& device = memory.device();
  if (!device->facts().float16) return false;
  HB_ASSIGN(Commands commands, Commands::create(device));
  HB_ASSIGN(Transfer transfer, Transfer::create(memory, commands));
  std::vector<uint32_t> floats(kHalves);
  const std::span bytes(reinterpret_cast<uint8_t*>(floats.data()), floats.size() * sizeof(uint32_t));
  HB_ASSIGN(const Buffer out, memory.allocate(bytes.size(), MemoryUse::kDevice, "the check of halves"));
  Dispatch dispatch;
  dispatch.kernel = find_kernel("half_check");
  dispatch.bind(0, whole(out), Access::kWrite);
  dispatch.extent = {kHalves / 2 / kPairsPerWorkGroup, 1, 1};
  HB_ASSIGN(const Recording recording, Recording::create(memory, pipelines, commands, {dispatch}));
  const VkCommandBuffer recorded = recording.commands();
  HB_TRY(commands.run({&recorded, 1}));
  HB_TRY(transfer.read(out, 0, bytes));
  return std::ranges::all_of(std::views::iota(0u, kHalves), [&](uint32_t half) {
    return !is_finite(half) || floats[half] == half_to_float_bits(half);
  });
}

}  // namespace hb::vulkan
