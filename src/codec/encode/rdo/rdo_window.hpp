// The earlier blocks that the rate-distortion pass looks for again, as wholes and by their parts. Internal to the
// encoder.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "codec/block/bits128.hpp"
#include "codec/encode/common/encode_options.hpp"
#include "codec/encode/rdo/rdo_scan.hpp"
#include "codec/encode/rdo/zstd_cost.hpp"

namespace assetc::codec {

inline constexpr unsigned kMaxRdoTrials = 12;

struct RdoSearch {
  unsigned window;  // earlier blocks that are searched
  unsigned trials;  // likeliest candidates that are tried in full
};
constexpr RdoSearch rdo_search_of(Effort effort) {
  if (effort == Effort::kFast) return {64, 4};
  return effort == Effort::kBest ? RdoSearch{kRdoWindow, kMaxRdoTrials} : RdoSearch{256, 8};
}

// The contents that were seen, and where each was seen last. If there is no room, the content that was not seen for
// longest is evicted.
class RecentContents {
 public:
  explicit RecentContents(unsigned capacity) : capacity_(capacity) {}

  struct Place {
    unsigned entry;
    bool fresh;  // the entry's content is new
  };
  // kind: of the block; equal contents of different kinds are different.
  Place put(Bits128 content, std::uint8_t kind, std::uint32_t at) {
    unsigned oldest = 0;
    for (unsigned i = 0; i < count_; ++i) {
      if (low_[i] == content.low && high_[i] == content.high && kinds_[i] == kind) {
        at_[i] = at;
        return {i, false};
      }
      if (at_[i] < at_[oldest]) oldest = i;
    }
    const unsigned entry = count_ < capacity_ ? count_++ : oldest;
    low_[entry] = content.low;
    high_[entry] = content.high;
    kinds_[entry] = kind;
    at_[entry] = at;
    return {entry, true};
  }
  unsigned count() const { return count_; }
  std::uint32_t at(unsigned entry) const { return at_[entry]; }
  std::uint8_t kind(unsigned entry) const { return kinds_[entry]; }

 private:
  unsigned capacity_, count_ = 0;
  std::array<std::uint64_t, kRdoWindow> low_{}, high_{};
  std::array<std::uint32_t, kRdoWindow> at_{};
  std::array<std::uint8_t, kRdoWindow> kinds_{};
};

// The part of an earlier block that is reused.
enum class RdoReuse : std::uint8_t { kWhole, kHead, kTail };

struct RdoCandidate {
  float cost = 0;  // expected
  RdoReuse reuse = RdoReuse::kWhole;
  std::uint32_t at = 0;  // the block that it is taken from
};

// It takes about 200 KiB.
class RdoWindow {
 public:
  explicit RdoWindow(RdoSearch search)
      : trials_(search.trials), wholes_(search.window), heads_(search.window), tails_(search.window) {}

  // Adds a block. texels: a function that returns its texels.
  template <class Texels>
  void add_whole(std::uint32_t at, Bits128 block, std::uint8_t kind, const Texels& texels) {
    if (const auto place = wholes_.put(block, kind, at); place.fresh) whole_rows_.set(place.entry, texels());
  }
  // Adds the parts of a block that is split before that bit. line: a function that returns its parts.
  template <class Line>
  void add_parts(std::uint32_t at, Bits128 block, std::uint8_t kind, unsigned tail_bit, const Line& line,
                 const std::array<float, 4>& channel_weights) {
    if (const auto place = heads_.put(block.first(tail_bit), kind, at); place.fresh)
      head_rows_.set(place.entry, line(), channel_weights);
    if (const auto place = tails_.put(block >> tail_bit, kind, at); place.fresh) tail_rows_.set(place.entry, line());
  }

  // What a search is for.
  struct Wanted {
    const RdoTexels& source;
    std::uint32_t at;     // the block; all in the window are before it
    float lambda, bound;  // candidates whose expected cost is not below the bound are left out
  };
  // Returns the likeliest candidates, the best first. The rest of them have the bound as cost.
  // allows(kind, reuse): whether the source can have such a block. head_bytes(kind), tail_bytes(kind): how many bytes
  // outside of the part are not that of the earlier block.
  template <class Allows, class HeadBytes, class TailBytes>
  std::span<const RdoCandidate> find(const Wanted& wanted, const ZstdCost& zstd, const Allows& allows,
                                     const HeadBytes& head_bytes, const TailBytes& tail_bytes) {
    candidates_.fill({wanted.bound, RdoReuse::kWhole, 0});
    const float literal = zstd.literal_bits();
    const auto pick = [&](const RecentContents& recent, RdoReuse reuse, const auto& literal_bytes) {
      for (unsigned k = 0; k < recent.count(); ++k) {
        if (errors_.of[k] >= candidates_[trials_ - 1].cost) continue;
        const std::uint8_t kind = recent.kind(k);
        if (!allows(kind, reuse)) continue;
        const float bits = zstd.match_bits(wanted.at - recent.at(k), reuse != RdoReuse::kTail) +
                           static_cast<float>(literal_bytes(kind)) * literal;
        offer({errors_.of[k] + wanted.lambda * bits, reuse, recent.at(k)});
      }
    };
    scan_wholes(whole_rows_, wholes_.count(), wanted.source, errors_);
    pick(wholes_, RdoReuse::kWhole, [](unsigned) { return 0u; });
    scan_heads(head_rows_, heads_.count(), wanted.source, errors_);
    pick(heads_, RdoReuse::kHead, tail_bytes);
    scan_tails(tail_rows_, tails_.count(), wanted.source, errors_);
    pick(tails_, RdoReuse::kTail, head_bytes);
    return std::span(candidates_).first(trials_);
  }

 private:
  void offer(const RdoCandidate& candidate) {
    unsigned i = trials_ - 1;
    if (candidate.cost >= candidates_[i].cost) return;
    for (; i > 0 && candidates_[i - 1].cost > candidate.cost; --i) candidates_[i] = candidates_[i - 1];
    candidates_[i] = candidate;
  }

  unsigned trials_;
  RecentContents wholes_, heads_, tails_;
  WholeRows whole_rows_;
  HeadRows head_rows_;
  TailRows tail_rows_;
  RdoRow errors_;
  std::array<RdoCandidate, kMaxRdoTrials> candidates_;
};

}  // namespace assetc::codec
