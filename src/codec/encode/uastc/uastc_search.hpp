// The search for the best UASTC block, with blocks side by side in SIMD lanes. Internal to the encoder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "codec/encode/common/planar_block.hpp"

namespace assetc::codec {

// The classes of modes: the modes of a class store the same channels.
enum class BlockClass : std::uint8_t {
  kOpaque,     // RGB: modes 0-7 and 18
  kAlpha,      // RGBA: modes 9-14
  kGrayAlpha,  // one value for R, G and B, and alpha: modes 15-17
};

inline constexpr int kMaxRanked = 30;  // partitions or planes of one mode
inline constexpr int kMaxModeCandidates = 6;
inline constexpr int kMaxSeeds = 16;

// The effort of fitting one mode.
struct FitEffort {
  int seeds = 1;        // of kMaxSeeds, if all seeds of the mode are worth trying
  int passes = 1;       // of least squares, at most, on the best fit
  bool uneven = false;  // uses mode 18's uneven weights exactly; the BC7 weights derived from them are even
  bool srgb = false;    // for ASTC decoders in sRGB mode
};

// A search has two stages. Trials fit every mode lightly. Refinement fits the best few modes, the candidates,
// thoroughly.
struct SearchSettings {
  std::array<float, 4> channel_weights{1, 1, 1, 1};  // of a channel's squared error, > 0

  // Trials. Errors are compared with the least error of the block's trials so far.
  FitEffort trial;
  bool few_levels = true;         // also modes 1, 5, 13 and 14
  int partition2_candidates = 1;  // partitions to try in modes 2, 4, 9 and 16, at most kMaxRanked
  int partition7_candidates = 0;  // in mode 7
  int partition3_candidates = 0;  // in mode 3
  int dual_plane_candidates = 1;  // channels to try as the second plane
  float plane_trust = 0.45f;      // a second plane is tried if this fraction of its estimate is below the error so far
  float partition_trust = 0.45f;  // the same for partitions
  float off_axis_fraction = 0.25f;  // partitions are tried if a larger fraction of the error so far lies off the axis
  float good_error = 0;             // below this, neither planes nor partitions are tried

  // Refinement.
  int candidates = 1;             // at most kMaxModeCandidates
  float candidate_window = 1.5f;  // the largest error of a candidate, as a multiple of the least
  float bc7_fraction = 0;         // weight of the error after transcoding to BC7, in the choice between candidates
  bool trials_count_bc7 = false;  // and in the choice of the candidates
  FitEffort refinement{8, 2};
  float easy_error = 0;  // below this, a block has one candidate, which is refined with easy_refinement
  FitEffort easy_refinement;
};

// A mode with its partition (or second plane), and the error of its trial.
struct ModeCandidate {
  float error = 0;
  std::uint8_t mode = 0;
  std::uint8_t partition = 0;
  std::uint8_t second_plane = 0;
};
using ModeCandidates = std::array<ModeCandidate, kMaxModeCandidates>;

// The result of refinement for a block. endpoints are quantization levels in ascending order of the values that they
// represent: subset by subset, channel by channel, low then high. weights are in order of texels, then planes.
struct BlockChoice {
  std::uint8_t mode = 0;
  std::uint8_t partition = 0;
  std::uint8_t second_plane = 0;             // the channel with its own weights in a mode with two planes
  std::array<std::uint8_t, 20> endpoints{};  // at most 18, in whole words
  std::array<std::uint8_t, 32> weights{};
  float error = 0;      // weighted squared error over the block
  float bc7_error = 0;  // the same after transcoding to BC7, if settings.bc7_fraction > 0
  float cost = std::numeric_limits<float>::infinity();  // both errors, weighted by the settings
};

// A candidate of a block.
struct RefineJob {
  std::uint32_t block;
  std::uint8_t mode;
  std::uint8_t partition;
  std::uint8_t second_plane;
};

// The results for a block do not depend on its neighbors in a call, on the number of lanes or on the instruction set.

// Ranks the modes of the class for blocks[order[i]] by trials. Fills the first settings.candidates elements of
// candidates[i], in order of error.
void rank_uastc(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, BlockClass block_class,
                const SearchSettings& settings, std::span<ModeCandidates> candidates);

// Refines jobs. There must be at least one job, and jobs must have the same mode and different blocks. A result that
// costs less than best[] of its block replaces it, and decoded[] of the block becomes its texels.
void refine_uastc(std::span<const PlanarBlock> blocks, std::span<const RefineJob> jobs, const SearchSettings& settings,
                  std::span<BlockChoice> best, std::span<PlanarBlock> decoded);

// Partitions into two subsets that are shared with BC7's two-subset modes (modes 2, 4, 9, 16), those of mode 7, and
// those of mode 3 into three subsets. Bit t is set if texel t belongs to the subset.
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
