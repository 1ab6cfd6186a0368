// What the world does to a model file and to memory: an error that says what is wrong, never a crash.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/sessions.h"
#include "support/test_data.h"

namespace hb::test {
namespace {

using Bytes = std::vector<uint8_t>;

// A new file: some systems flush one that is written over.
void write_file(const std::string& path, std::span<const uint8_t> bytes) {
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

Error load_error(const std::string& path, std::shared_ptr<Backend> backend) {
  const auto model = Model::load(path, std::move(backend));
  if (model) ADD_FAILURE() << "the model loads";
  return model ? Error() : model.error();
}

// A backend that does something to the file just before it compiles.
class Meddler final : public Backend {
 public:
  explicit Meddler(std::function<void()> meddle) : meddle_(std::move(meddle)) {}
  std::string name() const override { return "meddler"; }
  std::string description() const override { return "meddler"; }
  Result<std::unique_ptr<Executable>> compile(const Plan& plan, const CompileOptions& options) override {
    meddle_();
    return backend_->compile(plan, options);
  }

 private:
  std::function<void()> meddle_;
  std::shared_ptr<Backend> backend_ = cpu_backend(2);
};

TEST(ModelFileRobustness, SaysWhatIsNoModel) {
  const ModelFile file({});
  const auto error = [](const std::string& path) { return load_error(path, cpu_backend(1)); };
  EXPECT_EQ(error(file.file("missing")).code, ErrorCode::kNotFound);
  EXPECT_NE(error(file.file("missing")).message.find("missing"), std::string::npos);
  std::filesystem::create_directory(file.file("folder"));
  EXPECT_EQ(error(file.file("folder")).code, ErrorCode::kIo);
  EXPECT_EQ(error(file.path() + "/below").code, ErrorCode::kIo);
  write_file(file.file("empty"), {});
  EXPECT_EQ(error(file.file("empty")).code, ErrorCode::kBadFile);
  write_file(file.file("text"), Bytes(100, 'x'));
  EXPECT_EQ(error(file.file("text")).code, ErrorCode::kBadFile);
}

// In a child, since root may read everything.
TEST(ModelFileRobustness, SaysThatAFileCannotBeRead) {
  const ModelFile file({});
  std::filesystem::permissions(file.path(), std::filesystem::perms::none);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    const auto model = Model::load(file.path(), reference_backend());
    ::_exit(!model && model.error().code == ErrorCode::kIo ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ModelFileRobustness, EveryTruncationIsAnError) {
  const Bytes bytes = make_tiny_model({.layers = 1});
  const ModelFile file({});
  const auto backend = cpu_backend(1);
  for (size_t size = 1; size < bytes.size(); size += 1 + size / 50) {
    write_file(file.path(), std::span(bytes).first(size));
    EXPECT_EQ(load_error(file.path(), backend).code, ErrorCode::kBadFile) << size << " bytes";
  }
}

TEST(ModelFileRobustness, SeesThatItsFileShrinksWhileItLoads) {
  const ModelFile file({.vocab = 4096});
  const auto size = std::filesystem::file_size(file.path());
  ASSERT_GT(size, 256u << 10);
  for (const uintmax_t rest : {uintmax_t{0}, uintmax_t{4096}, size / 2, size - 1}) {
    const ModelFile victim({.vocab = 4096});
    const auto error = load_error(
        victim.path(), std::make_shared<Meddler>([&] { std::filesystem::resize_file(victim.path(), rest); }));
    EXPECT_EQ(error.code, ErrorCode::kIo) << rest << " bytes left";
    EXPECT_NE(error.message.find(victim.path()), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("truncated"), std::string::npos) << error.message;
  }
}

TEST(ModelFileRobustness, SeesThatItsFileChangesWhileItLoads) {
  const ModelFile file({});
  const auto error =
      load_error(file.path(), std::make_shared<Meddler>([&] {
                   std::fstream out(file.path(), std::ios::binary | std::ios::in | std::ios::out);
                   out.seekp(-100, std::ios::end).write("changed", 7);
                   out.close();
                   // The clock of file times may stand still for some milliseconds.
                   std::filesystem::last_write_time(
                       file.path(), std::filesystem::file_time_type::clock::now() + std::chrono::seconds(2));
                 }));
  EXPECT_EQ(error.code, ErrorCode::kIo);
  EXPECT_NE(error.message.find("changed"), std::string::npos) << error.message;
}

struct BadWeight {
  TensorType type;
  const char* tensor;
  uint64_t row;
  size_t offset;  // in the row
  uint32_t bits;
  size_t size;  // of the bits, in bytes
};

void expect_refused(const BadWeight& bad) {
  SCOPED_TRACE(::testing::Message() << tensor_type_name(bad.type) << " " << bad.tensor << " offset "
                                    << bad.offset);
  Bytes bytes = make_tiny_model(tiny_model_for("llama", bad.type));
  const auto parsed = GgufFile::parse(bytes);
  ASSERT_TRUE(parsed);
  const GgufTensor& tensor = *(*parsed)->find_tensor(bad.tensor);
  const uint64_t at = tensor.file_offset + bad.row * row_bytes(tensor.type, tensor.row_elems()) + bad.offset;
  std::memcpy(&bytes[at], &bad.bits, bad.size);
  const ModelFile file({});
  write_file(file.path(), bytes);
  for (const auto& backend : {reference_backend(), cpu_backend(3)}) {
    const Error error = load_error(file.path(), backend);
    EXPECT_EQ(error.code, ErrorCode::kBadFile);
    EXPECT_NE(error.message.find(std::string("'") + bad.tensor + "'"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("row " + std::to_string(bad.row) + ":"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("finite"), std::string::npos) << error.message;
  }
}

TEST(WeightRobustness, RefusesScalesThatAreNotFinite) {
  for (const TensorType type : hb::testing::kQuantisedTypes) {
    for (const uint32_t offset : hb::testing::scale_offsets(type)) {
      for (const uint32_t bits : {0x7e00u, 0xfc00u}) {  // NaN, -infinity
        expect_refused({type, "blk.1.ffn_down.weight", 45, offset, bits, 2});
      }
    }
  }
}

TEST(WeightRobustness, RefusesValuesThatAreNotFinite) {
  expect_refused({TensorType::kF32, "blk.0.attn_q.weight", 37, 20, 0x7fc00000u, 4});
  expect_refused({TensorType::kF32, "blk.0.attn_q.weight", 3, 20, 0x54800000u, 4});  // 2^42
  expect_refused({TensorType::kF16, "blk.0.attn_q.weight", 37, 20, 0x7c00u, 2});
  expect_refused({TensorType::kBF16, "blk.0.attn_q.weight", 37, 20, 0xff80u, 2});
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// 0: it works; 1: out of memory, said so; 2: another error.
int outcome(const Status& status) {
  if (status) return 0;
  return status.error().code == ErrorCode::kOutOfMemory ? 1 : 2;
}

uint64_t address_space_bytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t pages = 0;
  statm >> pages;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

// What a child makes of `work` with `spare` bytes more than it has; 128 + signal if it dies.
int outcome_with_memory(uint64_t spare, const std::function<Status()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit = {address_space_bytes() + spare, RLIM_INFINITY};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(3);
    ::_exit(outcome(work()));
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// `work` with ever more memory: it fails for want of it, and at last succeeds.
void expect_out_of_memory_until_enough(uint64_t step, const std::function<Status()>& work) {
  int failures = 0, last = -1;
  for (uint64_t spare = 0; last != 0 && spare < 100 * step; spare += step) {
    last = outcome_with_memory(spare, work);
    ASSERT_LE(last, 1) << "with " << spare << " bytes";
    failures += last;
  }
  EXPECT_GE(failures, 2);
  EXPECT_EQ(last, 0);
}

TEST(MemoryRobustness, LoadingSaysThatMemoryIsShort) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's own memory does not fit a limit";
  const ModelFile file({.hidden = 128, .ffn = 1024, .vocab = 12000});
  for (const bool reference : {true, false}) {
    expect_out_of_memory_until_enough(256 << 10, [&]() -> Status {
      const auto backend = reference ? reference_backend() : cpu_backend(1);
      HB_TRY(Model::load(file.path(), backend));
      return {};
    });
  }
}

TEST(MemoryRobustness, ASessionSaysThatMemoryIsShort) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's own memory does not fit a limit";
  const ModelFile file({.heads = 4, .kv_heads = 4, .head_dim = 64, .context = 32768});  // 64 MiB of cache
  for (const auto& backend : {reference_backend(), cpu_backend(1)}) {
    const auto model = load(file.path(), backend);
    expect_out_of_memory_until_enough(4 << 20, [&]() -> Status {
      HB_ASSIGN(Session session, Session::create(model, {.context = 32768}));
      return session.append(random_tokens(30, 288));
    });
  }
}

}  // namespace
}  // namespace hb::test
