// The instruction sets that kernels are compiled for. Included before hwy/foreach_target.h.
#pragma once

// SSE4, AVX2, AVX-512 and scalar code; the steps between them gain nothing here. Under -DASSETC_SIMD=native one of
// them. On ARM64 NEON: SVE's vectors have no size that the compiler knows, and the kernels keep them in arrays.
#ifdef __aarch64__
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#endif
#define HWY_COMPILE_ALL_ATTAINABLE
