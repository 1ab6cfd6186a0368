// A folder of small files that goes away with the test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace hb {

class TempFiles : public testing::Test {
 protected:
  TempFiles() : folder_(std::filesystem::temp_directory_path() / ("hb_lab_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~TempFiles() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, std::string_view content) const {
    const std::string path = folder_ / name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace hb
