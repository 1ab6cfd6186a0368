#include "fetch/download.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "fetch/sha256.h"
#include "fetch/temp_folder.h"

namespace hb {
namespace {

constexpr size_t kContentBytes = 1'000'000;  // server.py's SIZE
constexpr size_t kCutBytes = 300'000;        // where its impolite paths hang up

std::string content() {
  std::string text(kContentBytes, '\0');
  for (uint64_t i = 0; i < kContentBytes; ++i) text[i] = static_cast<char>(i * 2654435761u >> 24);
  return text;
}

std::string content_sha256() {
  Sha256 hash;
  const std::string text = content();
  hash.update({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  return hash.finish();
}

// server.py as a child, which ends when the pipe to its standard input closes.
class Server {
 public:
  Server() : pipe_(::popen(command().c_str(), "w")) {
    while (port_.empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const std::string line = read_file(folder_ / "port");
      if (line.ends_with('\n')) port_ = line.substr(0, line.size() - 1);
    }
  }
  ~Server() { ::pclose(pipe_); }
  std::string url(const std::string& path) const { return "http://127.0.0.1:" + port_ + "/" + path; }

 private:
  std::string command() const { return "exec python3 tests/fetch/server.py > " + (folder_ / "port"); }

  TempFolder folder_;
  std::string port_;
  std::FILE* pipe_;
};

class DownloadTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new Server; }
  static void TearDownTestSuite() { delete server_; }

  DownloadRequest request(const std::string& path) const {
    return {
        .url = server_->url(path), .target = target_, .sha256 = "", .allow_plain_http = true, .progress = {}};
  }
  Result<DownloadOutcome> get(const std::string& path) const { return download(request(path)); }
  Result<DownloadOutcome> get_proven(const std::string& path) const {
    DownloadRequest proven = request(path);
    proven.sha256 = content_sha256();
    return download(proven);
  }
  void expect_complete(const Result<DownloadOutcome>& outcome, uint64_t resumed_bytes) const {
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->size_bytes, kContentBytes);
    EXPECT_EQ(outcome->resumed_bytes, resumed_bytes);
    EXPECT_EQ(outcome->sha256, content_sha256());
    EXPECT_TRUE(read_file(target_) == content());
    EXPECT_FALSE(std::filesystem::exists(target_ + ".part"));
    EXPECT_FALSE(std::filesystem::exists(target_ + ".part.origin"));
  }
  void expect_cut(const Result<DownloadOutcome>& outcome, uint64_t kept_bytes) const {
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::kIo);
    EXPECT_NE(outcome.error().message.find("resumes"), std::string::npos) << outcome.error().message;
    EXPECT_EQ(read_file(target_ + ".part").size(), kept_bytes);
    EXPECT_FALSE(std::filesystem::exists(target_));
  }

  inline static Server* server_ = nullptr;
  TempFolder folder_;
  std::string target_ = folder_ / "file";
};

TEST_F(DownloadTest, BringsAFile) { expect_complete(get("good"), 0); }
TEST_F(DownloadTest, FollowsRedirects) { expect_complete(get("redirect"), 0); }
TEST_F(DownloadTest, WorksWithoutRanges) { expect_complete(get("noranges"), 0); }

TEST_F(DownloadTest, AnEmptyFileIsAFile) {
  const auto outcome = get("empty");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->size_bytes, 0u);
  EXPECT_TRUE(std::filesystem::exists(target_));
}

TEST_F(DownloadTest, EndlessRedirectsEnd) { EXPECT_EQ(get("loop").error().code, ErrorCode::kIo); }

TEST_F(DownloadTest, ResumesEachTimeTheConnectionIsCut) {
  expect_cut(get("cut"), kCutBytes);
  expect_cut(get("cut"), 2 * kCutBytes);
  expect_cut(get("cut"), 3 * kCutBytes);
  expect_complete(get("cut"), 3 * kCutBytes);
}

TEST_F(DownloadTest, ADateServesWhereTheEtagIsWeak) {
  expect_cut(get("weak"), kCutBytes);
  expect_cut(get("weak"), 2 * kCutBytes);
}

TEST_F(DownloadTest, StartsAgainWithoutRanges) {
  expect_cut(get("cutnoranges"), kCutBytes);
  expect_cut(get("cutnoranges"), kCutBytes);
}

TEST_F(DownloadTest, StartsAgainIfTheContentChanged) {
  expect_cut(get("changed"), kCutBytes);
  expect_cut(get("changed"), kCutBytes);
}

TEST_F(DownloadTest, WithoutValidatorOnlyAHashAllowsToResume) {
  expect_cut(get("plain"), kCutBytes);
  expect_cut(get("plain"), kCutBytes);
  expect_cut(get_proven("plain"), 2 * kCutBytes);
}

TEST_F(DownloadTest, AnotherUrlStartsAgain) {
  expect_cut(get("cut"), kCutBytes);
  expect_complete(get("good"), 0);
}

TEST_F(DownloadTest, APartThatIsAlreadyWholeIsOnlyProven) {
  write_file(target_ + ".part", content());
  expect_complete(get_proven("good"), kContentBytes);
}

TEST_F(DownloadTest, AnUnaskedRangeIsRefused) {
  write_file(target_ + ".part", content().substr(0, 1000));
  const auto outcome = get_proven("wrongrange");
  EXPECT_EQ(outcome.error().code, ErrorCode::kIo);
  EXPECT_NE(outcome.error().message.find("another range"), std::string::npos);
  EXPECT_EQ(read_file(target_ + ".part").size(), 1000u);
}

TEST_F(DownloadTest, WrongContentIsRemovedAndNamed) {
  DownloadRequest wrong = request("good");
  wrong.sha256 = std::string(64, '0');
  const auto outcome = download(wrong);
  EXPECT_EQ(outcome.error().code, ErrorCode::kBadFile);
  EXPECT_NE(outcome.error().message.find(content_sha256()), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(DownloadTest, ErrorPagesAreNotFiles) {
  EXPECT_EQ(get("missing").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(get("broken").error().code, ErrorCode::kIo);
  EXPECT_NE(get("broken").error().message.find("500"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(DownloadTest, AnErrorPageKeepsThePart) {
  expect_cut(get("cut"), kCutBytes);
  EXPECT_FALSE(get("broken"));
  EXPECT_EQ(read_file(target_ + ".part").size(), kCutBytes);
}

TEST_F(DownloadTest, OnlyHttpsUnlessAsked) {
  DownloadRequest plain = request("good");
  plain.allow_plain_http = false;
  EXPECT_EQ(download(plain).error().code, ErrorCode::kInvalidArgument);
  plain.url = "HTTP" + plain.url.substr(4);  // libcurl's own check, which ours does not see coming
  EXPECT_EQ(download(plain).error().code, ErrorCode::kInvalidArgument);
  plain.url = "file:///etc/hostname";
  EXPECT_EQ(download(plain).error().code, ErrorCode::kInvalidArgument);
  plain.url = "nonsense://x/y";
  EXPECT_EQ(download(plain).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(DownloadTest, MalformedHashIsRefusedBeforeAnyTransfer) {
  DownloadRequest malformed = request("good");
  malformed.sha256 = "abc";
  EXPECT_EQ(download(malformed).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(DownloadTest, AStalledServerIsGivenUp) {
  DownloadRequest impatient = request("stall");
  impatient.stall_seconds = 1;
  const auto outcome = download(impatient);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kIo);
}

TEST_F(DownloadTest, ReportsProgressAndObeysAStop) {
  uint64_t last = 0;
  DownloadRequest watched = request("slow");
  watched.progress = [&](const Progress& state) {
    last = state.done_bytes;
    return state.done_bytes < 200'000;
  };
  EXPECT_EQ(download(watched).error().code, ErrorCode::kCancelled);
  EXPECT_GE(last, 200'000u);
  EXPECT_LT(last, kContentBytes);
  watched.progress = [&](const Progress& state) {
    EXPECT_TRUE(state.total_bytes == kContentBytes || state.total_bytes == 0);
    return true;
  };
  expect_complete(download(watched), last);
}

TEST_F(DownloadTest, AFullDiskKeepsWhatFittedAndResumes) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{400'000, 400'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto outcome = get("good");
    const bool as_expected = !outcome && outcome.error().code == ErrorCode::kIo &&
                             outcome.error().message.find("resumes") != std::string::npos;
    ::_exit(as_expected ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  expect_complete(get("good"), 400'000);
}

TEST_F(DownloadTest, AKilledDownloadResumes) {
  const pid_t child = ::fork();
  if (child == 0) {
    (void)get("slow");
    ::_exit(0);
  }
  std::error_code error;
  while (std::filesystem::file_size(target_ + ".part", error) < 200'000 || error) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto kept_bytes = std::filesystem::file_size(target_ + ".part");
  ASSERT_LT(kept_bytes, kContentBytes);
  expect_complete(get("slow"), kept_bytes);
}

TEST_F(DownloadTest, TwoDownloadsOfOneFileDoNotMix) {
  DownloadRequest outer = request("slow");
  ErrorCode inner_code = ErrorCode::kInvalidArgument;
  outer.progress = [&](const Progress& state) {
    if (state.done_bytes > 0 && inner_code == ErrorCode::kInvalidArgument)
      inner_code = get("good").error().code;
    return true;
  };
  expect_complete(download(outer), 0);
  EXPECT_EQ(inner_code, ErrorCode::kIo);
}

TEST(FileNameOfUrl, IsTheLastPartOfThePath) {
  EXPECT_EQ(file_name_of_url("https://host/a/model-1.0_q4.gguf?download=true#x").value(),
            "model-1.0_q4.gguf");
  for (const char* url :
       {"https://host", "https://host/", "https://host/a/", "https://host/..", "https://host/.hidden",
        "https://host/a%2Fb", "https://host/a b", "model.gguf", ""}) {
    EXPECT_FALSE(file_name_of_url(url)) << url;
  }
}

}  // namespace
}  // namespace hb
