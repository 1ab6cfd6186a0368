// /proc and /sys of a machine that is not here.
#pragma once

#include <map>
#include <string>

#include "base/system_files.h"

namespace hb {

class FakeSystemFiles : public SystemFiles {
 public:
  explicit FakeSystemFiles(std::map<std::string, std::string> texts = {}) : texts_(std::move(texts)) {}

  std::optional<std::string> read(const std::string& path) const override {
    const auto found = texts_.find(path);
    return found == texts_.end() ? std::nullopt : std::optional(found->second);
  }
  std::string& operator[](const std::string& path) { return texts_[path]; }

 private:
  std::map<std::string, std::string> texts_;
};

}  // namespace hb
