#include "backend/cpu/kernel_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"

namespace hb::cpu {

#define HB_CPU_ISA_ROW(name, condition) \
  namespace name {                      \
  extern const KernelTable kKernels;    \
  }
#include "backend/cpu/isas.def"
#undef HB_CPU_ISA_ROW

namespace {

struct IsaRow {
  const KernelTable* table;
  bool (*usable)(const CpuIsa& isa);
};

constexpr IsaRow kRows[] = {
#define HB_CPU_ISA_ROW(name, condition) \
  {&name::kKernels, [](const CpuIsa& isa) { return (void)isa, (condition); }},
#include "backend/cpu/isas.def"
#undef HB_CPU_ISA_ROW
};

std::string usable_names(const CpuIsa& isa) {
  std::vector<std::string> names;
  for (const KernelTable* table : usable_kernel_tables(isa)) names.emplace_back(table->isa);
  return fmt::format("{}", fmt::join(names, ", "));
}

// The kernel of one type of weights: of its two functions the one that the type has.
struct MatrixKernel {
  const char* name;
  TileKernel quantised;
  FloatTileKernel floats;
};

MatrixKernel matrix_kernel(const KernelTable& table, TensorType type) {
  switch (type) {
#define HB_CPU_TILE_KERNEL(type, name) \
  case TensorType::type:               \
    return {#name, table.tile_##name, nullptr};
#define HB_CPU_FLOAT_TILE_KERNEL(type, name) \
  case TensorType::type:                     \
    return {#name, nullptr, table.tile_##name};
#include "backend/cpu/kernels.def"
#undef HB_CPU_TILE_KERNEL
#undef HB_CPU_FLOAT_TILE_KERNEL
  }
  return {"none", nullptr, nullptr};
}

}  // namespace

TileKernel tile_kernel(const KernelTable& table, TensorType type) {
  const TileKernel kernel = matrix_kernel(table, type).quantised;
  HB_CHECK(kernel != nullptr);
  return kernel;
}

FloatTileKernel float_tile_kernel(const KernelTable& table, TensorType type) {
  const FloatTileKernel kernel = matrix_kernel(table, type).floats;
  HB_CHECK(kernel != nullptr);
  return kernel;
}

std::string tile_kernel_name(const KernelTable& table, TensorType type) {
  return fmt::format("tile_{}_{}", matrix_kernel(table, type).name, table.isa);
}

std::vector<const KernelTable*> usable_kernel_tables(const CpuIsa& isa) {
  std::vector<const KernelTable*> tables;
  for (const IsaRow& row : kRows) {
    if (row.usable(isa)) tables.push_back(row.table);
  }
  return tables;
}

Result<IsaChoice> choose_isa(const CpuIsa& isa, std::string_view wanted) {
  const auto usable = usable_kernel_tables(isa);
  if (wanted == "auto") {
    return IsaChoice{usable.front(), fmt::format("the best of {}", usable_names(isa))};
  }
  for (const KernelTable* table : usable) {
    if (wanted == table->isa) return IsaChoice{table, "asked for"};
  }
  for (const IsaRow& row : kRows) {
    if (wanted != row.table->isa) continue;
    return fail(ErrorCode::kUnsupported,
                fmt::format("this CPU cannot run '{}'; it has {}", wanted, usable_names(isa)));
  }
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("there is no instruction set '{}' here; use auto, {}", wanted, usable_names(isa)));
}

}  // namespace hb::cpu
