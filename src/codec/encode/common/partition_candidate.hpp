// What the rankings of partitions leave for the searches: see partition_rank-inl.hpp. Internal to the encoders.
#pragma once

#include <cstdint>

namespace assetc::codec {

inline constexpr int kMaxPartitionCandidates = 16;  // for one block

// A partition, or a rotation, and the squared error to expect of it, in parts that every mode weighs in its own way.
struct PartitionCandidate {
  float off = 0;    // off the subsets' axes, which no ramp mends
  float along = 0;  // of the texels along them, of which indices leave a fraction
  float own = 0;    // of a channel with indices of its own, likewise
  std::uint8_t partition = 0;
};

}  // namespace assetc::codec
