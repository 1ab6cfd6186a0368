// The commands that measure and show: bench, perplexity, inspect, tokenize, compare, roofline.
#include <gmock/gmock.h>

#include "apps/bench_stats.h"
#include "apps/model_run.h"

namespace hb::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class ToolCommands : public ModelTest {
 protected:
  std::string long_text() const {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "some words to read, number " + std::to_string(i) + "\n";
    return text;
  }
};

std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(nlohmann::json::parse(line, nullptr, false));
  return lines;
}

TEST(SampleStats, MedianSpreadAndDeviation) {
  const SampleStats odd = sample_stats({5, 1, 100});
  EXPECT_EQ(odd.median, 5);
  EXPECT_EQ(odd.min, 1);
  EXPECT_EQ(odd.max, 100);
  EXPECT_EQ(odd.mad, 4);
  EXPECT_EQ(sample_stats({4, 2}).median, 3);
  EXPECT_EQ(sample_stats({}).median, 0);
}

TEST_F(ToolCommands, BenchGivesOneLineATest) {
  const ModelRun result = run("bench -m '" + model_path() + "' -p 8,0 -n 4 -d 0,16 -r 3 -t 1,2 -o jsonl");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto lines = json_lines(result.out);
  ASSERT_EQ(lines.size(), 8u) << result.out;
  EXPECT_EQ(lines[0]["test"], "pp8");
  EXPECT_EQ(lines[1]["test"], "tg4");
  EXPECT_EQ(lines[3]["test"], "tg4@16");
  EXPECT_EQ(lines[3]["tokens_per_second"]["samples"].size(), 3u);
  EXPECT_EQ(lines[0]["setup"]["threads"], 1);
  EXPECT_EQ(lines[7]["setup"]["threads"], 2);
  EXPECT_GT(lines[1]["weight_gbps"].get<double>(), 0);
  EXPECT_TRUE(lines[0]["weight_gbps"].is_null());
  for (const auto& line : lines) EXPECT_EQ(line["schema"], "halfbyte.bench/1");
}

TEST_F(ToolCommands, BenchTables) {
  const std::string few = "bench -m '" + model_path() + "' -p 4 -n 2 -r 1 -t 1 -o ";
  const ModelRun csv = run(few + "csv");
  EXPECT_EQ(std::ranges::count(csv.out, '\n'), 3) << csv.out;
  EXPECT_EQ(std::ranges::count(csv.out, ','), 3 * 16 + 2) << csv.out;  // one comma inside each device
  EXPECT_THAT(run(few + "md").out, StartsWith("| model | device |"));
  EXPECT_EQ(run(few + "xml").exit_code, 2);
  EXPECT_EQ(run("bench -p 0 -n 0").exit_code, 2);
}

TEST_F(ToolCommands, BenchRefusesMoreThanTheContext) {
  const ModelRun result = run("bench -m '" + model_path() + "' -p 70000 -n 0 -r 1 -t 1");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("65536"));
}

TEST_F(ToolCommands, PerplexityOfAText) {
  const ModelRun result = run_tiny("perplexity", "-c 64 --json", long_text());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = result.json();
  EXPECT_EQ(json["schema"], "halfbyte.perplexity/1");
  EXPECT_EQ(json["scored_tokens"].get<int>(), json["chunks"].get<int>() * 31);
  EXPECT_GT(json["perplexity"].get<double>(), 1);
  EXPECT_EQ(std::ranges::count(result.err, '\n'), json["chunks"].get<int>());
  const auto two = run_tiny("perplexity", "-c 64 --chunks 2 -q --json --batch 5 -t 1", long_text());
  EXPECT_EQ(two.json()["chunks"], 2);
  EXPECT_THAT(two.err, IsEmpty());
}

TEST_F(ToolCommands, PerplexityOfTooLittleText) {
  const ModelRun result = run_tiny("perplexity", "hello");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("longer text"));
}

TEST_F(ToolCommands, InspectShowsWhatIsThere) {
  const ModelRun text = run("inspect '" + model_path() + "' --tensors --plan --kernels -t 1");
  ASSERT_EQ(text.exit_code, 0) << text.err;
  for (const char* part :
       {"Hyper-parameters", "Memory", "Metadata", "Tensors", "Plan", "Kernels", "blk.0.attn_q.weight",
        "general.architecture", "cache per 1024 tokens", "tile_q4_0_"})
    EXPECT_THAT(text.out, HasSubstr(part));
  EXPECT_THAT(text.out, testing::Not(HasSubstr("\x1b")));

  const auto json = run("inspect '" + model_path() + "' --json --tensors --plan --kernels").json();
  EXPECT_EQ(json["schema"], "halfbyte.inspect/1");
  EXPECT_EQ(json["hyperparameters"]["hidden"], 64);
  EXPECT_EQ(json["tensors"].size(), json["tensor_count"].get<size_t>());
  EXPECT_EQ(json["memory"]["cache_bytes_per_1024_tokens"], 2 * 2 * 2 * 16 * 2 * 1024);
  EXPECT_GT(json["memory"]["packed_weight_bytes"].get<uint64_t>(), 0u);
  EXPECT_EQ(json["metadata"]["tokenizer.ggml.tokens"]["count"], 288);
  EXPECT_FALSE(json["compiled"]["kernels"].empty());
  EXPECT_FALSE(json["plan"].empty());
  EXPECT_TRUE(run("inspect '" + model_path() + "' --json").json()["memory"]["packed_weight_bytes"].is_null());
}

TEST_F(ToolCommands, InspectOfAFileThatIsNoModel) {
  write_file(file("x.gguf"), "GGUF and nothing behind it");
  const ModelRun result = run("inspect '" + file("x.gguf") + "'");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, StartsWith("halfbyte: "));
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1);
}

TEST_F(ToolCommands, TokenizeThereAndBack) {
  const std::string common = "-m '" + model_path() + "' ";
  const ModelRun ids = run("tokenize " + common + "'hello there'");
  EXPECT_EQ(ids.exit_code, 0) << ids.err;
  EXPECT_EQ(run("tokenize " + common + "--decode", ids.out).out, "hello there\n");
  const auto json = run("tokenize " + common + "--json --special 'a<|im_end|>'").json();
  EXPECT_EQ(json["pieces"].back(), "<|im_end|>");
  EXPECT_EQ(json["ids"].size(), json["pieces"].size());
  EXPECT_EQ(run("tokenize " + common + "--decode '1 288'").exit_code, 2);
  EXPECT_EQ(run("tokenize " + common + "--decode '1x'").exit_code, 2);
}

TEST_F(ToolCommands, CompareTokens) {
  write_file(file("a"), "1\n2\n3\n");
  write_file(file("b"), "1\n5\n3\n");
  write_file(file("empty"), "");
  const std::string a = " '" + file("a") + "'", b = " '" + file("b") + "'";
  EXPECT_EQ(run("compare tokens" + a + a).exit_code, 0);
  EXPECT_EQ(run("compare tokens" + a + b).exit_code, 1);
  EXPECT_EQ(run("compare tokens --json" + a + b).json()["divergence_step"], 1);
  const ModelRun empty = run("compare tokens" + a + " '" + file("empty") + "'");
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_THAT(empty.err, StartsWith("halfbyte: "));
  EXPECT_EQ(run("compare tokens --expect 4" + a + a).exit_code, 2);
  EXPECT_EQ(run("compare").exit_code, 2);
}

TEST_F(ToolCommands, CompareTensors) {
  const std::string hello = "-q -n 3 --ignore-end hello --dump-logits '";
  ASSERT_EQ(run_tiny("run", hello + file("a.npy") + "'").exit_code, 0);
  ASSERT_EQ(run_tiny("run", "--batch 2 --backend ref " + hello + file("b.npy") + "'").exit_code, 0);
  ASSERT_EQ(run_tiny("run", "--system x " + hello + file("c.npy") + "'").exit_code, 0);
  const std::string a = " '" + file("a.npy") + "'";
  EXPECT_EQ(run("compare tensors" + a + " '" + file("b.npy") + "'").exit_code, 0);
  EXPECT_EQ(run("compare tensors" + a + " '" + file("c.npy") + "'").exit_code, 1);
  EXPECT_EQ(run("compare tensors '" + file("stdin") + "' '" + file("stdin") + "'").exit_code, 2);
  EXPECT_EQ(run("compare tensors --type f32" + a + a).exit_code, 0);
}

TEST_F(ToolCommands, RooflineAsTableAndJson) {
  const std::string quick = "roofline --threads 1 --megabytes 1 --milliseconds 1";
  EXPECT_THAT(run(quick).out, HasSubstr("GB/s"));
  EXPECT_EQ(run(quick + " --json").json()["schema"], "halfbyte.roofline/1");
  EXPECT_EQ(run("roofline --threads 0").exit_code, 2);
}

TEST_F(ToolCommands, DevicesAsListAndJson) {
  const ModelRun result = run("devices --json");
  if (result.exit_code != 0) GTEST_SKIP() << "no Vulkan here: " << result.err;
  for (const auto& device : result.json()) {
    EXPECT_FALSE(device["name"].get<std::string>().empty());
    EXPECT_EQ(device["usable"].get<bool>(), device["why_not"].get<std::string>().empty());
    EXPECT_THAT(run("devices").out, HasSubstr(device["name"].get<std::string>()));
  }
}

TEST_F(ToolCommands, VersionListsTheSettings) {
  const auto json = run("version --settings --json").json();
  ASSERT_TRUE(json.is_array());
  EXPECT_EQ(json[0]["variable"], "HALFBYTE_THREADS");
}

}  // namespace
}  // namespace hb::test
