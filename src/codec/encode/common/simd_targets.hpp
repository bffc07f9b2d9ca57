// The instruction sets that kernels are compiled for. Included before hwy/foreach_target.h.
#pragma once

// SSE2, SSE4, AVX2, AVX-512 and, for tests, scalar code; the steps between them gain nothing here.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#define HWY_COMPILE_ALL_ATTAINABLE
