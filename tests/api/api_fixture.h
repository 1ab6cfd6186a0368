// What the tests of the C API share: a tiny model on disk, and handles that free themselves.
#pragma once

#include <gtest/gtest.h>
#include <halfbyte/halfbyte.h>

#include <memory>
#include <string>
#include <vector>

#include "model/temp_folder.h"
#include "model/tiny_model.h"

namespace hb::test {

struct FreeHandle {
  void operator()(hb_model* model) const { hb_model_free(model); }
  void operator()(hb_session* session) const { hb_session_free(session); }
};
using ModelHandle = std::unique_ptr<hb_model, FreeHandle>;
using SessionHandle = std::unique_ptr<hb_session, FreeHandle>;

class ApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = folder_.file("tiny.gguf");
    ASSERT_TRUE(write_tiny_model(path_, {}));
    model_ = load_model(path_);
    ASSERT_NE(model_, nullptr) << error_.message;
  }

  // One thread of the default backend, unless the options say otherwise. NULL with error_ on failure.
  ModelHandle load_model(const std::string& path, const hb_model_options* options = nullptr) {
    hb_model_options one_thread;
    hb_model_options_init(&one_thread, sizeof(one_thread));
    one_thread.threads = 1;
    hb_model* model = nullptr;
    hb_model_load(path.c_str(), options != nullptr ? options : &one_thread, &model, &error_);
    return ModelHandle(model);
  }

  SessionHandle new_session(const hb_session_options* options = nullptr) {
    hb_session* session = nullptr;
    EXPECT_EQ(hb_session_create(model_.get(), options, &session, &error_), HB_OK) << error_.message;
    return SessionHandle(session);
  }

  // Ids that are no control tokens.
  static std::vector<int32_t> some_tokens(size_t count, int32_t first = 10) {
    std::vector<int32_t> tokens(count);
    for (size_t i = 0; i < count; ++i) tokens[i] = first + static_cast<int32_t>(i * 7 % 200);
    return tokens;
  }

  // The status, with the message in the failure's output.
  void expect_error(hb_status status, hb_status expected, const std::string& part) {
    EXPECT_EQ(status, expected) << error_.message;
    EXPECT_EQ(error_.status, expected);
    EXPECT_NE(std::string(error_.message).find(part), std::string::npos) << error_.message;
  }

  TempFolder folder_;
  std::string path_;
  hb_error error_ = {};
  ModelHandle model_;
};

}  // namespace hb::test
