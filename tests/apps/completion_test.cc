#include "apps/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/run_binary.h"

namespace hb {
namespace {

using testing::HasSubstr;

// What bash offers after `halfbyte` and these words, of which number `current` is being typed.
std::string bash_offers(const std::string& words, int current) {
  const std::string script = "source <(" HALFBYTE_BINARY " completion bash); COMP_WORDS=(halfbyte " + words +
                             "); COMP_CWORD=" + std::to_string(current) + "; _halfbyte; echo ${COMPREPLY[@]}";
  return run_command("bash -c '" + script + "'").output;
}

TEST(Completion, BashOffersCommandsThenTheirOptions) {
  EXPECT_EQ(bash_offers("pu", 1), "pull\n");
  EXPECT_EQ(bash_offers("pull --sh", 2), "--sha256\n");
  EXPECT_EQ(bash_offers("pull nothing-like-it", 2), "\n");
}

TEST(Completion, HostileDescriptionsStayInTheirQuotes) {
  CLI::App app("", "halfbyte");
  CLI::App* command = app.add_subcommand("do", "it's [odd]: $(touch x)");
  command->add_flag("-x,--ex")->description("don't [stop]: `now`");
  EXPECT_THAT(completion_script(app, "fish").value(), HasSubstr(R"(-a do -d 'it'\''s [odd]: $(touch x)')"));
  EXPECT_THAT(completion_script(app, "fish").value(), HasSubstr("-s x -l ex"));
  EXPECT_THAT(completion_script(app, "zsh").value(), HasSubstr(R"('--ex[don'\''t  stop   `now`]')"));
  EXPECT_THAT(completion_script(app, "bash").value(), HasSubstr("do) words='-h --help -x --ex' ;;"));
}

TEST(Completion, UnknownShellsAreRefused) {
  CLI::App app("", "halfbyte");
  EXPECT_EQ(completion_script(app, "tcsh").error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hb
