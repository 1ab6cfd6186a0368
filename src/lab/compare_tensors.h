// Are two tensors the same, bit for bit, and if not, by how much?
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "lab/tensor_file.h"

namespace hb {

struct TensorSide {
  std::string path;
  std::optional<std::vector<uint64_t>> shape;  // absent for a raw file without a given shape
  uint64_t count = 0;
  uint64_t nans = 0;
  uint64_t infinities = 0;
};

struct TensorMismatch {
  uint64_t index = 0;  // in C order
  float a = 0.0f;
  float b = 0.0f;
};

// Two elements match if their bits are equal, or if they are zeros of different sign: no result of the engine
// depends on the sign of zero, so such pairs are counted on their own.
struct TensorReport {
  FloatType type = FloatType::kF32;
  TensorSide a, b;
  bool same_shape = false;  // the counts, and the shapes where both are known
  uint64_t compared = 0;    // the shorter count
  uint64_t mismatches = 0;
  uint64_t zero_signs = 0;            // +0 against -0, not among the mismatches
  uint64_t nonfinite_mismatches = 0;  // mismatches with a NaN or an infinity: they have no error to measure
  double max_abs_error = 0.0;         // over the pairs of finite numbers
  double mean_abs_error = 0.0;        // likewise
  std::optional<TensorMismatch> first_mismatch;

  bool exact() const { return same_shape && mismatches == 0; }
  bool bit_identical() const { return exact() && zero_signs == 0; }
  double mismatch_ratio() const { return static_cast<double>(mismatches) / static_cast<double>(compared); }
};

// ERRORS: those of open_tensor; kInvalidArgument if the two files hold different types.
Result<TensorReport> compare_tensor_files(const std::string& path_a, const std::string& path_b,
                                          const RawTensorFormat& raw);

nlohmann::json to_json(const TensorReport& report);
std::string to_text(const TensorReport& report);  // lines that end in '\n'

// 0 exact, 1 different, 2 the input could not be compared.
int exit_code(const Result<TensorReport>& report);

}  // namespace hb
