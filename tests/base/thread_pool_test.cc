#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

namespace hb {
namespace {

std::unique_ptr<ThreadPool> make_pool(uint32_t thread_count, uint32_t spin_us = 30) {
  return ThreadPool::create({.thread_count = thread_count, .spin_us = spin_us}).value();
}

class ThreadPoolTest : public testing::TestWithParam<uint32_t> {};

TEST_P(ThreadPoolTest, RunsEveryChunkOnce) {
  const auto pool = make_pool(GetParam());
  EXPECT_EQ(pool->thread_count(), GetParam());
  for (const uint32_t chunk_count : {0u, 1u, 2u, 7u, 1000u}) {
    std::vector<int> runs(chunk_count);  // plain ints: parallel_for's return publishes them
    pool->parallel_for(chunk_count, [&](uint32_t chunk, uint32_t) { ++runs[chunk]; });
    EXPECT_EQ(std::count(runs.begin(), runs.end(), 1), chunk_count);
  }
}

TEST_P(ThreadPoolTest, ThreadIndexIsExclusive) {
  const auto pool = make_pool(GetParam());
  std::vector<uint64_t> sums(GetParam());  // no atomics: a shared index would be a race, and lose updates
  for (int repeat = 0; repeat < 200; ++repeat) {
    pool->parallel_for(100, [&](uint32_t chunk, uint32_t thread) { sums.at(thread) += chunk; });
  }
  uint64_t total = 0;
  for (const uint64_t sum : sums) total += sum;
  EXPECT_EQ(total, 200u * 4950u);
}

// Many small jobs back to back, each with another body than the one before: a chunk claimed with the fields
// of an earlier job would be counted by the wrong body.
TEST_P(ThreadPoolTest, SurvivesManyEpochs) {
  struct Body {
    std::array<uint32_t, 4> runs{};
    void operator()(uint32_t chunk, uint32_t) { ++runs[chunk]; }
  };
  for (const uint32_t spin_us : {0u, 30u}) {
    const auto pool = make_pool(GetParam(), spin_us);
    std::mt19937 random(GetParam());
    std::array<Body, 3> bodies;
    for (uint32_t epoch = 0; epoch < 40000; ++epoch) {
      const uint32_t chunk_count = 2 + random() % 3;
      Body& body = bodies[epoch % 3];
      body.runs = {};
      pool->parallel_for(chunk_count, body);
      ASSERT_EQ(std::count(body.runs.begin(), body.runs.end(), 1u), chunk_count) << "epoch " << epoch;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolTest, testing::Values(1u, 2u, 5u, 40u));

TEST(ThreadPoolSleepTest, WakesAfterASleep) {
  const auto pool = make_pool(3, /*spin_us=*/1);
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::atomic<uint32_t> runs{0};
    pool->parallel_for(64, [&](uint32_t, uint32_t) { ++runs; });
    ASSERT_EQ(runs, 64u);
  }
}

// The caller sleeps while a worker holds the last chunk, and is woken by it.
TEST(ThreadPoolSleepTest, WaitsForASlowChunk) {
  const auto pool = make_pool(2);
  std::atomic<int> done{0};
  for (int repeat = 1; repeat <= 10; ++repeat) {
    pool->parallel_for(2, [&](uint32_t, uint32_t thread) {
      if (thread != 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ++done;
    });
    ASSERT_EQ(done, 2 * repeat);
  }
}

// One thread is stuck in the first chunk it gets; the other does all the rest meanwhile.
TEST(ThreadPoolSleepTest, AStuckThreadKeepsOnlyItsChunk) {
  const auto pool = make_pool(2);
  std::atomic<uint32_t> others{0};
  pool->parallel_for(50, [&](uint32_t chunk, uint32_t) {
    if (chunk != 0) {
      ++others;
      return;
    }
    while (others != 49) std::this_thread::yield();
  });
  EXPECT_EQ(others, 49u);
}

// Each thread begins with its own half, in order, and the threads help each other out at the end.
TEST(ThreadPoolRangeTest, NeighboursGoToOneThread) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto pool = make_pool(2);
    std::atomic<uint32_t> arrived{0};
    std::vector<uint32_t> chunks[2];
    pool->parallel_for(50, [&](uint32_t chunk, uint32_t thread) {
      if (chunks[thread].empty()) ++arrived;
      while (arrived != 2) std::this_thread::yield();
      chunks[thread].push_back(chunk);
    });
    ASSERT_EQ(chunks[0].size() + chunks[1].size(), 50u);
    for (const uint32_t thread : {0u, 1u}) {
      ASSERT_EQ(chunks[thread].front(), 25 * thread);
      const auto foreign = std::ranges::find_if(chunks[thread], [=](uint32_t c) { return c / 25 != thread; });
      ASSERT_TRUE(std::is_sorted(chunks[thread].begin(), foreign));
      ASSERT_TRUE(std::none_of(foreign, chunks[thread].end(), [=](uint32_t c) { return c / 25 == thread; }));
    }
  }
}

TEST(ThreadPoolCreateTest, RefusesImpossibleOptions) {
  for (const uint32_t thread_count : {0u, ThreadPool::kMaxThreads + 1}) {
    const auto pool = ThreadPool::create({.thread_count = thread_count});
    ASSERT_FALSE(pool);
    EXPECT_NE(pool.error().message.find(std::to_string(thread_count)), std::string::npos);
  }
  CpuMask absent;
  absent.add(CpuMask::kMaxCpus - 1);
  EXPECT_EQ(ThreadPool::create({.thread_count = 2, .cpu_mask = absent}).error().code,
            ErrorCode::kInvalidArgument);
}

TEST(ThreadPoolCreateTest, BindsTheWorkersAndNotTheCaller) {
  const CpuMask before = CpuMask::of_this_thread();
  CpuMask one;
  for (uint32_t cpu = 0; one.empty(); ++cpu) {
    if (before.contains(cpu)) one.add(cpu);
  }
  const auto pool = ThreadPool::create({.thread_count = 2, .cpu_mask = one}).value();
  std::atomic<bool> worker_came{false};
  pool->parallel_for(2, [&](uint32_t, uint32_t thread) {
    EXPECT_EQ(CpuMask::of_this_thread(), thread == 0 ? before : one);
    if (thread != 0) worker_came = true;
    while (!worker_came) std::this_thread::yield();
  });
  EXPECT_EQ(CpuMask::of_this_thread(), before);
}

TEST(ThreadPoolDeathTest, NestedLoopsAreACallersError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const auto pool = make_pool(2);
        pool->parallel_for(2, [&](uint32_t, uint32_t) { pool->parallel_for(2, [](uint32_t, uint32_t) {}); });
      },
      "internal error");
}

}  // namespace
}  // namespace hb
