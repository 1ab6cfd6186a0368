// Every allocation of the standard library fails once, in turn: the engine's functions then work without it,
// or return kOutOfMemory, and go on afterwards as if nothing had been.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <new>
#include <optional>
#include <utility>

#include "engine/generator.h"
#include "engine/sessions.h"

namespace {

// Of this thread; the one that finds 0 fails. Negative: none does.
thread_local int64_t allocations_before_failure = -1;

void* allocate(size_t size, size_t alignment) {
  if (allocations_before_failure >= 0 && allocations_before_failure-- == 0) throw std::bad_alloc();
  const size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace hb::test {
namespace {

constexpr uint32_t kVocab = 288;

// Runs `work` with each of its allocations failing (of many, with ever larger steps), then without a failure.
// After each run `check` sees what is left.
void fail_each_allocation(const std::function<Status()>& work, const std::function<void()>& check) {
  int refused = 0;
  for (int64_t n = 0;; n += 1 + n / 16) {
    allocations_before_failure = n;
    const Status status = work();
    const bool failed = allocations_before_failure < 0;
    allocations_before_failure = -1;
    SCOPED_TRACE(::testing::Message() << "allocation " << n);
    if (!failed) {
      EXPECT_TRUE(status) << status.error().message;
      break;
    }
    if (!status) {
      EXPECT_EQ(status.error().code, ErrorCode::kOutOfMemory) << status.error().message;
      EXPECT_NE(status.error().message.find("no memory"), std::string::npos) << status.error().message;
      ++refused;
    }
    check();
  }
  EXPECT_GE(refused, 1);
}

class AllocationTest : public ::testing::TestWithParam<const char*> {
 protected:
  std::shared_ptr<Backend> backend() const {
    return std::string(GetParam()) == "ref" ? reference_backend() : cpu_backend(2);
  }
  void check_each(const std::function<Status(Session&)>& work) {
    const auto model = load(file_.path(), backend());
    Session session = new_session(model, {.context = 64, .batch = 16, .shift = true});
    const std::vector<int32_t> tokens = random_tokens(20, kVocab, 1);
    Session fresh = new_session(model, {.context = 64});
    ASSERT_TRUE(fresh.append(tokens));
    fail_each_allocation([&] { return work(session); },
                         [&] {
                           ASSERT_TRUE(session.set_tokens(tokens));
                           EXPECT_TRUE(same_bits(fresh.logits(), session.logits()));
                         });
  }

  ModelFile file_{{.architecture = "gemma3"}};
};

TEST_P(AllocationTest, LoadingAModel) {
  const auto backend = this->backend();
  const std::string path = file_.path();
  fail_each_allocation(
      [&]() -> Status {
        HB_TRY(Model::load(path, backend));
        return {};
      },
      [] {});
}

TEST_P(AllocationTest, CreatingASession) {
  const auto model = load(file_.path(), backend());
  fail_each_allocation(
      [&]() -> Status {
        HB_TRY(Session::create(model, {.context = 64}));
        return {};
      },
      [] {});
}

// The first pass of a context makes room for its activations.
TEST_P(AllocationTest, TheFirstTokens) {
  const auto model = load(file_.path(), backend());
  const auto tokens = random_tokens(20, kVocab, 2);
  fail_each_allocation(
      [&]() -> Status {
        const int64_t armed = std::exchange(allocations_before_failure, -1);
        Session session = new_session(model, {.context = 64});
        allocations_before_failure = armed;
        return session.append(tokens);
      },
      [] {});
}

TEST_P(AllocationTest, AppendingAndShifting) {
  const auto many = random_tokens(150, kVocab, 3);
  check_each([&](Session& session) { return session.append(many); });
}

// After a failure there are no logits, rather than those of a buffer that is gone.
TEST_P(AllocationTest, LogitsOfEachToken) {
  const auto model = load(file_.path(), backend());
  const auto tokens = random_tokens(20, kVocab, 2);
  const Session::RowFn ignore = [](uint32_t, std::span<const float>) {};
  std::optional<Session> session;
  fail_each_allocation(
      [&]() -> Status {
        const int64_t armed = std::exchange(allocations_before_failure, -1);
        session = new_session(model, {.context = 64});
        EXPECT_TRUE(session->append(std::span(tokens).first(1)));
        allocations_before_failure = armed;
        return session->append_with_logits(tokens, ignore);
      },
      [&] {
        if (session->tokens().size() < 21) {
          EXPECT_TRUE(session->logits().empty());
        }
      });
}

TEST_P(AllocationTest, AnAnswer) {
  const auto prompt = random_tokens(30, kVocab, 4);
  GenerateOptions options = {.max_tokens = 6, .stops = {"nothing like this"}, .ignore_end = true};
  options.sampler.top_p = 0.9f;
  options.sampler.logprobs = 3;
  check_each([&](Session& session) -> Status {
    HB_TRY(generate(session, prompt, options, nullptr));
    return {};
  });
}

TEST_P(AllocationTest, SavingAndLoading) {
  const std::string path = file_.file("session");
  const int32_t more[] = {1, 2, 3};
  check_each([&](Session& session) -> Status {
    HB_TRY(session.append(more));
    HB_TRY(session.save(path));
    return session.load(path);
  });
}

INSTANTIATE_TEST_SUITE_P(Backends, AllocationTest, ::testing::Values("ref", "cpu"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace hb::test
