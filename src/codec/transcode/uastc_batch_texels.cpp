// UASTC to the targets that need texels. With AVX2, 16 texels are in lanes. Other processors convert block after block:
// compiled for SSE2 by GCC 12, the code of the lanes takes up to 1.4 times as long as that. The lanes compute in
// integers of fixed width, or in floats in a fixed order, so the bytes are the same.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "codec/block/bc_block.hpp"
#include "codec/block/bise_endpoint.hpp"
#include "codec/block/bits128.hpp"
#include "codec/block/etc1_bias.hpp"
#include "codec/block/etc_bits.hpp"
#include "codec/block/etc_block.hpp"
#include "codec/block/uastc_fields.hpp"
#include "codec/transcode/uastc_batch.hpp"

// Not with GCC for Windows: it does not align the stack to 32 bytes there (GCC bug 54412).
#if defined(__x86_64__) && (!defined(_WIN32) || defined(__clang__))
#define ASSETC_HAS_AVX2 1
#endif

namespace assetc::codec {
namespace {

// [bias] -> the deltas of R, G, B of the first half, a 0, and those of the second half.
[[maybe_unused]] constexpr auto kEtc1Deltas = [] {
  std::array<std::array<std::int16_t, 8>, kEtc1BiasCount> t{};
  for (unsigned bias = 0; bias < kEtc1BiasCount; ++bias)
    for (unsigned c = 0; c < 3; ++c)
      for (unsigned half = 0; half < 2; ++half) t[bias][4 * half + c] = kEtc1BiasDeltas[bias][half][c];
  return t;
}();

// [table] -> the four modifiers, darkest first, as 16-bit numbers.
[[maybe_unused]] constexpr auto kEtc1Shifts = [] {
  std::array<std::uint64_t, 8> t{};
  for (unsigned i = 0; i < t.size(); ++i) {
    const std::uint16_t small = kEtc1Modifiers[i][0], large = kEtc1Modifiers[i][1];
    t[i] = std::uint64_t{static_cast<std::uint16_t>(-large)} | std::uint64_t{static_cast<std::uint16_t>(-small)} << 16 |
           std::uint64_t{small} << 32 | std::uint64_t{large} << 48;
  }
  return t;
}();

#if ASSETC_HAS_AVX2
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
namespace avx2 {
// clang-format off: in this order
#include "codec/transcode/uastc_texels-inl.hpp"
#include "codec/transcode/bc1_lanes-inl.hpp"
#include "codec/transcode/uastc_batch-inl.hpp"
// clang-format on
}  // namespace avx2
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

}  // namespace

bool has_avx2() {
#if ASSETC_HAS_AVX2
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

void batch_to_texels(const std::uint8_t* blocks, const UastcBatch& batch, const UastcTarget& target, bool use_avx2,
                     std::uint8_t* out) {
#if ASSETC_HAS_AVX2
  if (use_avx2) return avx2::batch_to_texels(blocks, batch, target, out);
#endif
  (void)use_avx2;
  UastcBlock block;
  for (unsigned m = 0; m < kUastcModeCount; ++m) {
    if (m == kUastcSolidMode) continue;
    for (unsigned i = 0; i < batch.count[m]; ++i) {
      const std::size_t n = batch.queue[m][i];
      unpack_uastc_into(blocks + n * 16, block);
      uastc_to_target(block, target, out + n * block_bytes(target.format));
    }
  }
}

}  // namespace assetc::codec
