// The real models that `halfbyte pull` brings into the user's cache: tests that need one are skipped without
// it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace hb::test {

inline constexpr const char* kSmolLm2 = "SmolLM2-135M-Instruct.Q4_1.gguf";
inline constexpr const char* kGemma3 = "gemma-3-270m-q4_k_m.gguf";

// $HALFBYTE_MODEL_DIR, or ~/.cache/halfbyte/models.
inline std::filesystem::path model_folder() {
  if (const char* folder = std::getenv("HALFBYTE_MODEL_DIR"); folder != nullptr && *folder != '\0')
    return folder;
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home == nullptr ? "" : home) / ".cache/halfbyte/models";
}

// The model's path; empty if it is not there.
inline std::string real_model(const char* name) {
  const auto path = model_folder() / name;
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) ? path.string() : std::string();
}

}  // namespace hb::test

// Leaves the test, as skipped, if the model is not there; otherwise declares `path`.
#define HB_REAL_MODEL_OR_SKIP(path, name)                                                               \
  const std::string path = ::hb::test::real_model(name);                                                \
  if (path.empty()) {                                                                                   \
    GTEST_SKIP() << name << " is not in " << ::hb::test::model_folder() << " (set HALFBYTE_MODEL_DIR, " \
                 << "or bring it with 'halfbyte pull')";                                                \
  }                                                                                                     \
  static_assert(true)
