#include "engine/plan/partition.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace assetc::engine {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Lt;

// The costs of units by name.
using Units = std::map<std::string, std::uint64_t>;

std::map<std::string, std::uint32_t> shards_of(const Units& units, std::uint32_t shards, bool backwards = false) {
  std::vector<WorkUnit> list;
  for (const auto& [name, cost] : units) list.push_back({name, cost});
  if (backwards) std::ranges::reverse(list);
  const std::vector<std::uint32_t> found = partition(list, shards);
  EXPECT_EQ(found.size(), list.size());
  EXPECT_THAT(found, Each(Lt(shards)));
  std::map<std::string, std::uint32_t> result;
  for (std::size_t i = 0; i < list.size(); ++i) result[std::string(list[i].name)] = found[i];
  return result;
}

std::vector<std::uint64_t> loads(const Units& units, std::uint32_t shards) {
  std::vector<std::uint64_t> sums(shards);
  for (const auto& [name, shard] : shards_of(units, shards)) sums[shard] += units.at(name);
  return sums;
}

// Costs over three orders of magnitude, most of them small.
Units skewed(std::size_t count) {
  Units units;
  std::uint32_t random = 1;
  for (std::size_t i = 0; i < count; ++i) {
    random = random * 1664525 + 1013904223;
    const std::uint64_t share = random >> 16;
    units["textures/" + std::to_string(i) + ".png"] = 1000 + share * share * share / 300'000'000;
  }
  return units;
}

TEST(Partition, is_the_same_everywhere_and_in_any_order) {
  Units units;
  for (std::uint64_t i = 0; i < 12; ++i) units[std::string(1, static_cast<char>('a' + i))] = 10 + i * i;
  const auto found = shards_of(units, 3);
  std::vector<std::uint32_t> values;
  values.reserve(found.size());
  for (const auto& [name, shard] : found) values.push_back(shard);
  EXPECT_THAT(values, ElementsAre(0, 0, 1, 0, 2, 0, 0, 0, 2, 1, 1, 2));
  EXPECT_EQ(shards_of(units, 3, true), found);
  EXPECT_EQ(shards_of(skewed(1000), 17), shards_of(skewed(1000), 17, true));
}

TEST(Partition, fills_shards_to_nine_eighths_of_an_equal_part_where_units_are_small) {
  const Units units = skewed(20'000);
  const auto total = std::accumulate(units.begin(), units.end(), std::uint64_t{0},
                                     [](std::uint64_t sum, const auto& unit) { return sum + unit.second; });
  for (const std::uint32_t shards : {1u, 2u, 3u, 16u, 100u}) {
    const std::uint64_t part = total / shards;
    EXPECT_LE(std::ranges::max(loads(units, shards)), part + part / 8) << shards;
  }
}

TEST(Partition, gives_what_is_longer_than_an_equal_part_a_shard_of_its_own) {
  Units units = skewed(1000);
  units["huge.glb"] = 1'000'000'000;
  units["large.glb"] = 500'000'000;
  const auto found = shards_of(units, 8);
  for (const char* name : {"huge.glb", "large.glb"})
    EXPECT_EQ(std::ranges::count(found, found.at(name), [](const auto& unit) { return unit.second; }), 1) << name;
  // If there are as many shards as such units, the last shard takes the rest.
  EXPECT_EQ(shards_of({{"a", 100}, {"b", 10}, {"c", 1}}, 2).at("b"),
            shards_of({{"a", 100}, {"b", 10}, {"c", 1}}, 2).at("c"));
}

TEST(Partition, moves_little_when_there_is_a_shard_or_a_unit_more) {
  Units units = skewed(20'000);
  const auto moved = [](const auto& before, const auto& after) {
    return std::ranges::count_if(before, [&](const auto& unit) { return after.at(unit.first) != unit.second; });
  };
  const auto sixteen = shards_of(units, 16);
  // The optimum is 1/17.
  EXPECT_LT(moved(sixteen, shards_of(units, 17)), 20'000 * 2 / 17);
  units["new.png"] = 5000;
  EXPECT_LT(moved(sixteen, shards_of(units, 16)), 20'000 / 50);
}

TEST(Partition, serves_nothing_too_many_shards_and_costs_of_nothing_and_of_everything) {
  EXPECT_TRUE(shards_of({}, 5).empty());
  EXPECT_EQ(std::ranges::max(loads({{"a", 5}, {"b", 5}, {"c", 5}}, kMaxShards)), 5u);
  Units free;
  for (int i = 0; i < 300; ++i) free["f" + std::to_string(i)] = 0;
  std::vector<int> counts(3);
  for (const auto& [name, shard] : shards_of(free, 3)) ++counts[shard];
  EXPECT_LE(std::ranges::max(counts), 112);
  EXPECT_EQ(std::ranges::max(loads({{"a", ~0ull}, {"b", ~0ull}}, 2)), ~0ull);
}

}  // namespace
}  // namespace assetc::engine
