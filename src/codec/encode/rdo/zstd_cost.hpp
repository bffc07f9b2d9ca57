// Estimates the size of a block's bytes after Zstd has compressed the level. It is a model of matches and literals that
// is fast enough to be used for every candidate. Internal to the encoder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace assetc::codec {

// The shortest match that Zstd's middle levels search for.
inline constexpr unsigned kShortestMatch = 5;

// The bytes of a block. Those of 8 bytes are followed by zeros.
inline constexpr unsigned kMostBlockBytes = 16;
using RdoBytes = std::array<std::uint8_t, kMostBlockBytes>;

// The distance of a match, in blocks. A match is between the same positions of two blocks. 0: none.
using MatchDistance = std::uint32_t;

class ZstdCost {
 public:
  // blocks: the segment. The blocks before the current one are final. The current bytes of all blocks are the first
  // estimate of the literals. block_bytes: 8 or 16.
  ZstdCost(std::span<const std::byte> blocks, unsigned block_bytes);

  struct Parse {
    float bits = 0;
    std::uint16_t literals = 0;             // bit i: byte i is coded as a literal
    MatchDistance open = 0;                 // the match that covers the last byte
    std::array<MatchDistance, 3> recent{};  // the last matches, latest first
  };

  // Finds the cheapest way to code bytes as block `at` of the segment. It uses matches at the given distances (0 is
  // ignored) and at those that Zstd remembers.
  Parse parse(std::size_t at, const RdoBytes& bytes, std::span<const MatchDistance> distances) const;

  // Continues after a block that was stored with that parse.
  void accept(const RdoBytes& bytes, const Parse& parse);

  // The expected bits of a match at that distance. from_start: the match begins with the first byte of the block, so it
  // can continue the last match of the block before.
  float match_bits(MatchDistance distance, bool from_start) const;
  // The average bits of a literal byte.
  float literal_bits() const { return mean_literal_bits_; }

 private:
  void update_literal_bits();

  float new_match_bits(MatchDistance distance) const;
  unsigned equal_bytes(const RdoBytes& bytes, std::size_t at) const;

  std::span<const std::byte> blocks_;
  unsigned block_bytes_;
  std::array<std::uint32_t, 256> counts_{};
  std::uint32_t total_ = 0;
  std::uint32_t since_update_ = 0;
  std::array<float, 256> literal_bits_{};
  float mean_literal_bits_ = 8;
  MatchDistance open_ = 0;
  std::array<MatchDistance, 3> recent_{};
};

}  // namespace assetc::codec
