#include "lab/compare_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/half.h"

namespace hb {
namespace {

struct Element {
  uint32_t bits = 0;
  float value = 0.0f;
};

uint32_t load_little_endian(const uint8_t* bytes, size_t size) {
  uint32_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= static_cast<uint32_t>(bytes[i]) << (8 * i);
  return value;
}

Element element_at(const TensorFile& tensor, uint64_t index) {
  const size_t size = size_of(tensor.type);
  const uint32_t bits = load_little_endian(tensor.elements.data() + index * size, size);
  if (tensor.type == FloatType::kF32) return {bits, std::bit_cast<float>(bits)};
  return {bits, f16_to_f32(static_cast<uint16_t>(bits))};
}

TensorSide describe(const TensorFile& tensor) {
  TensorSide side{tensor.file->path(), tensor.shape, tensor.count(), 0, 0};
  for (uint64_t i = 0; i < side.count; ++i) {
    const float value = element_at(tensor, i).value;
    if (std::isnan(value)) ++side.nans;
    if (std::isinf(value)) ++side.infinities;
  }
  return side;
}

bool shapes_agree(const TensorSide& a, const TensorSide& b) {
  return a.count == b.count && (!a.shape || !b.shape || *a.shape == *b.shape);
}

void count_mismatch(TensorReport& report, uint64_t index, const Element& a, const Element& b) {
  if (a.value == 0.0f && b.value == 0.0f) {
    ++report.zero_signs;
    return;
  }
  ++report.mismatches;
  if (!std::isfinite(a.value) || !std::isfinite(b.value)) ++report.nonfinite_mismatches;
  if (!report.first_mismatch) report.first_mismatch = {index, a.value, b.value};
}

void compare_elements(const TensorFile& a, const TensorFile& b, TensorReport& report) {
  double sum = 0;
  uint64_t finite_pairs = 0;
  for (uint64_t i = 0; i < report.compared; ++i) {
    const Element x = element_at(a, i), y = element_at(b, i);
    if (x.bits != y.bits) count_mismatch(report, i, x, y);
    if (!std::isfinite(x.value) || !std::isfinite(y.value)) continue;
    const double error = std::fabs(static_cast<double>(x.value) - y.value);
    report.max_abs_error = std::max(report.max_abs_error, error);
    sum += error;
    ++finite_pairs;
  }
  report.mean_abs_error = finite_pairs == 0 ? 0 : sum / static_cast<double>(finite_pairs);
}

// JSON has no NaN and no infinity: they become strings.
nlohmann::json number(float value) {
  if (std::isfinite(value)) return value;
  return fmt::format("{}", value);
}

nlohmann::json to_json(const TensorSide& side) {
  nlohmann::json json = {{"path", side.path},
                         {"shape", nullptr},
                         {"count", side.count},
                         {"nans", side.nans},
                         {"infinities", side.infinities}};
  if (side.shape) json["shape"] = *side.shape;
  return json;
}

std::string to_text(const char* name, const TensorSide& side) {
  const std::string shape = side.shape ? fmt::format("({})", fmt::join(*side.shape, ", ")) : "no shape given";
  return fmt::format("{:<16}{}: {} elements, {}, {} NaN, {} infinite\n", name, side.path, side.count, shape,
                     side.nans, side.infinities);
}

const char* verdict(const TensorReport& r) {
  if (r.bit_identical()) return "bit for bit the same";
  if (r.exact()) return "the same, apart from the signs of zeros";
  return r.same_shape ? "different" : "different shapes";
}

}  // namespace

Result<TensorReport> compare_tensor_files(const std::string& path_a, const std::string& path_b,
                                          const RawTensorFormat& raw) {
  HB_ASSIGN(const TensorFile a, open_tensor(path_a, raw));
  HB_ASSIGN(const TensorFile b, open_tensor(path_b, raw));
  if (a.type != b.type) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("'{}' holds {} and '{}' {}: convert one of them", path_a, float_type_name(a.type),
                            path_b, float_type_name(b.type)));
  }
  TensorReport report;
  report.type = a.type;
  report.a = describe(a);
  report.b = describe(b);
  report.same_shape = shapes_agree(report.a, report.b);
  report.compared = std::min(a.count(), b.count());
  compare_elements(a, b, report);
  HB_TRY(a.file->intact());
  HB_TRY(b.file->intact());
  return report;
}

nlohmann::json to_json(const TensorReport& r) {
  nlohmann::json json = {{"kind", "compare_tensors"},
                         {"version", 1},
                         {"type", float_type_name(r.type)},
                         {"a", to_json(r.a)},
                         {"b", to_json(r.b)},
                         {"same_shape", r.same_shape},
                         {"exact", r.exact()},
                         {"bit_identical", r.bit_identical()},
                         {"compared", r.compared},
                         {"mismatches", r.mismatches},
                         {"mismatch_ratio", r.mismatch_ratio()},
                         {"zero_signs", r.zero_signs},
                         {"nonfinite_mismatches", r.nonfinite_mismatches},
                         {"max_abs_error", r.max_abs_error},
                         {"mean_abs_error", r.mean_abs_error},
                         {"first_mismatch", nullptr}};
  if (const auto& first = r.first_mismatch) {
    json["first_mismatch"] = {{"index", first->index}, {"a", number(first->a)}, {"b", number(first->b)}};
  }
  return json;
}

std::string to_text(const TensorReport& r) {
  std::string text = fmt::format("{:<16}{} ({})\n", "result", verdict(r), float_type_name(r.type));
  text += to_text("a", r.a);
  text += to_text("b", r.b);
  text += fmt::format("{:<16}{} of {} ({:.6f}), {} not finite\n", "mismatches", r.mismatches, r.compared,
                      r.mismatch_ratio(), r.nonfinite_mismatches);
  text += fmt::format("{:<16}{}\n", "signs of zero", r.zero_signs);
  text += fmt::format("{:<16}{:.9g} at most, {:.9g} in the mean\n", "absolute error", r.max_abs_error,
                      r.mean_abs_error);
  if (const auto& first = r.first_mismatch) {
    text += fmt::format("{:<16}element {}: {:.9g} against {:.9g}\n", "first mismatch", first->index, first->a,
                        first->b);
  }
  return text;
}

int exit_code(const Result<TensorReport>& report) {
  if (!report) return 2;
  return report->exact() ? 0 : 1;
}

}  // namespace hb
