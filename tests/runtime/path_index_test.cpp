#include "runtime/mount/path_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace assetc::runtime {
namespace {

// Whether each hash of the table, and each hash beside one, gives the first entry that has it.
void check(std::vector<std::uint64_t> hashes) {
  PathIndex index;
  for (std::uint32_t i = 0; i < hashes.size(); ++i) index.add_name(hashes[i], "a.ktx2", i);
  index.sort();
  std::vector<std::uint64_t> asked{0, 1, ~0ull};
  for (const std::uint64_t hash : hashes) asked.insert(asked.end(), {hash, hash - 1, hash + 1});
  for (const std::uint64_t hash : asked) {
    const auto expected = std::ranges::find(hashes, hash);
    const PathIndex::Row* found = index.find(hash);
    ASSERT_EQ(found != nullptr, expected != hashes.end()) << hash << " of " << hashes.size();
    if (found != nullptr) {
      EXPECT_EQ(found->hash, hash);
      EXPECT_EQ(found->entry, static_cast<std::uint32_t>(expected - hashes.begin()));
    }
  }
}

TEST(PathIndex, finds_every_hash_of_every_table) {
  std::mt19937_64 random(7);
  const std::function<std::uint64_t()> kinds[] = {
      [&] { return random(); },                                // even, as hashes of paths
      [&] { return random() % 100; },                          // at the start, many equal
      [&] { return ~std::uint64_t{0} - random() % 100'000; },  // at the end
      [&] { return random() >> (random() % 64); },             // fewer and fewer
      [&] { return random() % 2 == 0 ? 5 : ~std::uint64_t{5}; },
  };
  for (const std::size_t count : {0, 1, 2, 3, 15, 16, 17, 18, 100, 3000}) {
    for (const auto& kind : kinds) {
      std::vector<std::uint64_t> hashes(count);
      std::ranges::generate(hashes, kind);
      check(hashes);
    }
  }
}

}  // namespace
}  // namespace assetc::runtime
