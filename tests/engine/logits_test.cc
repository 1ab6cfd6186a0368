// The promise of the whole engine: the logits of every position are the same bits for the reference and for
// every instruction set, thread count and way to cut the prompt into batches.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/sessions.h"
#include "support/test_data.h"

namespace hb::test {
namespace {

struct LogitsCase {
  const char* name;
  TinyModel model;
  uint32_t tokens;
};

// More positions than two spans of attention (256 each) hold.
constexpr uint32_t kLong = 530;
constexpr uint32_t kShort = 70;

LogitsCase long_case(const char* name, TinyModel model) {
  model.context = 1024;
  return {name, std::move(model), kLong};
}

LogitsCase of_type(const char* name, TensorType type) {
  TinyModel model = tiny_model_for("llama", type);
  model.layers = 1;
  return {name, std::move(model), kShort};
}

// Every type in one model, as in the files that quantisers make when rows do not suit a type; gate and up are
// of one.
TensorType any_type(const std::string& tensor) {
  if (tensor.contains("ffn_up")) return any_type("gate of " + tensor.substr(0, tensor.find("ffn_up")));
  if (tensor.contains("ffn_gate")) return any_type("gate of " + tensor.substr(0, tensor.find("ffn_gate")));
  std::vector<TensorType> types(std::begin(testing::kQuantisedTypes), std::end(testing::kQuantisedTypes));
  types.insert(types.end(), std::begin(testing::kFloatTypes), std::end(testing::kFloatTypes));
  size_t number = 0;
  for (const char c : tensor) number = number * 31 + static_cast<uint8_t>(c);
  return types[number % types.size()];
}

std::vector<LogitsCase> logits_cases() {
  using enum TensorType;
  TinyModel mixed = tiny_model_for("qwen3", kQ4_K);
  mixed.type_of = any_type;
  mixed.tied = false;
  return {
      long_case("LlamaLong",
                {.architecture = "llama", .layers = 1, .matrix_type = kQ4_0, .embedding_type = kQ8_0}),
      long_case("Gemma3Long",
                {.architecture = "gemma3", .kv_heads = 1, .sliding_window = 300, .matrix_type = kQ5_0}),
      {"Minicpm", {.architecture = "minicpm", .matrix_type = kQ4_1, .embedding_type = kF16}, kShort},
      {"Qwen2", {.architecture = "qwen2", .kv_heads = 4, .tied = false, .embedding_type = kQ4_0}, kShort},
      {"Qwen3", {.architecture = "qwen3", .ffn = 160, .head_dim = 24, .matrix_type = kQ8_0}, kShort},
      {"Gemma3ShortWindow", {.architecture = "gemma3", .matrix_type = kQ5_1}, kShort},
      {"Mixed", mixed, kShort},
      of_type("IQ4NL", kIQ4_NL),
      of_type("Q2K", kQ2_K),
      of_type("Q3K", kQ3_K),
      of_type("Q4K", kQ4_K),
      of_type("Q5K", kQ5_K),
      of_type("Q6K", kQ6_K),
      of_type("F16", kF16),
      of_type("BF16", kBF16),
      of_type("F32", kF32),
  };
}

using Param = std::tuple<LogitsCase, std::string>;

class Logits : public ::testing::TestWithParam<Param> {};

// The last position's logits after each of several append() calls of `piece` tokens.
LogitRows append_in_pieces(Session& session, const std::vector<int32_t>& tokens, uint32_t piece) {
  LogitRows rows;
  for (size_t done = 0; done < tokens.size(); done += piece) {
    const size_t count = std::min<size_t>(piece, tokens.size() - done);
    const Status status = session.append(std::span(tokens).subspan(done, count));
    if (!status) ADD_FAILURE() << status.error().message;
    rows.push_back(copy_of(session.logits()));
  }
  return rows;
}

// Row piece - 1, 2 piece - 1, …, and the last one.
LogitRows every(uint32_t piece, const LogitRows& rows) {
  LogitRows some;
  for (size_t done = 0; done < rows.size(); done += piece)
    some.push_back(rows[std::min<size_t>(done + piece, rows.size()) - 1]);
  return some;
}

TEST_P(Logits, EqualTheReferenceBitForBit) {
  const auto& [logits_case, isa] = GetParam();
  const ModelFile file(logits_case.model);
  const auto tokens = random_tokens(logits_case.tokens, logits_case.model.vocab);
  const uint32_t context = logits_case.model.context;
  Session reference = new_session(load(file.path(), reference_backend()), {.context = context});
  const LogitRows expected = logits_of_each(reference, tokens);
  ASSERT_EQ(expected.size(), tokens.size());
  for (const auto& row : expected)
    ASSERT_TRUE(std::ranges::all_of(row, [](float x) { return std::isfinite(x); }));
  ASSERT_FALSE(same_bits(expected.front(), expected.back()));  // the model does look at its input

  for (const uint32_t threads : {1u, 2u, 5u}) {
    const auto model = load(file.path(), cpu_backend(threads, isa));
    for (const uint32_t chunk : {1u, 7u, 64u, 512u}) {
      SCOPED_TRACE(::testing::Message() << threads << " threads, chunks of " << chunk);
      Session by_batch = new_session(model, {.context = context, .batch = chunk});
      EXPECT_TRUE(same_bits(expected, logits_of_each(by_batch, tokens)));
      Session by_append = new_session(model, {.context = context});
      EXPECT_TRUE(same_bits(every(chunk, expected), append_in_pieces(by_append, tokens, chunk)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engine, Logits,
                         ::testing::Combine(::testing::ValuesIn(logits_cases()),
                                            ::testing::ValuesIn(usable_isas())),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + ("_" + std::get<1>(info.param));
                         });

// The reference itself does not depend on how a prompt is cut.
TEST(ReferenceLogits, DoNotDependOnTheBatch) {
  const ModelFile file({.architecture = "gemma3"});
  const auto tokens = random_tokens(kShort, 288);
  const auto model = load(file.path(), reference_backend());
  Session whole = new_session(model, {.context = 256});
  const LogitRows expected = logits_of_each(whole, tokens);
  for (const uint32_t chunk : {1u, 7u, 64u}) {
    Session session = new_session(model, {.context = 256, .batch = chunk});
    EXPECT_TRUE(same_bits(expected, logits_of_each(session, tokens))) << "chunks of " << chunk;
  }
}

}  // namespace
}  // namespace hb::test
