// What a block's bytes will cost once Zstd has compressed the level: a model of its matches and literals that is cheap
// enough to ask for every candidate. Internal to the encoder.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/block/uastc_block.hpp"

namespace assetc::codec {

// The shortest match that Zstd's middle levels look for.
inline constexpr unsigned kShortestMatch = 5;

// Distances are in blocks: matches are between the same places of two blocks. 0: none.
using MatchDistance = std::uint32_t;

class ZstdCost {
 public:
  // blocks: the segment, whose blocks before the current one are final. Its bytes as they stand are what literals are
  // first expected to look like.
  explicit ZstdCost(std::span<const std::byte> blocks);

  struct Parse {
    float bits = 0;
    std::uint16_t literals = 0;             // bit i: byte i is coded as itself
    MatchDistance open = 0;                 // of the match that covers the last byte
    std::array<MatchDistance, 3> recent{};  // of the last matches, latest first
  };

  // The cheapest way to code bytes as block `at` of the segment, of matches at the given distances (0s are passed over)
  // and those that Zstd remembers.
  Parse parse(std::size_t at, const UastcBytes& bytes, std::span<const MatchDistance> distances) const;

  // Goes on behind a block that was stored with that parse.
  void accept(const UastcBytes& bytes, const Parse& parse);

  // What a match at that distance is expected to take; from_start: it begins with the block's first byte, and so can go
  // on from the block before.
  float match_bits(MatchDistance distance, bool from_start) const;
  // What a byte takes as a literal, on average.
  float literal_bits() const { return mean_literal_bits_; }

 private:
  void update_literal_bits();

  std::span<const std::byte> blocks_;
  std::array<std::uint32_t, 256> counts_{};
  std::uint32_t total_ = 0;
  std::uint32_t since_update_ = 0;
  std::array<float, 256> literal_bits_{};
  float mean_literal_bits_ = 8;
  MatchDistance open_ = 0;
  std::array<MatchDistance, 3> recent_{};
};

}  // namespace assetc::codec
