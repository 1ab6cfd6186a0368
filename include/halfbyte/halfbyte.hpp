// halfbyte for C++20: the C API of halfbyte.h with owners, strings and spans. Header-only, so that a program
// and the library may be built by different compilers; units, ranges and thread rules are those of
// halfbyte.h. A failed call throws halfbyte::Error. Whoever builds without exceptions uses halfbyte.h.
#pragma once

#include <halfbyte/halfbyte.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halfbyte {

class Error : public std::runtime_error {
 public:
  explicit Error(const hb_error& error) : std::runtime_error(error.message), status_(error.status) {}
  hb_status status() const noexcept { return status_; }

 private:
  hb_status status_;
};

// The options are the C structs, with their defaults set.
struct ModelOptions : hb_model_options {
  ModelOptions() { hb_model_options_init(this, sizeof(hb_model_options)); }
};
struct SessionOptions : hb_session_options {
  SessionOptions() { hb_session_options_init(this, sizeof(hb_session_options)); }
};
struct ChatOptions : hb_chat_options {
  ChatOptions() { hb_chat_options_init(this, sizeof(hb_chat_options)); }
};
struct GenerateOptions : hb_generate_options {
  GenerateOptions() { hb_generate_options_init(this, sizeof(hb_generate_options)); }
  std::vector<std::string> stop_texts;  // instead of stops and stop_count
  std::map<int32_t, float> logit_bias;  // instead of bias_tokens, bias_values and bias_count
};

// Called now and then; false stops, and the call throws HB_CANCELLED. What it throws comes out of the call.
using Progress = std::function<bool(uint64_t done, uint64_t total)>;
// Called once a token and once at the end; false ends the answer. What it throws comes out of the call.
using OnToken = std::function<bool(const hb_token_event& event)>;

namespace detail {

inline void check(hb_status status, const hb_error& error) {
  if (status != HB_OK) throw Error(error);
}

// Callbacks across C: an exception stops the call, waits, and goes on behind it.
struct Callbacks {
  const Progress* progress = nullptr;
  const OnToken* on_token = nullptr;
  std::exception_ptr thrown{};

  static int report_progress(void* user, uint64_t done, uint64_t total) noexcept {
    auto& self = *static_cast<Callbacks*>(user);
    return self.guard([&] { return (*self.progress)(done, total); });
  }
  static int report_token(void* user, const hb_token_event* event) noexcept {
    auto& self = *static_cast<Callbacks*>(user);
    return self.guard([&] { return (*self.on_token)(*event); });
  }
  hb_progress_fn progress_fn() const { return progress != nullptr && *progress ? report_progress : nullptr; }

  void check(hb_status status, const hb_error& error) const {
    if (thrown) std::rethrow_exception(thrown);
    detail::check(status, error);
  }

 private:
  template <class F>
  int guard(F&& f) noexcept {
    if (thrown) return 1;
    try {
      return f() ? 0 : 1;
    } catch (...) {
      thrown = std::current_exception();
      return 1;
    }
  }
};

// The whole text of a function with the size-query convention: f(buffer, capacity, &length, &error).
template <class F>
std::string read_text(F&& f) {
  hb_error error;
  size_t length = 0;
  check(f(nullptr, size_t{0}, &length, &error), error);
  std::string text(length, '\0');
  check(f(text.data(), length + 1, &length, &error), error);  // a string has room for its zero
  return text;
}

struct Free {
  void operator()(hb_model* model) const noexcept { hb_model_free(model); }
  void operator()(hb_session* session) const noexcept { hb_session_free(session); }
};

}  // namespace detail

// A loaded model. THREADS: any.
class Model {
 public:
  explicit Model(const std::string& path, ModelOptions options = {}, const Progress& progress = nullptr) {
    detail::Callbacks calls{.progress = &progress};
    if (progress) {
      options.progress = calls.progress_fn();
      options.progress_user = &calls;
    }
    hb_model* loaded = nullptr;
    hb_error error;
    const hb_status status = hb_model_load(path.c_str(), &options, &loaded, &error);
    model_.reset(loaded);
    calls.check(status, error);
  }

  hb_model_info info() const {
    hb_model_info info{};
    info.struct_size = sizeof(info);
    hb_error error;
    detail::check(hb_model_get_info(get(), &info, &error), error);
    return info;
  }

  hb_special_tokens special_tokens() const {
    hb_special_tokens special{};
    special.struct_size = sizeof(special);
    hb_error error;
    detail::check(hb_model_get_special_tokens(get(), &special, &error), error);
    return special;
  }

  bool is_end(int32_t token) const { return hb_token_is_end(get(), token) != 0; }

  std::vector<int32_t> tokenize(std::string_view text, uint32_t flags = HB_TOKENIZE_ADD_SPECIAL) const {
    hb_error error;
    size_t count = 0;
    detail::check(hb_tokenize(get(), text.data(), text.size(), flags, nullptr, 0, &count, &error), error);
    std::vector<int32_t> tokens(count);
    detail::check(hb_tokenize(get(), text.data(), text.size(), flags, tokens.data(), count, &count, &error),
                  error);
    return tokens;
  }

  std::string detokenize(std::span<const int32_t> tokens, uint32_t flags = 0) const {
    return detail::read_text([&](char* text, size_t capacity, size_t* length, hb_error* error) {
      return hb_detokenize(get(), tokens.data(), tokens.size(), flags, text, capacity, length, error);
    });
  }

  std::string piece(int32_t token, uint32_t flags = 0) const {
    return detail::read_text([&](char* text, size_t capacity, size_t* length, hb_error* error) {
      return hb_token_piece(get(), token, flags, text, capacity, length, error);
    });
  }

  // The prompt of a chat as text; chat_tokens() is what a session takes.
  std::string chat_prompt(std::span<const hb_message> messages, const ChatOptions& options = {}) const {
    return detail::read_text([&](char* text, size_t capacity, size_t* length, hb_error* error) {
      return hb_apply_chat_template(get(), messages.data(), messages.size(), &options, text, capacity, length,
                                    error);
    });
  }
  std::vector<int32_t> chat_tokens(std::span<const hb_message> messages,
                                   const ChatOptions& options = {}) const {
    return tokenize(chat_prompt(messages, options), HB_TOKENIZE_PARSE_SPECIAL);
  }

  const hb_model* get() const noexcept { return model_.get(); }

 private:
  std::unique_ptr<hb_model, detail::Free> model_;
};

struct Answer {
  std::string text;
  std::vector<int32_t> tokens;  // without the end token
  hb_generate_stats stats{};
};

// One conversation. Keeps what it needs of its model. THREADS: one at a time.
class Session {
 public:
  explicit Session(const Model& model, const SessionOptions& options = {}) {
    hb_session* created = nullptr;
    hb_error error;
    detail::check(hb_session_create(model.get(), &options, &created, &error), error);
    session_.reset(created);
  }

  void append(std::span<const int32_t> tokens, const Progress& progress = nullptr) {
    detail::Callbacks calls{.progress = &progress};
    hb_error error;
    calls.check(hb_session_append(get(), tokens.data(), tokens.size(), calls.progress_fn(), &calls, &error),
                error);
  }

  // Returns how many tokens were there already.
  size_t set_tokens(std::span<const int32_t> tokens, const Progress& progress = nullptr) {
    detail::Callbacks calls{.progress = &progress};
    hb_error error;
    size_t kept = 0;
    calls.check(hb_session_set_tokens(get(), tokens.data(), tokens.size(), &kept, calls.progress_fn(), &calls,
                                      &error),
                error);
    return kept;
  }

  void truncate(size_t count) {
    hb_error error;
    detail::check(hb_session_truncate(get(), count, &error), error);
  }

  // Valid until the session changes.
  std::span<const int32_t> tokens() const noexcept {
    size_t count = 0;
    const int32_t* tokens = hb_session_tokens(get(), &count);
    return {tokens, count};
  }
  std::span<const float> logits() const noexcept {
    size_t count = 0;
    const float* logits = hb_session_logits(get(), &count);
    return {logits, count};
  }
  uint64_t logits_hash() const noexcept { return hb_session_logits_hash(get()); }
  uint32_t context() const noexcept { return hb_session_context(get()); }

  void save(const std::string& path) {
    hb_error error;
    detail::check(hb_session_save(get(), path.c_str(), &error), error);
  }
  void load(const std::string& path) {
    hb_error error;
    detail::check(hb_session_load(get(), path.c_str(), &error), error);
  }

  // on_token, on_token's user and progress of the options are replaced by the parameters.
  Answer generate(std::span<const int32_t> prompt, const GenerateOptions& options = {},
                  const OnToken& on_token = nullptr, const Progress& progress = nullptr);

  hb_session* get() const noexcept { return session_.get(); }

 private:
  std::unique_ptr<hb_session, detail::Free> session_;
};

inline Answer Session::generate(std::span<const int32_t> prompt, const GenerateOptions& options,
                                const OnToken& on_token, const Progress& progress) {
  Answer answer;
  const OnToken collect = [&](const hb_token_event& event) {
    answer.text.append(event.text, event.text_length);
    if (event.token >= 0) answer.tokens.push_back(event.token);
    return !on_token || on_token(event);
  };
  detail::Callbacks calls{.progress = &progress, .on_token = &collect};
  std::vector<const char*> stops;
  for (const std::string& text : options.stop_texts) stops.push_back(text.c_str());
  std::vector<int32_t> bias_tokens;
  std::vector<float> bias_values;
  for (const auto& [token, value] : options.logit_bias) {
    bias_tokens.push_back(token);
    bias_values.push_back(value);
  }
  hb_generate_options raw = options;
  raw.stops = stops.data();
  raw.stop_count = stops.size();
  raw.bias_tokens = bias_tokens.data();
  raw.bias_values = bias_values.data();
  raw.bias_count = bias_tokens.size();
  raw.on_token = detail::Callbacks::report_token;
  raw.progress = calls.progress_fn();
  raw.user = &calls;
  answer.stats.struct_size = sizeof(answer.stats);
  hb_error error;
  calls.check(hb_generate(get(), prompt.data(), prompt.size(), &raw, &answer.stats, &error), error);
  return answer;
}

}  // namespace halfbyte
