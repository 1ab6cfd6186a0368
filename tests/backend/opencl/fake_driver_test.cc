// What a driver that lies leads to: an error that says what happened, never a crash, and nothing left behind.
#include "backend/opencl/fake_driver.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "backend/op_cases.h"
#include "backend/opencl/opencl_backend.h"

namespace hb::testing {
namespace {

using ::testing::HasSubstr;

class OpenclFakeDriver : public ::testing::Test {
 protected:
  OpenclFakeDriver() {
    void* library = dlopen(HB_FAKE_OPENCL, RTLD_NOW | RTLD_LOCAL);
    state_ = reinterpret_cast<FakeState* (*)()>(dlsym(library, "hb_fake_opencl_state"))();
    *state_ = {};
  }

  Result<std::unique_ptr<Backend>> backend(OpenclBackendOptions options = {}) const {
    options.library = HB_FAKE_OPENCL;
    return make_opencl_backend(options);
  }

  // The error of running a small model while the driver lies from the beginning, or in forward() only.
  Error error_of(FakeMode mode, OpenclBackendOptions options = {}) const {
    state_->mode = mode;
    const OpCase op_case = std::move(chain_cases().front());
    const auto made = backend(options);
    if (!made) return made.error();
    const auto trace = run(**made, op_case);
    EXPECT_FALSE(trace) << "nothing failed";
    return trace ? Error{} : trace.error();
  }

  FakeState* state_;
};

TEST_F(OpenclFakeDriver, HonestItRunsAndLeavesNothing) {
  {
    const auto made = backend();
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_TRUE(run(**made, chain_cases().front()));
    EXPECT_GT(state_->runs, 0u);
  }
  EXPECT_EQ(state_->live_objects, 0u);
}

TEST_F(OpenclFakeDriver, WithoutADeviceSaysSo) {
  state_->mode = FakeMode::kNoPlatform;
  EXPECT_TRUE(list_opencl_devices(HB_FAKE_OPENCL)->empty());
  EXPECT_EQ(backend().error().code, ErrorCode::kNotFound);
}

TEST_F(OpenclFakeDriver, NullHandlesAreErrors) {
  EXPECT_THAT(error_of(FakeMode::kNullContext).message, HasSubstr("the driver gave no context"));
  EXPECT_THAT(error_of(FakeMode::kNullBuffer).message, HasSubstr("the driver gave no buffer"));
  EXPECT_THAT(error_of(FakeMode::kNullKernel).message, HasSubstr("the driver gave none"));
  EXPECT_EQ(state_->live_objects, 0u);
}

TEST_F(OpenclFakeDriver, ABuildFailureGivesTheLog) {
  const Error error = error_of(FakeMode::kBuildFailure);
  EXPECT_EQ(error.code, ErrorCode::kDevice);
  EXPECT_THAT(error.message, HasSubstr("building kernel"));
  EXPECT_THAT(error.message, HasSubstr("line 7: internal compiler error"));
  EXPECT_EQ(state_->live_objects, 0u);
}

TEST_F(OpenclFakeDriver, AMissingEntryPointIsNamed) {
  EXPECT_THAT(error_of(FakeMode::kRefusedKernel).message, HasSubstr("CL_INVALID_KERNEL_NAME"));
}

TEST_F(OpenclFakeDriver, ALostDeviceIsAnErrorThatSaysWhatToDo) {
  for (const FakeMode mode : {FakeMode::kLostWhileRunning, FakeMode::kLostWhileWaiting}) {
    const Error error = error_of(mode);
    EXPECT_EQ(error.code, ErrorCode::kDevice);
    EXPECT_THAT(error.message, HasSubstr("--backend cpu"));
  }
}

TEST_F(OpenclFakeDriver, BinariesThatAreRefusedAreBuiltAgain) {
  const std::string folder = ::testing::TempDir() + "opencl_fake_cache";
  for (const FakeMode mode : {FakeMode::kHonest, FakeMode::kNoBinaries}) {
    state_->mode = mode;
    const auto made = backend({.cache_folder = folder});
    ASSERT_TRUE(made);
    EXPECT_TRUE(run(**made, chain_cases().front()));
  }
  std::filesystem::remove_all(folder);
}

TEST_F(OpenclFakeDriver, NoAllocationIsLargerThanTheDeviceAllows) {
  state_->max_allocation = 1u << 20;
  CaseBuilder builder("a matrix of four allocations", 1);
  builder.plan().vocab_size = 3000;
  const BufferId in = builder.input("in", 1024, Activations::kPlain, PlanBuffer::Kind::kQ8);
  builder.op(
      MatvecOp{in, builder.weight("matrix", TensorType::kQ8_0, 3000, 1024), builder.buffer("out", 3000)});
  builder.step(2);
  const auto made = backend();
  ASSERT_TRUE(made);
  EXPECT_TRUE(run(**made, builder.build()));
  EXPECT_LE(state_->largest_allocation, 1u << 20);
  EXPECT_GT(state_->largest_allocation, 3u << 18);
}

TEST_F(OpenclFakeDriver, ATokenSetsNoArguments) {
  const auto made = backend({.flush_every = 3, .wait = true});
  ASSERT_TRUE(made);
  const OpCase op_case = std::move(chain_cases().front());
  const auto executable = (*made)->compile(op_case.plan, {});
  ASSERT_TRUE(executable);
  const auto context = (*executable)->new_context({.capacity = 16, .max_batch = 4});
  ASSERT_TRUE(context);
  const int32_t token = 1;
  ASSERT_TRUE((*context)->forward({{&token, 1}, 0, 1}));
  const FakeState before = *state_;
  ASSERT_TRUE((*context)->forward({{&token, 1}, 1, 1}));
  EXPECT_EQ(state_->kernel_arguments, before.kernel_arguments);
  const uint32_t runs = state_->runs - before.runs;
  EXPECT_EQ(state_->waits - before.waits, runs / 3);
}

}  // namespace
}  // namespace hb::testing
