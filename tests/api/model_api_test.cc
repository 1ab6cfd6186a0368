// Loading models, what is known about them, versions and names.
#include <map>
#include <nlohmann/json.hpp>

#include "api/api_fixture.h"

namespace hb::test {
namespace {

using ModelApi = ApiTest;

TEST(ApiNames, VersionsAndStatusNames) {
  EXPECT_STREQ(hb_version(), "0.1.0");
  EXPECT_EQ(hb_abi_version(), uint32_t{HB_ABI_VERSION});
  for (hb_status status = HB_OK; status <= HB_INTERNAL; ++status)
    EXPECT_STRNE(hb_status_name(status), "unknown");
  EXPECT_STREQ(hb_status_name(HB_INTERNAL + 1), "unknown");
  EXPECT_STREQ(hb_status_name(-1), "unknown");
}

TEST_F(ModelApi, TellsWhatItIs) {
  hb_model_info info = {};
  info.struct_size = sizeof(info);
  ASSERT_EQ(hb_model_get_info(model_.get(), &info, &error_), HB_OK) << error_.message;
  EXPECT_STREQ(info.architecture, "llama");
  EXPECT_STREQ(info.backend, "cpu");
  EXPECT_NE(std::string(info.backend_description).find("1 thread"), std::string::npos)
      << info.backend_description;
  EXPECT_NE(std::string(info.chat_template).find("im_start"), std::string::npos);
  EXPECT_EQ(info.vocab_size, 288);
  EXPECT_EQ(info.context, 256u);
  EXPECT_GT(info.weight_bytes, 10000u);
  EXPECT_GT(info.weight_bytes_per_token, 10000u);
  std::map<std::string, std::string> kernels;
  for (const auto& row : nlohmann::json::parse(info.kernels_json)) kernels[row["op"]] = row["kernel"];
  EXPECT_TRUE(kernels["blk.0.attn_q.weight"].starts_with("tile_q4_0_"));
  EXPECT_TRUE(kernels["blk.1.ffn_up.weight"].starts_with("tile_q4_0_"));
  EXPECT_TRUE(kernels["token_embd.weight"].starts_with("tile_q8_0_"));
}

TEST_F(ModelApi, OptionsChooseBackendAndInstructionSet) {
  hb_model_options options;
  ASSERT_EQ(hb_model_options_init(&options, sizeof(options)), HB_OK);
  EXPECT_STREQ(options.backend, "cpu");
  options.backend = "ref";
  ModelHandle ref = load_model(path_, &options);
  ASSERT_NE(ref, nullptr) << error_.message;
  hb_model_info info = {};
  info.struct_size = sizeof(info);
  hb_model_get_info(ref.get(), &info, nullptr);
  EXPECT_STREQ(info.backend, "ref");

  options.backend = "quantum";
  EXPECT_EQ(load_model(path_, &options), nullptr);
  expect_error(error_.status, HB_INVALID_ARGUMENT, "quantum");
  options.backend = nullptr;  // as the defaults
  options.isa = "mmx";
  EXPECT_EQ(load_model(path_, &options), nullptr);
  expect_error(error_.status, HB_INVALID_ARGUMENT, "mmx");
  options.isa = nullptr;
  options.cpu_mask = "xyz";
  EXPECT_EQ(load_model(path_, &options), nullptr);
  expect_error(error_.status, HB_INVALID_ARGUMENT, "xyz");
  options.cpu_mask = "";
  options.threads = 1000000;
  EXPECT_EQ(load_model(path_, &options), nullptr);
  expect_error(error_.status, HB_INVALID_ARGUMENT, "1000000");
  options.threads = 2;
  options.huge_pages = 2;
  EXPECT_EQ(load_model(path_, &options), nullptr);
  expect_error(error_.status, HB_INVALID_ARGUMENT, "huge_pages");
}

TEST_F(ModelApi, MissingAndBrokenFilesAreErrors) {
  hb_model* model = nullptr;
  expect_error(hb_model_load(folder_.file("none.gguf").c_str(), nullptr, &model, &error_), HB_NOT_FOUND,
               "none.gguf");
  EXPECT_EQ(model, nullptr);
  FILE* file = std::fopen(folder_.file("bad.gguf").c_str(), "w");
  std::fputs("this is no model, but it is long enough to have a header", file);
  std::fclose(file);
  expect_error(hb_model_load(folder_.file("bad.gguf").c_str(), nullptr, &model, &error_), HB_BAD_FILE,
               "bad.gguf");
}

TEST_F(ModelApi, LongMessagesAreCutBetweenCharacters) {
  std::string path = folder_.file("");
  while (path.size() < 2000) path += "\u00e4";
  hb_model* model = nullptr;
  const hb_status status = hb_model_load(path.c_str(), nullptr, &model, &error_);
  EXPECT_NE(status, HB_OK);
  const std::string message = error_.message;
  EXPECT_GE(message.size(), 1018u);
  EXPECT_LT(message.size(), sizeof(error_.message));
  EXPECT_EQ(message.substr(message.size() - 2), "\u00e4");
}

struct Steps {
  uint64_t done = 0, total = 0;
  int calls = 0;
  int stop_at = -1;  // the call that asks to stop

  static int count(void* user, uint64_t done, uint64_t total) {
    auto& steps = *static_cast<Steps*>(user);
    EXPECT_GT(done, steps.done);
    steps.done = done;
    steps.total = total;
    return steps.calls++ == steps.stop_at ? 1 : 0;
  }
};

TEST_F(ModelApi, LoadingReportsProgressAndCanBeStopped) {
  hb_model_options options;
  hb_model_options_init(&options, sizeof(options));
  Steps steps;
  options.progress = Steps::count;
  options.progress_user = &steps;
  EXPECT_NE(load_model(path_, &options), nullptr) << error_.message;
  EXPECT_GT(steps.calls, 10);
  EXPECT_EQ(steps.done, steps.total);

  steps = {.stop_at = 2};
  EXPECT_EQ(load_model(path_, &options), nullptr);
  EXPECT_EQ(error_.status, HB_CANCELLED);
  EXPECT_EQ(steps.calls, 3);
}

TEST_F(ModelApi, NullIsAnErrorNotACrash) {
  hb_model* model = nullptr;
  hb_model_info info = {};
  expect_error(hb_model_load(nullptr, nullptr, &model, &error_), HB_INVALID_ARGUMENT, "path is NULL");
  expect_error(hb_model_load(path_.c_str(), nullptr, nullptr, &error_), HB_INVALID_ARGUMENT, "model is NULL");
  expect_error(hb_model_get_info(nullptr, &info, &error_), HB_INVALID_ARGUMENT, "model is NULL");
  expect_error(hb_model_get_info(model_.get(), nullptr, &error_), HB_INVALID_ARGUMENT, "info is NULL");
  EXPECT_EQ(hb_model_load(nullptr, nullptr, nullptr, nullptr), HB_INVALID_ARGUMENT);
  EXPECT_EQ(hb_model_options_init(nullptr, 64), HB_INVALID_ARGUMENT);
  hb_model_free(nullptr);
}

// A program that was compiled with an older or a newer header.
TEST_F(ModelApi, StructsOfOtherAges) {
  hb_model_options old;
  hb_model_options_init(&old, sizeof(old));
  old.threads = 1;
  old.struct_size = offsetof(hb_model_options, progress);
  old.progress = reinterpret_cast<hb_progress_fn>(8);  // not part of an old struct: not read
  EXPECT_NE(load_model(path_, &old), nullptr) << error_.message;

  struct Newer {
    hb_model_options known;
    uint64_t feature;
  } newer;
  ASSERT_EQ(hb_model_options_init(&newer.known, sizeof(newer)), HB_OK);
  EXPECT_EQ(newer.feature, 0u);
  EXPECT_EQ(newer.known.struct_size, sizeof(newer));
  newer.known.threads = 1;
  EXPECT_NE(load_model(path_, &newer.known), nullptr) << error_.message;
  newer.feature = 1;
  EXPECT_EQ(load_model(path_, &newer.known), nullptr);
  expect_error(error_.status, HB_INVALID_ARGUMENT, "byte 80 of hb_model_options");

  for (const size_t size : {size_t{0}, size_t{7}, size_t{100000}, SIZE_MAX}) {
    old.struct_size = size;
    EXPECT_EQ(load_model(path_, &old), nullptr);
    expect_error(error_.status, HB_INVALID_ARGUMENT, "struct_size of hb_model_options");
  }
}

TEST_F(ModelApi, FilledStructsOfOtherAges) {
  hb_model_info info = {};
  info.struct_size = offsetof(hb_model_info, context);
  info.context = 77;
  ASSERT_EQ(hb_model_get_info(model_.get(), &info, &error_), HB_OK) << error_.message;
  EXPECT_EQ(info.vocab_size, 288);
  EXPECT_EQ(info.context, 77u);  // beyond the old struct: not written
  EXPECT_EQ(info.struct_size, offsetof(hb_model_info, context));
  info.struct_size = 0;
  expect_error(hb_model_get_info(model_.get(), &info, &error_), HB_INVALID_ARGUMENT,
               "struct_size of hb_model_info");
}

}  // namespace
}  // namespace hb::test
