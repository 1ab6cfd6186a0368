#include "backend/cpu/cpu_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "backend/context_checks.h"
#include "backend/cpu/matvec.h"
#include "backend/cpu/pack.h"
#include "base/check.h"
#include "base/memory_errors.h"
#include "quant/activation.h"

namespace hb::cpu {
namespace {

// Rows that share a chunk: the cache keeps sixteen positions in the same cache lines.
constexpr uint32_t kRowsPerChunk = 16;

// A Q8 buffer as code * scale.
std::vector<float> values_of(const Activation& buffer) {
  if (buffer.kind() == PlanBuffer::Kind::kF32) return {buffer.values().begin(), buffer.values().end()};
  std::vector<float> values(size_t{buffer.rows()} * buffer.width());
  for (uint32_t r = 0; r < buffer.rows(); ++r) {
    const QuantisedPanel panel = buffer.quantised_panel(r / kMaxPanel);
    for (uint32_t i = 0; i < buffer.width(); ++i) {
      const size_t slot = size_t{i / kBlockElems} * panel.width + r % kMaxPanel;
      const float code = panel.codes[slot * kBlockElems + i % kBlockElems];
      values[size_t{r} * buffer.width() + i] = code * panel.meta[slot].scale;
    }
  }
  return values;
}

}  // namespace

Result<std::unique_ptr<ExecutionContext>> CpuContext::create(const Plan& plan,
                                                             const std::vector<PackedWeight>& weights,
                                                             Shared& shared, const ContextOptions& options) {
  std::unique_ptr<CpuContext> context(new CpuContext(plan, weights, shared));
  context->max_batch_ = options.max_batch;
  for (const PlanBuffer& buffer : plan.buffers) context->activations_.emplace_back(buffer);
  context->rope_rows_.resize(plan.rope_tables.size());
  HB_ASSIGN(context->cache_, KvCache::create(plan.cache_layers, options.capacity));
  HB_ASSIGN(context->attention_, Attention::create(plan, options.capacity, shared.pool->thread_count()));
  return context;
}

template <class F>
void CpuContext::for_each_row(uint32_t rows, F&& f) {
  const uint32_t chunks = (rows + kRowsPerChunk - 1) / kRowsPerChunk;
  shared_.pool->parallel_for(chunks, [&](uint32_t chunk, uint32_t) {
    const uint32_t end = std::min(rows, (chunk + 1) * kRowsPerChunk);
    for (uint32_t row = chunk * kRowsPerChunk; row < end; ++row) f(row);
  });
}

Status CpuContext::set_rows(const Batch& batch) {
  const auto count = static_cast<uint32_t>(batch.tokens.size());
  for (size_t i = 0; i < activations_.size(); ++i) {
    HB_TRY(activations_[i].set_rows(plan_.buffers[i].output_rows ? batch.output_count : count));
  }
  return {};
}

void CpuContext::set_rope_rows(const Batch& batch) {
  for (size_t i = 0; i < rope_rows_.size(); ++i) {
    rope_rows_[i] =
        rope_rows(plan_.rope_tables[i], batch.position, static_cast<uint32_t>(batch.tokens.size()));
  }
}

Status CpuContext::forward(const Batch& batch) {
  HB_CHECK(!batch.tokens.empty() && batch.tokens.size() <= max_batch_);
  HB_CHECK_LE(size_t{batch.position} + batch.tokens.size(), size_t{capacity()});
  HB_CHECK_LE(size_t{batch.output_count}, batch.tokens.size());
  const std::lock_guard lock(shared_.pool_mutex);
  return without_bad_alloc("the activations", [&] { return run_ops(batch); });
}

Status CpuContext::run_ops(const Batch& batch) {
  HB_TRY(set_rows(batch));
  set_rope_rows(batch);
  for (size_t i = 0; i < plan_.ops.size();) {
    i += std::visit(
        [&]<class Op>(const Op& op) -> size_t {
          if constexpr (std::is_same_v<Op, MatvecOp>) {
            const MatvecGroup group = matvec_group(std::span(plan_.ops).subspan(i));
            run_matvecs(group, weights_, activations_, shared_);
            return group.count;
          } else {
            run(op, batch);
            return 1;
          }
        },
        plan_.ops[i]);
  }
  return {};
}

void CpuContext::run(const EmbedOp& op, const Batch& batch) {
  const PackedWeight& table = weights_[op.table];
  Activation& out = activations_[op.out];
  for_each_row(out.rows(), [&](uint32_t r) {
    const auto token = static_cast<uint32_t>(batch.tokens[r]);
    HB_CHECK_LT(token, table.rows);
    unpack_row(table.type, table.data.data(), table.cols, token, out.row(r));
    shared_.kernels->scale_row(out.row(r), op.scale, table.cols, out.row(r));
  });
}

void CpuContext::run(const RmsNormOp& op, const Batch&) {
  Activation& in = activations_[op.in];
  Activation& out = activations_[op.out];
  Activation* residual = op.residual == kNone ? nullptr : &activations_[op.residual];
  for_each_row(in.rows(), [&](uint32_t r) {
    for (uint32_t begin = 0; begin < in.width(); begin += op.group) {
      shared_.kernels->rms_norm({.in = in.row(r) + begin,
                                 .weight = weights_[op.weight].vector(),
                                 .residual = residual ? residual->row(r) + begin : nullptr,
                                 .out = out.row(r) + begin,
                                 .count = op.group,
                                 .epsilon = op.epsilon});
    }
  });
}

void CpuContext::run(const QuantiseOp& op, const Batch&) {
  quantise(activations_[op.in].values(), activations_[op.out]);
}

void CpuContext::quantise(std::span<const float> rows, Activation& out) {
  for_each_row(out.rows(), [&](uint32_t r) {
    const uint32_t panel = r / kMaxPanel;
    shared_.kernels->quantise_row({.row = rows.data() + size_t{r} * out.width(),
                                   .count = out.width(),
                                   .column = r % kMaxPanel,
                                   .width = out.panel_width(panel),
                                   .codes = out.panel_codes(panel),
                                   .meta = out.panel_meta(panel)});
  });
}

void CpuContext::run(const RopeOp& op, const Batch&) {
  Activation& buffer = activations_[op.buffer];
  const RopeRows& angles = rope_rows_[op.rope_table];
  const uint32_t pairs = plan_.rope_tables[op.rope_table].rotary_dims() / 2;
  for_each_row(buffer.rows(), [&](uint32_t r) {
    for (uint32_t head = 0; head < op.heads; ++head) {
      shared_.kernels->rope_head({.head = buffer.row(r) + head * op.head_dim,
                                  .cos = angles.cos.data() + size_t{r} * pairs,
                                  .sin = angles.sin.data() + size_t{r} * pairs,
                                  .pairs = pairs,
                                  .adjacent = op.pairing == RopeOp::Pairing::kAdjacent});
    }
  });
}

void CpuContext::run(const CacheWriteOp& op, const Batch& batch) {
  Activation& key = activations_[op.key];
  Activation& value = activations_[op.value];
  for_each_row(key.rows(), [&](uint32_t r) {
    uint16_t keys[kMaxCacheRow], values[kMaxCacheRow];
    shared_.kernels->to_half(key.row(r), key.width(), keys);
    shared_.kernels->to_half(value.row(r), value.width(), values);
    cache_.write(op.layer, batch.position + r, keys, values);
  });
}

void CpuContext::run(const AttentionOp& op, const Batch& batch) {
  attention_.run(op, cache_, batch.position, activations_[op.query], activations_[op.out], shared_);
}

void CpuContext::run(const OutputRowsOp& op, const Batch& batch) {
  Activation& in = activations_[op.in];
  Activation& out = activations_[op.out];
  const uint32_t skipped = in.rows() - batch.output_count;
  for (uint32_t r = 0; r < batch.output_count; ++r) {
    std::memcpy(out.row(r), in.row(skipped + r), in.width() * sizeof(float));
  }
}

void CpuContext::run(const SoftcapOp& op, const Batch&) {
  Activation& buffer = activations_[op.buffer];
  for_each_row(buffer.rows(),
               [&](uint32_t r) { shared_.kernels->softcap_row(buffer.row(r), op.cap, buffer.width()); });
}

void CpuContext::run(const ScaleOp& op, const Batch&) {
  Activation& buffer = activations_[op.buffer];
  for_each_row(buffer.rows(), [&](uint32_t r) {
    shared_.kernels->scale_row(buffer.row(r), op.scale, buffer.width(), buffer.row(r));
  });
}

std::span<const float> CpuContext::logits() {
  if (plan_.logits == kNone) return {};
  return activations_[plan_.logits].values();
}

Result<std::vector<float>> CpuContext::read_buffer(BufferId id) {
  HB_CHECK_LT(size_t{id}, activations_.size());
  const Activation& buffer = activations_[id];
  return without_bad_alloc("a buffer's values",
                           [&]() -> Result<std::vector<float>> { return values_of(buffer); });
}

Status CpuContext::write_buffer(BufferId id, std::span<const float> values) {
  HB_CHECK_LT(size_t{id}, activations_.size());
  Activation& buffer = activations_[id];
  HB_ASSIGN(const uint32_t rows, rows_to_write(plan_.buffers[id], values.size(), max_batch_));
  HB_TRY(buffer.set_rows(rows));
  if (buffer.kind() == PlanBuffer::Kind::kF32) {
    std::ranges::copy(values, buffer.row(0));
  } else {
    const std::lock_guard lock(shared_.pool_mutex);
    quantise(values, buffer);
  }
  return {};
}

Result<std::vector<uint16_t>> CpuContext::read_cache(uint32_t position, uint32_t count) {
  HB_CHECK_LE(uint64_t{position} + count, uint64_t{capacity()});
  return without_bad_alloc("rows of the cache", [&]() -> Result<std::vector<uint16_t>> {
    return cache_.read_rows(position, count);
  });
}

Status CpuContext::write_cache(uint32_t position, uint32_t count, std::span<const uint16_t> rows) {
  if (uint64_t{position} + count > capacity() || rows.size() != count * cache_.row_elems()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} cache values do not fit positions {} to {} of {}", rows.size(), position,
                            uint64_t{position} + count, capacity()));
  }
  cache_.write_rows(position, count, rows.data());
  return {};
}

}  // namespace hb::cpu
