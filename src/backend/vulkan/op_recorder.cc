#include "backend/vulkan/op_recorder.h"

#include <algorithm>
#include <variant>

#include "backend/matvec_flags.h"
#include "quant/activation.h"
#include "quant/format_traits.h"

namespace hb::vulkan {
namespace {

constexpr uint32_t kWorkGroup = 64;
constexpr uint32_t kGroupsPerWorkGroup = kWorkGroup / kLaneCount;
constexpr uint32_t kBlocksPerWorkGroup = kWorkGroup / 8;  // quantise.comp

uint32_t divide_up(uint32_t value, uint32_t by) { return (value + by - 1) / by; }

class OpRecorder {
 public:
  OpRecorder(const RecordingInputs& in, const BatchClass& batch) : in_(in), batch_(batch) {}

  Result<std::vector<Dispatch>> record() {
    for (const Op& op : in_.plan.ops) {
      HB_TRY(std::visit([this](const auto& concrete) { return this->add(concrete); }, op));
    }
    if (batch_.feeds_itself) HB_TRY(add_choice());
    return std::move(dispatches_);
  }

 private:
  Status add(const EmbedOp& op);
  Status add(const RmsNormOp& op);
  Status add(const QuantiseOp& op);
  Status add(const MatvecOp& op);
  Status add(const RopeOp& op);
  Status add(const CacheWriteOp& op);
  Status add(const AttentionOp& op);
  Status add(const OutputRowsOp& op);
  Status add(const SoftcapOp& op) { return add_elementwise(KernelOp::kSoftcap, op.buffer, op.cap); }
  Status add(const ScaleOp& op) { return add_elementwise(KernelOp::kScale, op.buffer, op.scale); }

  Status add_elementwise(KernelOp op, BufferId buffer, float factor);
  Status add_matrix(const MatvecOp& op, const DeviceWeight& weight, uint32_t flags, const BufferRange& out);
  Status add_choice();
  Status add_attention_rows(const AttentionOp& op, uint32_t first_row);

  // A dispatch of the kernel for `op`, of x work-groups and a row (or `rows_at_a_time` rows) of `buffer`
  // each.
  Result<Dispatch> row_dispatch(KernelOp op, uint32_t x, BufferId buffer);
  Result<Dispatch> weight_dispatch(KernelOp op, const DeviceWeight& weight, uint32_t x, BufferId buffer);
  void set_rows(Dispatch& dispatch, uint32_t x, BufferId buffer) const;
  void bind_weight(Dispatch& dispatch, const DeviceWeight& weight, uint32_t first_group,
                   uint32_t groups) const;

  const BufferRange& data(BufferId id) const { return in_.buffers.activation(id).data; }
  // For a binding that the flags keep a kernel from reading: a buffer must be there all the same.
  BufferRange nothing() const { return in_.buffers.batch(); }
  uint32_t width(BufferId id) const { return in_.plan.buffers[id].width; }

  const RecordingInputs& in_;
  BatchClass batch_;
  std::vector<Dispatch> dispatches_;
};

void OpRecorder::set_rows(Dispatch& dispatch, uint32_t x, BufferId buffer) const {
  dispatch.extent = {x, 1, 1};
  if (batch_.single) return;
  const bool outputs = in_.plan.buffers[buffer].output_rows;
  dispatch.varying_extent = [x, outputs, columns = dispatch.kernel->columns](const BatchShape& shape) {
    return Extent{x, divide_up(outputs ? shape.outputs : shape.rows, columns), 1};
  };
}

Result<Dispatch> OpRecorder::row_dispatch(KernelOp op, uint32_t x, BufferId buffer) {
  HB_ASSIGN(const KernelSelection selection,
            choose_kernel(in_.facts, {op, {}, batch_.rows}, in_.forced_kernels));
  Dispatch dispatch;
  dispatch.kernel = selection.kernel;
  set_rows(dispatch, x, buffer);
  return dispatch;
}

Result<Dispatch> OpRecorder::weight_dispatch(KernelOp op, const DeviceWeight& weight, uint32_t x,
                                             BufferId buffer) {
  HB_ASSIGN(const KernelSelection selection,
            choose_kernel(in_.facts, {op, weight.type, batch_.rows}, in_.forced_kernels));
  Dispatch dispatch;
  dispatch.kernel = selection.kernel;
  set_rows(dispatch, x, buffer);
  return dispatch;
}

void OpRecorder::bind_weight(Dispatch& dispatch, const DeviceWeight& weight, uint32_t first_group,
                             uint32_t groups) const {
  for (uint32_t s = 0; s < kSections; ++s) {
    const BufferRange range = weight.section(s, first_group, groups);
    if (range.size > 0) dispatch.bind(s, range, Access::kRead);
  }
}

Status OpRecorder::add(const EmbedOp& op) {
  const DeviceWeight& table = in_.weights[op.table];
  const uint32_t elements =
      is_quantised(table.type) ? table.cols / 4 : table.cols;  // of an invocation: 4 or 1
  for (uint32_t first = 0; first < table.layout.groups; first += table.groups_per_binding) {
    const uint32_t groups = std::min(table.groups_per_binding, table.layout.groups - first);
    const uint32_t first_token = first * kGroupRows;
    HB_ASSIGN(Dispatch dispatch,
              weight_dispatch(KernelOp::kEmbed, table, divide_up(elements, kWorkGroup), op.out));
    bind_weight(dispatch, table, first, groups);
    dispatch.bind(4, in_.buffers.batch(), Access::kRead);
    dispatch.bind(9, data(op.out), Access::kWrite);
    for (const uint32_t word : {table.layout.steps, table.cols, first_token,
                                std::min(groups * kGroupRows, table.rows - first_token)})
      dispatch.push_word(word);
    dispatch.push_float(op.scale);
    dispatches_.push_back(std::move(dispatch));
  }
  return {};
}

Status OpRecorder::add(const RmsNormOp& op) {
  HB_ASSIGN(Dispatch dispatch, row_dispatch(KernelOp::kRmsNorm, width(op.in) / op.group, op.in));
  dispatch.bind(0, data(op.in), Access::kRead);
  dispatch.bind(1, whole(in_.weights[op.weight].buffer), Access::kRead);
  dispatch.bind(2, op.residual != kNone ? data(op.residual) : nothing(), Access::kRead);
  dispatch.bind(3, data(op.out), Access::kWrite);
  for (const uint32_t word : {width(op.in), op.group, op.residual != kNone ? 1u : 0u})
    dispatch.push_word(word);
  dispatch.push_float(op.epsilon);
  dispatches_.push_back(std::move(dispatch));
  return {};
}

Status OpRecorder::add(const QuantiseOp& op) {
  const uint32_t blocks = width(op.out) / kBlockElems;
  HB_ASSIGN(Dispatch dispatch,
            row_dispatch(KernelOp::kQuantise, divide_up(blocks, kBlocksPerWorkGroup), op.in));
  dispatch.bind(0, data(op.in), Access::kRead);
  dispatch.bind(1, data(op.out), Access::kWrite);
  dispatch.bind(2, in_.buffers.activation(op.out).meta, Access::kWrite);
  dispatch.push_word(blocks);
  dispatches_.push_back(std::move(dispatch));
  return {};
}

Status OpRecorder::add(const MatvecOp& op) {
  if (op.up != kNone) HB_TRY(add_matrix(op, in_.weights[op.up], kRawProduct, in_.buffers.up_products()));
  return add_matrix(op, in_.weights[op.weight], matvec_flags(op), data(op.out));
}

Status OpRecorder::add_matrix(const MatvecOp& op, const DeviceWeight& weight, uint32_t flags,
                              const BufferRange& out) {
  const DeviceActivation& in = in_.buffers.activation(op.in);
  for (uint32_t first = 0; first < weight.layout.groups; first += weight.groups_per_binding) {
    const uint32_t groups = std::min(weight.groups_per_binding, weight.layout.groups - first);
    HB_ASSIGN(Dispatch dispatch,
              weight_dispatch(KernelOp::kMatvec, weight, divide_up(groups, kGroupsPerWorkGroup), op.in));
    bind_weight(dispatch, weight, first, groups);
    dispatch.bind(4, in.data, Access::kRead);
    if (in.meta.size > 0) dispatch.bind(5, in.meta, Access::kRead);
    dispatch.bind(6, flags & kHasBias ? whole(in_.weights[op.bias].buffer) : nothing(), Access::kRead);
    dispatch.bind(7, flags & (kSiluGate | kGeluGate) ? in_.buffers.up_products() : nothing(), Access::kRead);
    dispatch.bind(8, flags & kHasResidual ? data(op.residual) : nothing(), Access::kRead);
    dispatch.bind(9, out, Access::kWrite);
    for (const uint32_t word :
         {weight.layout.steps, weight.layout.units, groups, first * kGroupRows, weight.rows, flags})
      dispatch.push_word(word);
    dispatch.push_float(op.out_scale);
    dispatches_.push_back(std::move(dispatch));
  }
  return {};
}

Status OpRecorder::add(const RopeOp& op) {
  const auto pairs = static_cast<uint32_t>(in_.plan.rope_tables[op.rope_table].frequencies.size());
  if (pairs == 0) return {};
  const uint32_t total = op.heads * pairs;
  HB_ASSIGN(Dispatch dispatch, row_dispatch(KernelOp::kRope, divide_up(total, kWorkGroup), op.buffer));
  dispatch.bind(0, data(op.buffer), Access::kReadWrite);
  dispatch.bind(1, in_.buffers.angles(op.rope_table), Access::kRead);
  dispatch.bind(2, in_.buffers.batch(), Access::kRead);
  const uint32_t adjacent = op.pairing == RopeOp::Pairing::kAdjacent ? 1 : 0;
  for (const uint32_t word : {width(op.buffer), op.head_dim, pairs, total, adjacent})
    dispatch.push_word(word);
  dispatches_.push_back(std::move(dispatch));
  return {};
}

Status OpRecorder::add(const CacheWriteOp& op) {
  const DeviceCacheLayer& cache = in_.buffers.cache(op.layer);
  const uint32_t words = cache.kv_heads * cache.head_words();
  HB_ASSIGN(Dispatch dispatch, row_dispatch(KernelOp::kCacheWrite, divide_up(words, kWorkGroup), op.key));
  dispatch.bind(0, in_.buffers.batch(), Access::kRead);
  dispatch.bind(1, data(op.key), Access::kRead);
  dispatch.bind(2, data(op.value), Access::kRead);
  dispatch.bind(3, whole(cache.keys), Access::kWrite);
  dispatch.bind(4, whole(cache.values), Access::kWrite);
  for (const uint32_t word : {cache.kv_heads, cache.head_dim, cache.head_words()}) dispatch.push_word(word);
  dispatches_.push_back(std::move(dispatch));
  return {};
}

Status OpRecorder::add(const AttentionOp& op) {
  for (uint32_t first = 0; first < batch_.rows; first += in_.buffers.attention_rows())
    HB_TRY(add_attention_rows(op, first));
  return {};
}

// Scores, then weights and values, then the join, for as many rows as the scratch buffers hold.
Status OpRecorder::add_attention_rows(const AttentionOp& op, uint32_t first_row) {
  const ContextBuffers& buffers = in_.buffers;
  const DeviceCacheLayer& cache = buffers.cache(op.layer);
  const auto rows_of = [first_row, most = buffers.attention_rows()](const BatchShape& shape) {
    return shape.rows > first_row ? std::min(shape.rows - first_row, most) : 0;
  };
  const auto by_span = [rows_of, first_row, heads = op.heads](const BatchShape& shape) {
    const uint32_t rows = rows_of(shape);
    if (rows == 0) return Extent{0, 0, 0};
    return Extent{(shape.position + first_row + rows - 1) / kSpan + 1, heads, rows};
  };
  const auto finish = [&](Dispatch& dispatch) {
    for (const uint32_t word :
         {op.heads, op.kv_heads, op.head_dim, cache.head_words(), buffers.spans(), first_row, op.window})
      dispatch.push_word(word);
    dispatch.push_float(op.scale);
    dispatch.push_float(op.softcap);
    dispatch.bind(0, buffers.batch(), Access::kRead);
    dispatches_.push_back(std::move(dispatch));
  };

  HB_ASSIGN(Dispatch scores, row_dispatch(KernelOp::kAttentionScores, 1, op.query));
  scores.bind(1, data(op.query), Access::kRead);
  scores.bind(2, whole(cache.keys), Access::kRead);
  scores.bind(3, buffers.scores(), Access::kWrite);
  scores.bind(4, buffers.maxima(), Access::kWrite);
  scores.varying_extent = by_span;
  finish(scores);

  HB_ASSIGN(Dispatch values, row_dispatch(KernelOp::kAttentionValues, 1, op.query));
  values.bind(1, buffers.scores(), Access::kRead);
  values.bind(2, buffers.maxima(), Access::kRead);
  values.bind(3, whole(cache.values), Access::kRead);
  values.bind(4, buffers.partial(), Access::kWrite);
  values.varying_extent = by_span;
  finish(values);

  HB_ASSIGN(Dispatch join, row_dispatch(KernelOp::kAttentionJoin, op.heads, op.query));
  join.bind(1, buffers.partial(), Access::kRead);
  join.bind(2, data(op.out), Access::kWrite);
  if (!batch_.single) {
    join.varying_extent = [rows_of, heads = op.heads](const BatchShape& shape) {
      return Extent{heads, rows_of(shape), 1};
    };
  }
  finish(join);
  return {};
}

Status OpRecorder::add(const OutputRowsOp& op) {
  HB_ASSIGN(Dispatch dispatch,
            row_dispatch(KernelOp::kOutputRows, divide_up(width(op.in), kWorkGroup), op.out));
  dispatch.bind(0, in_.buffers.batch(), Access::kRead);
  dispatch.bind(1, data(op.in), Access::kRead);
  dispatch.bind(2, data(op.out), Access::kWrite);
  dispatch.push_word(width(op.in));
  dispatches_.push_back(std::move(dispatch));
  return {};
}

// The likeliest token, which becomes the token of the next evaluation.
Status OpRecorder::add_choice() {
  HB_ASSIGN(Dispatch parts, row_dispatch(KernelOp::kArgmaxParts, kArgmaxParts, in_.plan.logits));
  parts.bind(0, data(in_.plan.logits), Access::kRead);
  parts.bind(1, in_.buffers.argmax_parts(), Access::kWrite);
  parts.push_word(width(in_.plan.logits));
  dispatches_.push_back(std::move(parts));
  HB_ASSIGN(Dispatch feed, row_dispatch(KernelOp::kArgmaxFeed, 1, in_.plan.logits));
  feed.bind(0, in_.buffers.argmax_parts(), Access::kRead);
  feed.bind(1, in_.buffers.batch(), Access::kReadWrite);
  feed.bind(2, in_.buffers.chosen_range(), Access::kWrite);
  dispatches_.push_back(std::move(feed));
  return {};
}

Status OpRecorder::add_elementwise(KernelOp op, BufferId buffer, float factor) {
  HB_ASSIGN(Dispatch dispatch, row_dispatch(op, divide_up(width(buffer), kWorkGroup), buffer));
  dispatch.bind(0, data(buffer), Access::kReadWrite);
  dispatch.push_word(width(buffer));
  dispatch.push_float(factor);
  dispatches_.push_back(std::move(dispatch));
  return {};
}

}  // namespace

BatchClass batch_class(uint32_t rows, uint32_t outputs, uint32_t max_batch) {
  if (rows == 1 && outputs == 1) return {true, 1, false};
  uint32_t size = 1;
  while (size < rows) size *= 8;
  return {false, std::min(size, max_batch), false};
}

Result<std::vector<Dispatch>> record_plan(const RecordingInputs& inputs, const BatchClass& batch_class) {
  return OpRecorder(inputs, batch_class).record();
}

}  // namespace hb::vulkan
