// The printed plan of a tiny model of each architecture, line by line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "model/gguf.h"
#include "model/tiny_model.h"
#include "plan/build_plan.h"

namespace hb {
namespace {

std::string read_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::string actual_path = testing::TempDir() + "plan_" + name + ".txt";
  if (text == read_text("tests/plan/golden/" + name + ".txt")) return;
  std::ofstream(actual_path) << text;
  ADD_FAILURE() << "The plan differs from tests/plan/golden/" << name << ".txt; the new one is in "
                << actual_path << ". If every changed line is meant, copy it.";
}

void expect_golden_model(const std::string& name, const test::TinyModel& model) {
  const std::vector<uint8_t> bytes = test::make_tiny_model(model);
  const auto file = GgufFile::parse(bytes);
  ASSERT_TRUE(file) << file.error().message;
  const Result<Plan> plan = build_plan(**file);
  ASSERT_TRUE(plan) << plan.error().message;
  expect_golden(name, to_string(*plan));
  EXPECT_THAT(unused_tensors(**file, *plan), testing::IsEmpty());
}

TEST(GoldenPlan, Llama) { expect_golden_model("llama", {}); }
TEST(GoldenPlan, Qwen2) { expect_golden_model("qwen2", {.architecture = "qwen2"}); }
TEST(GoldenPlan, Qwen3) { expect_golden_model("qwen3", {.architecture = "qwen3"}); }
TEST(GoldenPlan, Gemma3) { expect_golden_model("gemma3", {.architecture = "gemma3"}); }

TEST(GoldenPlan, LlamaUntiedF16) {
  expect_golden_model("llama_untied_f16",
                      {.tied = false, .matrix_type = TensorType::kF16, .embedding_type = TensorType::kF16});
}

TEST(GoldenPlan, MiniCpm) { expect_golden_model("minicpm", {.architecture = "minicpm", .tied = false}); }

}  // namespace
}  // namespace hb
