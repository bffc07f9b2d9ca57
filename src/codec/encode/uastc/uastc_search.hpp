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
  kGrayAlpha,  // one value for R, G and B, and alpha: modes 15-17
};

inline constexpr int kMaxRanked = 30;  // partitions or planes of one mode
inline constexpr int kMaxModeCandidates = 6;
inline constexpr int kMaxSeeds = 16;

// How hard one mode is fitted.
struct FitEffort {
  int seeds = 1;        // of kMaxSeeds, where all of a mode's are worth it
  int passes = 1;       // of least squares, at most, on the best of these
  bool uneven = false;  // takes mode 18's weights for as uneven as they are; BC7's, which follow from them, are even
  bool srgb = false;    // for a decoder of ASTC in sRGB mode
};

// A search has two stages. Trials fit every mode lightly; refinement fits the best few of them, the candidates,
// thoroughly.
struct SearchSettings {
  std::array<float, 4> channel_weights{1, 1, 1, 1};  // of a channel's squared error, > 0

  // Trials. Errors are compared with the least of a block's trials so far.
  FitEffort trial;
  bool few_levels = true;         // modes 1, 5, 13 and 14 too
  int partition2_candidates = 1;  // partitions tried in modes 2, 4, 9 and 16, at most kMaxRanked
  int partition7_candidates = 0;  // in mode 7
  int partition3_candidates = 0;  // in mode 3
  int dual_plane_candidates = 1;  // channels tried as the second plane
  float plane_trust = 0.45f;      // a second plane is tried where this much of its estimate is below the error so far
  float partition_trust = 0.45f;  // the same for partitions
  float off_axis_fraction =
      0.25f;             // of the error so far that lies off the texels' axis, above which partitions are tried
  float good_error = 0;  // below which neither planes nor partitions are tried

  // Refinement.
  int candidates = 1;             // at most kMaxModeCandidates
  float candidate_window = 1.5f;  // most of a candidate's error, as a multiple of the least
  float bc7_fraction = 0;         // what the error after transcoding to BC7 counts in the choice between candidates
  bool trials_count_bc7 = false;  // and in who becomes one
  FitEffort refinement{8, 2};
  float easy_error = 0;  // below which a block has one candidate, refined as easy_refinement says
  FitEffort easy_refinement;
};

// A mode with its partition (or second plane), and the error that its trial left.
struct ModeCandidate {
  float error = 0;
  std::uint8_t mode = 0;
  std::uint8_t partition = 0;
  std::uint8_t second_plane = 0;
};
using ModeCandidates = std::array<ModeCandidate, kMaxModeCandidates>;

// A block as refinement leaves it: endpoints are quantization levels in ascending order of what they stand for, subset
// by subset, channel by channel, low then high; weights are texel by texel, plane by plane.
struct BlockChoice {
  std::uint8_t mode = 0;
  std::uint8_t partition = 0;
  std::uint8_t second_plane = 0;             // the channel that has weights of its own in a dual-plane mode
  std::array<std::uint8_t, 20> endpoints{};  // at most 18, in whole words
  std::array<std::uint8_t, 32> weights{};
  float error = 0;      // weighted squared error over the block
  float bc7_error = 0;  // the same of what it transcodes to in BC7, where settings.bc7_fraction asks for it
  float cost = std::numeric_limits<float>::infinity();  // of both, as the settings weigh them
};

// A candidate of a block.
struct RefineJob {
  std::uint32_t block;
  std::uint8_t mode;
  std::uint8_t partition;
  std::uint8_t second_plane;
};

// The results for a block do not depend on its neighbors in a call, on the number of lanes or on the
// instruction set.

// Ranks what the class allows for blocks[order[i]] by trials: the first settings.candidates of candidates[i], in order
// of error.
void rank_uastc(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, BlockClass block_class,
                const SearchSettings& settings, std::span<ModeCandidates> candidates);

// Refines jobs, at least one, which have one mode and different blocks. What costs less than best[] of the block takes
// its place, and decoded[] is what it decodes to.
void refine_uastc(std::span<const PlanarBlock> blocks, std::span<const RefineJob> jobs, const SearchSettings& settings,
                  std::span<BlockChoice> best, std::span<PlanarBlock> decoded);

// Partitions into two subsets shared with BC7's two-subset modes (modes 2, 4, 9, 16), those of mode 7, and
// those into three of mode 3: bit t is set where texel t belongs to the subset.
inline constexpr std::array<std::uint16_t, 30> kPartitions2 = {
    0xcccc, 0x8888, 0x1111, 0xecc8, 0x377f, 0xfeec, 0x0137, 0x137f, 0xc800, 0x0013,
    0xfe80, 0x17ff, 0x0017, 0x00ff, 0xfff0, 0x0fff, 0xff71, 0x8eff, 0x08ce, 0x008c,
    0x7310, 0xceff, 0x7331, 0x088c, 0xceef, 0x6666, 0xf00f, 0x5555, 0x0f0f, 0x36c9};
inline constexpr std::array<std::uint16_t, 19> kPartitions7 = {0x00f0, 0x4444, 0x0133, 0xcc80, 0xf0ff, 0x2222, 0xffc8,
                                                               0xccce, 0x3c03, 0x00ee, 0x7700, 0x3003, 0x00ce, 0xff80,
                                                               0x6fff, 0x1333, 0x11ff, 0x136c, 0x00ef};
inline constexpr std::array<std::array<std::uint16_t, 2>, 11> kPartitions3 = {{{0x3300, 0xcc00},
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
