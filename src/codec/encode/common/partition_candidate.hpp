// The results of ranking partitions, as input of the searches: see partition_rank-inl.hpp. Internal to the encoders.
#pragma once

#include <cstdint>

namespace assetc::codec {

inline constexpr int kMaxPartitionCandidates = 16;  // for one block

// A partition or a rotation, and the parts of its expected squared error. Every mode weighs the parts differently.
struct PartitionCandidate {
  float off = 0;    // off the subsets' axes; no ramp can reduce it
  float along = 0;  // of the texels along the axes; indices leave a fraction of it
  float own = 0;    // of a channel with its own indices; these leave a fraction of it
  std::uint8_t partition = 0;
};

}  // namespace assetc::codec
