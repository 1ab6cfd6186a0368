// The layout that programs were compiled with. A changed number here breaks them: add fields at the end
// instead, or raise HB_ABI_VERSION.
#include <gtest/gtest.h>
#include <halfbyte/halfbyte.h>

#include <cstddef>

namespace {

static_assert(sizeof(void*) == 8, "the numbers below are those of 64-bit systems");

#define EXPECT_FIELD(type, field, offset) EXPECT_EQ(offsetof(type, field), offset##u)

TEST(Abi, ModelStructs) {
  EXPECT_EQ(sizeof(hb_error), 1024u);
  EXPECT_FIELD(hb_error, message, 4);

  EXPECT_EQ(sizeof(hb_model_options), 80u);
  EXPECT_FIELD(hb_model_options, struct_size, 0);
  EXPECT_FIELD(hb_model_options, backend, 8);
  EXPECT_FIELD(hb_model_options, isa, 16);
  EXPECT_FIELD(hb_model_options, cpu_mask, 24);
  EXPECT_FIELD(hb_model_options, threads, 32);
  EXPECT_FIELD(hb_model_options, spin_us, 36);
  EXPECT_FIELD(hb_model_options, huge_pages, 40);
  EXPECT_FIELD(hb_model_options, progress, 48);
  EXPECT_FIELD(hb_model_options, progress_user, 56);
  EXPECT_FIELD(hb_model_options, vulkan_device, 64);
  EXPECT_FIELD(hb_model_options, cache_folder, 72);

  EXPECT_EQ(sizeof(hb_model_info), 72u);
  EXPECT_FIELD(hb_model_info, architecture, 8);
  EXPECT_FIELD(hb_model_info, backend, 16);
  EXPECT_FIELD(hb_model_info, backend_description, 24);
  EXPECT_FIELD(hb_model_info, kernels_json, 32);
  EXPECT_FIELD(hb_model_info, chat_template, 40);
  EXPECT_FIELD(hb_model_info, weight_bytes, 48);
  EXPECT_FIELD(hb_model_info, weight_bytes_per_token, 56);
  EXPECT_FIELD(hb_model_info, vocab_size, 64);
  EXPECT_FIELD(hb_model_info, context, 68);
}

TEST(Abi, TextStructs) {
  EXPECT_EQ(sizeof(hb_special_tokens), 40u);
  EXPECT_FIELD(hb_special_tokens, bos, 8);
  EXPECT_FIELD(hb_special_tokens, pad, 24);
  EXPECT_FIELD(hb_special_tokens, adds_bos, 28);
  EXPECT_FIELD(hb_special_tokens, adds_eos, 32);

  EXPECT_EQ(sizeof(hb_message), 16u);
  EXPECT_FIELD(hb_message, role, 0);
  EXPECT_FIELD(hb_message, content, 8);

  EXPECT_EQ(sizeof(hb_chat_options), 48u);
  EXPECT_FIELD(hb_chat_options, template_source, 8);
  EXPECT_FIELD(hb_chat_options, template_name, 16);
  EXPECT_FIELD(hb_chat_options, tools_json, 24);
  EXPECT_FIELD(hb_chat_options, variables_json, 32);
  EXPECT_FIELD(hb_chat_options, add_generation_prompt, 40);
}

TEST(Abi, SessionStructs) {
  EXPECT_EQ(sizeof(hb_session_options), 24u);
  EXPECT_FIELD(hb_session_options, context, 8);
  EXPECT_FIELD(hb_session_options, batch, 12);
  EXPECT_FIELD(hb_session_options, shift, 16);
  EXPECT_FIELD(hb_session_options, keep, 20);
}

TEST(Abi, GenerateStructs) {
  EXPECT_EQ(sizeof(hb_token_logprob), 8u);

  EXPECT_EQ(sizeof(hb_token_event), 48u);
  EXPECT_FIELD(hb_token_event, text, 8);
  EXPECT_FIELD(hb_token_event, text_length, 16);
  EXPECT_FIELD(hb_token_event, token, 24);
  EXPECT_FIELD(hb_token_event, logprob, 28);
  EXPECT_FIELD(hb_token_event, likeliest, 32);
  EXPECT_FIELD(hb_token_event, likeliest_count, 40);

  EXPECT_EQ(sizeof(hb_generate_options), 128u);
  EXPECT_FIELD(hb_generate_options, max_tokens, 8);
  EXPECT_FIELD(hb_generate_options, ignore_end, 12);
  EXPECT_FIELD(hb_generate_options, stops, 16);
  EXPECT_FIELD(hb_generate_options, stop_count, 24);
  EXPECT_FIELD(hb_generate_options, seed, 32);
  EXPECT_FIELD(hb_generate_options, temperature, 40);
  EXPECT_FIELD(hb_generate_options, top_k, 44);
  EXPECT_FIELD(hb_generate_options, top_p, 48);
  EXPECT_FIELD(hb_generate_options, min_p, 52);
  EXPECT_FIELD(hb_generate_options, typical_p, 56);
  EXPECT_FIELD(hb_generate_options, repetition_penalty, 60);
  EXPECT_FIELD(hb_generate_options, frequency_penalty, 64);
  EXPECT_FIELD(hb_generate_options, presence_penalty, 68);
  EXPECT_FIELD(hb_generate_options, penalty_last_n, 72);
  EXPECT_FIELD(hb_generate_options, logprobs, 76);
  EXPECT_FIELD(hb_generate_options, bias_tokens, 80);
  EXPECT_FIELD(hb_generate_options, bias_values, 88);
  EXPECT_FIELD(hb_generate_options, bias_count, 96);
  EXPECT_FIELD(hb_generate_options, on_token, 104);
  EXPECT_FIELD(hb_generate_options, progress, 112);
  EXPECT_FIELD(hb_generate_options, user, 120);

  EXPECT_EQ(sizeof(hb_generate_stats), 48u);
  EXPECT_FIELD(hb_generate_stats, finish, 8);
  EXPECT_FIELD(hb_generate_stats, prompt_tokens, 12);
  EXPECT_FIELD(hb_generate_stats, cached_tokens, 16);
  EXPECT_FIELD(hb_generate_stats, decoded_tokens, 20);
  EXPECT_FIELD(hb_generate_stats, prompt_seconds, 24);
  EXPECT_FIELD(hb_generate_stats, decode_seconds, 32);
  EXPECT_FIELD(hb_generate_stats, logits_hash, 40);
}

TEST(Abi, NumbersOfConstants) {
  EXPECT_EQ(hb_abi_version(), 0u);
  EXPECT_EQ(HB_INTERNAL, 10);
  EXPECT_EQ(HB_FINISH_CANCELLED, 3);
  EXPECT_EQ(HB_TOKENIZE_ADD_SPECIAL | HB_TOKENIZE_PARSE_SPECIAL, 3);
  EXPECT_EQ(HB_RENDER_CONTROL, 1);
}

}  // namespace
