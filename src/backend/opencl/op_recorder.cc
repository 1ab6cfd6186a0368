#include "backend/opencl/op_recorder.h"

#include <algorithm>
#include <variant>

#include "backend/cpu/tile_layout.h"
#include "backend/matvec_flags.h"
#include "quant/activation.h"
#include "quant/format_traits.h"

namespace hb::opencl {
namespace {

constexpr uint32_t kWorkGroup = 64;  // of kernels with an element a work-item

class OpRecorder {
 public:
  OpRecorder(const RecordingInputs& in, uint32_t rows) : in_(in), rows_(rows) {}

  Result<std::vector<Dispatch>> record() {
    for (const Op& op : in_.plan.ops) {
      HB_TRY(std::visit([this](const auto& concrete) { return this->add(concrete); }, op));
    }
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
  Status add_matrix(const MatvecOp& op, const DeviceWeight& weight, uint32_t flags, const Buffer& out);
  Status add_attention_rows(const AttentionOp& op, uint32_t first_row);

  // The kernel for `op`, of x work-items for each row of `rows_of` (or for each of its columns' rows).
  Result<Dispatch> new_dispatch(const KernelRequest& request, uint32_t x, BufferId rows_of);

  const Buffer& data(BufferId id) const { return in_.buffers.activation(id).data; }
  // For an argument that the flags keep a kernel from reading: a buffer must be there all the same.
  const Buffer& nothing() const { return in_.buffers.batch(); }
  uint32_t width(BufferId id) const { return in_.plan.buffers[id].width; }

  const RecordingInputs& in_;
  uint32_t rows_;
  std::vector<Dispatch> dispatches_;
};

Result<Dispatch> OpRecorder::new_dispatch(const KernelRequest& request, uint32_t x, BufferId rows_of) {
  HB_ASSIGN(const KernelSelection selection, choose_kernel(in_.facts, request, in_.forced_kernels));
  Dispatch dispatch;
  dispatch.kernel = selection.kernel;
  const bool outputs = in_.plan.buffers[rows_of].output_rows;
  dispatch.extent = [x, outputs, columns = selection.kernel->columns](const BatchShape& shape) {
    return Extent{x, ((outputs ? shape.outputs : shape.rows) + columns - 1) / columns};
  };
  return dispatch;
}

Status OpRecorder::add(const EmbedOp& op) {
  const DeviceWeight& table = in_.weights[op.table];
  const uint32_t units = is_quantised(table.type) ? table.cols / kBlockElems : table.cols;
  for (const WeightPart& part : table.parts) {
    HB_ASSIGN(Dispatch dispatch, new_dispatch({KernelOp::kEmbed, table.type, rows_}, units, op.out));
    dispatch.add(part.buffer);
    dispatch.add(in_.buffers.batch());
    dispatch.add(data(op.out));
    const uint32_t first_token = part.first_tile * cpu::kTileRows;
    for (const uint32_t word :
         {units, first_token, std::min(part.tiles * cpu::kTileRows, table.rows - first_token)})
      dispatch.add(word);
    dispatch.add_float(op.scale);
    dispatches_.push_back(std::move(dispatch));
  }
  return {};
}

Status OpRecorder::add(const RmsNormOp& op) {
  HB_ASSIGN(Dispatch dispatch, new_dispatch({KernelOp::kRmsNorm, {}, rows_}, width(op.in) / op.group, op.in));
  dispatch.add(data(op.in));
  dispatch.add(in_.weights[op.weight].vector());
  dispatch.add(op.residual != kNone ? data(op.residual) : nothing());
  dispatch.add(data(op.out));
  for (const uint32_t word : {width(op.in), op.group, op.residual != kNone ? 1u : 0u}) dispatch.add(word);
  dispatch.add_float(op.epsilon);
  dispatches_.push_back(std::move(dispatch));
  return {};
}

Status OpRecorder::add(const QuantiseOp& op) {
  const uint32_t blocks = width(op.out) / kBlockElems;
  HB_ASSIGN(Dispatch dispatch, new_dispatch({KernelOp::kQuantise, {}, rows_}, blocks, op.in));
  dispatch.add(data(op.in));
  dispatch.add(data(op.out));
  dispatch.add(in_.buffers.activation(op.out).meta);
  dispatch.add(blocks);
  dispatches_.push_back(std::move(dispatch));
  return {};
}

Status OpRecorder::add(const MatvecOp& op) {
  if (op.up != kNone) HB_TRY(add_matrix(op, in_.weights[op.up], kRawProduct, in_.buffers.up_products()));
  return add_matrix(op, in_.weights[op.weight], matvec_flags(op), data(op.out));
}

Status OpRecorder::add_matrix(const MatvecOp& op, const DeviceWeight& weight, uint32_t flags,
                              const Buffer& out) {
  const DeviceActivation& in = in_.buffers.activation(op.in);
  const bool quantised = is_quantised(weight.type);
  for (const WeightPart& part : weight.parts) {
    HB_ASSIGN(Dispatch dispatch, new_dispatch({KernelOp::kMatvec, weight.type, rows_}, part.tiles, op.in));
    dispatch.add(part.buffer);
    dispatch.add(in.data);
    dispatch.add(quantised ? in.meta : nothing());
    dispatch.add(flags & kHasBias ? in_.weights[op.bias].vector() : nothing());
    dispatch.add(flags & (kSiluGate | kGeluGate) ? in_.buffers.up_products() : nothing());
    dispatch.add(flags & kHasResidual ? data(op.residual) : nothing());
    dispatch.add(out);
    const uint32_t units = quantised ? weight.cols / kBlockElems : weight.cols;
    for (const uint32_t word : {units, part.first_tile * cpu::kTileRows, weight.rows, flags})
      dispatch.add(word);
    dispatch.add_float(op.out_scale);
    dispatches_.push_back(std::move(dispatch));
  }
  return {};
}

Status OpRecorder::add(const RopeOp& op) {
  const auto pairs = static_cast<uint32_t>(in_.plan.rope_tables[op.rope_table].frequencies.size());
  if (pairs == 0) return {};
  const uint32_t total = op.heads * pairs;
  HB_ASSIGN(Dispatch dispatch, new_dispatch({KernelOp::kRope, {}, rows_}, total, op.buffer));
  dispatch.group_x = kWorkGroup;
  dispatch.add(data(op.buffer));
  dispatch.add(in_.buffers.angles(op.rope_table));
  const uint32_t adjacent = op.pairing == RopeOp::Pairing::kAdjacent ? 1 : 0;
  for (const uint32_t word : {width(op.buffer), op.head_dim, pairs, total, adjacent}) dispatch.add(word);
  dispatches_.push_back(std::move(dispatch));
  return {};
}

Status OpRecorder::add(const CacheWriteOp& op) {
  const DeviceCacheLayer& cache = in_.buffers.cache()[op.layer];
  HB_ASSIGN(Dispatch dispatch, new_dispatch({KernelOp::kCacheWrite, {}, rows_}, cache.width, op.key));
  dispatch.group_x = kWorkGroup;
  dispatch.add(in_.buffers.batch());
  dispatch.add(data(op.key));
  dispatch.add(data(op.value));
  dispatch.add(cache.keys);
  dispatch.add(cache.values);
  dispatch.add(cache.width);
  dispatches_.push_back(std::move(dispatch));
  return {};
}

Status OpRecorder::add(const AttentionOp& op) {
  for (uint32_t first = 0; first < rows_; first += in_.buffers.attention_rows())
    HB_TRY(add_attention_rows(op, first));
  return {};
}

// As many rows as the scratch buffer holds.
Status OpRecorder::add_attention_rows(const AttentionOp& op, uint32_t first_row) {
  const DeviceCacheLayer& cache = in_.buffers.cache()[op.layer];
  HB_ASSIGN(Dispatch dispatch, new_dispatch({KernelOp::kAttention, {}, rows_}, op.heads, op.query));
  dispatch.extent = [first_row, most = in_.buffers.attention_rows(),
                     heads = op.heads](const BatchShape& shape) {
    return Extent{heads, shape.rows > first_row ? std::min(shape.rows - first_row, most) : 0};
  };
  dispatch.add(in_.buffers.batch());
  dispatch.add(data(op.query));
  dispatch.add(cache.keys);
  dispatch.add(cache.values);
  dispatch.add(in_.buffers.scores());
  dispatch.add(data(op.out));
  for (const uint32_t word :
       {op.heads, op.kv_heads, op.head_dim, in_.buffers.score_stride(), first_row, op.window})
    dispatch.add(word);
  dispatch.add_float(op.scale);
  dispatch.add_float(op.softcap);
  dispatches_.push_back(std::move(dispatch));
  return {};
}

Status OpRecorder::add(const OutputRowsOp& op) {
  HB_ASSIGN(Dispatch dispatch, new_dispatch({KernelOp::kOutputRows, {}, rows_}, width(op.in), op.out));
  dispatch.group_x = kWorkGroup;
  dispatch.add(in_.buffers.batch());
  dispatch.add(data(op.in));
  dispatch.add(data(op.out));
  dispatch.add(width(op.in));
  dispatches_.push_back(std::move(dispatch));
  return {};
}

Status OpRecorder::add_elementwise(KernelOp op, BufferId buffer, float factor) {
  HB_ASSIGN(Dispatch dispatch, new_dispatch({op, {}, rows_}, width(buffer), buffer));
  dispatch.group_x = kWorkGroup;
  dispatch.add(data(buffer));
  dispatch.add(width(buffer));
  dispatch.add_float(factor);
  dispatches_.push_back(std::move(dispatch));
  return {};
}

}  // namespace

Result<std::vector<Dispatch>> record_plan(const RecordingInputs& inputs, uint32_t rows) {
  return OpRecorder(inputs, rows).record();
}

}  // namespace hb::opencl
