#include "texture/resample.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "parallel/parallel.hpp"

namespace assetc::texture {
namespace {

// The target rows of one task. The rows that the taps read above and below are filtered twice, so small strips are
// wasteful.
constexpr std::uint32_t kStripRows = 64;

// out[i] = sum over k of weights[k] * rows[k][i], added in the order of k.
void accumulate(std::span<const float* const> rows, const float* weights, float* out, std::size_t count) {
  // Sums of 16 floats stay in registers. From arrays, GCC 12 makes code that takes three times as long.
  using Floats = float __attribute__((vector_size(16)));
  constexpr std::size_t kVectors = 4, kFloats = sizeof(Floats) / sizeof(float);
  std::size_t i = 0;
  for (; i + kVectors * kFloats <= count; i += kVectors * kFloats) {
    std::array<Floats, kVectors> sum{};
    for (std::size_t k = 0; k < rows.size(); ++k) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        Floats texels;
        std::memcpy(&texels, rows[k] + i + v * kFloats, sizeof texels);
        sum[v] += weights[k] * texels;
      }
    }
    std::memcpy(out + i, sum.data(), sizeof sum);
  }
  for (; i < count; ++i) {
    float sum = 0.0f;
    for (std::size_t k = 0; k < rows.size(); ++k) sum += weights[k] * rows[k][i];
    out[i] = sum;
  }
}

// Filters rows of planar channels. Its scratch space belongs to one task.
class RowFilter {
 public:
  RowFilter(const Taps& taps, std::uint32_t channels, Wrap wrap) : taps_(taps), wrap_(wrap) {
    before_ = static_cast<std::size_t>(std::max(0, -taps.first.front()));
    const std::int64_t end = std::int64_t{taps.first.back()} + taps.tap_count;
    after_ = static_cast<std::size_t>(std::max<std::int64_t>(0, end - taps.source_size));
    if (taps.halving) {
      before_ = (before_ + 1) / 2 * 2;  // so that even texels stay even
      after_ = (after_ + 1) / 2 * 2;
    }
    stride_ = before_ + taps.source_size + after_;
    padded_.resize(stride_ * channels);
    if (taps.halving) {
      even_.resize(stride_ / 2);
      odd_.resize(stride_ / 2);
    }
  }

  // The buffer for the source row of a channel; channels are channel_stride() apart.
  float* input(std::uint32_t channel) { return padded_.data() + channel * stride_ + before_; }
  std::size_t channel_stride() const { return stride_; }

  void run(std::uint32_t channel, float* out) {
    const std::uint32_t size = taps_.source_size;
    float* row = input(channel);
    if (taps_.tap_count == 1) {
      std::copy(row, row + size, out);
      return;
    }
    for (std::size_t i = 1; i <= before_; ++i)
      row[-static_cast<std::ptrdiff_t>(i)] = row[wrap_index(-static_cast<std::int64_t>(i), size, wrap_)];
    for (std::size_t i = 0; i < after_; ++i)
      row[size + i] = row[wrap_index(static_cast<std::int64_t>(size + i), size, wrap_)];
    if (!taps_.halving) {
      for (std::uint32_t x = 0; x < taps_.target_size; ++x) {
        const float* from = row + taps_.first[x];
        const float* weights = taps_.weights_of(x);
        float sum = 0.0f;
        for (std::uint32_t k = 0; k < taps_.tap_count; ++k) sum += weights[k] * from[k];
        out[x] = sum;
      }
      return;
    }
    // Split into even and odd texels, so that every tap reads a run of neighboring floats.
    const float* padded = row - before_;
    for (std::size_t i = 0; i < stride_ / 2; ++i) {
      even_[i] = padded[2 * i];
      odd_[i] = padded[2 * i + 1];
    }
    rows_.clear();
    for (std::uint32_t k = 0; k < taps_.tap_count; ++k) {
      const auto at = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(before_) + taps_.first[0] +
                                               static_cast<std::ptrdiff_t>(k));
      rows_.push_back((at % 2 ? odd_ : even_).data() + at / 2);
    }
    accumulate(rows_, taps_.weights_of(0), out, taps_.target_size);
  }

 private:
  const Taps& taps_;
  Wrap wrap_;
  std::size_t before_ = 0, after_ = 0, stride_ = 0;  // wrapped texels stored before and after the row
  std::vector<float> padded_, even_, odd_;
  std::vector<const float*> rows_;
};

// Makes one strip of target rows. A ring holds as many horizontally filtered rows as there are vertical taps.
void resample_strip(const RowReader& source, const Taps& across, const Taps& down, Wrap wrap, Planes& target,
                    std::uint32_t begin, std::uint32_t end) {
  const std::uint32_t channels = target.channels();
  const std::size_t width = target.width();
  RowFilter filter(across, channels, wrap);
  const std::uint32_t ring_rows = down.tap_count;
  std::vector<float> ring(std::size_t{ring_rows} * width * channels);
  const auto slot = [&](std::int64_t row) {
    const std::int64_t m = row % ring_rows;
    return ring.data() + static_cast<std::size_t>(m < 0 ? m + ring_rows : m) * width * channels;
  };
  std::int64_t next = down.first[begin];
  std::vector<const float*> rows(ring_rows);
  for (std::uint32_t y = begin; y < end; ++y) {
    const std::int64_t first = down.first[y];
    next = std::max(next, first);
    for (; next < first + ring_rows; ++next) {
      source(wrap_index(next, down.source_size, wrap), filter.input(0), filter.channel_stride());
      for (std::uint32_t c = 0; c < channels; ++c) filter.run(c, slot(next) + c * width);
    }
    for (std::uint32_t c = 0; c < channels; ++c) {
      for (std::uint32_t k = 0; k < ring_rows; ++k) rows[k] = slot(first + k) + c * width;
      accumulate(rows, down.weights_of(y), target.row(c, y), width);
    }
  }
}

}  // namespace

void resample(const RowReader& source, std::uint32_t source_width, std::uint32_t source_height, Filter filter,
              Wrap wrap, Planes& target, const StripEvents* events) {
  const Taps across = make_taps(filter, source_width, target.width());
  const Taps down = make_taps(filter, source_height, target.height());
  const std::uint32_t strips = (target.height() + kStripRows - 1) / kStripRows;
  const auto begin_of = [](std::uint32_t strip) { return strip * kStripRows; };
  const auto end_of = [&](std::uint32_t strip) { return std::min((strip + 1) * kStripRows, target.height()); };
  const auto source_of = [&](std::uint32_t strip) {
    return std::pair<std::int64_t, std::int64_t>(down.first[begin_of(strip)],
                                                 std::int64_t{down.first[end_of(strip) - 1]} + down.tap_count);
  };
  for (std::uint32_t strip = 0; events != nullptr && strip < strips; ++strip)
    std::apply(events->planned, source_of(strip));
  parallel_for(strips, [&](std::uint32_t strip) {
    if (events != nullptr) events->begins(begin_of(strip), end_of(strip));
    resample_strip(source, across, down, wrap, target, begin_of(strip), end_of(strip));
    if (events != nullptr) std::apply(events->ended, source_of(strip));
  });
}

}  // namespace assetc::texture
