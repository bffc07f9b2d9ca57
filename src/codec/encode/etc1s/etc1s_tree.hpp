// Divides weighted points into clusters, for the first codebooks. Internal to the ETC1S encoder.
//
// A cluster is split in two along its longest axis while that saves more error than the bits of the split cost: those
// of another entry, and those that members need to say which half they belong to. So the number of clusters follows
// from the price of a bit. All arithmetic that decides is on integers, or on doubles in one order: the clusters are the
// same on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assetc::codec {

template <std::size_t kDimensions>
struct TreePoint {
  std::array<std::int16_t, kDimensions> at{};  // within -2048..2048
  std::int32_t weight = 1;                     // 1 to 2^16
};

// The prices are in units of weight * squared distance.
struct TreePrice {
  double entry = 0;   // of a cluster
  double member = 0;  // of a bit of a member
};

// The members of a cluster, as places in the points.
using TreeCluster = std::vector<std::uint32_t>;

// Every point is in one cluster. Clusters have an order that depends on the points alone.
std::vector<TreeCluster> cluster_points(std::span<const TreePoint<4>> points, const TreePrice& price);
std::vector<TreeCluster> cluster_points(std::span<const TreePoint<16>> points, const TreePrice& price);

}  // namespace assetc::codec
