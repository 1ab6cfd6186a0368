// What a matvec does with a product: bias, gate, scale, residual, settle (docs/numerics.md, section 6). Bindings 6 to 9.
#ifndef HB_EPILOGUE_GLSL
#define HB_EPILOGUE_GLSL

#include "backend/vulkan/shaders/exact.glsl"

layout(binding = 6) readonly buffer Bias { float bias_values[]; };
layout(binding = 7) readonly buffer Up { float up_values[]; };  // products of the gate's other matrix
layout(binding = 8) readonly buffer Residual { float residual_values[]; };
layout(binding = 9) writeonly buffer Out { float out_values[]; };

const uint kHasBias = 1u, kHasResidual = 2u, kSiluGate = 4u, kGeluGate = 8u, kRawProduct = 16u;

// `row`: of the matrix; `at`: of the element in the buffers of the batch.
void finish(float result, uint row, uint at, uint flags, float out_scale) {
  precise float y = result;
  if ((flags & kHasBias) != 0u) y = y + bias_values[row];
  if ((flags & (kSiluGate | kGeluGate)) != 0u) {
    precise float activated;
    if ((flags & kSiluGate) != 0u) {
      activated = exact_silu(y);
    } else {
      activated = exact_gelu(y);
    }
    y = activated * up_values[at];
  }
  y = y * out_scale;
  if ((flags & kHasResidual) != 0u) y = residual_values[at] + y;
  if ((flags & kRawProduct) != 0u) {
    out_values[at] = result;
  } else {
    out_values[at] = exact_settle(y);
  }
}

#endif
