#include "backend/vulkan/context_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "quant/activation.h"

namespace hb::vulkan {
namespace {

constexpr uint64_t kAlignment = 256;            // of every part of a buffer
constexpr uint64_t kMaxScoreBytes = 16u << 20;  // of the scratch buffer for scores
constexpr uint32_t kBatchHeaderWords = 4;       // batch.glsl

uint32_t padded_rows(uint32_t rows) { return (rows + kRowPadding - 1) / kRowPadding * kRowPadding; }

// Lays parts out in a buffer that is allocated afterwards.
class Arena {
 public:
  BufferRange add(uint64_t size) {
    const BufferRange range = {VK_NULL_HANDLE, size_, std::max<uint64_t>(size, 4)};
    size_ += (range.size + kAlignment - 1) / kAlignment * kAlignment;
    return range;
  }
  uint64_t size() const { return size_; }

 private:
  uint64_t size_ = 0;
};

Status check_range(const DeviceFacts& facts, const BufferRange& range, const std::string& what) {
  if (range.size <= facts.max_storage_range) return {};
  return fail(ErrorCode::kUnsupported,
              fmt::format("{} takes {} bytes; device '{}' binds at most {}: use a shorter "
                          "context or smaller batches",
                          what, range.size, facts.name, facts.max_storage_range));
}

}  // namespace

Result<ContextBuffers> ContextBuffers::create(const Plan& plan, const ContextOptions& options, Memory& memory,
                                              Commands& commands) {
  ContextBuffers self;
  HB_ASSIGN(Transfer transfer, Transfer::create(memory, commands));
  self.transfer_ = std::make_unique<Transfer>(std::move(transfer));
  self.activations_.resize(plan.buffers.size());
  HB_TRY(self.make_activations(plan, false, options.max_batch, memory, self.rows_));
  HB_ASSIGN(const bool moved, self.reserve_outputs(1, plan, memory));
  static_cast<void>(moved);
  HB_TRY(self.make_scratch(plan, options, memory));
  HB_TRY(self.make_cache(plan, options, memory));
  HB_TRY(self.make_batch(plan, options, memory));
  return self;
}

Status ContextBuffers::make_activations(const Plan& plan, bool output_rows, uint32_t rows, Memory& memory,
                                        Buffer& buffer) {
  Arena arena;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlanBuffer& shape = plan.buffers[i];
    if (shape.output_rows != output_rows) continue;
    const uint64_t elements = uint64_t{padded_rows(rows)} * shape.width;
    const bool floats = shape.kind == PlanBuffer::Kind::kF32;
    activations_[i].data = arena.add(floats ? elements * 4 : elements);
    activations_[i].meta = floats ? BufferRange{} : arena.add(elements / kBlockElems * kMetaBytes);
    HB_TRY(
        check_range(memory.device()->facts(), activations_[i].data, fmt::format("buffer '{}'", shape.name)));
  }
  HB_ASSIGN(buffer, memory.allocate(arena.size(), MemoryUse::kDevice, "activations"));
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].output_rows != output_rows) continue;
    activations_[i].data.buffer = activations_[i].meta.buffer = buffer.handle();
  }
  return transfer_->clear(buffer);
}

Result<bool> ContextBuffers::reserve_outputs(uint32_t rows, const Plan& plan, Memory& memory) {
  rows = padded_rows(std::max(rows, 1u));
  if (rows <= output_capacity_) return false;
  HB_TRY(make_activations(plan, true, rows, memory, outputs_));
  output_capacity_ = rows;
  return true;
}

Status ContextBuffers::make_scratch(const Plan& plan, const ContextOptions& options, Memory& memory) {
  spans_ = (options.capacity + kSpan - 1) / kSpan;
  uint64_t up_width = 0, heads = 1, partial_width = 1;
  for (const Op& op : plan.ops) {
    if (const auto* matvec = std::get_if<MatvecOp>(&op); matvec && matvec->up != kNone)
      up_width = std::max<uint64_t>(up_width, plan.weights[matvec->up].rows);
    if (const auto* attention = std::get_if<AttentionOp>(&op)) {
      heads = std::max<uint64_t>(heads, attention->heads);
      partial_width =
          std::max<uint64_t>(partial_width, uint64_t{attention->heads} * (attention->head_dim + 1));
    }
  }
  const uint64_t score_bytes = heads * spans_ * kSpan * 4;  // of a row
  attention_rows_ =
      static_cast<uint32_t>(std::clamp<uint64_t>(kMaxScoreBytes / score_bytes, 1, options.max_batch));
  Arena arena;
  up_products_ = arena.add(padded_rows(options.max_batch) * up_width * 4);
  scores_ = arena.add(attention_rows_ * score_bytes);
  maxima_ = arena.add(attention_rows_ * heads * spans_ * 4);
  partial_ = arena.add(attention_rows_ * partial_width * spans_ * 4);
  argmax_parts_ = arena.add(kArgmaxParts * 8);
  HB_ASSIGN(scratch_, memory.allocate(arena.size(), MemoryUse::kDevice, "scratch buffers"));
  for (BufferRange* range : {&up_products_, &scores_, &maxima_, &partial_, &argmax_parts_}) {
    range->buffer = scratch_.handle();
    HB_TRY(check_range(memory.device()->facts(), *range, "a scratch buffer"));
  }
  return {};
}

Status ContextBuffers::make_cache(const Plan& plan, const ContextOptions& options, Memory& memory) {
  for (const CacheLayer& layer : plan.cache_layers) {
    DeviceCacheLayer device = {layer.kv_heads, layer.head_dim, {}, {}};
    const uint64_t size = options.capacity * device.row_bytes();
    const std::string what = fmt::format("the cache of {} positions", options.capacity);
    HB_TRY(check_range(memory.device()->facts(), {VK_NULL_HANDLE, 0, size}, what));
    HB_ASSIGN(device.keys, memory.allocate(size, MemoryUse::kDevice, what));
    HB_ASSIGN(device.values, memory.allocate(size, MemoryUse::kDevice, what));
    cache_.push_back(std::move(device));
  }
  return {};
}

Status ContextBuffers::make_batch(const Plan& plan, const ContextOptions& options, Memory& memory) {
  HB_ASSIGN(batch_, memory.allocate((kBatchHeaderWords + uint64_t{options.max_batch}) * 4, MemoryUse::kUpload,
                                    "tokens"));
  HB_ASSIGN(chosen_, memory.allocate(uint64_t{options.max_batch} * 4, MemoryUse::kReadback, "chosen tokens"));
  Arena arena;
  for (const RopeTable& table : plan.rope_tables)
    angle_ranges_.push_back(arena.add(uint64_t{options.max_batch} * table.frequencies.size() * 8));
  HB_ASSIGN(angles_, memory.allocate(arena.size(), MemoryUse::kUpload, "rotary angles"));
  for (BufferRange& range : angle_ranges_) range.buffer = angles_.handle();
  return {};
}

void ContextBuffers::set_batch(const Batch& batch, uint32_t positions, const Plan& plan) {
  const auto count = static_cast<uint32_t>(batch.tokens.size());
  const uint32_t header[kBatchHeaderWords] = {batch.position, count, batch.output_count, 0};
  std::memcpy(batch_.mapped(), header, sizeof header);
  std::memcpy(batch_.mapped() + sizeof header, batch.tokens.data(), batch.tokens.size_bytes());
  for (size_t i = 0; i < plan.rope_tables.size(); ++i) {
    const RopeRows rows = rope_rows(plan.rope_tables[i], batch.position, positions);
    auto* to = reinterpret_cast<float*>(angles_.mapped() + angle_ranges_[i].offset);
    for (size_t j = 0; j < rows.cos.size(); ++j) {
      to[2 * j] = rows.cos[j];
      to[2 * j + 1] = rows.sin[j];
    }
  }
}

}  // namespace hb::vulkan
