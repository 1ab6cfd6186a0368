// The remote control of a driver that lies: tests open the same library and say how.
#pragma once

#include <cstdint>

namespace hb::testing {

enum class FakeMode : int {
  kHonest,  // accepts everything, computes nothing
  kNoPlatform,
  kNullContext,
  kNullBuffer,
  kBuildFailure,  // of every program, from source
  kNullKernel,
  kRefusedKernel,     // the entry point is not there
  kNoBinaries,        // programs have none, and none is accepted
  kLostWhileRunning,  // enqueueing a kernel fails
  kLostWhileWaiting,  // finishing and reading fail
};

struct FakeState {
  FakeMode mode = FakeMode::kHonest;
  uint64_t max_allocation = 256u << 20;  // as the driver gives it

  uint64_t largest_allocation = 0;  // that was asked for
  uint32_t kernel_arguments = 0;    // that were set
  uint32_t runs = 0;
  uint32_t flushes = 0;
  uint32_t waits = 0;
  uint32_t live_objects = 0;
};

}  // namespace hb::testing

extern "C" hb::testing::FakeState* hb_fake_opencl_state();
