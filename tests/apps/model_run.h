// The halfbyte binary on a tiny model, its two output streams apart.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "apps/run_binary.h"
#include "model/temp_folder.h"
#include "model/tiny_model.h"

namespace hb::test {

inline void write_file(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

inline std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct ModelRun {
  int exit_code = -1;
  std::string out;
  std::string err;

  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
};

// A fixture with a tiny model and an empty cache folder. The environment's own knobs are not seen.
class ModelTest : public testing::Test {
 protected:
  void SetUp() override {
    TinyModel model;
    model.context = 65536;
    ASSERT_TRUE(write_tiny_model(model_path(), model));
  }

  std::string model_path() const { return folder_.file("tiny.gguf"); }
  std::string file(const std::string& name) const { return folder_.file(name); }

  // `arguments` are read by the shell. Standard input is `input`.
  ModelRun run(const std::string& arguments, const std::string& input = "") const {
    write_file(file("stdin"), input);
    const std::string command = "env -u HALFBYTE_MODEL_DIR HALFBYTE_CACHE_DIR='" + file("cache") + "' '" +
                                HALFBYTE_BINARY "' " + arguments + " <'" + file("stdin") + "' >'" +
                                file("stdout") + "' 2>'" + file("stderr") + "'";
    const int exit_code = run_command(command).exit_code;
    return {exit_code, read_file(file("stdout")), read_file(file("stderr"))};
  }

  // The same with the tiny model.
  ModelRun run_tiny(const std::string& command, const std::string& arguments,
                    const std::string& input = "") const {
    return run(command + " -m '" + model_path() + "' " + arguments, input);
  }
  bool has_vulkan_device() const {
    for (const auto& device : run("devices --json").json()) {
      if (device.is_object() && device.value("usable", false)) return true;
    }
    return false;
  }

 private:
  TempFolder folder_;
};

}  // namespace hb::test
