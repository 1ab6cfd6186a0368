// A list of dispatches, recorded once into a command buffer that is submitted for every batch of its size.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "backend/vulkan/memory.h"
#include "backend/vulkan/pipelines.h"

namespace hb::vulkan {

// The batch that a submission runs.
struct BatchShape {
  uint32_t position = 0;  // of the first row
  uint32_t rows = 1;
  uint32_t outputs = 1;  // last rows whose logits are wanted
};

enum class Access : uint8_t { kRead, kWrite, kReadWrite };

struct Binding {
  uint32_t index;
  BufferRange range;
  Access access;
};

// Work-groups of a dispatch. A zero: nothing runs.
struct Extent {
  uint32_t x = 1, y = 1, z = 1;
};

// One kernel run. Push constants are words, in the order of the shader's block.
struct Dispatch {
  const Kernel* kernel = nullptr;
  std::vector<Binding> bindings;
  std::array<uint32_t, kPushBytes / 4> push = {};
  uint32_t push_count = 0;
  // Either fixed, or asked before every submission and read by the device from a buffer.
  Extent extent;
  std::function<Extent(const BatchShape&)> varying_extent;

  void bind(uint32_t index, const BufferRange& range, Access access) {
    bindings.push_back({index, range, access});
  }
  void push_word(uint32_t word) { push[push_count++] = word; }
  void push_float(float value) { std::memcpy(&push[push_count++], &value, sizeof value); }
};

// A barrier stands only before a dispatch that touches what an earlier one wrote, or writes what one read.
class HazardTracker {
 public:
  // True if a barrier must come first. Then what came before is forgotten.
  bool needs_barrier(const std::vector<Binding>& bindings);

 private:
  std::vector<Binding> since_barrier_;
};

// `repeatable`: may be submitted again before it is done. OWNS its command buffer's descriptors and grid
// buffer; BORROWS the buffers that dispatches bind.
class Recording {
 public:
  static Result<Recording> create(Memory& memory, Pipelines& pipelines, Commands& commands,
                                  std::vector<Dispatch> dispatches, bool repeatable = false);

  // Sets the varying extents for the next submission. REQUIRES: the last one is done.
  void prepare(const BatchShape& shape);
  VkCommandBuffer commands() const { return commands_; }
  uint32_t barrier_count() const { return barrier_count_; }
  uint32_t dispatch_count() const { return dispatch_count_; }

 private:
  Status make_descriptors(const std::vector<Dispatch>& dispatches, Pipelines& pipelines);
  // `texels`: the binding is a texel buffer.
  Status write_descriptor(VkDescriptorSet set, const Binding& binding, bool texels);
  Status record(const std::vector<Dispatch>& dispatches, Pipelines& pipelines, bool repeatable);

  std::shared_ptr<Device> device_;
  Owned<VkDescriptorPool> pool_;
  std::vector<VkDescriptorSet> sets_;
  std::vector<Owned<VkBufferView>> views_;
  Buffer grids_;  // VkDispatchIndirectCommand of each varying extent
  std::vector<std::function<Extent(const BatchShape&)>> extents_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  uint32_t barrier_count_ = 0;
  uint32_t dispatch_count_ = 0;
};

}  // namespace hb::vulkan
