// Are two streams of token ids the same, and if not, where do they part?
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hb {

struct TokenCompareOptions {
  std::optional<uint64_t> expected_count;  // either file with another number of ids is unusable
};

struct TokenReport {
  std::string path_a, path_b;
  uint64_t count_a = 0, count_b = 0;
  uint64_t compared = 0;                    // the shorter count
  uint64_t matched = 0;                     // positions with the same id; some may come after the divergence
  std::optional<uint64_t> divergence_step;  // zero-based; the shorter count if only the lengths differ
  std::optional<int32_t> id_a, id_b;        // at divergence_step; nothing where that file had ended

  bool exact() const { return !divergence_step; }
  double match_ratio() const;  // matched / the longer count
};

// One decimal id from 0 to 2^31 - 1 a line, without spaces or sign; lines end in LF or CR LF, the last may
// lack it. ERRORS: kBadFile, with `name` and the line, for an empty file or line, an elision ("..."), and
// anything else.
Result<std::vector<int32_t>> parse_token_ids(std::string_view text, const std::string& name);

// ERRORS: those of MappedFile and parse_token_ids; kBadFile if a file has not the expected number of ids.
Result<TokenReport> compare_token_files(const std::string& path_a, const std::string& path_b,
                                        const TokenCompareOptions& options);

nlohmann::json to_json(const TokenReport& report);
std::string to_text(const TokenReport& report);  // lines that end in '\n'

// 0 exact, 1 different, 2 the input could not be compared.
int exit_code(const Result<TokenReport>& report);

}  // namespace hb
