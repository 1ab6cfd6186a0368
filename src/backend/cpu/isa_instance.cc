// Compiled once per row of isas.def, with -DHB_CPU_ISA=name and that instruction set's flags
// (CMakeLists.txt).
#include "backend/cpu/attention-inl.h"
#include "backend/cpu/float_matvec-inl.h"
#include "backend/cpu/kernel_table.h"
#include "backend/cpu/matvec-inl.h"
#include "backend/cpu/vector_ops-inl.h"

#define HB_STRING(x) #x
#define HB_NAME(x) HB_STRING(x)

namespace hb::cpu::HB_CPU_ISA {

extern const KernelTable kKernels;
const KernelTable kKernels = {
    HB_NAME(HB_CPU_ISA),
#define HB_CPU_TILE_KERNEL(type, name) tile_product<TensorType::type>,
#define HB_CPU_FLOAT_TILE_KERNEL(type, name) float_tile_product<TensorType::type>,
#include "backend/cpu/kernels.def"
#undef HB_CPU_TILE_KERNEL
#undef HB_CPU_FLOAT_TILE_KERNEL
    quantise_row,        rms_norm, rope_head,   finish_rows,      scale_row,
    softcap_row,         to_half,  row_maximum, attention_scores, attention_values,
};

}  // namespace hb::cpu::HB_CPU_ISA
