// The choices of the search for ETC1 hints: its breadth for each effort, and the biases as moves of base colors.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "codec/block/etc1_bias.hpp"

namespace assetc::codec {

// The four combinations of an orientation and a precision.
constexpr std::size_t kLayouts = 4;
constexpr bool flip_of(std::size_t layout) { return layout < 2; }
constexpr bool diff_of(std::size_t layout) { return layout % 2 == 0; }

struct Etc1Breadth {
  int good_enough;  // the squared error up to which a block needs no bias
  float window;     // biases are tried in layouts whose error without bias is at most this times the least
  int reach;        // tables to try on either side of the one that fits
  int biases;       // the likeliest biases to try in each layout, at most kMaxBiasTries
  bool both;        // always tries both precisions; else only for synthetic blocks and 5-bit colors too far apart
  // Blocks for which two of three conditions hold (synthetic, clamped, far off) are searched again, considering
  // clamping.
  int clamped_good_enough;  // the squared error up to which a block is not searched again
  int far_off;              // the squared error above which a block is far off
  float clamped_window;     // the window of that search
  int clamped_biases;       // biases with which that search tries every table, at most kMaxBiasTries
};
constexpr Etc1Breadth kEtc1Breadth[] = {{300, 1.02f, 1, 1, false, 100, 6000, 1.05f, 1},
                                        {100, 1.25f, 1, 2, true, 24, 3000, 1.25f, 1},
                                        {0, 2, 2, 7, true, 0, 300, 2.5f, 4}};
constexpr int kMaxBiasTries = 7;
// Tables to try on either side of those found without bias.
constexpr int kBiasReach = 1;

// The moves by which biases shift the base color of a half in single steps, sorted by green's step.
using Move = std::array<std::int8_t, 3>;
constexpr auto kAllMoves = [] {
  std::pair<std::array<Move, 27>, std::size_t> moves{};
  for (const int green : {-1, 0, 1})
    for (const auto& bias : kEtc1BiasDeltas)
      for (const Move& move : bias) {
        const auto end = moves.first.begin() + static_cast<std::ptrdiff_t>(moves.second);
        if (move[1] == green && std::find(moves.first.begin(), end, move) == end) moves.first[moves.second++] = move;
      }
  return moves;
}();
constexpr std::size_t kMoveCount = kAllMoves.second;
constexpr std::span<const Move, kMoveCount> kMoves(kAllMoves.first.data(), kMoveCount);
// The biases that consist of two such moves, except the one that moves nothing: all biases but the one of double steps.
struct MovedBias {
  std::uint8_t number;
  std::uint8_t move[2];
};
constexpr auto kMovedBiases = [] {
  std::array<MovedBias, kEtc1BiasCount - 2> all{};
  std::size_t count = 0;
  for (std::uint8_t number = 0; number < kEtc1BiasCount; ++number) {
    const auto& [first, second] = kEtc1BiasDeltas[number];
    const auto place = [](const Move& move) { return std::find(kMoves.begin(), kMoves.end(), move) - kMoves.begin(); };
    if (number == kEtc1NoBias || place(first) == std::ptrdiff_t{kMoveCount}) continue;
    all[count++] = {number, {static_cast<std::uint8_t>(place(first)), static_cast<std::uint8_t>(place(second))}};
  }
  return all;
}();
constexpr bool moves_alike(const Move& move) { return move[0] == move[1] && move[1] == move[2]; }
// The biases that move all channels of both halves equally, by -2, -1, 0 and 1.
constexpr std::size_t kAlikeBiases[] = {10, 0, kEtc1NoBias, 26};
static_assert([] {
  std::int8_t step = -2;
  for (const std::size_t bias : kAlikeBiases) {
    const auto& [first, second] = kEtc1BiasDeltas[bias];
    if (first != second || !moves_alike(first) || first[0] != step++) return false;
  }
  return true;
}());
// [channel][bias / 16][bias % 16] -> the delta of the first half's channel plus 2, and 16 times the same for the second
// half.
alignas(16) constexpr auto kBiasSteps = [] {
  std::array<std::array<std::array<std::uint8_t, 16>, 2>, 3> steps{};
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t bias = 0; bias < kEtc1BiasCount; ++bias)
      steps[c][bias / 16][bias % 16] =
          static_cast<std::uint8_t>(kEtc1BiasDeltas[bias][0][c] + 2 + 16 * (kEtc1BiasDeltas[bias][1][c] + 2));
  return steps;
}();

}  // namespace assetc::codec
