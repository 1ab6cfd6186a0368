#include "backend/opencl/context_buffers.h"

#include <fmt/format.h>

#include <algorithm>

#include "quant/activation.h"

namespace hb::opencl {
namespace {

constexpr uint64_t kMaxScoreBytes = 16u << 20;  // of the scratch buffer for scores
constexpr uint32_t kBatchHeaderWords = 4;       // batch.clh

uint32_t padded_rows(uint32_t rows) { return (rows + kRowPadding - 1) / kRowPadding * kRowPadding; }

// A buffer of zeros: what padding rows hold must be numbers.
Status make_buffer(uint64_t size, const std::string& what, Queue& queue, Buffer& buffer) {
  HB_ASSIGN(buffer, new_buffer(queue.device(), size, what));
  return queue.clear(buffer);
}

}  // namespace

Result<ContextBuffers> ContextBuffers::create(const Plan& plan, const ContextOptions& options, Queue& queue) {
  ContextBuffers self;
  self.activations_.resize(plan.buffers.size());
  HB_TRY(self.make_activations(plan, false, options.max_batch, queue));
  HB_TRY(self.reserve_outputs(1, plan, queue));
  HB_TRY(self.make_scratch(plan, options, queue));
  HB_TRY(self.make_cache(plan, options, queue));
  HB_TRY(make_buffer((kBatchHeaderWords + uint64_t{options.max_batch}) * 4, "tokens", queue, self.batch_));
  for (const RopeTable& table : plan.rope_tables) {
    HB_TRY(make_buffer(uint64_t{options.max_batch} * table.frequencies.size() * 8, "rotary angles", queue,
                       self.angles_.emplace_back()));
  }
  return self;
}

Status ContextBuffers::make_activations(const Plan& plan, bool output_rows, uint32_t rows, Queue& queue) {
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlanBuffer& shape = plan.buffers[i];
    if (shape.output_rows != output_rows) continue;
    const uint64_t elements = uint64_t{padded_rows(rows)} * shape.width;
    const bool floats = shape.kind == PlanBuffer::Kind::kF32;
    const std::string what = fmt::format("buffer '{}'", shape.name);
    HB_TRY(make_buffer(floats ? elements * 4 : elements, what, queue, activations_[i].data));
    if (!floats) HB_TRY(make_buffer(elements / kBlockElems * 16, what, queue, activations_[i].meta));
  }
  return {};
}

Result<bool> ContextBuffers::reserve_outputs(uint32_t rows, const Plan& plan, Queue& queue) {
  rows = padded_rows(std::max(rows, 1u));
  if (rows <= output_capacity_) return false;
  HB_TRY(make_activations(plan, true, rows, queue));
  output_capacity_ = rows;
  return true;
}

Status ContextBuffers::make_scratch(const Plan& plan, const ContextOptions& options, Queue& queue) {
  uint64_t up_width = 0, heads = 1;
  for (const Op& op : plan.ops) {
    if (const auto* matvec = std::get_if<MatvecOp>(&op); matvec && matvec->up != kNone)
      up_width = std::max<uint64_t>(up_width, plan.weights[matvec->up].rows);
    if (const auto* attention = std::get_if<AttentionOp>(&op))
      heads = std::max<uint64_t>(heads, attention->heads);
  }
  score_stride_ = (options.capacity + kSpan - 1) / kSpan * kSpan;
  const uint64_t row_bytes = heads * score_stride_ * 4;
  attention_rows_ =
      static_cast<uint32_t>(std::clamp<uint64_t>(kMaxScoreBytes / row_bytes, 1, options.max_batch));
  HB_TRY(
      make_buffer(padded_rows(options.max_batch) * up_width * 4, "products of gates", queue, up_products_));
  return make_buffer(attention_rows_ * row_bytes, "attention scores", queue, scores_);
}

Status ContextBuffers::make_cache(const Plan& plan, const ContextOptions& options, Queue& queue) {
  const std::string what = fmt::format("a layer's cache of {} positions", options.capacity);
  for (const CacheLayer& layer : plan.cache_layers) {
    DeviceCacheLayer& device = cache_.emplace_back();
    device.width = layer.kv_heads * layer.head_dim;
    const uint64_t size = uint64_t{options.capacity} * device.width * 2;
    HB_TRY(make_buffer(size, what, queue, device.keys));
    HB_TRY(make_buffer(size, what, queue, device.values));
  }
  return {};
}

Status ContextBuffers::set_batch(const Batch& batch, const Plan& plan, Queue& queue) {
  const auto count = static_cast<uint32_t>(batch.tokens.size());
  std::vector<uint32_t> words = {batch.position, count, batch.output_count, 0};
  words.insert(words.end(), batch.tokens.begin(), batch.tokens.end());
  HB_TRY(queue.write(batch_, 0, words.data(), words.size() * 4));
  std::vector<float> pairs;
  for (size_t i = 0; i < plan.rope_tables.size(); ++i) {
    const RopeRows rows = rope_rows(plan.rope_tables[i], batch.position, count);
    pairs.clear();
    for (size_t j = 0; j < rows.cos.size(); ++j) pairs.insert(pairs.end(), {rows.cos[j], rows.sin[j]});
    HB_TRY(queue.write(angles_[i], 0, pairs.data(), pairs.size() * sizeof(float)));
  }
  return {};
}

}  // namespace hb::opencl
