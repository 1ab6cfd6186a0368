// Text to tokens and back.
#include "api/api_error.h"
#include "api/copy_out.h"
#include "api/handles.h"
#include "halfbyte/halfbyte.h"

#include <fmt/format.h>

using namespace hb::api;

namespace {

hb::Status check_tokens(const hb::Tokenizer& tokenizer, std::span<const int32_t> tokens) {
  for (const int32_t token : tokens) {
    if (tokenizer.vocab().contains(token)) continue;
    return hb::fail(hb::ErrorCode::kInvalidArgument,
                    fmt::format("token {} is outside the vocabulary of {}", token, tokenizer.vocab_size()));
  }
  return {};
}

}  // namespace

hb_status hb_tokenize(const hb_model* model, const char* text, size_t text_length, uint32_t flags,
                      int32_t* tokens, size_t capacity, size_t* count, hb_error* error) {
  return guarded(error, [&]() -> ApiStatus {
    HB_TRY(not_null(model, "model"));
    HB_TRY(is_array(text, text_length, "text"));
    HB_TRY(has_flags(flags, HB_TOKENIZE_ADD_SPECIAL | HB_TOKENIZE_PARSE_SPECIAL));
    const hb::EncodeOptions options = {.add_special = (flags & HB_TOKENIZE_ADD_SPECIAL) != 0,
                                       .parse_special = (flags & HB_TOKENIZE_PARSE_SPECIAL) != 0};
    HB_ASSIGN(const std::vector<int32_t> ids, model->model->tokenizer().encode({text, text_length}, options));
    return copy_tokens(ids, tokens, capacity, count);
  });
}

hb_status hb_detokenize(const hb_model* model, const int32_t* tokens, size_t count, uint32_t flags,
                        char* text, size_t capacity, size_t* length, hb_error* error) {
  return guarded(error, [&]() -> ApiStatus {
    HB_TRY(not_null(model, "model"));
    HB_TRY(is_array(tokens, count, "tokens"));
    HB_TRY(has_flags(flags, HB_RENDER_CONTROL));
    const hb::Tokenizer& tokenizer = model->model->tokenizer();
    HB_TRY(check_tokens(tokenizer, {tokens, count}));
    return copy_text(tokenizer.decode({tokens, count}, (flags & HB_RENDER_CONTROL) != 0), text, capacity,
                     length);
  });
}

hb_status hb_token_piece(const hb_model* model, int32_t token, uint32_t flags, char* text, size_t capacity,
                         size_t* length, hb_error* error) {
  return guarded(error, [&]() -> ApiStatus {
    HB_TRY(not_null(model, "model"));
    HB_TRY(has_flags(flags, HB_RENDER_CONTROL));
    const hb::Tokenizer& tokenizer = model->model->tokenizer();
    HB_TRY(check_tokens(tokenizer, {&token, 1}));
    return copy_text(tokenizer.piece(token, (flags & HB_RENDER_CONTROL) != 0), text, capacity, length);
  });
}
