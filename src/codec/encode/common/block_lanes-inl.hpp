// Moves blocks to SIMD lanes and back: one block per lane, one texel of every block per row. Included once per SIMD
// target.
#if defined(ASSETC_CODEC_BLOCK_LANES_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSETC_CODEC_BLOCK_LANES_INL_HPP_
#undef ASSETC_CODEC_BLOCK_LANES_INL_HPP_
#else
#define ASSETC_CODEC_BLOCK_LANES_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "codec/encode/common/float_lanes-inl.hpp"
#include "codec/encode/common/planar_block.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// An array of 16 * kLanes bytes, used as rows of kLanes columns or as kLanes rows of 16 columns.
struct Bytes16 {
  alignas(64) std::uint8_t byte[16 * kLanes];
};

#if HWY_TARGET != HWY_SCALAR
// Each round interleaves the two halves of the array, which rotates the bits of every byte's index by one. kLaneBits
// rounds turn [lane][texel] into [texel][lane]; four rounds turn it back.
template <int kRounds>
HWY_INLINE void rotate_index_bits(Bytes16& bytes) {
  const hn::FixedTag<std::uint8_t, 16> d8;
  using B = hn::Vec<decltype(d8)>;
  B v[kLanes], w[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) v[i] = hn::Load(d8, bytes.byte + 16 * i);
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < kLanes / 2; ++i) {
      w[2 * i] = hn::InterleaveLower(d8, v[i], v[i + kLanes / 2]);
      w[2 * i + 1] = hn::InterleaveUpper(d8, v[i], v[i + kLanes / 2]);
    }
    for (std::size_t i = 0; i < kLanes; ++i) v[i] = w[i];
  }
  for (std::size_t i = 0; i < kLanes; ++i) hn::Store(v[i], d8, bytes.byte + 16 * i);
}
#else
template <int kRounds>
HWY_INLINE void rotate_index_bits(Bytes16&) {}
#endif

inline constexpr int kLaneBits = kLanes == 1 ? 0 : kLanes == 2 ? 1 : kLanes == 4 ? 2 : kLanes == 8 ? 3 : 4;

// The blocks of the lanes from first upward. The last block is repeated.
HWY_INLINE std::size_t consecutive(std::size_t blocks, std::size_t first, std::uint32_t (&index)[kLanes]) {
  const std::size_t count = HWY_MIN(kLanes, blocks - first);
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    index[lane] = static_cast<std::uint32_t>(first + HWY_MIN(lane, count - 1));
  return count;
}

// The blocks of the lanes in a call over order. The last block is repeated.
HWY_INLINE std::size_t group_at(std::span<const std::uint32_t> order, std::size_t first,
                                std::uint32_t (&index)[kLanes]) {
  const std::size_t count = HWY_MIN(kLanes, order.size() - first);
  for (std::size_t lane = 0; lane < kLanes; ++lane) index[lane] = order[first + HWY_MIN(lane, count - 1)];
  return count;
}

// Loads one channel of the blocks in index, as rows.
HWY_INLINE void load_channel(const PlanarBlock* blocks, const std::uint32_t (&index)[kLanes], unsigned channel,
                             Row* rows) {
  const hn::Rebind<std::uint8_t, D> d8;
  const hn::RebindToSigned<D> di;
  Bytes16 bytes;
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    std::memcpy(bytes.byte + 16 * lane, blocks[index[lane]].texels.data() + 16 * channel, 16);
  rotate_index_bits<kLaneBits>(bytes);
  for (std::size_t t = 0; t < 16; ++t)
    store(hn::ConvertTo(d, hn::PromoteTo(di, hn::Load(d8, bytes.byte + t * kLanes))), rows[t]);
}

// Converts 16 rows of integers 0..255 to 16 bytes per lane. The bytes of lane i start at byte[16 * i].
HWY_INLINE void rows_to_bytes(const Row* rows, Bytes16& bytes) {
  const hn::Rebind<std::uint8_t, D> d8;
  const hn::RebindToSigned<D> di;
  for (std::size_t t = 0; t < 16; ++t)
    hn::Store(hn::DemoteTo(d8, hn::ConvertTo(di, load(rows[t]))), d8, bytes.byte + t * kLanes);
  rotate_index_bits<4>(bytes);
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
