#include "backend/op_cases.h"

namespace hb::testing {
namespace {

template <TensorType kType>
std::vector<OpCase> matvec_of() {
  return quantised_matvec_cases(kType);
}

constexpr CaseGroup kGroups[] = {
    {"MatvecQ40", matvec_of<TensorType::kQ4_0>},
    {"MatvecQ41", matvec_of<TensorType::kQ4_1>},
    {"MatvecQ50", matvec_of<TensorType::kQ5_0>},
    {"MatvecQ51", matvec_of<TensorType::kQ5_1>},
    {"MatvecQ80", matvec_of<TensorType::kQ8_0>},
    {"MatvecIq4Nl", matvec_of<TensorType::kIQ4_NL>},
    {"MatvecQ2K", matvec_of<TensorType::kQ2_K>},
    {"MatvecQ3K", matvec_of<TensorType::kQ3_K>},
    {"MatvecQ4K", matvec_of<TensorType::kQ4_K>},
    {"MatvecQ5K", matvec_of<TensorType::kQ5_K>},
    {"MatvecQ6K", matvec_of<TensorType::kQ6_K>},
    {"MatvecFloat", float_matvec_cases},
    {"MatvecGroups", matvec_group_cases},
    {"Embed", embed_cases},
    {"RmsNorm", rms_norm_cases},
    {"Quantise", quantise_cases},
    {"Rope", rope_cases},
    {"CacheWrite", cache_write_cases},
    {"Attention", attention_cases},
    {"Elementwise", elementwise_cases},
    {"Chain", chain_cases},
};

}  // namespace

std::span<const CaseGroup> op_case_groups() { return kGroups; }

}  // namespace hb::testing
