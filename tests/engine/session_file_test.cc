// Session files that were cut, changed or made up, and disks that are full.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <bit>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/sessions.h"

namespace hb::test {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// A new file: some systems flush one that is written over.
void write_file(const std::string& path, std::span<const uint8_t> bytes) {
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// Makes the hash at the end right again.
void seal(Bytes& bytes) {
  uint64_t hash = 14695981039346656037ull;
  for (size_t i = 0; i + 8 < bytes.size(); ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
  std::memcpy(&bytes[bytes.size() - 8], &hash, 8);
}

constexpr uint32_t kVocab = 288;
constexpr size_t kHeaderBytes = 32, kTokenCountAt = 16, kVocabAt = 20, kRowElemsAt = 24;

class SessionFileTest : public ::testing::Test {
 protected:
  ModelFile file_{{.hidden = 32, .ffn = 32, .layers = 1, .heads = 2, .kv_heads = 1, .head_dim = 16}};
  std::shared_ptr<const Model> model_ = load(file_.path(), cpu_backend(1));
  std::string path_ = file_.file("session");
  Session session_ = new_session(model_, {.context = 16});
  Bytes good_;
  std::vector<float> logits_;
  const std::vector<int32_t> tokens_ = random_tokens(6, kVocab);

  void SetUp() override {
    ASSERT_TRUE(session_.append(tokens_));
    ASSERT_TRUE(session_.save(path_));
    good_ = read_file(path_);
    logits_ = copy_of(session_.logits());
  }

  Status load_bytes(std::span<const uint8_t> bytes) {
    write_file(path_, bytes);
    return session_.load(path_);
  }

  void expect_unchanged() {
    EXPECT_EQ(session_.tokens(), tokens_);
    EXPECT_TRUE(same_bits(logits_, session_.logits()));
  }

  void expect_bad(std::span<const uint8_t> bytes, const char* what = "") {
    const Status status = load_bytes(bytes);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kBadFile);
    EXPECT_NE(status.error().message.find(path_), std::string::npos) << status.error().message;
    EXPECT_NE(status.error().message.find(what), std::string::npos) << status.error().message;
    expect_unchanged();
  }

  template <class T>
  Bytes with(size_t at, T value) const {
    Bytes bytes = good_;
    std::memcpy(&bytes[at], &value, sizeof value);
    seal(bytes);
    return bytes;
  }
};

TEST_F(SessionFileTest, RefusesEveryTruncation) {
  ASSERT_TRUE(load_bytes(good_));
  for (size_t size = 0; size < good_.size(); ++size) {
    SCOPED_TRACE(size);
    expect_bad(std::span(good_).first(size));
  }
  Bytes longer = good_;
  longer.push_back(0);
  expect_bad(longer);
}

TEST_F(SessionFileTest, RefusesEveryChangedByte) {
  for (size_t at = 0; at < good_.size(); ++at) {
    SCOPED_TRACE(at);
    Bytes bytes = good_;
    bytes[at] ^= 0x41;
    expect_bad(bytes);
  }
}

TEST_F(SessionFileTest, RefusesMadeUpFiles) {
  expect_bad(with(0, 'X'), "HBSESS01");
  expect_bad(with(8, uint64_t{1}), "another model");
  for (const uint32_t count : {0u, 5u, 7u, 0x7fffffffu, 0xffffffffu})
    expect_bad(with(kTokenCountAt, count), "sizes");
  for (const uint32_t vocab : {0u, kVocab - 1, 0xffffffffu}) expect_bad(with(kVocabAt, vocab), "sizes");
  for (const uint64_t elems : {uint64_t{0}, uint64_t{1} << 63, ~uint64_t{0}})
    expect_bad(with(kRowElemsAt, elems), "sizes");
  for (const int32_t token : {-1, static_cast<int32_t>(kVocab)})
    expect_bad(with(kHeaderBytes + 4, token), "vocabulary");
  const size_t logits_at = kHeaderBytes + 4 * tokens_.size(), cache_at = logits_at + 4 * kVocab;
  expect_bad(with(logits_at + 40, std::bit_cast<float>(0x7fc00000u)), "finite");
  expect_bad(with(logits_at + 40, std::bit_cast<float>(0xff800000u)), "finite");
  expect_bad(with(cache_at + 6, uint16_t{0x7e00}), "finite");
  expect_bad(with(cache_at + 6, uint16_t{0xfc00}), "finite");
  EXPECT_TRUE(load_bytes(with(cache_at + 6, uint16_t{0x3c00})));  // a lie, but a usable one
}

TEST_F(SessionFileTest, RefusesAnotherModelsSession) {
  const ModelFile other({.hidden = 32, .ffn = 64, .layers = 1, .heads = 2, .kv_heads = 1, .head_dim = 16});
  Session s = new_session(load(other.path(), cpu_backend(1)), {.context = 16});
  ASSERT_TRUE(s.append(tokens_));
  ASSERT_TRUE(s.save(file_.file("other")));
  expect_bad(read_file(file_.file("other")), "another model");
}

TEST_F(SessionFileTest, RefusesMoreThanItsContextHolds) {
  Session small = new_session(model_, {.context = 5});
  const Status status = small.load(path_);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(status.error().message.find("6 tokens"), std::string::npos) << status.error().message;
}

TEST_F(SessionFileTest, SaysWhyItCannotReadOrWrite) {
  EXPECT_EQ(session_.load(file_.file("missing")).error().code, ErrorCode::kNotFound);
  std::filesystem::create_directory(file_.file("folder"));
  EXPECT_EQ(session_.load(file_.file("folder")).error().code, ErrorCode::kIo);
  expect_unchanged();
  const size_t files = file_.file_count();
  const Status no_folder = session_.save(file_.file("nowhere/session"));
  ASSERT_FALSE(no_folder);
  EXPECT_EQ(no_folder.error().code, ErrorCode::kIo);
  EXPECT_NE(no_folder.error().message.find("No such file"), std::string::npos) << no_folder.error().message;
  EXPECT_EQ(session_.save(file_.file("folder")).error().code, ErrorCode::kIo);
  EXPECT_EQ(file_.file_count(), files);
}

// Files of this process may not grow beyond a size.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t size_bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {size_bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_;
  void (*handler_)(int);
};

TEST_F(SessionFileTest, AFullDiskLeavesTheOldFileAndNoOther) {
  const size_t files = file_.file_count();
  Session longer = new_session(model_, {.context = 16});
  ASSERT_TRUE(longer.append(random_tokens(9, kVocab)));
  for (const size_t room : {size_t{0}, size_t{10}, size_t{100}, good_.size()}) {
    Status status;
    {
      const FileSizeLimit limit(room);
      status = longer.save(path_);
    }
    ASSERT_FALSE(status) << room;
    EXPECT_EQ(status.error().code, ErrorCode::kIo);
    EXPECT_NE(status.error().message.find("File too large; what was there before is unchanged"),
              std::string::npos)
        << status.error().message;
    EXPECT_EQ(file_.file_count(), files);
    EXPECT_EQ(read_file(path_), good_);
  }
  EXPECT_TRUE(longer.save(path_));
}

}  // namespace
}  // namespace hb::test
