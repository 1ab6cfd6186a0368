#include "base/settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace hb {
namespace setting {

std::optional<uint32_t> Range::read(std::string_view text) const {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high)
    return std::nullopt;
  return value;
}
std::string Range::print(uint32_t value) const { return std::to_string(value); }
std::string Range::allowed() const { return fmt::format("{} to {}", low, high); }

std::optional<bool> Switch::read(std::string_view text) const {
  if (text == "1" || text == "on" || text == "true" || text == "yes") return true;
  if (text == "0" || text == "off" || text == "false" || text == "no") return false;
  return std::nullopt;
}
std::string Switch::print(bool value) const { return value ? "on" : "off"; }
std::string Switch::allowed() const { return "on or off"; }

std::optional<std::string> OneOf::read(std::string_view text) const {
  for (std::string_view rest = words; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find('|'));
    if (text == word) return std::string(text);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return std::nullopt;
}
std::string OneOf::print(const std::string& value) const { return value; }
std::string OneOf::allowed() const {
  std::string list;
  for (const char c : words) {
    if (c == '|') {
      list += ", ";
    } else {
      list += c;
    }
  }
  return list;
}

std::optional<CpuMask> Mask::read(std::string_view text) const {
  if (text.empty()) return CpuMask();
  auto mask = CpuMask::parse(text);
  if (!mask || mask->empty()) return std::nullopt;
  return *mask;
}
std::string Mask::print(const CpuMask& value) const { return value.empty() ? "" : value.to_hex(); }
std::string Mask::allowed() const { return "a hexadecimal mask with at least one CPU, such as f0"; }

std::optional<std::string> Text::read(std::string_view text) const { return std::string(text); }
std::string Text::print(const std::string& value) const { return value; }
std::string Text::allowed() const { return "any text"; }

}  // namespace setting

namespace {

// "cpu_mask" becomes "--cpu-mask", as a person writes it.
std::string option_text(std::string_view name) {
  std::string text = "--" + std::string(name);
  std::ranges::replace(text, '_', '-');
  return text;
}

template <class Kind>
Status read_setting(const Kind& kind, std::string_view text, const std::string& where,
                    typename Kind::Value& value) {
  auto read = kind.read(text);
  if (!read) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} is '{}'; it may be {}", where, text, kind.allowed()));
  }
  value = std::move(*read);
  return {};
}

// The text of a name, or null. An empty environment variable is the usual way to unset one.
const std::string* find_text(const TextMap& map, std::string_view name) {
  const auto found = map.find(name);
  return found == map.end() || found->second.empty() ? nullptr : &found->second;
}

std::string user_cache_dir(const TextMap& environment) {
  const std::string* cache = find_text(environment, "XDG_CACHE_HOME");
  if (cache != nullptr && cache->starts_with('/'))
    return *cache + "/halfbyte";  // XDG: relative paths are ignored
  const std::string* home = find_text(environment, "HOME");
  return home == nullptr ? "" : *home + "/.cache/halfbyte";
}

// The names and variables of the table.
struct Row {
  std::string_view name, variable;
};
constexpr Row kRows[] = {
#define HB_SETTING(name, variable, kind, fallback, help) {#name, variable},
#include "base/settings.def"
#undef HB_SETTING
};

Status check_option_names(const TextMap& options) {
  for (const auto& [name, text] : options) {
    if (std::ranges::find(kRows, std::string_view(name), &Row::name) == std::end(kRows)) {
      return fail(ErrorCode::kNotFound, fmt::format("there is no setting '{}'", name));
    }
  }
  return {};
}

}  // namespace

const char* setting_origin_name(SettingOrigin origin) {
  switch (origin) {
    case SettingOrigin::kDefault:
      return "default";
    case SettingOrigin::kEnvironment:
      return "environment";
    case SettingOrigin::kOption:
      return "option";
  }
  return "unknown";
}

TextMap process_environment() {
  TextMap map;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view line = *entry;
    const size_t equals = line.find('=');
    if (equals != std::string_view::npos) map.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return map;
}

Result<Settings> Settings::load(const TextMap& environment, const TextMap& options) {
  HB_TRY(check_option_names(options));
  Settings settings;
  const auto load_one = [&](const Row& row, const auto& kind, auto& value) -> Status {
    if (const auto option = options.find(row.name); option != options.end()) {
      settings.origins_.emplace(row.name, SettingOrigin::kOption);
      return read_setting(kind, option->second, option_text(row.name), value);
    }
    const std::string* text = find_text(environment, row.variable);
    if (text == nullptr) return {};
    settings.origins_.emplace(row.name, SettingOrigin::kEnvironment);
    return read_setting(kind, *text, std::string(row.variable), value);
  };
#define HB_SETTING(name, variable, kind, fallback, help) \
  HB_TRY(load_one({#name, variable}, kind, settings.name));
#include "base/settings.def"
#undef HB_SETTING
  if (settings.cache_dir.empty()) settings.cache_dir = user_cache_dir(environment);
  return settings;
}

std::vector<SettingLine> Settings::lines() const {
  std::vector<SettingLine> lines;
  const auto origin_of = [&](std::string_view name) {
    const auto found = origins_.find(name);
    return found == origins_.end() ? SettingOrigin::kDefault : found->second;
  };
#define HB_SETTING(name, variable, kind, fallback, help) \
  lines.push_back({#name, variable, (kind).print(this->name), (kind).allowed(), help, origin_of(#name)});
#include "base/settings.def"
#undef HB_SETTING
  return lines;
}

std::vector<std::string> unknown_variables(const TextMap& environment) {
  std::vector<std::string> unknown;
  for (const auto& [name, text] : environment) {
    const bool ours = name.starts_with("HALFBYTE_");
    if (ours && std::ranges::find(kRows, std::string_view(name), &Row::variable) == std::end(kRows)) {
      unknown.push_back(name);
    }
  }
  return unknown;
}

}  // namespace hb
