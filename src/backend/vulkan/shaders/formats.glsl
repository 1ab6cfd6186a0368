// The formats of quant/format_traits.h for the preprocessor. A permutation defines FORMAT_x.
//   BASE_BITS    2, 4 or 8: the plane in `codes`
//   HIGH_BITS    0, 1 or 2: the plane in `high`, above those
//   ZERO_POINT   subtracted from codes
//   CODEBOOK     1: codes are numbers of kCodebook's values
//   SCALES       ScaleKind
#ifndef HB_FORMATS_GLSL
#define HB_FORMATS_GLSL

#define SCALES_PLAIN 0
#define SCALES_AFFINE 1
#define SCALES_SUPER_AFFINE 2
#define SCALES_GROUPED 3
#define SCALES_GROUPED_AFFINE 4

#if defined(FORMAT_Q4_0)
#define BASE_BITS 4
#define HIGH_BITS 0
#define ZERO_POINT 8
#define CODEBOOK 0
#define SCALES SCALES_PLAIN
#elif defined(FORMAT_Q4_1)
#define BASE_BITS 4
#define HIGH_BITS 0
#define ZERO_POINT 0
#define CODEBOOK 0
#define SCALES SCALES_AFFINE
#elif defined(FORMAT_Q5_0)
#define BASE_BITS 4
#define HIGH_BITS 1
#define ZERO_POINT 16
#define CODEBOOK 0
#define SCALES SCALES_PLAIN
#elif defined(FORMAT_Q5_1)
#define BASE_BITS 4
#define HIGH_BITS 1
#define ZERO_POINT 0
#define CODEBOOK 0
#define SCALES SCALES_AFFINE
#elif defined(FORMAT_Q8_0)
#define BASE_BITS 8
#define HIGH_BITS 0
#define ZERO_POINT 0
#define CODEBOOK 0
#define SCALES SCALES_PLAIN
#elif defined(FORMAT_IQ4_NL)
#define BASE_BITS 4
#define HIGH_BITS 0
#define ZERO_POINT 0
#define CODEBOOK 1
#define SCALES SCALES_PLAIN
#elif defined(FORMAT_Q2_K)
#define BASE_BITS 2
#define HIGH_BITS 0
#define ZERO_POINT 0
#define CODEBOOK 0
#define SCALES SCALES_GROUPED_AFFINE
#elif defined(FORMAT_Q3_K)
#define BASE_BITS 2
#define HIGH_BITS 1
#define ZERO_POINT 4
#define CODEBOOK 0
#define SCALES SCALES_GROUPED
#elif defined(FORMAT_Q4_K)
#define BASE_BITS 4
#define HIGH_BITS 0
#define ZERO_POINT 0
#define CODEBOOK 0
#define SCALES SCALES_SUPER_AFFINE
#elif defined(FORMAT_Q5_K)
#define BASE_BITS 4
#define HIGH_BITS 1
#define ZERO_POINT 0
#define CODEBOOK 0
#define SCALES SCALES_SUPER_AFFINE
#elif defined(FORMAT_Q6_K)
#define BASE_BITS 4
#define HIGH_BITS 2
#define ZERO_POINT 32
#define CODEBOOK 0
#define SCALES SCALES_GROUPED
#endif

#endif
