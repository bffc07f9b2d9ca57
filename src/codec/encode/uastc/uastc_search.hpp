// The search for the best UASTC block, blocks side by side in SIMD lanes. Internal to the encoder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "codec/encode/common/planar_block.hpp"

namespace assetc::codec {

// Modes that store the same channels.
enum class BlockClass : std::uint8_t {
  kOpaque,     // RGB: modes 0-7 and 18
  kAlpha,      // RGBA: modes 9-14
  kGreyAlpha,  // one value for R, G and B, and alpha: modes 15-17
};

inline constexpr int kMaxCandidates = 30;  // patterns or planes of one mode
inline constexpr int kMaxFinalists = 6;

inline constexpr int kMaxPlacements = 16;

// How hard one mode is fitted.
struct FitEffort {
  int placements =
      1;  // ways to lay the weight levels over a subset's texels, at most kMaxPlacements, where all are worth it
  int passes = 1;  // least-squares passes, at most, on the best of these
  // Mode 18's weights are taken for as uneven as they are. BC7's are even: what is nearer to a texel is often not so
  // there.
  bool uneven = false;
};

struct SearchSettings {
  std::array<float, 4> channel_weights{1, 1, 1, 1};  // weight of the squared error of a channel, > 0
  // The heats: every mode, lightly.
  int pattern2_candidates = 1;    // two-subset patterns tried in modes 2, 4, 9 and 16, at most kMaxCandidates
  int pattern7_candidates = 0;    // the same for mode 7
  int pattern3_candidates = 0;    // three-subset patterns tried in mode 3
  int dual_plane_candidates = 1;  // channels tried as the second plane
  float plane_trust =
      0.45f;  // a second plane is tried where this much of its estimated error is below the leader's error
  float pattern_trust = 0.45f;  // the same for partitions
  float off_axis_share =
      0.25f;  // and partitions where this much of the leader's error is off the texels' axis, where no line mends it
  float good_squares = 0;  // a leader's error below which planes and partitions are not tried
  FitEffort heat;
  bool few_levels = true;  // modes 1, 5, 13 and 14
  // The final: the best few of them, thoroughly.
  int finalists = 1;             // at most kMaxFinalists
  float finalist_window = 1.5f;  // a finalist's error is at most this times the leader's
  float bc7_share = 0;           // what the error after transcoding to BC7 counts in the choice between finalists
  bool heats_count_bc7 = false;  // and in who becomes one
  FitEffort final{8, 2};
  float easy_squares = 0;  // a leader's error below which it is the one finalist, fitted as easy_final says
  FitEffort easy_final;
};

// A mode with its pattern (or second plane) and the error that a light fit of it left.
struct Finalist {
  float error = 0;
  std::uint8_t mode = 0;
  std::uint8_t pattern = 0;
  std::uint8_t second_plane = 0;
};
using Finalists = std::array<Finalist, kMaxFinalists>;

// A block as the final leaves it: endpoints are level numbers in ascending order of what they stand
// for, subset by subset, channel by channel, low then high; weights are texel by texel, plane by plane.
struct BlockChoice {
  std::uint8_t mode = 0;
  std::uint8_t pattern = 0;
  std::uint8_t second_plane = 0;             // the channel that has weights of its own in a dual-plane mode
  std::array<std::uint8_t, 20> endpoints{};  // at most 18, in whole words
  std::array<std::uint8_t, 32> weights{};
  float error = 0;      // weighted squared error over the block
  float bc7_error = 0;  // the same of what it transcodes to in BC7, where settings.bc7_share asks for it
  float cost = std::numeric_limits<float>::infinity();  // of both as the settings have it; of no block yet
};

struct FinalEntry {
  std::uint32_t block;
  std::uint8_t mode;
  std::uint8_t pattern;
  std::uint8_t second_plane;
};

// The results for a block do not depend on its neighbours in a call, on the number of lanes or on the
// instruction set.

// Ranks what the class allows for blocks[order[i]]: the first settings.finalists of finalists[i], in order of
// error.
void rank_uastc(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, BlockClass block_class,
                const SearchSettings& settings, std::span<Finalists> finalists);

// Fits the mode of entries, the same in all of them, thoroughly to their blocks, each of which is there once. What
// costs less than best[] of the block takes its place, and decoded[] is what it decodes to. Requires an entry.
void fit_uastc(std::span<const PlanarBlock> blocks, std::span<const FinalEntry> entries, const SearchSettings& settings,
               std::span<BlockChoice> best, std::span<PlanarBlock> decoded);

// Two-subset patterns shared with BC7's two-subset modes (modes 2, 4, 9, 16), those of mode 7, and the
// three-subset ones of mode 3: bit t is set where texel t belongs to the subset.
inline constexpr std::array<std::uint16_t, 30> kPatterns2 = {
    0xcccc, 0x8888, 0x1111, 0xecc8, 0x377f, 0xfeec, 0x0137, 0x137f, 0xc800, 0x0013,
    0xfe80, 0x17ff, 0x0017, 0x00ff, 0xfff0, 0x0fff, 0xff71, 0x8eff, 0x08ce, 0x008c,
    0x7310, 0xceff, 0x7331, 0x088c, 0xceef, 0x6666, 0xf00f, 0x5555, 0x0f0f, 0x36c9};
inline constexpr std::array<std::uint16_t, 19> kPatterns7 = {0x00f0, 0x4444, 0x0133, 0xcc80, 0xf0ff, 0x2222, 0xffc8,
                                                             0xccce, 0x3c03, 0x00ee, 0x7700, 0x3003, 0x00ce, 0xff80,
                                                             0x6fff, 0x1333, 0x11ff, 0x136c, 0x00ef};
inline constexpr std::array<std::array<std::uint16_t, 2>, 11> kPatterns3 = {{{0x3300, 0xcc00},
                                                                             {0x00ff, 0xf000},
                                                                             {0x000f, 0xf000},
                                                                             {0x000f, 0x00f0},
                                                                             {0x3333, 0x4444},
                                                                             {0x6666, 0x8888},
                                                                             {0xcccc, 0x2222},
                                                                             {0xee00, 0x1111},
                                                                             {0x4444, 0x9999},
                                                                             {0xf00f, 0x0f00},
                                                                             {0x0cc0, 0xc00c}}};

}  // namespace assetc::codec
