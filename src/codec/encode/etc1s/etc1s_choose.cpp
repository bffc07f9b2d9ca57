#include "codec/encode/etc1s/etc1s_choose.hpp"

#include <algorithm>
#include <bit>

#include "base/portable_math.hpp"
#include "codec/encode/common/encode_tiles.hpp"
#include "parallel/parallel.hpp"

namespace assetc::codec {
namespace {

// A symbol that is not written yet counts as this often.
constexpr double kUnseen = 0.5;

double bits_of(double count, double total) { return binary_logarithm(total / std::max(count, kUnseen)); }

// Adds the share that each use of an entry has of the entry's bits.
void add_entries(std::span<const std::uint32_t> uses, double entry_bits, const Etc1sPrice& price,
                 std::vector<std::uint32_t>& rates) {
  rates.resize(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) rates[i] += price.of(entry_bits / std::max<double>(uses[i], 1));
}

struct Uses {
  std::vector<std::uint32_t> endpoints, levels;
};
Uses uses_of(std::span<const BasisLzBlock> blocks, const Etc1sCodebooks& codebooks) {
  Uses uses{std::vector<std::uint32_t>(codebooks.endpoints.size()),
            std::vector<std::uint32_t>(codebooks.levels.size())};
  for (const BasisLzBlock& block : blocks) {
    ++uses.endpoints[block.endpoint];
    ++uses.levels[block.selector];
  }
  return uses;
}

}  // namespace

SymbolRates first_rates(std::span<const BasisLzBlock> blocks, const Etc1sCodebooks& codebooks,
                        const Etc1sPrice& price) {
  const Uses uses = uses_of(blocks, codebooks);
  const double count = static_cast<double>(blocks.size());
  SymbolRates rates;
  rates.source = {price.of(1.0), price.of(1.8), price.of(3.0), price.of(1.2)};
  const double delta_bits = std::max(0.0, binary_logarithm(static_cast<double>(codebooks.endpoints.size())) - 1.5);
  rates.delta.assign(codebooks.endpoints.size(), price.of(delta_bits));
  add_entries(uses.endpoints, kEndpointEntryBits, price, rates.endpoint);
  for (const std::uint32_t n : uses.levels) rates.levels.push_back(price.of(bits_of(n, count)));
  add_entries(uses.levels, kLevelsEntryBits, price, rates.levels);
  rates.history.fill(price.of(7));
  rates.history[0] = price.of(3);
  return rates;
}

SymbolRates rates_of(std::span<const BlockSlice> slices, std::span<const BasisLzBlock> blocks,
                     const Etc1sCodebooks& codebooks, const Etc1sPrice& price) {
  const SymbolCounts counts = count_symbols(slices, blocks, codebooks);
  const Uses uses = uses_of(blocks, codebooks);
  SymbolRates rates;
  const double block_count = static_cast<double>(blocks.size());
  // Four predictions share a symbol, which is shorter than the four on their own.
  constexpr double kShared = 0.85;
  for (std::size_t s = 0; s < rates.source.size(); ++s)
    rates.source[s] = price.of(kShared * bits_of(counts.sources[s], block_count));
  double deltas = 0;
  for (const std::uint32_t n : counts.delta) deltas += n;
  for (const std::uint32_t n : counts.delta) rates.delta.push_back(price.of(bits_of(n, std::max(deltas, 1.0))));
  add_entries(uses.endpoints, kEndpointEntryBits, price, rates.endpoint);

  double symbols = 0;
  for (const std::uint32_t n : counts.levels) symbols += n;
  const std::size_t entries = codebooks.levels.size();
  for (std::size_t i = 0; i < entries; ++i) rates.levels.push_back(price.of(bits_of(counts.levels[i], symbols)));
  add_entries(uses.levels, kLevelsEntryBits, price, rates.levels);
  for (std::size_t i = 0; i < kLevelHistory; ++i)
    rates.history[i] = price.of(bits_of(counts.levels[entries + i], symbols));
  // Runs: their symbols stand for all blocks that have none of their own.
  const double runs = counts.levels[entries + kLevelHistory], front = counts.levels[entries];
  const double in_runs = block_count - (symbols - runs);
  if (in_runs + front > 0) {
    constexpr double kLengthBits = 4;
    rates.history[0] =
        price.of((front * bits_of(front, symbols) + runs * (bits_of(runs, symbols) + kLengthBits)) / (front + in_runs));
  }
  return rates;
}

namespace {

class SliceChooser {
 public:
  SliceChooser(Etc1sBlocks& blocks, const BlockSlice& slice, const Etc1sCodebooks& codebooks,
               std::span<const Etc1sNear> near, const Etc1sWeights& weights, const SymbolRates& rates)
      : blocks_(blocks), slice_(slice), codebooks_(codebooks), near_(near), weights_(weights), rates_(rates) {
    recent_.fill(codebooks.levels[0]);
  }

  void run() {
    std::uint16_t last = 0;
    for (std::uint32_t y = 0; y < slice_.height; ++y)
      for (std::uint32_t x = 0; x < slice_.width; ++x) last = choose(x, y, last);
  }

 private:
  struct Candidate {
    std::uint16_t endpoint = 0;
    std::uint32_t rate = 0, error = 0;
    std::uint32_t bound() const { return rate + error; }
  };
  struct Best {
    std::uint32_t cost = UINT32_MAX;
    BasisLzBlock block{};
  };

  void add(std::uint16_t endpoint, std::uint32_t rate) {
    for (std::size_t i = 0; i < count_; ++i)
      if (candidates_[i].endpoint == endpoint) return;
    candidates_[count_++] = {endpoint, rate};
  }

  std::uint16_t choose(std::uint32_t x, std::uint32_t y, std::uint16_t last) {
    const std::size_t at = slice_.first + std::size_t{y} * slice_.width + x;
    const auto rate = [&](EndpointSource s) { return rates_.source[static_cast<std::size_t>(s)]; };
    count_ = 0;
    if (x > 0) add(blocks_.chosen[at - 1].endpoint, rate(EndpointSource::kLeft));
    if (y > 0) add(blocks_.chosen[at - slice_.width].endpoint, rate(EndpointSource::kAbove));
    if (x > 0 && y > 0) add(blocks_.chosen[at - slice_.width - 1].endpoint, rate(EndpointSource::kAboveLeft));
    const auto endpoint_count = static_cast<std::uint32_t>(codebooks_.endpoints.size());
    for (const std::uint16_t e : blocks_.endpoints[at]) {
      const std::uint32_t delta = e >= last ? e - last : e + endpoint_count - last;
      add(e, rate(EndpointSource::kDelta) + rates_.delta[delta] + rates_.endpoint[e]);
    }
    std::array<Etc1sEndpoint, kMost> entries;
    std::array<std::uint32_t, kMost> errors;
    for (std::size_t i = 0; i < count_; ++i) entries[i] = codebooks_.endpoints[candidates_[i].endpoint];
    const Etc1sTexels& texels = blocks_.texels[at];
    measure_etc1s(texels, std::span(entries).first(count_), weights_, errors);
    for (std::size_t i = 0; i < count_; ++i) candidates_[i].error = errors[i];
    std::sort(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(count_),
              [](const Candidate& a, const Candidate& b) {
                return a.bound() != b.bound() ? a.bound() < b.bound() : a.endpoint < b.endpoint;
              });
    Best best;
    std::uint16_t entry = blocks_.chosen[at].selector;  // where the search starts
    for (std::size_t i = 0; i < count_ && candidates_[i].bound() < best.cost; ++i) {
      const Candidate& c = candidates_[i];
      Etc1sErrors level_errors;
      Etc1sRows rows;
      level_errors_etc1s(texels, codebooks_.endpoints[c.endpoint], weights_, level_errors);
      sum_rows_etc1s(level_errors, rows);
      const Etc1sFound known = search_etc1s(rows, recent_, rates_.history);
      if (known.cost + c.rate < best.cost) best = {known.cost + c.rate, {c.endpoint, history_[known.index]}};
      const std::uint32_t cost = descend(rows, entry);
      if (cost + c.rate < best.cost) best = {cost + c.rate, {c.endpoint, entry}};
    }
    // An entry may be in the history, too.
    const std::uint32_t place = history_.find(best.block.selector);
    if (place == kLevelHistory) {
      recent_[history_.add(best.block.selector)] = codebooks_.levels[best.block.selector];
    } else {
      history_.use(place);
      std::swap(recent_[place / 2], recent_[place]);
    }
    blocks_.chosen[at] = best.block;
    return best.block.endpoint;
  }

  // Moves to the best entry near the given one, until none is better. Returns its error and rate.
  std::uint32_t descend(const Etc1sRows& rows, std::uint16_t& entry) const {
    const auto cost_of = [&](std::uint16_t e) { return error_of(rows, codebooks_.levels[e]) + rates_.levels[e]; };
    std::uint32_t least = cost_of(entry);
    for (bool is_better = true; is_better;) {
      is_better = false;
      for (const std::uint16_t other : near_[entry]) {
        const std::uint32_t cost = cost_of(other);
        if (cost >= least) continue;
        least = cost;
        entry = other;
        is_better = true;
      }
    }
    return least;
  }

  static constexpr std::size_t kMost = 3 + kEndpointChoices;

  Etc1sBlocks& blocks_;
  const BlockSlice& slice_;
  const Etc1sCodebooks& codebooks_;
  std::span<const Etc1sNear> near_;
  const Etc1sWeights& weights_;
  const SymbolRates& rates_;
  LevelHistory history_;
  std::array<Etc1sLevels, kLevelHistory> recent_{};  // the levels of the history
  std::array<Candidate, kMost> candidates_{};
  std::size_t count_ = 0;
};

// Entries of a similar brightness are the ones that can be near.
std::vector<Etc1sNear> near_entries(std::span<const Etc1sLevels> levels) {
  const std::size_t count = levels.size();
  std::vector<std::uint16_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint16_t>(i);
  const auto light = [&](std::uint16_t e) {
    return std::popcount(levels[e] & 0x55555555u) + 2 * std::popcount(levels[e] & 0xaaaaaaaau);
  };
  std::ranges::stable_sort(order, [&](std::uint16_t a, std::uint16_t b) { return light(a) < light(b); });
  std::vector<Etc1sLevels> sorted(count);
  for (std::size_t i = 0; i < count; ++i) sorted[i] = levels[order[i]];
  std::vector<Etc1sNear> near(count);
  constexpr std::size_t kTogether = 512;
  for_each_tile(count, kTogether, [&](std::size_t first, std::size_t tile) {
    std::vector<Etc1sNear> found(tile);
    near_levels_etc1s(sorted, first, found);
    for (std::size_t i = 0; i < tile; ++i)
      for (std::size_t k = 0; k < kNearLevels; ++k) near[order[first + i]][k] = order[found[i][k]];
  });
  return near;
}

}  // namespace

void choose_blocks(Etc1sBlocks& blocks, std::span<const BlockSlice> slices, const Etc1sCodebooks& codebooks,
                   const Etc1sWeights& weights, const SymbolRates& rates) {
  const std::vector<Etc1sNear> near = near_entries(codebooks.levels);
  parallel_for(slices.size(),
               [&](std::size_t i) { SliceChooser(blocks, slices[i], codebooks, near, weights, rates).run(); });
}

}  // namespace assetc::codec
