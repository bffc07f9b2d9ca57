#include "codec/bc6h_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace assetc::codec {
namespace {

// Colours as the decoder interpolates them, before it scales them to halves: 0 to 65535.
using Color = std::array<float, 3>;
constexpr float kScale = 64.0f / 31.0f;
constexpr float kMostColor = 65535.0f;

struct Settings {
  unsigned partition_count;  // of two subsets that are searched, best estimates first
  unsigned refinements;      // rounds of fitting the endpoints to the indices
  bool nudge;                // moves each endpoint's channel by a step in turn
};
Settings settings_of(Effort effort) {
  switch (effort) {
    case Effort::kFast:
      return {1, 1, false};
    case Effort::kNormal:
      return {4, 2, false};
    case Effort::kBest:
      return {12, 3, true};
  }
  return {4, 2, false};
}

struct Line {
  Color low, high;
};
float dot(const Color& a, const Color& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Color minus(const Color& a, const Color& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

// The texels that a mask has, about their mean.
struct Moments {
  Color mean{};
  std::array<float, 6> spread{};  // xx xy xz yy yz zz, summed
};
Moments moments_of(const std::array<Color, kBlockTexels>& colors, unsigned mask) {
  Moments m;
  float count = 0.0f;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    if (!(mask >> t & 1)) continue;
    for (std::size_t c = 0; c < 3; ++c) m.mean[c] += colors[t][c];
    count += 1.0f;
  }
  for (float& v : m.mean) v /= count;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    if (!(mask >> t & 1)) continue;
    const Color d = minus(colors[t], m.mean);
    m.spread[0] += d[0] * d[0];
    m.spread[1] += d[0] * d[1];
    m.spread[2] += d[0] * d[2];
    m.spread[3] += d[1] * d[1];
    m.spread[4] += d[1] * d[2];
    m.spread[5] += d[2] * d[2];
  }
  return m;
}

// The direction of the largest spread by power iteration, of length 1, or none where all texels are one colour.
Color axis_of(const Moments& m, int rounds) {
  const auto& s = m.spread;
  const float trace = s[0] + s[3] + s[5];
  if (!(trace > 0.0f)) return {};
  // The column of the largest diagonal element is a sum of the eigenvectors in which the first is not missing.
  Color axis = s[0] >= s[3] && s[0] >= s[5] ? Color{s[0], s[1], s[2]}
               : s[3] >= s[5]               ? Color{s[1], s[3], s[4]}
                                            : Color{s[2], s[4], s[5]};
  for (int i = 0; i < rounds; ++i) {
    const float largest = std::max({std::fabs(axis[0]), std::fabs(axis[1]), std::fabs(axis[2])});
    const Color a{axis[0] / largest, axis[1] / largest, axis[2] / largest};
    axis = {s[0] * a[0] + s[1] * a[1] + s[2] * a[2], s[1] * a[0] + s[3] * a[1] + s[4] * a[2],
            s[2] * a[0] + s[4] * a[1] + s[5] * a[2]};
    if (!(dot(axis, axis) > 0.0f)) return a;
  }
  const float length = std::sqrt(dot(axis, axis));
  return {axis[0] / length, axis[1] / length, axis[2] / length};
}

// What a line through the mean leaves of the spread.
float residual_of(const Moments& m, const Color& axis) {
  const auto& s = m.spread;
  const float along = s[0] * axis[0] * axis[0] + s[3] * axis[1] * axis[1] + s[5] * axis[2] * axis[2] +
                      2.0f * (s[1] * axis[0] * axis[1] + s[2] * axis[0] * axis[2] + s[4] * axis[1] * axis[2]);
  return std::max(0.0f, s[0] + s[3] + s[5] - along);
}

Line line_of(const std::array<Color, kBlockTexels>& colors, unsigned mask) {
  const Moments m = moments_of(colors, mask);
  const Color axis = axis_of(m, 6);
  float least = 0.0f, most = 0.0f;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    if (!(mask >> t & 1)) continue;
    const float along = dot(minus(colors[t], m.mean), axis);
    least = std::min(least, along);
    most = std::max(most, along);
  }
  Line line;
  for (std::size_t c = 0; c < 3; ++c) {
    line.low[c] = m.mean[c] + axis[c] * least;
    line.high[c] = m.mean[c] + axis[c] * most;
  }
  return line;
}

std::int32_t quantize(float color, unsigned bits) {
  const auto value = static_cast<std::int32_t>(std::clamp(color, 0.0f, kMostColor));
  return value >> (16 - bits);
}

class Search {
 public:
  Search(const HalfBlock& texels, const Settings& settings) : texels_(texels), settings_(settings) {
    for (unsigned t = 0; t < kBlockTexels; ++t) {
      for (std::size_t c = 0; c < 3; ++c) colors_[t][c] = (static_cast<float>(texels[t][c]) + 0.5f) * kScale;
    }
  }

  Bc6hBlock run() {
    // The finest mode first: a block of one colour is exact in it and done.
    std::array<Line, 2> lines{line_of(colors_, 0xFFFF)};
    for (unsigned mode = 14; mode-- > 10;) try_mode(mode, 0, lines);
    if (best_error_ == 0) return best_;
    for (const unsigned partition : ranked_partitions()) {
      const unsigned second = kBc7TwoSubsets[partition];
      lines = {line_of(colors_, ~second & 0xFFFF), line_of(colors_, second)};
      for (unsigned mode = 0; mode < 10; ++mode) try_mode(mode, partition, lines);
    }
    if (settings_.nudge) nudge();
    return best_;
  }

 private:
  // Partitions by what two lines leave, as many as are to be searched.
  std::span<const unsigned> ranked_partitions() {
    std::array<std::pair<float, unsigned>, kBc6hPartitionCount> left;
    for (unsigned p = 0; p < kBc6hPartitionCount; ++p) {
      left[p] = {0.0f, p};
      for (const unsigned mask : {~unsigned{kBc7TwoSubsets[p]} & 0xFFFF, unsigned{kBc7TwoSubsets[p]}}) {
        const Moments m = moments_of(colors_, mask);
        left[p].first += residual_of(m, axis_of(m, 2));
      }
    }
    std::ranges::sort(left);
    std::ranges::transform(left, partitions_.begin(), [](const auto& one) { return one.second; });
    return std::span(partitions_).first(settings_.partition_count);
  }

  unsigned subset_of(const Bc6hBlock& block, unsigned texel) const {
    return bc7_subset(kBc6hModes[block.mode].subset_count, block.partition, texel);
  }
  unsigned anchor_of(const Bc6hBlock& block, unsigned subset) const {
    return subset == 0 ? 0 : kBc7AnchorOfTwo[block.partition];
  }

  void try_mode(unsigned mode, unsigned partition, std::array<Line, 2> lines) {
    Bc6hBlock block;
    block.mode = static_cast<std::uint8_t>(mode);
    block.partition = static_cast<std::uint8_t>(partition);
    for (unsigned round = 0; round <= settings_.refinements; ++round) {
      const std::uint64_t error = fit(block, lines);
      if (error == kNone) return;
      if (error < best_error_) {
        best_error_ = error;
        best_ = block;
      } else if (round > 0 || error > 4 * best_error_) {
        return;  // as good as it gets, or hopeless
      }
      refine(block, lines);
    }
  }

  // Rounds lines to the mode's endpoints and chooses the indices; kNone where the deltas do not fit.
  std::uint64_t fit(Bc6hBlock& block, std::array<Line, 2>& lines) const {
    const Bc6hMode& mode = kBc6hModes[block.mode];
    for (unsigned s = 0; s < mode.subset_count; ++s) {
      // The anchor's index must be in the lower half: it decides which end is low.
      const Color along = minus(lines[s].high, lines[s].low);
      const Color& anchor = colors_[anchor_of(block, s)];
      if (2.0f * dot(minus(anchor, lines[s].low), along) > dot(along, along)) std::swap(lines[s].low, lines[s].high);
      for (std::size_t c = 0; c < 3; ++c) {
        block.ends[2 * s][c] = quantize(lines[s].low[c], mode.end_bits);
        block.ends[2 * s + 1][c] = quantize(lines[s].high[c], mode.end_bits);
      }
    }
    return choose_indices(block);
  }

  // The nearest of each texel's colours, and the error. Swaps ends where an anchor asks for it.
  std::uint64_t choose_indices(Bc6hBlock& block) const {
    if (!bc6h_ends_fit(block)) return kNone;
    const Bc6hMode& mode = kBc6hModes[block.mode];
    const auto& weights = mode.subset_count == 1 ? kBc7Weights4 : kBc7Weights3;
    const int last = (1 << mode.index_bits()) - 1;
    std::uint64_t sum = 0;
    for (unsigned s = 0; s < mode.subset_count; ++s) {
      Bc6hEnd low, high;
      Color start, along;
      for (std::size_t c = 0; c < 3; ++c) {
        low[c] = bc6h_unquantize(block.ends[2 * s][c], mode.end_bits);
        high[c] = bc6h_unquantize(block.ends[2 * s + 1][c], mode.end_bits);
        start[c] = static_cast<float>(low[c]);
        along[c] = static_cast<float>(high[c]) - start[c];
      }
      std::array<HalfTexel, 16> palette;
      for (int i = 0; i <= last; ++i) {
        for (std::size_t c = 0; c < 3; ++c)
          palette[static_cast<std::size_t>(i)][c] =
              bc6h_interpolate(low[c], high[c], weights[static_cast<std::size_t>(i)]);
      }
      const float square = dot(along, along);
      const float steps = square > 0.0f ? static_cast<float>(last) / square : 0.0f;
      for (unsigned t = 0; t < kBlockTexels; ++t) {
        if (subset_of(block, t) != s) continue;
        // Weights are within a hundredth of even steps, so the nearest is the projection's step or one beside it.
        const float place = std::clamp(dot(minus(colors_[t], start), along) * steps, 0.0f, static_cast<float>(last));
        const int guess = static_cast<int>(place + 0.5f);
        std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
        for (int i = std::max(guess - 1, 0); i <= std::min(guess + 1, last); ++i) {
          const std::uint32_t error = difference(palette[static_cast<std::size_t>(i)], texels_[t]);
          if (error >= least) continue;
          least = error;
          block.index[t] = static_cast<std::uint8_t>(i);
        }
        sum += least;
      }
      if (block.index[anchor_of(block, s)] * 2 > last) {
        std::swap(block.ends[2 * s], block.ends[2 * s + 1]);
        for (unsigned t = 0; t < kBlockTexels; ++t) {
          if (subset_of(block, t) == s) block.index[t] = static_cast<std::uint8_t>(last - block.index[t]);
        }
      }
    }
    return bc6h_ends_fit(block) ? sum : kNone;
  }

  // Lines that fit the block's indices best, by least squares.
  void refine(const Bc6hBlock& block, std::array<Line, 2>& lines) const {
    const Bc6hMode& mode = kBc6hModes[block.mode];
    const auto& weights = mode.subset_count == 1 ? kBc7Weights4 : kBc7Weights3;
    for (unsigned s = 0; s < mode.subset_count; ++s) {
      float low_low = 0.0f, low_high = 0.0f, high_high = 0.0f;
      Color low{}, high{};
      for (unsigned t = 0; t < kBlockTexels; ++t) {
        if (subset_of(block, t) != s) continue;
        const float h = static_cast<float>(weights[block.index[t]]) / 64.0f, l = 1.0f - h;
        low_low += l * l;
        low_high += l * h;
        high_high += h * h;
        for (std::size_t c = 0; c < 3; ++c) {
          low[c] += l * colors_[t][c];
          high[c] += h * colors_[t][c];
        }
      }
      const float determinant = low_low * high_high - low_high * low_high;
      if (!(determinant > 1e-4f)) continue;  // all indices alike
      for (std::size_t c = 0; c < 3; ++c) {
        lines[s].low[c] = (low[c] * high_high - high[c] * low_high) / determinant;
        lines[s].high[c] = (high[c] * low_low - low[c] * low_high) / determinant;
      }
    }
  }

  // A step up or down for each number of the best block, as long as one helps.
  void nudge() {
    const Bc6hMode& mode = kBc6hModes[best_.mode];
    const std::int32_t most = (1 << mode.end_bits) - 1;
    for (int round = 0; round < 4; ++round) {
      bool moved = false;
      for (std::size_t i = 0; i < std::size_t{6} * mode.subset_count * 2; ++i) {
        Bc6hBlock block = best_;
        std::int32_t& value = block.ends[i / 6][i / 2 % 3];
        value += i % 2 == 0 ? 1 : -1;
        if (value < 0 || value > most) continue;
        const std::uint64_t error = choose_indices(block);
        if (error >= best_error_) continue;
        best_error_ = error;
        best_ = block;
        moved = true;
      }
      if (!moved) return;
    }
  }

  // At most 3 * 0x7BFF^2, which 32 bits hold.
  static std::uint32_t difference(const HalfTexel& a, const HalfTexel& b) {
    std::uint32_t sum = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::int32_t d = std::int32_t{a[c]} - b[c];
      sum += static_cast<std::uint32_t>(d * d);
    }
    return sum;
  }

  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  const HalfBlock& texels_;
  Settings settings_;
  std::array<Color, kBlockTexels> colors_;
  std::array<unsigned, kBc6hPartitionCount> partitions_{};
  Bc6hBlock best_;
  std::uint64_t best_error_ = kNone / 8;
};

}  // namespace

Bc6hBlock search_bc6h(const HalfBlock& texels, Effort effort) { return Search(texels, settings_of(effort)).run(); }

std::uint64_t bc6h_error(const Bc6hBlock& block, const HalfBlock& texels) {
  std::array<std::uint8_t, 16> bytes;
  pack_bc6h(block, bytes.data());
  const HalfBlock decoded = decode_bc6h(bytes.data());
  std::uint64_t sum = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::int64_t d = std::int64_t{decoded[t][c]} - texels[t][c];
      sum += static_cast<std::uint64_t>(d * d);
    }
  }
  return sum;
}

}  // namespace assetc::codec
