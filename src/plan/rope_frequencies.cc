#include "plan/rope_frequencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/exact_double.h"
#include "quant/weight_block.h"

namespace hb {
namespace {

constexpr double kTwoPi = 6.283185307179586;
constexpr double kLn2 = 0.6931471805599453;

// exact::sincos takes angles below 2^30, and a context has at most 2^26 positions.
constexpr double kMaxFrequency = 16.0;

std::vector<double> base_frequencies(uint32_t dims, double base) {
  std::vector<double> frequencies(dims / 2);
  for (size_t i = 0; i < frequencies.size(); ++i) {
    frequencies[i] = exact::pow(base, -2.0 * static_cast<double>(i) / dims);
  }
  return frequencies;
}

// YaRN (Peng et al. 2023), with the integer ramp ends that llama.cpp and the paper's authors use.
struct YarnRamp {
  double low;   // pairs up to this one keep their frequency
  double high;  // pairs from this one on are divided by the factor

  double kept_share(size_t pair) const {
    const double position = (static_cast<double>(pair) - low) / std::max(0.001, high - low);
    return 1.0 - std::clamp(position, 0.0, 1.0);
  }
};

// The pair (a fraction) that turns `rotations` times within the original context.
double pair_of_rotations(const Hyperparameters& h, double rotations) {
  const double turns = h.rope_scaling.original_context / (rotations * kTwoPi);
  return h.rope_dims * exact::log2(turns) / (2.0 * exact::log2(h.rope_base));
}

YarnRamp yarn_ramp(const Hyperparameters& h) {
  const double low = std::floor(pair_of_rotations(h, h.rope_scaling.beta_fast));
  const double high = std::ceil(pair_of_rotations(h, h.rope_scaling.beta_slow));
  return {std::max(low, 0.0), std::min(high, h.rope_dims - 1.0)};
}

void apply_yarn(const Hyperparameters& h, RopeTable& table) {
  const RopeScaling& yarn = h.rope_scaling;
  const YarnRamp ramp = yarn_ramp(h);
  for (size_t i = 0; i < table.frequencies.size(); ++i) {
    const double kept = ramp.kept_share(i) * yarn.extrapolation;
    const double stretched = table.frequencies[i] / yarn.factor;
    table.frequencies[i] = stretched * (1.0 - kept) + table.frequencies[i] * kept;
  }
  table.magnitude = yarn.attention_factor;
  if (yarn.extrapolation > 0.0f && yarn.factor > 1.0f) {
    table.magnitude *= 1.0 + 0.1 * kLn2 * exact::log2(yarn.factor);
  }
}

void apply_scaling(const Hyperparameters& h, std::span<const float> factors, RopeTable& table) {
  switch (h.rope_scaling.kind) {
    case RopeScalingKind::kNone:
      return;
    case RopeScalingKind::kLinear:
      for (double& frequency : table.frequencies) frequency /= h.rope_scaling.factor;
      return;
    case RopeScalingKind::kYarn:
      return apply_yarn(h, table);
    case RopeScalingKind::kFrequencyFactors:
      HB_CHECK_EQ(factors.size(), table.frequencies.size());
      for (size_t i = 0; i < factors.size(); ++i) table.frequencies[i] /= factors[i];
      return;
  }
}

}  // namespace

Result<RopeTable> make_rope_table(const Hyperparameters& hparams, bool sliding,
                                  std::span<const float> factors) {
  RopeTable table;
  table.frequencies =
      base_frequencies(hparams.rope_dims, sliding ? hparams.rope_base_sliding : hparams.rope_base);
  if (!sliding) apply_scaling(hparams, factors, table);
  for (size_t i = 0; i < table.frequencies.size(); ++i) {
    const double frequency = table.frequencies[i];
    if (frequency >= 0.0 && frequency <= kMaxFrequency) continue;  // NaN fails both
    return fail(
        ErrorCode::kBadFile,
        fmt::format(
            "rope: pair {} turns by {} radians a position; 0 to {} was expected. Check rope.freq_base, "
            "rope.scaling.* and tensor 'rope_freqs.weight'",
            i, frequency, kMaxFrequency));
  }
  return table;
}

Result<std::vector<float>> read_rope_factors(const GgufFile& file, uint32_t count) {
  const GgufTensor* tensor = file.find_tensor(kRopeFactorsTensor);
  HB_CHECK(tensor != nullptr);
  if (tensor->dims.size() != 1 || tensor->dims[0] != count || is_quantised(tensor->type)) {
    return fail(ErrorCode::kBadFile,
                fmt::format("tensor 'rope_freqs.weight' is {} with {} rows of {}; {} floats were expected",
                            tensor_type_name(tensor->type), tensor->rows(), tensor->row_elems(), count));
  }
  std::vector<float> factors(count);
  for (uint32_t i = 0; i < count; ++i) factors[i] = load_float(tensor->type, tensor->bytes.data(), i);
  return factors;
}

}  // namespace hb
