// Every op over prime, tiny and partial shapes, every weight type, ordinary data and data at the contract's
// edges.
#pragma once

#include <ostream>
#include <span>
#include <vector>

#include "backend/op_case.h"

namespace hb::testing {

std::vector<OpCase> quantised_matvec_cases(TensorType type);
std::vector<OpCase> float_matvec_cases();
std::vector<OpCase> matvec_group_cases();  // neighbours of one input
std::vector<OpCase> embed_cases();
std::vector<OpCase> rms_norm_cases();
std::vector<OpCase> quantise_cases();
std::vector<OpCase> rope_cases();
std::vector<OpCase> cache_write_cases();
std::vector<OpCase> attention_cases();
std::vector<OpCase> elementwise_cases();  // softcap, scale, output rows
std::vector<OpCase> chain_cases();        // small models over several batches

struct CaseGroup {
  const char* name;  // letters and digits, fit for a test's name
  std::vector<OpCase> (*make)();
};
inline void PrintTo(const CaseGroup& group, std::ostream* out) { *out << group.name; }  // for GoogleTest
std::span<const CaseGroup> op_case_groups();

// Element i mod count: pairs of choices with coprime counts meet in every combination as i grows.
template <class T, size_t kSize>
const T& cycle(const T (&choices)[kSize], uint32_t i) {
  return choices[i % kSize];
}

}  // namespace hb::testing
