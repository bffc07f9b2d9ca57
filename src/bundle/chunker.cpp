#include "bundle/chunker.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace assetc::bundle {
namespace {

// 256 random numbers: SplitMix64 from 0. Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators",
// 2014.
constexpr std::array<std::uint64_t, 256> make_gear() {
  std::array<std::uint64_t, 256> gear{};
  std::uint64_t state = 0;
  for (std::uint64_t& g : gear) {
    state += 0x9e3779b97f4a7c15ull;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    g = z ^ (z >> 31);
  }
  return gear;
}
constexpr std::array<std::uint64_t, 256> kGear = make_gear();

// The mask for the average size would have 16 bits. It has two more bits before the average size, and two fewer after
// it. The high bits depend on the last 64 bytes.
constexpr std::uint64_t high_bits(int count) { return ~0ull << (64 - count); }
constexpr std::uint64_t kStrictMask = high_bits(18), kLooseMask = high_bits(14);
static_assert(kAverageChunkBytes == 1u << 16);

std::size_t first_cut(ByteSpan content) {
  if (content.size() <= kMinChunkBytes) return content.size();
  const std::size_t end = std::min(content.size(), kMaxChunkBytes);
  const std::size_t middle = std::min(end, kAverageChunkBytes);
  std::uint64_t hash = 0;
  std::size_t at = kMinChunkBytes;
  for (; at < middle; ++at) {
    hash = (hash << 1) + kGear[static_cast<std::uint8_t>(content[at])];
    if ((hash & kStrictMask) == 0) return at + 1;
  }
  for (; at < end; ++at) {
    hash = (hash << 1) + kGear[static_cast<std::uint8_t>(content[at])];
    if ((hash & kLooseMask) == 0) return at + 1;
  }
  return end;
}

}  // namespace

std::vector<std::size_t> chunk_sizes(ByteSpan content) {
  std::vector<std::size_t> sizes;
  while (!content.empty()) {
    sizes.push_back(first_cut(content));
    content = content.subspan(sizes.back());
  }
  return sizes;
}

}  // namespace assetc::bundle
