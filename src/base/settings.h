// Every knob of halfbyte, from one table (settings.def): defaults, then the environment, then options.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_mask.h"
#include "base/error.h"

namespace hb {

// The kinds of settings: the type of a value, its reader, its printer, and what is allowed, in words.
namespace setting {

struct Range {  // a whole number, limits included
  using Value = uint32_t;
  constexpr Range(uint32_t low, uint32_t high) : low(low), high(high) {}
  std::optional<Value> read(std::string_view text) const;
  std::string print(Value value) const;
  std::string allowed() const;
  uint32_t low, high;
};

struct Switch {
  using Value = bool;
  std::optional<Value> read(std::string_view text) const;
  std::string print(Value value) const;
  std::string allowed() const;
};

struct OneOf {  // words separated by '|'
  using Value = std::string;
  constexpr explicit OneOf(std::string_view words) : words(words) {}
  std::optional<Value> read(std::string_view text) const;
  std::string print(const Value& value) const;
  std::string allowed() const;
  std::string_view words;
};

struct Mask {  // hexadecimal CPU mask; the empty text is the empty mask
  using Value = CpuMask;
  std::optional<Value> read(std::string_view text) const;
  std::string print(const Value& value) const;
  std::string allowed() const;
};

struct Text {
  using Value = std::string;
  std::optional<Value> read(std::string_view text) const;
  std::string print(const Value& value) const;
  std::string allowed() const;
};

}  // namespace setting

enum class SettingOrigin { kDefault, kEnvironment, kOption };
const char* setting_origin_name(SettingOrigin origin);  // "default", "environment", "option"

// One line of a record or of `halfbyte version --settings`.
struct SettingLine {
  std::string name, variable, value, allowed, help;
  SettingOrigin origin = SettingOrigin::kDefault;
};

using TextMap = std::map<std::string, std::string, std::less<>>;

// The environment of this process, the only place that reads it.
TextMap process_environment();

// One field a knob, named as in the table. Loaded once in main, then passed as const.
struct Settings {
#define HB_SETTING(name, variable, kind, fallback, help) decltype(kind)::Value name = fallback;
#include "base/settings.def"
#undef HB_SETTING

  // `options` (by the knob's name: "cpu_mask") win over `environment`. An empty variable counts as unset. An
  // empty cache_dir becomes the user's cache folder, and stays empty only if the environment names no home.
  // ERRORS: kInvalidArgument, naming the variable or option, its value and what is allowed; kNotFound for an
  // option that is not in the table.
  static Result<Settings> load(const TextMap& environment, const TextMap& options = {});

  // The effective values, in the table's order.
  std::vector<SettingLine> lines() const;

 private:
  std::map<std::string, SettingOrigin, std::less<>> origins_;  // of the values that are not defaults
};

// Variables called HALFBYTE_* that no knob reads: most likely misspelt, worth a warning.
std::vector<std::string> unknown_variables(const TextMap& environment);

}  // namespace hb
