#include "backend/cpu/kernel_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "quant/format_traits.h"

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

}  // namespace

TileKernel tile_kernel(const KernelTable& table, TensorType type) {
  switch (type) {
#define HB_CPU_TILE_KERNEL(type, name) \
  case TensorType::type:               \
    return table.tile_##name;
#define HB_CPU_FLOAT_TILE_KERNEL(type, name)
#include "backend/cpu/kernels.def"
#undef HB_CPU_TILE_KERNEL
#undef HB_CPU_FLOAT_TILE_KERNEL
    default:
      break;
  }
  HB_CHECK(is_quantised(type));
  return nullptr;
}

FloatTileKernel float_tile_kernel(const KernelTable& table, TensorType type) {
  switch (type) {
#define HB_CPU_TILE_KERNEL(type, name)
#define HB_CPU_FLOAT_TILE_KERNEL(type, name) \
  case TensorType::type:                     \
    return table.tile_##name;
#include "backend/cpu/kernels.def"
#undef HB_CPU_TILE_KERNEL
#undef HB_CPU_FLOAT_TILE_KERNEL
    default:
      break;
  }
  HB_CHECK(!is_quantised(type));
  return nullptr;
}

std::string tile_kernel_name(const KernelTable& table, TensorType type) {
  switch (type) {
#define HB_CPU_TILE_KERNEL(type, name) \
  case TensorType::type:               \
    return fmt::format("tile_" #name "_{}", table.isa);
#define HB_CPU_FLOAT_TILE_KERNEL(type, name) HB_CPU_TILE_KERNEL(type, name)
#include "backend/cpu/kernels.def"
#undef HB_CPU_TILE_KERNEL
#undef HB_CPU_FLOAT_TILE_KERNEL
  }
  return "none";
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
