#include "codec/encode/bc/encode_bc6h.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "codec/encode/bc/bc6h_search.hpp"
#include "codec/encode/common/encode_tiles.hpp"

namespace assetc::codec {
namespace {

constexpr std::size_t kTexelBytes = 8;
constexpr std::size_t kBlockBytes = 16;
constexpr std::size_t kTileOfBlocks = 2048;  // enough to fill the lanes, although blocks are sorted by partition

// The fraction of a subset's variance along its axis that remains after its indices. This value ranks partitions best.
constexpr float kLoss = 1.0f / 160;

// A smaller error is not worth more work. It equals one step of the half floats in every channel of every texel.
constexpr float kEnough = 48;

// The attempts of an effort.
struct Plan {
  RampEffort effort;
  int partitions = 1;  // partitions into two subsets to try, best estimates first
};
Plan plan_of(Effort effort) {
  switch (effort) {
    case Effort::kFast:
      return {{8, 2, 2}, 1};
    case Effort::kNormal:
      return {{8, 4, 3}, 3};
    default:
      return {{32, 16, 8}, 4};
  }
}

using Order = std::vector<std::uint32_t>;

// Finds the best candidate for every block.
std::vector<Bc6hChoice> search(const HalfPlanes& blocks, const Plan& plan) {
  std::vector<Bc6hChoice> best(blocks.low.size());
  Order all(best.size());
  std::iota(all.begin(), all.end(), 0u);
  fit_bc6h_one_subset(blocks, all, plan.effort, best);
  Order left;
  for (const std::uint32_t i : all)
    if (best[i].error > kEnough) left.push_back(i);
  const auto count = static_cast<std::size_t>(plan.partitions);
  std::vector<PartitionCandidate> candidates(left.size() * count);
  rank_bc6h_partitions(blocks, left, kLoss, plan.partitions, candidates);
  for (std::size_t place = 0; place < count; ++place) {
    std::array<Order, kBc6hPartitionCount> of_partition;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const PartitionCandidate& candidate = candidates[i * count + place];
      if (candidate.off + kLoss * candidate.along < best[left[i]].error)
        of_partition[candidate.partition].push_back(left[i]);
    }
    for (unsigned p = 0; p < kBc6hPartitionCount; ++p)
      fit_bc6h_two_subsets(blocks, of_partition[p], p, plan.effort, best);
  }
  return best;
}

// Writes texel t of a block. Negative values and NaN become 0, infinity becomes the largest half.
void put_texel(const std::byte* halves, std::size_t t, PlanarBlock& low, PlanarBlock& high) {
  HalfTexel texel;
  std::memcpy(texel.data(), halves, sizeof texel);
  for (std::size_t c = 0; c < 3; ++c) {
    const unsigned half = texel[c] > 0x7C00 ? 0u : std::min<unsigned>(texel[c], 0x7BFF);
    low.texels[16 * c + t] = static_cast<std::uint8_t>(half & 0xFF);
    high.texels[16 * c + t] = static_cast<std::uint8_t>(half >> 8);
  }
}

}  // namespace

Result<void> encode_bc6h(const TexelView& texels, Effort effort, std::span<std::byte> blocks) {
  ASSETC_CHECK(check_texels(texels, kTexelBytes, "texels of four half floats", blocks.size(), kBlockBytes));
  const std::size_t across = texels.blocks_across();
  const Plan plan = plan_of(effort);
  for_each_tile(texels.block_count(), kTileOfBlocks, [&](std::size_t first, std::size_t tile) {
    HalfPlanes planes{std::vector<PlanarBlock>(tile), std::vector<PlanarBlock>(tile)};
    for (std::size_t i = 0; i < tile; ++i) {
      const std::size_t left = (first + i) % across * 4, top = (first + i) / across * 4;
      for (std::size_t t = 0; t < kBlockTexels; ++t) {
        const std::size_t x = std::min<std::size_t>(left + t % 4, texels.width - 1),
                          y = std::min<std::size_t>(top + t / 4, texels.height - 1);
        put_texel(texels.bytes.data() + y * texels.stride_bytes + x * kTexelBytes, t, planes.low[i], planes.high[i]);
      }
    }
    const std::vector<Bc6hChoice> best = search(planes, plan);
    auto* const out = reinterpret_cast<std::uint8_t*>(blocks.data()) + first * kBlockBytes;
    for (std::size_t i = 0; i < tile; ++i) pack_bc6h(best[i].block, out + i * kBlockBytes);
  });
  return {};
}

}  // namespace assetc::codec
