// The instruction sets that kernels are compiled for. Included before hwy/foreach_target.h.
#pragma once

// SSE4, AVX2, AVX-512 and scalar code. The instruction sets between them gain nothing here. With -DASSETC_SIMD=native,
// only one of these. On ARM64, NEON: the compiler does not know the size of SVE's vectors, and the kernels keep vectors
// in arrays.
#ifdef __aarch64__
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#endif
#define HWY_COMPILE_ALL_ATTAINABLE
