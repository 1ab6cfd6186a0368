#include "backend/cpu/attention.h"

#include <algorithm>

#include "base/exact_math.h"

namespace hb::cpu {

struct Attention::Job {
  const AttentionOp& op;
  const KvCache& cache;
  const KernelTable& kernels;
  uint32_t position;
  Activation& query;
  Activation& out;
  uint32_t heads_per_unit;  // that share the unit's KV head
  uint32_t tokens_per_unit;
  uint32_t units_per_token_group;
};

struct Attention::Unit {
  uint32_t kv_head;
  uint32_t count;  // columns
  uint32_t token[kMaxQueryColumns];
  uint32_t head[kMaxQueryColumns];
  const float* query[kMaxQueryColumns];
  uint32_t begin[kMaxQueryColumns];
  uint32_t end[kMaxQueryColumns];
  uint32_t first_span, last_span;

  QueryColumns columns() const { return {query, count, begin, end}; }
};

// What one span of one unit leaves behind.
struct Attention::SpanScratch {
  float* scores;   // (kMaxQueryColumns, kSpan)
  float* values;   // (columns, padded head_dim)
  float* maximum;  // (kMaxQueryColumns)
  float* sums;     // (kMaxQueryColumns)

  static size_t elems(uint32_t width) { return size_t{kMaxQueryColumns} * (kSpan + width + 2); }
};

Result<Attention> Attention::create(const Plan& plan, uint32_t capacity, uint32_t threads) {
  Attention attention;
  for (const CacheLayer& layer : plan.cache_layers) {
    attention.width_ = std::max(attention.width_, padded_head_dim(layer.head_dim));
  }
  attention.span_capacity_ = (capacity + kSpan - 1) / kSpan;
  attention.slots_ = 2 * threads;  // as many units as are ever split by spans; otherwise one a thread
  const size_t elems = SpanScratch::elems(attention.width_) * attention.span_capacity_ * attention.slots_;
  HB_ASSIGN(attention.scratch_, AlignedBuffer::allocate(elems * sizeof(float)));
  return attention;
}

Attention::SpanScratch Attention::scratch(uint32_t slot, uint32_t span) const {
  const size_t elems = SpanScratch::elems(width_);
  auto* base = const_cast<float*>(reinterpret_cast<const float*>(scratch_.data()));
  float* scores = base + (size_t{slot} * span_capacity_ + span) * elems;
  float* values = scores + kMaxQueryColumns * kSpan;
  float* maximum = values + size_t{kMaxQueryColumns} * width_;
  return {scores, values, maximum, maximum + kMaxQueryColumns};
}

Attention::Unit Attention::make_unit(const Job& job, uint32_t index) const {
  const AttentionOp& op = job.op;
  const uint32_t heads_per_kv = op.heads / op.kv_heads;
  const uint32_t head_groups = (heads_per_kv + job.heads_per_unit - 1) / job.heads_per_unit;
  const uint32_t token_group = index / job.units_per_token_group, rest = index % job.units_per_token_group;
  const uint32_t group = rest % head_groups;
  Unit unit = {};
  unit.kv_head = rest / head_groups;
  const uint32_t first_head = unit.kv_head * heads_per_kv + group * job.heads_per_unit;
  const uint32_t last_head = std::min(first_head + job.heads_per_unit, (unit.kv_head + 1) * heads_per_kv);
  const uint32_t first_token = token_group * job.tokens_per_unit;
  const uint32_t last_token = std::min(first_token + job.tokens_per_unit, job.query.rows());
  for (uint32_t token = first_token; token < last_token; ++token) {
    const uint32_t end = job.position + token + 1;
    for (uint32_t head = first_head; head < last_head; ++head) {
      const uint32_t c = unit.count++;
      unit.token[c] = token;
      unit.head[c] = head;
      unit.query[c] = job.query.row(token) + head * op.head_dim;
      unit.begin[c] = op.window == 0 || end < op.window ? 0 : end - op.window;
      unit.end[c] = end;
    }
  }
  unit.first_span = unit.begin[0] / kSpan;
  unit.last_span = (unit.end[unit.count - 1] - 1) / kSpan;
  return unit;
}

void Attention::score_span(const Job& job, const Unit& unit, uint32_t slot, uint32_t span) const {
  const SpanScratch out = scratch(slot, span);
  const uint32_t first = span * kSpan, count = std::min(kSpan, unit.end[unit.count - 1] - first);
  const AttentionShape shape = {job.op.head_dim, job.op.scale, job.op.softcap};
  job.kernels.attention_scores(job.cache.keys(job.op.layer, unit.kv_head), first, count, unit.columns(),
                               shape, out.scores);
  for (uint32_t c = 0; c < unit.count; ++c) {
    const uint32_t begin = std::max(unit.begin[c], first), end = std::min(unit.end[c], first + count);
    // A span that the column does not see must not win: -2^100 is below every score.
    out.maximum[c] = begin < end
                         ? job.kernels.row_maximum(out.scores + c * kSpan + begin - first, end - begin)
                         : -0x1p100f;
  }
}

void Attention::value_span(const Job& job, const Unit& unit, uint32_t slot, uint32_t span) const {
  float maximum[kMaxQueryColumns];
  for (uint32_t c = 0; c < unit.count; ++c) {
    maximum[c] = scratch(slot, unit.first_span).maximum[c];
    for (uint32_t s = unit.first_span + 1; s <= unit.last_span; ++s) {
      maximum[c] = std::max(maximum[c], scratch(slot, s).maximum[c]);
    }
  }
  const SpanScratch out = scratch(slot, span);
  const uint32_t first = span * kSpan, count = std::min(kSpan, unit.end[unit.count - 1] - first);
  const AttentionShape shape = {job.op.head_dim, job.op.scale, job.op.softcap};
  job.kernels.attention_values(job.cache.values(job.op.layer, unit.kv_head), first, count, unit.columns(),
                               shape, maximum, out.scores, out.sums, out.values);
}

void Attention::finish(const Job& job, const Unit& unit, uint32_t slot) const {
  const uint32_t width = padded_head_dim(job.op.head_dim);
  for (uint32_t c = 0; c < unit.count; ++c) {
    const SpanScratch first = scratch(slot, unit.first_span);
    float sum = first.sums[c];
    float* total = first.values + size_t{c} * width;
    for (uint32_t s = unit.first_span + 1; s <= unit.last_span; ++s) {
      const SpanScratch next = scratch(slot, s);
      sum = sum + next.sums[c];
      for (uint32_t d = 0; d < job.op.head_dim; ++d) total[d] = total[d] + next.values[size_t{c} * width + d];
    }
    const float inverse = exact::rcp(sum);
    float* out = job.out.row(unit.token[c]) + unit.head[c] * job.op.head_dim;
    for (uint32_t d = 0; d < job.op.head_dim; ++d) out[d] = exact::settle(total[d] * inverse);
  }
}

void Attention::run(const AttentionOp& op, const KvCache& cache, uint32_t position, Activation& query,
                    Activation& out, Shared& shared) {
  const uint32_t heads_per_kv = op.heads / op.kv_heads;
  const uint32_t heads_per_unit = std::min(heads_per_kv, kMaxQueryColumns);
  const uint32_t tokens_per_unit = std::max(1u, kMaxQueryColumns / heads_per_kv);
  const uint32_t head_groups = (heads_per_kv + heads_per_unit - 1) / heads_per_unit;
  const uint32_t token_groups = (query.rows() + tokens_per_unit - 1) / tokens_per_unit;
  const Job job = {op,
                   cache,
                   *shared.kernels,
                   position,
                   query,
                   out,
                   heads_per_unit,
                   tokens_per_unit,
                   op.kv_heads * head_groups};
  const uint32_t unit_count = job.units_per_token_group * token_groups;
  const uint32_t threads = shared.pool->thread_count();
  if (threads == 1 || unit_count > slots_) {
    shared.pool->parallel_for(unit_count, [&](uint32_t index, uint32_t thread) {
      const Unit unit = make_unit(job, index);
      for (uint32_t s = unit.first_span; s <= unit.last_span; ++s) score_span(job, unit, thread, s);
      for (uint32_t s = unit.first_span; s <= unit.last_span; ++s) value_span(job, unit, thread, s);
      finish(job, unit, thread);
    });
    return;
  }
  // Spans of a short unit that do not exist are empty chunks.
  const uint32_t spans = (position + query.rows() - 1) / kSpan + 1;
  const auto for_each_span = [&](auto&& work) {
    shared.pool->parallel_for(unit_count * spans, [&](uint32_t chunk, uint32_t) {
      const uint32_t index = chunk / spans, span = chunk % spans;
      const Unit unit = make_unit(job, index);
      if (span >= unit.first_span && span <= unit.last_span) work(unit, index, span);
    });
  };
  for_each_span([&](const Unit& unit, uint32_t index, uint32_t span) { score_span(job, unit, index, span); });
  for_each_span([&](const Unit& unit, uint32_t index, uint32_t span) { value_span(job, unit, index, span); });
  shared.pool->parallel_for(unit_count,
                            [&](uint32_t index, uint32_t) { finish(job, make_unit(job, index), index); });
}

}  // namespace hb::cpu
