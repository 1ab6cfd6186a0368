// The kernels of one instruction set, and the choice of the set.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/cpu/attention_args.h"
#include "backend/cpu/matvec_args.h"
#include "backend/cpu/vector_args.h"
#include "base/cpu_isa.h"
#include "base/error.h"

namespace hb::cpu {

// All functions are pure: they read and write what their arguments name, from any thread.
struct KernelTable {
  const char* isa;

#define HB_CPU_TILE_KERNEL(type, name) TileKernel tile_##name;
#define HB_CPU_FLOAT_TILE_KERNEL(type, name) FloatTileKernel tile_##name;
#include "backend/cpu/kernels.def"
#undef HB_CPU_TILE_KERNEL
#undef HB_CPU_FLOAT_TILE_KERNEL

  void (*quantise_row)(const QuantiseArgs& args);
  void (*rms_norm)(const NormArgs& args);
  void (*rope_head)(const RopeArgs& args);
  void (*finish_rows)(const FinishArgs& args);
  void (*scale_row)(const float* in, float factor, uint32_t count, float* out);
  void (*softcap_row)(float* row, float cap, uint32_t count);
  void (*to_half)(const float* in, uint32_t count, uint16_t* out);
  float (*row_maximum)(const float* row, uint32_t count);
  ScoreKernel attention_scores;
  ValueKernel attention_values;
};

// REQUIRES: `type` is quantised, or F32, F16, BF16, respectively.
TileKernel tile_kernel(const KernelTable& table, TensorType type);
FloatTileKernel float_tile_kernel(const KernelTable& table, TensorType type);

// "tile_q4_0_avx512vnni": a kernel's name says what it multiplies and how.
std::string tile_kernel_name(const KernelTable& table, TensorType type);

// The tables that this machine can run, best first; for tests and benchmarks.
std::vector<const KernelTable*> usable_kernel_tables(const CpuIsa& isa);

struct IsaChoice {
  const KernelTable* table;
  std::string reason;
};

// A pure function of what the CPU has and what was asked for ("auto" or a name of isas.def).
// ERRORS: kInvalidArgument for an unknown name, kUnsupported for one that this CPU cannot run; both list what
// it can.
Result<IsaChoice> choose_isa(const CpuIsa& isa, std::string_view wanted);

}  // namespace hb::cpu
