// The inner loops of the ETC1S encoder, for each instruction set. They use only integers, so every instruction set
// gives the same results. Internal to the encoder.
//
// An ETC1S block has one color (5 bits for each channel), one of eight tables, and a level (0 is the darkest, 3 the
// brightest) for each texel. Errors are squared differences of the texels, weighted by channel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/block/etc_block.hpp"

namespace assetc::codec {

// The weights of the squared errors of R, G and B. Their sum is kWeightSum.
using Etc1sWeights = std::array<std::int32_t, 3>;
inline constexpr std::int32_t kEtc1sWeightSum = 24;

// R, G and B of the 16 texels of a block, one channel after the other.
struct Etc1sTexels {
  alignas(16) std::array<std::array<std::uint8_t, kBlockTexels>, 3> of;
};

struct Etc1sEndpoint {
  std::array<std::uint8_t, 3> color{};  // 0..31
  std::uint8_t table = 0;               // 0..7
  auto operator<=>(const Etc1sEndpoint&) const = default;
};

// The levels of 16 texels: texel t has bits 2t and 2t + 1.
using Etc1sLevels = std::uint32_t;

struct Etc1sFit {
  Etc1sEndpoint endpoint;
  std::uint32_t error = 0;
};

// [level][texel]
struct Etc1sErrors {
  alignas(64) std::array<std::array<std::int32_t, kBlockTexels>, 4> of;
};

// [row][levels of the four texels of the row] -> error
struct Etc1sRows {
  alignas(64) std::array<std::array<std::uint32_t, 256>, 4> of;
};

// What a search of a codebook returns.
struct Etc1sFound {
  std::uint32_t index = 0;
  std::uint32_t cost = UINT32_MAX;
};

// Fits an endpoint to each block. Requires fits.size() == blocks.size().
void fit_etc1s(std::span<const Etc1sTexels> blocks, const Etc1sWeights& weights, std::span<Etc1sFit> fits);

// Fits one endpoint to the given blocks together, each with its levels.
Etc1sEndpoint refit_etc1s(std::span<const Etc1sTexels> blocks, std::span<const std::uint32_t> members,
                          std::span<const Etc1sLevels> levels, const Etc1sWeights& weights);

// The error of a block with each of the endpoints, if each texel has its best level.
void measure_etc1s(const Etc1sTexels& block, std::span<const Etc1sEndpoint> endpoints, const Etc1sWeights& weights,
                   std::span<std::uint32_t> errors);

// The error of each level of each texel.
void level_errors_etc1s(const Etc1sTexels& block, Etc1sEndpoint endpoint, const Etc1sWeights& weights,
                        Etc1sErrors& errors);

// The best level of each texel, and the sum of their errors.
Etc1sLevels best_levels_etc1s(const Etc1sErrors& errors, std::uint32_t& error);

// Sums the errors of rows.
void sum_rows_etc1s(const Etc1sErrors& errors, Etc1sRows& rows);

// The entry of a codebook with the least error + rate, the first of several. Requires a rate for each entry, and sums
// below 2^31.
Etc1sFound search_etc1s(const Etc1sRows& rows, std::span<const Etc1sLevels> codebook,
                        std::span<const std::uint32_t> rates);

// The entries of a codebook of levels that differ by the fewest steps from an entry.
inline constexpr std::size_t kNearLevels = 16;
using Etc1sNear = std::array<std::uint16_t, kNearLevels>;
// For the entries from first on, of those that are at most kNearWindow places away.
inline constexpr std::size_t kNearWindow = 512;
void near_levels_etc1s(std::span<const Etc1sLevels> levels, std::size_t first, std::span<Etc1sNear> near);

inline std::uint32_t error_of(const Etc1sRows& rows, Etc1sLevels levels) {
  return rows.of[0][levels & 255] + rows.of[1][levels >> 8 & 255] + rows.of[2][levels >> 16 & 255] +
         rows.of[3][levels >> 24];
}

}  // namespace assetc::codec
