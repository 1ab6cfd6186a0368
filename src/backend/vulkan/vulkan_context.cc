#include "backend/vulkan/vulkan_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "backend/context_checks.h"
#include "base/check.h"
#include "quant/activation.h"

namespace hb::vulkan {
namespace {

std::span<uint8_t> bytes_of(std::span<uint32_t> words) {
  return {reinterpret_cast<uint8_t*>(words.data()), words.size_bytes()};
}

// Rows of padded heads (two f16 in a word) to rows of heads without gaps, or back.
template <class F>
void for_each_half(const DeviceCacheLayer& layer, uint32_t count, F&& f) {
  size_t canonical = 0;
  const size_t head_halves = size_t{2} * layer.head_words();
  for (size_t head = 0; head < size_t{count} * layer.kv_heads; ++head) {
    for (uint32_t d = 0; d < layer.head_dim; ++d) f(canonical++, head * head_halves + d);
  }
}

// Blocks as quantise.comp stores them.
struct DeviceBlocks {
  std::vector<uint8_t> codes;
  std::vector<uint32_t> meta;
};

DeviceBlocks quantise_rows(std::span<const float> values) {
  DeviceBlocks out;
  for (size_t i = 0; i < values.size(); i += kBlockElems) {
    const ActivationBlock block = quantise_block(values.data() + i);
    const auto* codes = reinterpret_cast<const uint8_t*>(block.codes);
    out.codes.insert(out.codes.end(), codes, codes + kBlockElems);
    const auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
    const int32_t sum = block.half_sum[0] + block.half_sum[1];
    const auto word = [](int32_t value) { return static_cast<uint32_t>(value); };
    out.meta.insert(out.meta.end(), {bits(block.scale), bits(block.weighted_sum), word(block.half_sum[0]),
                                     word(block.half_sum[1]), bits(block.scale), bits(block.scale * 0.0625f),
                                     word(-8 * sum), word(-136 * sum)});
  }
  return out;
}

}  // namespace

uint32_t largest_batch(const DeviceFacts& facts) { return facts.kind == DeviceKind::kDiscrete ? 512 : 64; }

Result<std::unique_ptr<ExecutionContext>> VulkanContext::create(const Plan& plan,
                                                                const std::vector<DeviceWeight>& weights,
                                                                Shared& shared,
                                                                const ContextOptions& options) {
  HB_ASSIGN(Commands commands, Commands::create(shared.device));
  std::unique_ptr<VulkanContext> self(new VulkanContext(plan, weights, shared, std::move(commands)));
  self->options_ = options;
  self->options_.max_batch = std::min(options.max_batch, largest_batch(shared.device->facts()));
  self->rows_.resize(plan.buffers.size());
  HB_ASSIGN(self->buffers_, ContextBuffers::create(plan, self->options_, *shared.memory, self->commands_));
  return self;
}

Status VulkanContext::reserve_outputs(uint32_t rows) {
  HB_ASSIGN(const bool moved, buffers_.reserve_outputs(rows, plan_, *shared_.memory));
  if (moved) {
    for (const auto& [size, recording] : recordings_) commands_.give_back(recording.commands());
    recordings_.clear();
  }
  const uint64_t bytes = plan_.logits == kNone ? 0 : uint64_t{rows} * plan_.buffers[plan_.logits].width * 4;
  if (bytes > logits_.size()) {
    HB_ASSIGN(logits_, shared_.memory->allocate(bytes, MemoryUse::kReadback, "logits"));
  }
  return {};
}

Result<Recording*> VulkanContext::recording_for(const BatchClass& wanted) {
  if (const auto found = recordings_.find(wanted); found != recordings_.end()) return &found->second;
  HB_ASSIGN(
      std::vector<Dispatch> dispatches,
      record_plan({plan_, weights_, buffers_, shared_.device->facts(), shared_.forced_kernels}, wanted));
  HB_ASSIGN(Recording recording, Recording::create(*shared_.memory, *shared_.pipelines, commands_,
                                                   std::move(dispatches), wanted.feeds_itself));
  shared_.pipelines->save();
  ++shared_.recordings;
  return &recordings_.emplace(wanted, std::move(recording)).first->second;
}

Status VulkanContext::forward(const Batch& batch) {
  const auto count = static_cast<uint32_t>(batch.tokens.size());
  HB_CHECK(count >= 1 && count <= max_batch());
  HB_CHECK_LE(uint64_t{batch.position} + count, uint64_t{capacity()});
  HB_CHECK_LE(batch.output_count, count);
  for (const int32_t token : batch.tokens)
    HB_CHECK(token >= 0 && static_cast<uint32_t>(token) < plan_.vocab_size);
  HB_TRY(reserve_outputs(batch.output_count));
  HB_ASSIGN(Recording* const recording, recording_for(batch_class(count, batch.output_count, max_batch())));
  buffers_.set_batch(batch, count, plan_);
  recording->prepare({batch.position, count, batch.output_count});
  HB_TRY(run(*recording, 1, batch.output_count));
  set_rows(count, batch.output_count);
  return {};
}

// The device feeds itself: one submission of the same commands, as often as there are tokens.
Result<std::vector<int32_t>> VulkanContext::decode_greedily(int32_t token, uint32_t position,
                                                            uint32_t count) {
  HB_CHECK(count >= 1 && count <= max_batch());
  HB_CHECK_LE(uint64_t{position} + count, uint64_t{capacity()});
  HB_CHECK(plan_.logits != kNone && token >= 0 && static_cast<uint32_t>(token) < plan_.vocab_size);
  HB_TRY(reserve_outputs(1));
  HB_ASSIGN(Recording* const recording, recording_for({true, 1, true}));
  buffers_.set_batch({{&token, 1}, position, 1}, count, plan_);
  recording->prepare({position + count - 1, 1, 1});  // what the last one needs; the others leave the rest
  HB_TRY(run(*recording, count, 1));
  set_rows(1, 1);
  return std::vector<int32_t>(buffers_.chosen(), buffers_.chosen() + count);
}

void VulkanContext::set_rows(uint32_t rows, uint32_t outputs) {
  for (size_t i = 0; i < rows_.size(); ++i) rows_[i] = plan_.buffers[i].output_rows ? outputs : rows;
}

Status VulkanContext::run(Recording& recording, uint32_t times, uint32_t outputs) {
  std::vector<VkCommandBuffer> all(times, recording.commands());
  logit_rows_ = plan_.logits == kNone ? 0 : outputs;
  if (logit_rows_ > 0) {
    const BufferRange& range = buffers_.activation(plan_.logits).data;
    const VkBufferCopy copy = {range.offset, 0, uint64_t{outputs} * plan_.buffers[plan_.logits].width * 4};
    HB_ASSIGN(const VkCommandBuffer readback, commands_.record_once([&](VkCommandBuffer commands) {
      vkCmdCopyBuffer(commands, range.buffer, logits_.handle(), 1, &copy);
    }));
    all.push_back(readback);
  }
  return commands_.run(all);
}

std::span<const float> VulkanContext::logits() {
  if (logit_rows_ == 0) return {};
  return {reinterpret_cast<const float*>(logits_.mapped()),
          size_t{logit_rows_} * plan_.buffers[plan_.logits].width};
}

Result<std::vector<float>> VulkanContext::read_buffer(BufferId id) {
  HB_CHECK_LT(size_t{id}, plan_.buffers.size());
  const PlanBuffer& shape = plan_.buffers[id];
  const DeviceActivation& buffer = buffers_.activation(id);
  std::vector<float> values(size_t{rows_[id]} * shape.width);
  const Buffer& owner = buffers_.owner(buffer.data);
  if (shape.kind == PlanBuffer::Kind::kF32) {
    HB_TRY(
        buffers_.transfer().read(owner, buffer.data.offset,
                                 {reinterpret_cast<uint8_t*>(values.data()), values.size() * sizeof(float)}));
    return values;
  }
  std::vector<uint8_t> codes(values.size());
  std::vector<uint32_t> meta(values.size() / kBlockElems * kMetaWords);
  HB_TRY(buffers_.transfer().read(owner, buffer.data.offset, codes));
  HB_TRY(buffers_.transfer().read(owner, buffer.meta.offset, bytes_of(meta)));
  for (size_t i = 0; i < values.size(); ++i) {
    const float scale = std::bit_cast<float>(meta[i / kBlockElems * kMetaWords]);
    values[i] = static_cast<float>(static_cast<int8_t>(codes[i])) * scale;
  }
  return values;
}

Status VulkanContext::write_buffer(BufferId id, std::span<const float> values) {
  HB_CHECK_LT(size_t{id}, plan_.buffers.size());
  const PlanBuffer& shape = plan_.buffers[id];
  HB_ASSIGN(const uint32_t rows, rows_to_write(shape, values.size(), max_batch()));
  rows_[id] = rows;
  if (shape.output_rows) HB_TRY(reserve_outputs(rows_[id]));
  const DeviceActivation& buffer = buffers_.activation(id);
  const Buffer& owner = buffers_.owner(buffer.data);
  if (shape.kind == PlanBuffer::Kind::kF32) {
    return buffers_.transfer().write(
        owner, buffer.data.offset,
        {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(float)});
  }
  DeviceBlocks blocks = quantise_rows(values);
  HB_TRY(buffers_.transfer().write(owner, buffer.data.offset, blocks.codes));
  return buffers_.transfer().write(owner, buffer.meta.offset, bytes_of(blocks.meta));
}

Result<std::vector<uint16_t>> VulkanContext::read_cache(uint32_t position, uint32_t count) {
  HB_TRY(check_cache_positions(position, count, capacity()));
  std::vector<uint16_t> rows;
  for (const DeviceCacheLayer& layer : buffers_.cache()) {
    std::vector<uint32_t> device(count * layer.row_bytes() / 4);
    for (const Buffer* buffer : {&layer.keys, &layer.values}) {
      HB_TRY(buffers_.transfer().read(*buffer, position * layer.row_bytes(), bytes_of(device)));
      const auto* halves = reinterpret_cast<const uint16_t*>(device.data());
      for_each_half(layer, count, [&](size_t, size_t padded) { rows.push_back(halves[padded]); });
    }
  }
  return rows;
}

Status VulkanContext::write_cache(uint32_t position, uint32_t count, std::span<const uint16_t> rows) {
  HB_TRY(check_cache_positions(position, count, capacity()));
  HB_TRY(check_cache_values(plan_, count, rows.size()));
  for (const DeviceCacheLayer& layer : buffers_.cache()) {
    std::vector<uint32_t> device(count * layer.row_bytes() / 4);
    auto* halves = reinterpret_cast<uint16_t*>(device.data());
    for (const Buffer* buffer : {&layer.keys, &layer.values}) {
      for_each_half(layer, count, [&](size_t canonical, size_t padded) { halves[padded] = rows[canonical]; });
      rows = rows.subspan(size_t{count} * layer.kv_heads * layer.head_dim);
      HB_TRY(buffers_.transfer().write(*buffer, position * layer.row_bytes(), bytes_of(device)));
    }
  }
  return {};
}

}  // namespace hb::vulkan
