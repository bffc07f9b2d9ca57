#include "codec/encode/etc1s/etc1s_sort.hpp"

#include <algorithm>
#include <bit>

namespace assetc::codec {
namespace {

struct Follower {
  std::uint16_t entry;
  std::uint32_t count;
};

// For each endpoint, those that follow it or come before it where the slice stores a difference.
struct Followers {
  std::vector<std::uint32_t> first;
  std::vector<Follower> all;

  std::span<const Follower> of(std::size_t entry) const {
    return std::span(all).subspan(first[entry], first[entry + 1] - first[entry]);
  }
};

Followers followers_of(std::size_t endpoint_count, std::span<const BlockSlice> slices,
                       std::span<const BasisLzBlock> blocks) {
  std::vector<std::uint32_t> pairs;
  for (const BlockSlice& slice : slices) {
    for (std::size_t i = 1; i < std::size_t{slice.width} * slice.height; ++i) {
      const BasisLzBlock* at = &blocks[slice.first + i];
      const std::uint32_t to = at->endpoint, from = at[-1].endpoint;
      const bool has_above = i >= slice.width, has_left = i % slice.width != 0;
      if (to == from || (has_above && (at - slice.width)->endpoint == to) ||
          (has_above && has_left && (at - slice.width - 1)->endpoint == to))
        continue;
      pairs.push_back(from << 16 | to);
      pairs.push_back(to << 16 | from);
    }
  }
  std::ranges::sort(pairs);
  Followers out;
  out.first.assign(endpoint_count + 1, 0);
  for (std::size_t i = 0; i < pairs.size();) {
    std::size_t end = i;
    while (end < pairs.size() && pairs[end] == pairs[i]) ++end;
    out.all.push_back({static_cast<std::uint16_t>(pairs[i] & 0xffff), static_cast<std::uint32_t>(end - i)});
    ++out.first[(pairs[i] >> 16) + 1];
    i = end;
  }
  for (std::size_t e = 0; e < endpoint_count; ++e) out.first[e + 1] += out.first[e];
  return out;
}

}  // namespace

// Greedy: the entry with the most followers among those that are placed is placed next, at the end where they are.
// Source: Zeng, Li, Lei, "An efficient color re-indexing scheme for palette-based compression", ICIP 2000.
std::vector<std::uint16_t> endpoint_numbers(std::span<const Etc1sEndpoint> endpoints,
                                            std::span<const BlockSlice> slices, std::span<const BasisLzBlock> blocks) {
  const std::size_t count = endpoints.size();
  const Followers followers = followers_of(count, slices, blocks);
  constexpr std::int32_t kUnplaced = INT32_MAX;
  std::vector<std::int32_t> place(count, kUnplaced);
  // How often an unplaced entry is beside placed ones, and the sum of the places of these.
  std::vector<std::int64_t> affinity(count), moment(count);
  std::vector<std::uint16_t> left(count);  // unplaced ones
  for (std::size_t i = 0; i < count; ++i) left[i] = static_cast<std::uint16_t>(i);
  // Entries without followers are placed where their color is.
  const auto light = [&](std::size_t e) {
    return endpoints[e].color[0] + endpoints[e].color[1] + endpoints[e].color[2];
  };
  std::ranges::stable_sort(left, [&](std::uint16_t a, std::uint16_t b) { return light(a) < light(b); });
  std::int32_t low = 0, high = 0;  // the next places at the two ends
  while (!left.empty()) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < left.size(); ++i)
      if (affinity[left[i]] > affinity[left[best]]) best = i;
    const std::uint16_t entry = left[best];
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    const bool is_low = 2 * moment[entry] < affinity[entry] * (low + high);
    place[entry] = is_low ? --low : high++;
    for (const Follower& f : followers.of(entry)) {
      affinity[f.entry] += f.count;
      moment[f.entry] += std::int64_t{place[entry]} * f.count;
    }
  }
  std::vector<std::uint16_t> number(count);
  for (std::size_t i = 0; i < count; ++i) number[i] = static_cast<std::uint16_t>(place[i] - low);
  return number;
}

std::vector<std::uint16_t> levels_numbers(std::span<const Etc1sLevels> levels) {
  constexpr std::size_t kWindow = 1024;  // bounds the time for large codebooks
  std::array<std::uint8_t, 256> row_cost{};
  for (unsigned change = 0; change < 256; ++change) {
    // A row without changes is common; a change of one level by one step is the next.
    unsigned texels = 0;
    for (unsigned t = 0; t < 4; ++t) texels += (change >> (2 * t) & 3) != 0;
    row_cost[change] =
        static_cast<std::uint8_t>(change == 0 ? 0 : 3 + 2 * texels + static_cast<unsigned>(std::popcount(change)));
  }
  const auto cost = [&](Etc1sLevels change) {
    return row_cost[change & 255] + row_cost[change >> 8 & 255] + row_cost[change >> 16 & 255] + row_cost[change >> 24];
  };
  std::vector<std::uint16_t> left(levels.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<std::uint16_t>(i);
  std::ranges::stable_sort(left, [&](std::uint16_t a, std::uint16_t b) { return levels[a] < levels[b]; });
  std::vector<std::uint16_t> number(levels.size());
  Etc1sLevels last = 0;
  for (std::size_t next = 0; next < number.size(); ++next) {
    std::size_t best = 0;
    int least = INT32_MAX;
    for (std::size_t i = 0; i < std::min(left.size(), kWindow); ++i) {
      const int found = cost(levels[left[i]] ^ last);
      if (found < least) {
        least = found;
        best = i;
      }
    }
    number[left[best]] = static_cast<std::uint16_t>(next);
    last = levels[left[best]];
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return number;
}

}  // namespace assetc::codec
