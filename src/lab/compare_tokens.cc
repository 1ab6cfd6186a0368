#include "lab/compare_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/mapped_file.h"

namespace hb {
namespace {

// At most 40 bytes of a line, with what is not printable ASCII replaced, for messages.
std::string quoted(std::string_view line) {
  std::string text(line.substr(0, 40));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return fmt::format("'{}{}'", text, line.size() > 40 ? "..." : "");
}

std::string_view why_not_an_id(std::string_view line) {
  if (line.empty()) return "the line is empty";
  if (line.find("...") != line.npos || line.find("\u2026") != line.npos)
    return "ids were elided; the whole list is needed";
  if (line[0] == '-') return "an id is not negative";
  const bool digits = std::all_of(line.begin(), line.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits ? "an id is below 2^31" : "one decimal id is expected, and nothing else";
}

Result<int32_t> parse_id(std::string_view line, const std::string& name, uint64_t line_number) {
  int32_t id = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), id);
  if (error == std::errc() && end == line.data() + line.size() && line[0] != '-') return id;
  return fail(ErrorCode::kBadFile,
              fmt::format("{}: line {}: {}: {}", name, line_number, quoted(line), why_not_an_id(line)));
}

Result<std::vector<int32_t>> read_token_file(const std::string& path, const TokenCompareOptions& options) {
  HB_ASSIGN(const auto file, MappedFile::open(path));
  const auto bytes = file->bytes();
  auto ids = parse_token_ids({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
  HB_TRY(file->intact());
  if (ids && options.expected_count && ids->size() != *options.expected_count) {
    return fail(ErrorCode::kBadFile,
                fmt::format("{}: {} ids, and {} were expected", path, ids->size(), *options.expected_count));
  }
  return ids;
}

std::string id_text(std::optional<int32_t> id) { return id ? fmt::format("{}", *id) : "the end"; }

}  // namespace

double TokenReport::match_ratio() const {
  return static_cast<double>(matched) / static_cast<double>(std::max(count_a, count_b));
}

Result<std::vector<int32_t>> parse_token_ids(std::string_view text, const std::string& name) {
  if (text.empty()) return fail(ErrorCode::kBadFile, name + ": no ids");
  std::vector<int32_t> ids;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (end < text.size() && line.ends_with('\r')) line.remove_suffix(1);
    HB_ASSIGN(const int32_t id, parse_id(line, name, ids.size() + 1));
    ids.push_back(id);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return ids;
}

Result<TokenReport> compare_token_files(const std::string& path_a, const std::string& path_b,
                                        const TokenCompareOptions& options) {
  HB_ASSIGN(const auto a, read_token_file(path_a, options));
  HB_ASSIGN(const auto b, read_token_file(path_b, options));
  TokenReport report;
  report.path_a = path_a;
  report.path_b = path_b;
  report.count_a = a.size();
  report.count_b = b.size();
  report.compared = std::min(a.size(), b.size());
  for (size_t i = 0; i < report.compared; ++i) {
    if (a[i] == b[i]) {
      ++report.matched;
    } else if (!report.divergence_step) {
      report.divergence_step = i;
    }
  }
  if (!report.divergence_step && a.size() != b.size()) report.divergence_step = report.compared;
  if (const auto step = report.divergence_step) {
    if (*step < a.size()) report.id_a = a[*step];
    if (*step < b.size()) report.id_b = b[*step];
  }
  return report;
}

nlohmann::json to_json(const TokenReport& r) {
  const auto or_null = [](const auto& value) {
    return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
  };
  return {{"kind", "compare_tokens"},
          {"version", 1},
          {"a", r.path_a},
          {"b", r.path_b},
          {"exact", r.exact()},
          {"count_a", r.count_a},
          {"count_b", r.count_b},
          {"compared", r.compared},
          {"matched", r.matched},
          {"match_ratio", r.match_ratio()},
          {"divergence_step", or_null(r.divergence_step)},
          {"id_a", or_null(r.id_a)},
          {"id_b", or_null(r.id_b)}};
}

std::string to_text(const TokenReport& r) {
  std::string text = fmt::format("{:<16}{}\n", "result", r.exact() ? "the same" : "different");
  text += fmt::format("{:<16}{}: {} ids\n", "a", r.path_a, r.count_a);
  text += fmt::format("{:<16}{}: {} ids\n", "b", r.path_b, r.count_b);
  text += fmt::format("{:<16}{} of {} ({:.6f})\n", "matched", r.matched, std::max(r.count_a, r.count_b),
                      r.match_ratio());
  if (r.divergence_step) {
    text += fmt::format("{:<16}step {}: {} against {}\n", "first differs", *r.divergence_step,
                        id_text(r.id_a), id_text(r.id_b));
  }
  return text;
}

int exit_code(const Result<TokenReport>& report) {
  if (!report) return 2;
  return report->exact() ? 0 : 1;
}

}  // namespace hb
