#include "plan/validate.h"

#include <fmt/format.h>

#include <cmath>

#include "quant/weight_block.h"

namespace hb {
namespace {

Status require(bool condition, const std::string& message) {
  if (condition) return {};
  return fail(ErrorCode::kInvalidArgument, message);
}

// The range of factors in ops: with it, no product of a stored value and a factor is infinite.
bool factor_in_range(float value) { return std::fabs(value) >= 0x1p-40f && std::fabs(value) <= 0x1p40f; }

Status require_factor(float value, const char* what) {
  return require(factor_in_range(value),
                 fmt::format("{} is {}; its magnitude must be in [2^-40, 2^40]", what, value));
}

// One overload for each op.
class OpChecker {
 public:
  explicit OpChecker(const Plan& plan) : plan_(plan) {}

  Status operator()(const EmbedOp& op) const {
    HB_TRY(weight(op.table));
    const PlanWeight& table = plan_.weights[op.table];
    HB_TRY(require(table.rows >= plan_.vocab_size, fmt::format("table '{}' has {} rows for {} tokens",
                                                               table.name, table.rows, plan_.vocab_size)));
    HB_TRY(batch_buffer(op.out, table.cols));
    return require_factor(op.scale, "scale");
  }

  Status operator()(const RmsNormOp& op) const {
    HB_TRY(buffer(op.in));
    const PlanBuffer& in = plan_.buffers[op.in];
    HB_TRY(f32(in, in.width));
    HB_TRY(
        require(op.group > 0 && in.width % op.group == 0,
                fmt::format("groups of {} do not divide the width {} of '{}'", op.group, in.width, in.name)));
    HB_TRY(vector(op.weight, op.group));
    HB_TRY(like(op.out, in, in.width));
    if (op.residual != kNone) HB_TRY(like(op.residual, in, in.width));
    return require(op.epsilon >= 0x1p-40f && op.epsilon <= 1.0f,
                   fmt::format("epsilon is {}; it must be in [2^-40, 1]", op.epsilon));
  }

  Status operator()(const QuantiseOp& op) const {
    HB_TRY(buffer(op.in));
    HB_TRY(buffer(op.out));
    const PlanBuffer &in = plan_.buffers[op.in], &out = plan_.buffers[op.out];
    HB_TRY(f32(in, in.width));
    HB_TRY(require(out.kind == PlanBuffer::Kind::kQ8, fmt::format("'{}' is not Q8", out.name)));
    return same_shape(out, in, in.width);
  }

  Status operator()(const MatvecOp& op) const {
    HB_TRY(matrix(op.weight, op.in));
    const PlanBuffer& in = plan_.buffers[op.in];
    const uint32_t rows = plan_.weights[op.weight].rows;
    HB_TRY(like(op.out, in, rows));
    HB_TRY(require(op.out != op.in, fmt::format("'{}' cannot be input and output", in.name)));
    if (op.bias != kNone) HB_TRY(vector(op.bias, rows));
    if (op.residual != kNone) HB_TRY(like(op.residual, in, rows));
    const bool gated = op.gate != MatvecOp::Gate::kNone;
    HB_TRY(require(gated == (op.up != kNone), "a gate and an up weight must come together"));
    if (gated) {
      HB_TRY(matrix(op.up, op.in));
      HB_TRY(
          require(plan_.weights[op.up].rows == rows, "gate and up weights have different numbers of rows"));
    }
    return require_factor(op.out_scale, "out_scale");
  }

  Status operator()(const RopeOp& op) const {
    HB_TRY(heads(op.buffer, op.heads, op.head_dim));
    HB_TRY(require(op.rope_table < plan_.rope_tables.size(),
                   fmt::format("there is no rope table {}", op.rope_table)));
    const uint32_t rotary = plan_.rope_tables[op.rope_table].rotary_dims();
    return require(rotary <= op.head_dim,
                   fmt::format("{} rotary dimensions for heads of {}", rotary, op.head_dim));
  }

  Status operator()(const CacheWriteOp& op) const {
    HB_TRY(layer(op.layer));
    const CacheLayer& cache = plan_.cache_layers[op.layer];
    HB_TRY(heads(op.key, cache.kv_heads, cache.head_dim));
    return heads(op.value, cache.kv_heads, cache.head_dim);
  }

  Status operator()(const AttentionOp& op) const {
    HB_TRY(layer(op.layer));
    const CacheLayer& cache = plan_.cache_layers[op.layer];
    HB_TRY(require(op.kv_heads == cache.kv_heads && op.head_dim == cache.head_dim,
                   fmt::format("{} heads of {} read a cache of {} heads of {}", op.kv_heads, op.head_dim,
                               cache.kv_heads, cache.head_dim)));
    HB_TRY(require(op.heads % op.kv_heads == 0,
                   fmt::format("{} heads cannot share {} key-value heads", op.heads, op.kv_heads)));
    HB_TRY(heads(op.query, op.heads, op.head_dim));
    HB_TRY(heads(op.out, op.heads, op.head_dim));
    HB_TRY(require(op.out != op.query, "the query cannot be the output"));
    HB_TRY(require_factor(op.scale, "scale"));
    return op.softcap == 0.0f ? Status() : cap(op.softcap);
  }

  Status operator()(const OutputRowsOp& op) const {
    HB_TRY(buffer(op.in));
    HB_TRY(buffer(op.out));
    const PlanBuffer &in = plan_.buffers[op.in], &out = plan_.buffers[op.out];
    HB_TRY(f32(in, out.width));
    HB_TRY(f32(out, in.width));
    return require(out.output_rows && !in.output_rows,
                   fmt::format("'{}' must hold rows of the batch and '{}' rows of "
                               "the outputs",
                               in.name, out.name));
  }

  Status operator()(const SoftcapOp& op) const {
    HB_TRY(buffer(op.buffer));
    HB_TRY(f32(plan_.buffers[op.buffer], plan_.buffers[op.buffer].width));
    return cap(op.cap);
  }

  Status operator()(const ScaleOp& op) const {
    HB_TRY(buffer(op.buffer));
    HB_TRY(f32(plan_.buffers[op.buffer], plan_.buffers[op.buffer].width));
    return require_factor(op.scale, "scale");
  }

 private:
  Status buffer(BufferId id) const {
    return require(id < plan_.buffers.size(), fmt::format("there is no buffer {}", id));
  }
  Status weight(WeightId id) const {
    return require(id < plan_.weights.size(), fmt::format("there is no weight {}", id));
  }
  Status layer(uint32_t id) const {
    return require(id < plan_.cache_layers.size(), fmt::format("there is no cache layer {}", id));
  }
  Status cap(float value) const { return require_factor(value > 0 ? value : 0.0f, "cap"); }

  Status f32(const PlanBuffer& buffer, uint32_t width) const {
    return require(
        buffer.kind == PlanBuffer::Kind::kF32 && buffer.width == width,
        fmt::format("'{}' must be F32 of width {}, and its width is {}", buffer.name, width, buffer.width));
  }
  Status same_shape(const PlanBuffer& a, const PlanBuffer& b, uint32_t width) const {
    return require(a.width == width && a.output_rows == b.output_rows,
                   fmt::format("'{}' must have width {} and the rows of '{}'", a.name, width, b.name));
  }

  // An F32 buffer of `width` with as many rows as `other`.
  Status like(BufferId id, const PlanBuffer& other, uint32_t width) const {
    HB_TRY(buffer(id));
    HB_TRY(f32(plan_.buffers[id], width));
    return same_shape(plan_.buffers[id], other, width);
  }
  Status batch_buffer(BufferId id, uint32_t width) const {
    HB_TRY(buffer(id));
    HB_TRY(f32(plan_.buffers[id], width));
    return require(!plan_.buffers[id].output_rows,
                   fmt::format("'{}' must hold rows of the batch", plan_.buffers[id].name));
  }
  Status heads(BufferId id, uint32_t count, uint32_t head_dim) const {
    const uint64_t width = uint64_t{count} * head_dim;
    HB_TRY(require(width > 0 && width <= UINT32_MAX, fmt::format("{} heads of {}", count, head_dim)));
    return batch_buffer(id, static_cast<uint32_t>(width));
  }

  Status vector(WeightId id, uint32_t length) const {
    HB_TRY(weight(id));
    const PlanWeight& w = plan_.weights[id];
    return require(!is_quantised(w.type) && w.rows == 1 && w.cols == length,
                   fmt::format("'{}' is {} of ({}, {}); it must be F32, F16 or BF16 of ({})", w.name,
                               tensor_type_name(w.type), w.rows, w.cols, length));
  }
  Status matrix(WeightId id, BufferId in) const {
    HB_TRY(weight(id));
    HB_TRY(buffer(in));
    const PlanWeight& w = plan_.weights[id];
    const PlanBuffer& input = plan_.buffers[in];
    HB_TRY(require(w.cols == input.width, fmt::format("'{}' has {} columns, its input '{}' a width of {}",
                                                      w.name, w.cols, input.name, input.width)));
    return require(is_quantised(w.type) == (input.kind == PlanBuffer::Kind::kQ8),
                   fmt::format("'{}' is {}, which does not go with the kind of its input '{}'", w.name,
                               tensor_type_name(w.type), input.name));
  }

  const Plan& plan_;
};

const char* op_name(const Op& op) {
  constexpr const char* kNames[] = {"embed",       "rmsnorm",   "quantise",    "matvec",  "rope",
                                    "cache write", "attention", "output rows", "softcap", "scale"};
  static_assert(std::size(kNames) == std::variant_size_v<Op>);
  return kNames[op.index()];
}

Status check_weight(const PlanWeight& weight) {
  const TensorTypeInfo& info = tensor_type_info(weight.type);
  HB_TRY(require(weight.rows > 0 && weight.cols > 0 && weight.cols % info.block_elems == 0,
                 fmt::format("({}, {}) is no shape of {}", weight.rows, weight.cols, info.name)));
  const uint64_t bytes = weight.rows * row_bytes(weight.type, weight.cols);
  return require(weight.bytes.size() == bytes,
                 fmt::format("{} of ({}, {}) has {} bytes instead of {}", info.name, weight.rows, weight.cols,
                             weight.bytes.size(), bytes));
}

Status check_buffer(const PlanBuffer& buffer) {
  const uint32_t unit = buffer.kind == PlanBuffer::Kind::kQ8 ? kBlockElems : 1;
  return require(buffer.width > 0 && buffer.width % unit == 0, fmt::format("width {}", buffer.width));
}

Status check_logits(const Plan& plan) {
  if (plan.logits == kNone) return {};  // a plan that only fills the cache, or a test of one op
  HB_TRY(require(plan.logits < plan.buffers.size(), fmt::format("there is no buffer {}", plan.logits)));
  const PlanBuffer& logits = plan.buffers[plan.logits];
  return require(
      logits.kind == PlanBuffer::Kind::kF32 && logits.output_rows && logits.width == plan.vocab_size,
      fmt::format("'{}' must be F32 output rows of width {}", logits.name, plan.vocab_size));
}

template <class T>
Status within(const Status& status, const char* what, size_t index, const T& name) {
  if (status) return {};
  return std::unexpected(status.error().within(fmt::format("plan: {} {} ({})", what, index, name)));
}

}  // namespace

Status validate(const Plan& plan) {
  for (size_t i = 0; i < plan.weights.size(); ++i) {
    HB_TRY(within(check_weight(plan.weights[i]), "weight", i, plan.weights[i].name));
  }
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    HB_TRY(within(check_buffer(plan.buffers[i]), "buffer", i, plan.buffers[i].name));
  }
  for (size_t i = 0; i < plan.cache_layers.size(); ++i) {
    const CacheLayer& layer = plan.cache_layers[i];
    const uint64_t width = uint64_t{layer.kv_heads} * layer.head_dim;
    const std::string shape = fmt::format("{} heads of {}", layer.kv_heads, layer.head_dim);
    HB_TRY(within(require(width > 0 && width <= UINT32_MAX, shape), "cache layer", i, "f16"));
  }
  const OpChecker checker(plan);
  for (size_t i = 0; i < plan.ops.size(); ++i) {
    HB_TRY(within(std::visit(checker, plan.ops[i]), "op", i, op_name(plan.ops[i])));
  }
  return within(check_logits(plan), "logits buffer", plan.logits, "logits");
}

}  // namespace hb
