#include "backend/ref/ref_context.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/context_checks.h"
#include "backend/ref/ref_ops.h"
#include "base/check.h"
#include "base/half.h"
#include "base/memory_errors.h"

namespace hb::ref {

RefContext::RefContext(const Plan& plan, const ContextOptions& options)
    : plan_(plan), options_(options), tensors_(plan.buffers.size()) {
  for (uint32_t layer = 0; layer < plan.cache_layers.size(); ++layer) {
    const size_t size = size_t{options.capacity} * cache_width(layer);
    cache_.push_back({std::vector<uint16_t>(size), std::vector<uint16_t>(size)});
  }
}

Status RefContext::forward(const Batch& batch) {
  const auto count = static_cast<uint32_t>(batch.tokens.size());
  HB_CHECK(count >= 1 && count <= max_batch());
  HB_CHECK_LE(uint64_t{batch.position} + count, uint64_t{capacity()});
  HB_CHECK_LE(batch.output_count, count);
  return without_bad_alloc("the activations", [&] { return run_ops(batch); });
}

Status RefContext::run_ops(const Batch& batch) {
  const auto count = static_cast<uint32_t>(batch.tokens.size());
  for (BufferId id = 0; id < tensors_.size(); ++id) {
    resize(id, plan_.buffers[id].output_rows ? batch.output_count : count);
  }
  for (const Op& op : plan_.ops) {
    std::visit([&](const auto& concrete) { run(concrete, batch); }, op);
  }
  return {};
}

std::span<const float> RefContext::logits() {
  if (plan_.logits == kNone) return {};
  return tensors_[plan_.logits].floats;
}

void RefContext::run(const EmbedOp& op, const Batch& batch) {
  for (uint32_t r = 0; r < batch.tokens.size(); ++r) {
    HB_CHECK(batch.tokens[r] >= 0 && static_cast<uint32_t>(batch.tokens[r]) < plan_.vocab_size);
    embed_row(plan_.weights[op.table], static_cast<uint32_t>(batch.tokens[r]), op.scale, row(op.out, r));
  }
}

void RefContext::run(const RmsNormOp& op, const Batch&) {
  for (uint32_t r = 0; r < tensors_[op.in].rows; ++r) {
    rms_norm_row(op, plan_.weights[op.weight], row(op.in, r), optional_row(op.residual, r), row(op.out, r));
  }
}

void RefContext::run(const QuantiseOp& op, const Batch&) {
  const uint32_t blocks = plan_.buffers[op.out].width / kBlockElems;
  for (uint32_t r = 0; r < tensors_[op.in].rows; ++r) {
    quantise_row(row(op.in, r), std::span(tensors_[op.out].blocks).subspan(size_t{r} * blocks, blocks));
  }
}

std::vector<float> RefContext::products(const PlanWeight& weight, uint32_t index, BufferId in) const {
  std::vector<float> out(tensors_[in].rows);
  if (!is_quantised(weight.type)) {
    for (uint32_t r = 0; r < out.size(); ++r) out[r] = dot_float(weight, index, row(in, r));
    return out;
  }
  std::vector<WeightBlock> blocks(weight.cols / kBlockElems);
  const uint8_t* bytes = weight.bytes.data() + index * row_bytes(weight.type, weight.cols);
  for (uint32_t b = 0; b < blocks.size(); ++b) blocks[b] = decode_block(weight.type, bytes, b);
  const ScaleKind kind = format_traits(weight.type).scales;
  for (uint32_t r = 0; r < out.size(); ++r) {
    out[r] = dot_quantised(blocks, kind, tensors_[in].blocks.data() + r * blocks.size());
  }
  return out;
}

void RefContext::run(const MatvecOp& op, const Batch&) {
  const PlanWeight& weight = plan_.weights[op.weight];
  for (uint32_t n = 0; n < weight.rows; ++n) {
    const std::vector<float> product = products(weight, n, op.in);
    const std::vector<float> up =
        op.up == kNone ? std::vector<float>(product.size()) : products(plan_.weights[op.up], n, op.in);
    const float bias = op.bias == kNone ? 0.0f : vector_element(plan_.weights[op.bias], n);
    for (uint32_t r = 0; r < product.size(); ++r) {
      const float residual = op.residual == kNone ? 0.0f : row(op.residual, r)[n];
      row(op.out, r)[n] = finish({op.gate, bias, op.out_scale, residual}, product[r], up[r]);
    }
  }
}

void RefContext::run(const RopeOp& op, const Batch& batch) {
  const size_t pairs = plan_.rope_tables[op.rope_table].frequencies.size();
  const auto count = static_cast<uint32_t>(batch.tokens.size());
  const RopeRows angles = rope_rows(plan_.rope_tables[op.rope_table], batch.position, count);
  for (uint32_t r = 0; r < count; ++r) {
    rope_row(op, std::span(angles.cos).subspan(r * pairs, pairs),
             std::span(angles.sin).subspan(r * pairs, pairs), row(op.buffer, r));
  }
}

void RefContext::run(const CacheWriteOp& op, const Batch& batch) {
  const size_t width = cache_width(op.layer);
  const auto to_f16 = [](float value) { return f32_to_f16(value); };
  for (uint32_t r = 0; r < batch.tokens.size(); ++r) {
    const size_t begin = (batch.position + r) * width;
    std::ranges::transform(row(op.key, r), cache_[op.layer].keys.begin() + begin, to_f16);
    std::ranges::transform(row(op.value, r), cache_[op.layer].values.begin() + begin, to_f16);
  }
}

void RefContext::run(const AttentionOp& op, const Batch& batch) {
  const uint32_t queries_per_kv_head = op.heads / op.kv_heads;
  for (uint32_t r = 0; r < batch.tokens.size(); ++r) {
    const PositionRange range = visible_positions(batch.position + r, op.window);
    for (uint32_t head = 0; head < op.heads; ++head) {
      const size_t offset = size_t{head / queries_per_kv_head} * op.head_dim;
      const HeadCache cache = {cache_[op.layer].keys.data() + offset, cache_[op.layer].values.data() + offset,
                               cache_width(op.layer)};
      attention_head(op, cache, range, row(op.query, r).subspan(head * op.head_dim, op.head_dim),
                     row(op.out, r).subspan(head * op.head_dim, op.head_dim));
    }
  }
}

void RefContext::run(const OutputRowsOp& op, const Batch& batch) {
  const auto skipped = static_cast<uint32_t>(batch.tokens.size()) - batch.output_count;
  for (uint32_t r = 0; r < batch.output_count; ++r)
    std::ranges::copy(row(op.in, skipped + r), row(op.out, r).begin());
}

void RefContext::run(const SoftcapOp& op, const Batch&) {
  for (uint32_t r = 0; r < tensors_[op.buffer].rows; ++r) softcap_row(op.cap, row(op.buffer, r));
}

void RefContext::run(const ScaleOp& op, const Batch&) {
  for (uint32_t r = 0; r < tensors_[op.buffer].rows; ++r) scale_row(op.scale, row(op.buffer, r));
}

Result<std::vector<float>> RefContext::read_buffer(BufferId buffer) {
  HB_CHECK_LT(buffer, tensors_.size());
  return without_bad_alloc("a buffer's values", [&]() -> Result<std::vector<float>> {
    const Tensor& tensor = tensors_[buffer];
    if (plan_.buffers[buffer].kind == PlanBuffer::Kind::kF32) return tensor.floats;
    std::vector<float> values;
    for (const ActivationBlock& block : tensor.blocks) {
      for (const int8_t code : block.codes) values.push_back(static_cast<float>(code) * block.scale);
    }
    return values;
  });
}

Status RefContext::write_buffer(BufferId buffer, std::span<const float> values) {
  HB_CHECK_LT(buffer, tensors_.size());
  const PlanBuffer& shape = plan_.buffers[buffer];
  HB_ASSIGN(const uint32_t rows, rows_to_write(shape, values.size(), max_batch()));
  HB_TRY(without_bad_alloc("a buffer's values", [&]() -> Status {
    resize(buffer, rows);
    return {};
  }));
  if (shape.kind == PlanBuffer::Kind::kF32) {
    std::ranges::copy(values, tensors_[buffer].floats.begin());
  } else {
    quantise_row(values, tensors_[buffer].blocks);
  }
  return {};
}

Result<std::vector<uint16_t>> RefContext::read_cache(uint32_t position, uint32_t count) {
  HB_TRY(check_cache_positions(position, count, capacity()));
  return without_bad_alloc("rows of the cache", [&]() -> Result<std::vector<uint16_t>> {
    std::vector<uint16_t> rows;
    for (uint32_t layer = 0; layer < cache_.size(); ++layer) {
      const size_t begin = size_t{position} * cache_width(layer), size = size_t{count} * cache_width(layer);
      for (const auto* tensor : {&cache_[layer].keys, &cache_[layer].values}) {
        rows.insert(rows.end(), tensor->begin() + begin, tensor->begin() + begin + size);
      }
    }
    return rows;
  });
}

Status RefContext::write_cache(uint32_t position, uint32_t count, std::span<const uint16_t> rows) {
  HB_TRY(check_cache_positions(position, count, capacity()));
  HB_TRY(check_cache_values(plan_, count, rows.size()));
  for (uint32_t layer = 0; layer < cache_.size(); ++layer) {
    const size_t begin = size_t{position} * cache_width(layer), size = size_t{count} * cache_width(layer);
    for (auto* tensor : {&cache_[layer].keys, &cache_[layer].values}) {
      std::ranges::copy(rows.first(size), tensor->begin() + begin);
      rows = rows.subspan(size);
    }
  }
  return {};
}

void RefContext::resize(BufferId buffer, uint32_t rows) {
  Tensor& tensor = tensors_[buffer];
  const size_t elements = size_t{rows} * plan_.buffers[buffer].width;
  tensor.rows = rows;
  if (plan_.buffers[buffer].kind == PlanBuffer::Kind::kF32) {
    tensor.floats.resize(elements);
  } else {
    tensor.blocks.resize(elements / kBlockElems);
  }
}

std::span<float> RefContext::row(BufferId buffer, uint32_t index) {
  const uint32_t width = plan_.buffers[buffer].width;
  return std::span(tensors_[buffer].floats).subspan(size_t{index} * width, width);
}

std::span<const float> RefContext::row(BufferId buffer, uint32_t index) const {
  const uint32_t width = plan_.buffers[buffer].width;
  return std::span(tensors_[buffer].floats).subspan(size_t{index} * width, width);
}

const float* RefContext::optional_row(BufferId buffer, uint32_t index) const {
  return buffer == kNone ? nullptr : row(buffer, index).data();
}

uint32_t RefContext::cache_width(uint32_t layer) const {
  return plan_.cache_layers[layer].kv_heads * plan_.cache_layers[layer].head_dim;
}

}  // namespace hb::ref
