// Text to tokens and back, special tokens, chat templates.
#include <cstring>

#include "api/api_fixture.h"

namespace hb::test {
namespace {

class TextApi : public ApiTest {
 protected:
  std::vector<int32_t> tokenize(const std::string& text, uint32_t flags = 0) {
    size_t count = 0;
    EXPECT_EQ(hb_tokenize(model_.get(), text.data(), text.size(), flags, nullptr, 0, &count, &error_), HB_OK)
        << error_.message;
    std::vector<int32_t> tokens(count);
    EXPECT_EQ(
        hb_tokenize(model_.get(), text.data(), text.size(), flags, tokens.data(), count, &count, &error_),
        HB_OK);
    return tokens;
  }

  std::string detokenize(const std::vector<int32_t>& tokens, uint32_t flags = 0) {
    char text[4096];
    size_t length = 0;
    EXPECT_EQ(hb_detokenize(model_.get(), tokens.data(), tokens.size(), flags, text, sizeof(text), &length,
                            &error_),
              HB_OK)
        << error_.message;
    EXPECT_EQ(text[length], '\0');
    return {text, length};
  }

  hb_status chat(const std::vector<hb_message>& messages, const hb_chat_options* options, std::string& out) {
    char text[4096];
    size_t length = 0;
    const hb_status status = hb_apply_chat_template(model_.get(), messages.data(), messages.size(), options,
                                                    text, sizeof(text), &length, &error_);
    if (status == HB_OK) out.assign(text, length);
    return status;
  }
};

TEST_F(TextApi, GoesThereAndBack) {
  for (const std::string text : {"", "Hello, world", "\u00e4\u6c34\U0001f30a", "\xff\xfe broken"}) {
    EXPECT_EQ(detokenize(tokenize(text)), text);
  }
  const std::string zeros("a\0b", 3);
  EXPECT_EQ(detokenize(tokenize(zeros)), zeros);
}

TEST_F(TextApi, ControlTokensOnlyOnRequest) {
  const std::string text = "<|im_end|>";
  EXPECT_EQ(tokenize(text, HB_TOKENIZE_PARSE_SPECIAL), std::vector<int32_t>{2});
  EXPECT_GT(tokenize(text).size(), 1u);
  EXPECT_EQ(detokenize({2}), "");
  EXPECT_EQ(detokenize({2}, HB_RENDER_CONTROL), text);
}

TEST_F(TextApi, SizeQueriesAndSmallBuffers) {
  const std::string text = "Hello, world";
  const std::vector<int32_t> whole = tokenize(text);
  std::vector<int32_t> tokens(whole.size(), -7);
  size_t count = 0;
  expect_error(hb_tokenize(model_.get(), text.data(), text.size(), 0, tokens.data(), tokens.size() - 1,
                           &count, &error_),
               HB_BUFFER_TOO_SMALL, "needed");
  EXPECT_EQ(count, whole.size());
  EXPECT_EQ(tokens[0], -7);

  char out[64] = "untouched";
  size_t length = 0;
  EXPECT_EQ(hb_detokenize(model_.get(), whole.data(), whole.size(), 0, nullptr, 0, &length, nullptr), HB_OK);
  EXPECT_EQ(length, text.size());
  EXPECT_EQ(hb_detokenize(model_.get(), whole.data(), whole.size(), 0, out, length, &length, nullptr),
            HB_BUFFER_TOO_SMALL);  // no room for the zero
  EXPECT_STREQ(out, "untouched");
  EXPECT_EQ(hb_detokenize(model_.get(), whole.data(), whole.size(), 0, out, length + 1, &length, nullptr),
            HB_OK);
  EXPECT_EQ(out, text);
}

TEST_F(TextApi, PiecesMakeTheText) {
  const std::string text = "a \u6c34!";
  std::string joined;
  for (const int32_t token : tokenize(text)) {
    char piece[32];
    size_t length = 0;
    ASSERT_EQ(hb_token_piece(model_.get(), token, 0, piece, sizeof(piece), &length, &error_), HB_OK)
        << error_.message;
    joined.append(piece, length);
  }
  EXPECT_EQ(joined, text);
}

TEST_F(TextApi, SpecialTokens) {
  hb_special_tokens special = {};
  special.struct_size = sizeof(special);
  ASSERT_EQ(hb_model_get_special_tokens(model_.get(), &special, &error_), HB_OK) << error_.message;
  EXPECT_EQ(special.eos, 2);
  EXPECT_EQ(special.eot, -1);
  EXPECT_EQ(special.reserved, 0u);
  EXPECT_EQ(hb_token_is_end(model_.get(), 2), 1);
  EXPECT_EQ(hb_token_is_end(model_.get(), 50), 0);
  EXPECT_EQ(hb_token_is_end(model_.get(), -1), 0);
  EXPECT_EQ(hb_token_is_end(model_.get(), 1 << 30), 0);
  EXPECT_EQ(hb_token_is_end(nullptr, 2), 0);
}

TEST_F(TextApi, MisuseIsAnError) {
  const int32_t bad = 288;
  const int32_t negative = -1;
  char out[8];
  size_t length = 0;
  int32_t token = 0;
  expect_error(hb_detokenize(model_.get(), &bad, 1, 0, out, 8, &length, &error_), HB_INVALID_ARGUMENT, "288");
  expect_error(hb_token_piece(model_.get(), negative, 0, out, 8, &length, &error_), HB_INVALID_ARGUMENT,
               "-1");
  expect_error(hb_tokenize(model_.get(), "a", 1, 4, &token, 1, &length, &error_), HB_INVALID_ARGUMENT,
               "flags");
  expect_error(hb_tokenize(model_.get(), nullptr, 1, 0, &token, 1, &length, &error_), HB_INVALID_ARGUMENT,
               "text");
  expect_error(hb_tokenize(model_.get(), "a", 1, 0, nullptr, 1, &length, &error_), HB_INVALID_ARGUMENT,
               "buffer");
  expect_error(hb_tokenize(model_.get(), "a", 1, 0, &token, 1, nullptr, &error_), HB_INVALID_ARGUMENT,
               "count");
  expect_error(hb_tokenize(model_.get(), "a", SIZE_MAX, 0, &token, 1, &length, &error_), HB_INVALID_ARGUMENT,
               "text");
  expect_error(hb_tokenize(nullptr, "a", 1, 0, &token, 1, &length, &error_), HB_INVALID_ARGUMENT, "model");
  expect_error(hb_detokenize(model_.get(), nullptr, 1, 0, out, 8, &length, &error_), HB_INVALID_ARGUMENT,
               "tokens");
  expect_error(hb_detokenize(model_.get(), &token, 1, 0, out, 8, nullptr, &error_), HB_INVALID_ARGUMENT,
               "length");
}

TEST_F(TextApi, ChatTemplateOfTheModel) {
  std::string prompt;
  ASSERT_EQ(chat({{"system", "Be brief."}, {"user", "Hi"}}, nullptr, prompt), HB_OK) << error_.message;
  EXPECT_EQ(
      prompt,
      "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");

  hb_chat_options options;
  hb_chat_options_init(&options, sizeof(options));
  options.add_generation_prompt = 0;
  ASSERT_EQ(chat({{"user", "Hi"}}, &options, prompt), HB_OK) << error_.message;
  EXPECT_EQ(prompt, "<|im_start|>user\nHi<|im_end|>\n");
}

TEST_F(TextApi, ChatTemplatesOfTheCaller) {
  hb_chat_options options;
  hb_chat_options_init(&options, sizeof(options));
  std::string prompt;
  options.template_name = "llama3";
  ASSERT_EQ(chat({{"user", "Hi"}}, &options, prompt), HB_OK) << error_.message;
  EXPECT_NE(prompt.find("<|start_header_id|>user"), std::string::npos) << prompt;

  options.template_name = nullptr;
  options.template_source = "{{ tools[0].name }} {{ mood }} {{ messages[0].content }} {{ eos_token }}";
  options.tools_json = R"([{"name": "clock"}])";
  options.variables_json = R"({"mood": "calm", "messages": [{"role": "user", "content": "rich"}]})";
  ASSERT_EQ(chat({}, &options, prompt), HB_OK) << error_.message;
  EXPECT_EQ(prompt, "clock calm rich <|im_end|>");
}

TEST_F(TextApi, ChatMisuseIsAnError) {
  std::string prompt;
  hb_chat_options options;
  hb_chat_options_init(&options, sizeof(options));
  expect_error(chat({{"user", nullptr}}, &options, prompt), HB_INVALID_ARGUMENT, "content of message 0");
  expect_error(chat({{"user", "a"}, {nullptr, "b"}}, &options, prompt), HB_INVALID_ARGUMENT,
               "role of message 1");
  options.tools_json = "{}";
  expect_error(chat({}, &options, prompt), HB_INVALID_ARGUMENT, "tools_json is no JSON array");
  options.tools_json = nullptr;
  options.variables_json = "{\"a\": ";
  expect_error(chat({}, &options, prompt), HB_INVALID_ARGUMENT, "variables_json is no JSON object");
  options.variables_json = nullptr;
  options.template_name = "nonsense";
  expect_error(chat({}, &options, prompt), HB_NOT_FOUND, "nonsense");
  options.template_source = "{{ 1 }}";
  expect_error(chat({}, &options, prompt), HB_INVALID_ARGUMENT, "both set");
  options.template_name = nullptr;
  options.template_source = "{% if %}";
  expect_error(chat({}, &options, prompt), HB_BAD_FILE, "chat template");
  options.template_source = "{{ raise_exception('roles must alternate') }}";
  expect_error(chat({}, &options, prompt), HB_INVALID_ARGUMENT, "roles must alternate");
  options.add_generation_prompt = 7;
  expect_error(chat({}, &options, prompt), HB_INVALID_ARGUMENT, "add_generation_prompt");
}

TEST_F(TextApi, AModelWithoutATemplate) {
  const std::string path = folder_.file("gemma.gguf");
  ASSERT_TRUE(write_tiny_model(path, {.architecture = "gemma3"}));
  model_ = load_model(path);
  ASSERT_NE(model_, nullptr) << error_.message;
  std::string prompt;
  expect_error(chat({{"user", "Hi"}}, nullptr, prompt), HB_NOT_FOUND, "template_name");
}

}  // namespace
}  // namespace hb::test
