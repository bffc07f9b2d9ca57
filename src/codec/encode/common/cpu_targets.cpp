// The functions of Highway that its dispatch and our tests call. The shared library of Highway also holds a benchmark,
// whose constructor measures the timer of the processor for 2 ms whenever a program starts. With these definitions, and
// --as-needed, programs do not load it.
#if defined(__x86_64__) && defined(__linux__)

#include <hwy/targets.h>

#include <atomic>
#include <cstdint>

namespace hwy {

namespace {

std::atomic<std::int64_t> of_test{0};

// The instruction sets that the processor and the operating system support, as hwy/targets.h groups them.
std::int64_t find_targets() {
  std::int64_t targets = HWY_EMU128 | HWY_SCALAR;
#ifdef HWY_SSE2
  targets |= HWY_SSE2;
#endif
  if (!__builtin_cpu_supports("ssse3")) return targets;
  targets |= HWY_SSSE3;
  if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("aes") || !__builtin_cpu_supports("pclmul"))
    return targets;
  targets |= HWY_SSE4;
  for (const bool has :
       {__builtin_cpu_supports("avx2") != 0, __builtin_cpu_supports("fma") != 0, __builtin_cpu_supports("bmi") != 0,
        __builtin_cpu_supports("bmi2") != 0, __builtin_cpu_supports("f16c") != 0, __builtin_cpu_supports("lzcnt") != 0})
    if (!has) return targets;
  targets |= HWY_AVX2;
  for (const bool has : {__builtin_cpu_supports("avx512f") != 0, __builtin_cpu_supports("avx512vl") != 0,
                         __builtin_cpu_supports("avx512dq") != 0, __builtin_cpu_supports("avx512bw") != 0,
                         __builtin_cpu_supports("avx512cd") != 0})
    if (!has) return targets;
  targets |= HWY_AVX3;
  for (const bool has : {__builtin_cpu_supports("avx512vnni") != 0, __builtin_cpu_supports("vpclmulqdq") != 0,
                         __builtin_cpu_supports("avx512vbmi") != 0, __builtin_cpu_supports("avx512vbmi2") != 0,
                         __builtin_cpu_supports("vaes") != 0, __builtin_cpu_supports("avx512vpopcntdq") != 0,
                         __builtin_cpu_supports("avx512bitalg") != 0, __builtin_cpu_supports("gfni") != 0})
    if (!has) return targets;
  return targets | HWY_AVX3_DL;
}

}  // namespace

std::int64_t SupportedTargets() {
  static const std::int64_t found = find_targets();
  const std::int64_t wanted = of_test;
  return wanted == 0 ? found : wanted;
}

void SetSupportedTargetsForTest(std::int64_t targets) {
  of_test = targets;
  GetChosenTarget().DeInit();
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy

#endif
