// halfbyte run, as a shell sees it.
#include <gmock/gmock.h>

#include "apps/model_run.h"
#include "lab/compare_tokens.h"
#include "lab/tensor_file.h"
#include "model/real_models.h"

namespace hb::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class RunCommand : public ModelTest {};

TEST_F(RunCommand, AnswersOnStdoutAndProvesOnStderr) {
  const ModelRun result = run_tiny("run", "-t 2 -n 5 --ignore-end 'hello there'");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, testing::EndsWith("\n"));
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_THAT(result.err,
              ContainsRegex("^prompt [0-9]+ tokens [0-9]+/s, decode 5 tokens [0-9.]+/s \\| weights "
                            "[0-9.]+ GB/s, [0-9]+ % of [0-9.]+ GB/s read \\| tile_q.*2 threads\\) \\| "
                            "logits [0-9a-f]{16}\n$"));
  EXPECT_THAT(result.err, testing::Not(HasSubstr("\x1b")));
}

TEST_F(RunCommand, QuietSaysNothingOnStderr) { EXPECT_THAT(run_tiny("run", "-n 3 -q hello").err, IsEmpty()); }

TEST_F(RunCommand, JsonHasTheWholeAnswer) {
  const ModelRun result = run_tiny("run", "-t 2 -n 4 --ignore-end --json --logprobs 2 hello");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = result.json();
  ASSERT_TRUE(json.is_object()) << result.out;
  EXPECT_EQ(json["schema"], "halfbyte.run/1");
  EXPECT_EQ(json["tokens"].size(), 4u);
  EXPECT_EQ(json["finish"], "length");
  EXPECT_TRUE(json["text"].is_string());
  ASSERT_EQ(json["logprobs"].size(), 4u);
  EXPECT_EQ(json["logprobs"][0]["id"], json["tokens"][0]);
  EXPECT_EQ(json["logprobs"][0]["likeliest"].size(), 2u);
  EXPECT_LE(json["logprobs"][0]["logprob"].get<double>(), 0);
  const auto& evidence = json["evidence"];
  EXPECT_EQ(evidence["decoded_tokens"], 4);
  EXPECT_GT(evidence["read_gbps"].get<double>(), 0);
  EXPECT_EQ(evidence["logits_hash"].get<std::string>().size(), 16u);
  EXPECT_EQ(evidence["setup"]["threads"], 2);
}

TEST_F(RunCommand, TheSameAnswerFromEveryBackendThreadCountAndBatch) {
  const std::string ask = "--json -q -n 6 --ignore-end 'one answer'";
  const auto expected = run_tiny("run", ask).json();
  std::vector<std::string> ways = {"--backend ref", "--threads 1", "--batch 1", "--isa scalar",
                                   "--batch 3 -c 200"};
  if (has_vulkan_device()) ways.insert(ways.end(), {"--backend vulkan", "--backend vulkan --batch 3", "--backend vulkan --device 0"});
  for (const std::string& how : ways) {
    const auto json = run_tiny("run", how + " " + ask).json();
    EXPECT_EQ(json["tokens"], expected["tokens"]) << how;
    EXPECT_EQ(json["evidence"]["logits_hash"], expected["evidence"]["logits_hash"]) << how;
  }
}

TEST_F(RunCommand, ADeviceLostInMidAnswerChangesNothing) {
  if (!has_vulkan_device()) GTEST_SKIP() << "no Vulkan device here";
  const std::string ask = "--json -n 12 --ignore-end --device 0 'one answer'";
  const auto expected = run_tiny("run", "--backend cpu " + ask).json();
  ASSERT_EQ(setenv("HALFBYTE_VULKAN_FAIL_AFTER", "12", 1), 0);
  const ModelRun lost = run_tiny("run", "--backend auto " + ask),
                 alone = run_tiny("run", "--backend vulkan " + ask);
  unsetenv("HALFBYTE_VULKAN_FAIL_AFTER");
  EXPECT_THAT(lost.err, HasSubstr("VK_ERROR_DEVICE_LOST"));
  EXPECT_THAT(lost.err, HasSubstr("going on with the CPU"));
  EXPECT_EQ(lost.json()["tokens"], expected["tokens"]);
  EXPECT_EQ(lost.json()["evidence"]["logits_hash"], expected["evidence"]["logits_hash"]);
  EXPECT_NE(alone.exit_code, 0);
}

TEST_F(RunCommand, SeedsChooseAmongAnswers) {
  const std::string ask = "--json -q -n 20 --ignore-end --temp 1.5 --top-p 1 hello";
  EXPECT_EQ(run_tiny("run", ask).json()["tokens"], run_tiny("run", ask).json()["tokens"]);
  EXPECT_NE(run_tiny("run", ask).json()["tokens"], run_tiny("run", "--seed 9 " + ask).json()["tokens"]);
}

TEST_F(RunCommand, TheTemplateIsAppliedUnlessRaw) {
  const auto with = run_tiny("run", "--json -q -n 1 hello").json();
  const auto without = run_tiny("run", "--json -q -n 1 --raw hello").json();
  EXPECT_GT(with["evidence"]["prompt_tokens"], without["evidence"]["prompt_tokens"]);
  const auto system = run_tiny("run", "--json -q -n 1 --system 'be brief' hello").json();
  EXPECT_GT(system["evidence"]["prompt_tokens"], with["evidence"]["prompt_tokens"]);
}

TEST_F(RunCommand, AModelWithoutTemplateIsRawAndSaysSoWhenAsked) {
  ASSERT_TRUE(write_tiny_model(model_path(), tiny_model_for("gemma3", TensorType::kQ4_0)));
  EXPECT_THAT(run_tiny("run", "-v -q -n 1 hello").err, HasSubstr("no chat template"));
  EXPECT_THAT(run_tiny("run", "-q -n 1 hello").err, IsEmpty());
  EXPECT_EQ(run_tiny("run", "-q -n 1 --system x hello").exit_code, 2);
  EXPECT_EQ(run_tiny("run", "-q -n 1 --template chatml --system x hello").exit_code, 0);
}

TEST_F(RunCommand, ThePromptComesFromArgumentFileOrStdin) {
  write_file(file("prompt.txt"), "the prompt\n");
  const std::string common = "--json -q -n 3 --ignore-end ";
  const auto expected = run_tiny("run", common + "'the prompt'").json()["tokens"];
  EXPECT_EQ(run_tiny("run", common + "-f '" + file("prompt.txt") + "'").json()["tokens"], expected);
  EXPECT_EQ(run_tiny("run", common, "the prompt\n").json()["tokens"], expected);
  EXPECT_EQ(run_tiny("run", common + "-f -", "the prompt\n").json()["tokens"], expected);
}

TEST_F(RunCommand, FilesOfTokensAndLogitsFitTogether) {
  const auto json = run_tiny("run", "--json -q -n 5 --ignore-end --tokens-out '" + file("t.txt") +
                                        "' --dump-logits '" + file("l.npy") + "' hello")
                        .json();
  const auto ids = parse_token_ids(read_file(file("t.txt")), "t.txt");
  ASSERT_TRUE(ids) << ids.error().message;
  EXPECT_EQ(nlohmann::json(*ids), json["tokens"]);
  const auto tensor = open_tensor(file("l.npy"), {});
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_EQ(*tensor->shape, (std::vector<uint64_t>{5, 288}));
  EXPECT_EQ(run_tiny("run", "-q -n 1 --dump-logits /proc/none/x hello").exit_code, 1);
}

TEST_F(RunCommand, ASavedSessionGoesOn) {
  const std::string session = "'" + file("s") + "'";
  const auto first = run_tiny("run", "--json -q -n 4 --ignore-end --save " + session + " hello").json();
  const ModelRun next = run_tiny("run", "--json -q -n 4 --load " + session + " 'and then?'");
  ASSERT_EQ(next.exit_code, 0) << next.err;
  EXPECT_GT(next.json()["evidence"]["cached_tokens"].get<int>(),
            first["evidence"]["prompt_tokens"].get<int>() - 1);
  write_file(file("s"), "no session");
  EXPECT_EQ(run_tiny("run", "-q --load " + session + " x").exit_code, 1);
}

TEST_F(RunCommand, ALongAnswerEndsWithTheContext) {
  const auto json = run_tiny("run", "--json -q -n 0 --ignore-end -c 64 hello").json();
  EXPECT_EQ(json["finish"], "length");
  EXPECT_EQ(json["evidence"]["prompt_tokens"].get<int>() + json["evidence"]["decoded_tokens"].get<int>(), 64);
  const ModelRun shifted = run_tiny("run", "--json -q -n 100 --ignore-end --shift -c 64 hello");
  EXPECT_EQ(shifted.json()["evidence"]["decoded_tokens"], 100) << shifted.err;
}

struct Misuse {
  const char* arguments;
  int exit_code;
  const char* message;
};

TEST_F(RunCommand, ErrorsSayWhatToDo) {
  for (const Misuse& misuse : {
           Misuse{"-m nonsense hello", 1, "halfbyte pull"},
           Misuse{"-m smollm2 hello", 1, "run 'halfbyte pull smollm2'"},
           Misuse{"-m /dev/null hello", 1, "halfbyte: "},
           Misuse{"--nonsense hello", 2, "see 'halfbyte run --help'"},
           Misuse{"\xff", 2, "byte 0 is 0xff"},
           Misuse{"''", 2, "prompt is empty"},
           Misuse{"", 2, "prompt is empty"},
           Misuse{"-f /nowhere/x", 1, "/nowhere/x"},
           Misuse{"-c 8 'a prompt that is longer than its context'", 2, "--context"},
           Misuse{"-c 100000 hello", 2, "65536"},
           Misuse{"--temp -1 hello", 2, "temperature"},
           Misuse{"--logit-bias 3 hello", 2, "ID=VALUE"},
           Misuse{"--logit-bias 999=1 hello", 2, "logit_bias"},
           Misuse{"--isa nonsense hello", 2, "avx2"},
           Misuse{"--threads many hello", 2, "many"},
           Misuse{"--logprobs 2 hello", 2, "--json"},
           Misuse{"--template nonsense hello", 1, "chatml"},
       }) {
    const bool own_model = std::string(misuse.arguments).starts_with("-m");
    const ModelRun result =
        own_model ? run(std::string("run ") + misuse.arguments) : run_tiny("run", misuse.arguments);
    EXPECT_EQ(result.exit_code, misuse.exit_code) << misuse.arguments << "\n" << result.err;
    EXPECT_THAT(result.err, StartsWith("halfbyte: ")) << misuse.arguments;
    EXPECT_THAT(result.err, HasSubstr(misuse.message)) << misuse.arguments;
    EXPECT_THAT(result.out, IsEmpty()) << misuse.arguments;
  }
}

TEST_F(RunCommand, AFullDiskIsAnError) {
  const BinaryRun result =
      run_command("'" HALFBYTE_BINARY "' run -q -n 3 -m '" + model_path() + "' hello >/dev/full");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, StartsWith("halfbyte: cannot write to standard output"));
}

TEST_F(RunCommand, RealModelAnswersSensibly) {
  HB_REAL_MODEL_OR_SKIP(path, kSmolLm2);
  const ModelRun result = run("run -m '" + path + "' --temp 0 -n 24 --raw 'The capital of France is'");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith(" Paris."));
}

}  // namespace
}  // namespace hb::test
