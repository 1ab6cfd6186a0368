#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "plan/plan.h"

namespace hb {
namespace {

// What one op prints: a weight's name or the layer it belongs to, the op's name, and what it reads and
// writes.
struct Line {
  std::string label;
  const char* op;
  std::string text;
};

// Prints one op of a plan; an overload for each kind.
struct OpPrinter {
  const Plan& plan;

  const std::string& name(BufferId id) const { return plan.buffers[id].name; }
  std::string sized(BufferId id) const { return fmt::format("{} ({})", name(id), plan.buffers[id].width); }

  std::string weight(WeightId id) const {
    const PlanWeight& w = plan.weights[id];
    const std::string shape = w.rows == 1 ? fmt::format("{}", w.cols) : fmt::format("{}, {}", w.rows, w.cols);
    return fmt::format("{} {} ({})", w.name, tensor_type_name(w.type), shape);
  }

  std::string label(WeightId id) const {
    constexpr std::string_view kSuffix = ".weight";
    std::string_view text = plan.weights[id].name;
    if (text.ends_with(kSuffix)) text.remove_suffix(kSuffix.size());
    return std::string(text);
  }

  std::string plus(BufferId residual) const {
    return residual == kNone ? "" : fmt::format("{} + ", name(residual));
  }
  static std::string times(float scale) { return scale == 1.0f ? "" : fmt::format("{} * ", scale); }
  static std::string layer(uint32_t index) { return fmt::format("blk.{}", index); }

  Line operator()(const EmbedOp& op) const {
    return {label(op.table), "embed",
            fmt::format("{}row of {} -> {}", times(op.scale), weight(op.table), sized(op.out))};
  }

  Line operator()(const RmsNormOp& op) const {
    const bool heads = op.group != plan.buffers[op.in].width;
    return {label(op.weight), "rms_norm",
            fmt::format("{}norm({}{}, {}) * {} -> {}", plus(op.residual), sized(op.in),
                        heads ? fmt::format(" by {}", op.group) : "", op.epsilon, weight(op.weight),
                        name(op.out))};
  }

  Line operator()(const QuantiseOp& op) const {
    return {"", "quantise", fmt::format("{} -> {}", sized(op.in), name(op.out))};
  }

  Line operator()(const MatvecOp& op) const {
    std::string product = fmt::format("{} x {}", sized(op.in), weight(op.weight));
    if (op.bias != kNone) product += fmt::format(" + {}", weight(op.bias));
    if (op.gate != MatvecOp::Gate::kNone) {
      const char* activation = op.gate == MatvecOp::Gate::kSilu ? "silu" : "gelu";
      product = fmt::format("{}({}) * {}", activation, product, weight(op.up));
    }
    return {label(op.weight), "matvec",
            fmt::format("{}{}{} -> {}", plus(op.residual), times(op.out_scale), product, name(op.out))};
  }

  Line operator()(const RopeOp& op) const {
    return {"", "rope",
            fmt::format("{} heads {} x {}, {} pairs {}, table {}", name(op.buffer), op.heads, op.head_dim,
                        plan.rope_tables[op.rope_table].frequencies.size(),
                        op.pairing == RopeOp::Pairing::kAdjacent ? "adjacent" : "in halves", op.rope_table)};
  }

  Line operator()(const CacheWriteOp& op) const {
    return {layer(op.layer), "cache_write", fmt::format("{}, {} -> cache", sized(op.key), sized(op.value))};
  }

  Line operator()(const AttentionOp& op) const {
    std::string text = fmt::format("{} ({} heads x {}, {} of kv), scale {}", name(op.query), op.heads,
                                   op.head_dim, op.kv_heads, op.scale);
    if (op.window != 0) text += fmt::format(", window {}", op.window);
    if (op.softcap != 0) text += fmt::format(", softcap {}", op.softcap);
    return {layer(op.layer), "attention", fmt::format("{} -> {}", text, name(op.out))};
  }

  Line operator()(const OutputRowsOp& op) const {
    return {"", "output_rows", fmt::format("{} -> {}", sized(op.in), name(op.out))};
  }

  Line operator()(const SoftcapOp& op) const {
    return {"", "softcap", fmt::format("{} to {}", sized(op.buffer), op.cap)};
  }

  Line operator()(const ScaleOp& op) const {
    return {"", "scale", fmt::format("{} * {}", sized(op.buffer), op.scale)};
  }
};

Line line_of(const Plan& plan, const Op& op) { return std::visit(OpPrinter{plan}, op); }

std::string aligned(const Line& line, size_t label_width) {
  return fmt::format("{:{}}  {:11}  {}", line.label, label_width, line.op, line.text);
}

}  // namespace

std::string to_string(const Plan& plan, const Op& op) {
  const Line line = line_of(plan, op);
  return aligned(line, line.label.size());
}

std::string to_string(const Plan& plan) {
  std::vector<Line> lines;
  size_t label_width = 0;
  for (const Op& op : plan.ops) {
    lines.push_back(line_of(plan, op));
    label_width = std::max(label_width, lines.back().label.size());
  }
  std::string text;
  for (const Line& line : lines) text += aligned(line, label_width) + "\n";
  return text;
}

}  // namespace hb
