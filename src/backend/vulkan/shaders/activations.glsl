// Rows of Q8 activations as quantise.comp writes them: (rows, blocks) of
//   codes   two uvec4: 32 int8 codes
//   meta    two uvec4: scale, weighted sum, sums of the two halves' codes S0 and S1;
//                      scale, scale / 16, -8 S, -136 S with S = S0 + S1, for formats whose codes have the zero point 8
#ifndef HB_ACTIVATIONS_GLSL
#define HB_ACTIVATIONS_GLSL

#ifdef TEXEL
layout(binding = 4) uniform usamplerBuffer activation_codes;
layout(binding = 5) uniform usamplerBuffer activation_meta;
uvec4 activation_codes_at(uint index) { return texelFetch(activation_codes, int(index)); }
uvec4 activation_meta_at(uint index) { return texelFetch(activation_meta, int(index)); }
#else
layout(binding = 4) readonly buffer Activations { uvec4 activation_codes[]; };
layout(binding = 5) readonly buffer Meta { uvec4 activation_meta[]; };
uvec4 activation_codes_at(uint index) { return activation_codes[index]; }
uvec4 activation_meta_at(uint index) { return activation_meta[index]; }
#endif

#endif
