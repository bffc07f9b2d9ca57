// UASTC to the targets that need texels. With AVX2, blocks are decoded with 16 texels in lanes, and encoded with one
// block in each lane; see block_lanes-inl.hpp. AVX-512 has its own encoders for BC1 and EAC. Other processors convert
// block after block: compiled for SSE2 by GCC 12, code with texels in lanes takes up to 1.4 times as long as that. The
// lanes compute in integers of fixed width, or in floats in a fixed order, so the bytes are the same.
#include <algorithm>
#include <array>
#include <bit>
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
// GCC 12 and 13 warn of variables in this header that are uninitialized on purpose (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

namespace assetc::codec {
namespace {

#if ASSETC_HAS_AVX2
// The tables that encode_eac tries.
inline constexpr unsigned kEacTried[] = {2, 8, 11, 13};

// [rank][table] -> the modifier, ascending, plus 15.
constexpr auto kEacRanks = [] {
  std::array<std::array<std::uint8_t, 16>, 8> t{};
  for (unsigned rank = 0; rank < 8; ++rank)
    for (unsigned table = 0; table < 16; ++table)
      t[rank][table] = static_cast<std::uint8_t>(kEacModifiers[table][rank < 4 ? 3 - rank : rank] + 15);
  return t;
}();
constexpr unsigned eac_span(unsigned table) {
  return static_cast<unsigned>(kEacModifiers[table][7] - kEacModifiers[table][3]);
}
// Divides a number below 8192 by twice the span of a table: n * factor >> 20.
constexpr unsigned eac_factor(unsigned table) { return (1u << 20) / (2 * eac_span(table)) + 1; }
static_assert([] {
  for (unsigned table = 0; table < 16; ++table) {
    const unsigned factor = eac_factor(table), divisor = 2 * eac_span(table);
    if (factor > 0xffff) return false;
    // At the first and the last number of every quotient.
    for (unsigned n = divisor; n <= 8192; n += divisor)
      if (n * factor >> 20 != n / divisor || (n - 1) * factor >> 20 != n / divisor - 1) return false;
  }
  return true;
}());
// [byte][table] -> a byte of the factor.
constexpr auto kEacFactors = [] {
  std::array<std::array<std::uint8_t, 16>, 2> t{};
  for (unsigned table = 0; table < 16; ++table)
    for (unsigned byte = 0; byte < 2; ++byte)
      t[byte][table] = static_cast<std::uint8_t>(eac_factor(table) >> (8 * byte));
  return t;
}();

// Blocks that are encoded as BC1 together, and blocks with one in each 16-bit lane.
inline constexpr unsigned kBc1Group = kMaxGroup, kLaneBlocks = 16;
// The functions that each instruction set has. They write the blocks that wait.
struct BatchKernels {
  void (*encode_bc1)(WaitingBlocks& blocks);
  void (*encode_bc1_levels)(WaitingBlocks& blocks);
  // They write one channel, so that blocks keep waiting. At most eac_group blocks wait.
  void (*encode_eac_hinted)(const WaitingBlocks& blocks, unsigned channel, EacKind kind, unsigned offset);
  void (*encode_r11)(const WaitingBlocks& blocks, unsigned channel, unsigned offset);
  unsigned eac_group;
};

// clang-format off: in this order
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
namespace avx2 {
#include "codec/transcode/uastc_texels-inl.hpp"
#include "codec/transcode/block_lanes-inl.hpp"
#include "codec/transcode/rows_avx2-inl.hpp"
#include "codec/transcode/etc1_lanes-inl.hpp"
#include "codec/transcode/uastc_batch-inl.hpp"
}  // namespace avx2
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512bw,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx2,avx512f,avx512bw,avx512dq,avx512vl")
#endif
namespace avx512 {
#include "codec/transcode/rows_avx512-inl.hpp"
}  // namespace avx512
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
// clang-format on

constexpr BatchKernels kKernelsAvx2 = {avx2::encode_bc1, avx2::encode_bc1_levels, avx2::encode_eac_hinted,
                                       avx2::encode_r11, avx2::kWideBlocks};
constexpr BatchKernels kKernelsAvx512 = {avx512::encode_bc1, avx512::encode_bc1_levels, avx512::encode_eac_hinted,
                                         avx512::encode_r11, avx512::kWideBlocks};
const BatchKernels& kernels_of(BatchSimd simd) { return simd == BatchSimd::kAvx512 ? kKernelsAvx512 : kKernelsAvx2; }
#endif

}  // namespace

BatchSimd best_batch_simd() {
#if ASSETC_HAS_AVX2
  if (!__builtin_cpu_supports("avx2")) return BatchSimd::kNone;
  // Not on older processors: they lower their clock for vectors of 64 bytes. Those with VBMI2 do not.
  const bool avx512 = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi2");
  return avx512 ? BatchSimd::kAvx512 : BatchSimd::kAvx2;
#else
  return BatchSimd::kNone;
#endif
}

void batch_to_texels(const std::uint8_t* blocks, const UastcBatch& batch, const UastcTarget& target, BatchSimd simd,
                     BatchState& state, std::uint8_t* out) {
#if ASSETC_HAS_AVX2
  if (simd != BatchSimd::kNone) return avx2::batch_to_texels(blocks, batch, target, kernels_of(simd), state, out);
#endif
  (void)simd, (void)state;
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

void finish_texels(const UastcTarget& target, BatchSimd simd, BatchState& state) {
#if ASSETC_HAS_AVX2
  if (simd != BatchSimd::kNone) return avx2::finish_texels(target, kernels_of(simd), state);
#endif
  (void)target, (void)simd, (void)state;
}

}  // namespace assetc::codec
