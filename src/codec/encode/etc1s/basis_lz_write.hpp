// Writes codebooks and slices of ETC1S blocks as BasisLZ. Internal to the encoder.
// Source: KTX File Format Specification 2.0, BasisLZ/ETC1S Bitstream Specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/codec/basis_lz.hpp"
#include "codec/encode/etc1s/etc1s_kernels.hpp"

namespace assetc::codec {

// The most entries of a codebook. More symbols than this and the history do not fit a Huffman table, and
// Khronos' encoder has the same limit.
inline constexpr std::size_t kMaxCodebook = 16128;
// The most recent levels, which blocks may refer to. Binomial's encoder has as many.
inline constexpr std::uint32_t kLevelHistory = 64;

struct Etc1sCodebooks {
  std::vector<Etc1sEndpoint> endpoints;
  std::vector<Etc1sLevels> levels;
};

// An image of blocks in row order.
struct BlockSlice {
  std::uint32_t width = 0, height = 0;  // in blocks
  std::size_t first = 0;                // the place of its first block among all blocks
};

// Where a block takes its endpoint from, as stored.
enum class EndpointSource : std::uint8_t { kLeft, kAbove, kAboveLeft, kDelta };

// The levels that were used recently. Those that are used again move toward the front.
class LevelHistory {
 public:
  // The first place of a value, or kLevelHistory.
  std::uint32_t find(std::uint16_t value) const {
    std::uint32_t i = 0;
    while (i < kLevelHistory && values_[i] != value) ++i;
    return i;
  }
  // Returns the place of the added value.
  std::uint32_t add(std::uint16_t value) {
    const std::uint32_t place = next_;
    values_[place] = value;
    if (++next_ == kLevelHistory) next_ = kLevelHistory / 2;
    return place;
  }
  void use(std::uint32_t index) { std::swap(values_[index / 2], values_[index]); }
  std::uint16_t operator[](std::uint32_t index) const { return values_[index]; }

 private:
  std::array<std::uint16_t, kLevelHistory> values_{};
  std::uint32_t next_ = kLevelHistory / 2;
};

// How often each symbol is written.
struct SymbolCounts {
  SymbolCounts(std::size_t endpoint_count, std::size_t level_count);

  std::vector<std::uint32_t> prediction;  // of 2x2 blocks; the last symbol is a run
  std::vector<std::uint32_t> delta;       // from the endpoint of the previous block
  std::vector<std::uint32_t> levels;      // entries, places of the history, then a run
  std::vector<std::uint32_t> runs;        // lengths of the runs of levels
  std::array<std::uint32_t, 4> sources{};
};

SymbolCounts count_symbols(std::span<const BlockSlice> slices, std::span<const BasisLzBlock> blocks,
                           const Etc1sCodebooks& codebooks);

struct BasisLzStreams {
  ByteVector endpoints, selectors, tables;
  std::vector<ByteVector> slices;

  std::size_t size_bytes() const;
};
BasisLzStreams write_basis_lz(std::span<const BlockSlice> slices, std::span<const BasisLzBlock> blocks,
                              const Etc1sCodebooks& codebooks);

}  // namespace assetc::codec
