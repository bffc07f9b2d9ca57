// Finds equal items. Vertex welding, tangent spaces and seams all use this hash join.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "mesh/parallel.hpp"
#include "scene/math.hpp"

namespace assetc::mesh {

inline std::uint64_t hash_mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
  return hash ^ (hash >> 29);
}
// The bits of a float. -0 gives the bits of +0, because == treats them as equal.
inline std::uint32_t float_key(float value) { return std::bit_cast<std::uint32_t>(value + 0.0f); }
inline std::uint64_t float_key(float a, float b) { return float_key(a) | std::uint64_t{float_key(b)} << 32; }

inline std::uint64_t hash_of(scene::Vec3 v, std::uint64_t seed = 0) {
  return hash_mix(hash_mix(seed, float_key(v.x, v.y)), float_key(v.z));
}

// If a probe sequence is longer than this, the item counts as not found: data made to collide costs missed merges, not
// hours.
inline constexpr std::uint32_t kMaxWeldProbes = 256;

namespace weld_detail {

template <class Equal>
void weld_bucket(std::span<const std::uint32_t> items, const std::uint32_t* hashes, std::uint32_t* first,
                 std::vector<std::uint32_t>& table, const Equal& equal) {
  constexpr std::uint32_t kEmpty = 0xFFFFFFFF;
  const std::size_t slots = std::bit_ceil(items.size() * 2 + 1);
  table.assign(slots, kEmpty);
  for (std::uint32_t item : items) {
    std::size_t slot = hashes[item] & (slots - 1);
    std::uint32_t found = item;
    for (std::uint32_t probe = 0; probe < kMaxWeldProbes; ++probe, slot = (slot + 1) & (slots - 1)) {
      const std::uint32_t other = table[slot];
      if (other == kEmpty) {
        table[slot] = item;
        break;
      }
      if (hashes[other] == hashes[item] && equal(other, item)) {
        found = other;
        break;
      }
    }
    first[item] = found;
  }
}

}  // namespace weld_detail

// For each item of [0, count): the first item that equals it, itself if there is none before. hash(i) -> uint64;
// equal(i, j) -> bool, an equivalence relation. Both are called from many threads.
template <class Hash, class Equal>
std::vector<std::uint32_t> first_equal(std::uint32_t count, const Hash& hash, const Equal& equal) {
  constexpr std::size_t kBlock = 1u << 15;
  constexpr unsigned kBucketBits = 6;
  constexpr std::size_t kBuckets = 1u << kBucketBits;
  std::vector<std::uint32_t> first(count);
  // The low half chooses the slot, the top bits of the high half choose the bucket, so the two are independent.
  const auto hashes = std::make_unique_for_overwrite<std::uint32_t[]>(count);
  const auto items = std::make_unique_for_overwrite<std::uint32_t[]>(count);

  if (count <= kBlock) {
    for (std::uint32_t i = 0; i < count; ++i) {
      hashes[i] = static_cast<std::uint32_t>(hash(i));
      items[i] = i;
    }
    std::vector<std::uint32_t> table;
    weld_detail::weld_bucket({items.get(), count}, hashes.get(), first.data(), table, equal);
    return first;
  }

  // A stable counting sort into buckets. Items keep their order within a bucket, so "first" keeps its meaning.
  const std::size_t blocks = block_count(count, kBlock);
  const auto bucket_of = std::make_unique_for_overwrite<std::uint8_t[]>(count);
  std::vector<std::uint32_t> offsets(blocks * kBuckets);
  for_blocks(count, kBlock, [&](std::size_t begin, std::size_t end, std::size_t block) {
    std::uint32_t* counts = offsets.data() + block * kBuckets;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t h = hash(static_cast<std::uint32_t>(i));
      hashes[i] = static_cast<std::uint32_t>(h);
      bucket_of[i] = static_cast<std::uint8_t>(h >> (64 - kBucketBits));
      ++counts[bucket_of[i]];
    }
  });
  std::vector<std::uint32_t> bucket_begin(kBuckets + 1);
  std::uint32_t sum = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    bucket_begin[bucket] = sum;
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::uint32_t n = offsets[block * kBuckets + bucket];
      offsets[block * kBuckets + bucket] = sum;
      sum += n;
    }
  }
  bucket_begin[kBuckets] = sum;
  for_blocks(count, kBlock, [&](std::size_t begin, std::size_t end, std::size_t block) {
    std::uint32_t* next = offsets.data() + block * kBuckets;
    for (std::size_t i = begin; i < end; ++i) items[next[bucket_of[i]]++] = static_cast<std::uint32_t>(i);
  });
  for_blocks(kBuckets, 4, [&](std::size_t begin, std::size_t end, std::size_t) {
    std::vector<std::uint32_t> table;
    for (std::size_t bucket = begin; bucket < end; ++bucket) {
      const std::span<const std::uint32_t> members(items.get() + bucket_begin[bucket],
                                                   bucket_begin[bucket + 1] - bucket_begin[bucket]);
      weld_detail::weld_bucket(members, hashes.get(), first.data(), table, equal);
    }
  });
  return first;
}

// Numbers the items that are their own first, in order. The other items get the number of their first. Returns the
// count of numbers. Afterwards first maps an item to its number.
std::uint32_t number_firsts(std::span<std::uint32_t> first);

}  // namespace assetc::mesh
