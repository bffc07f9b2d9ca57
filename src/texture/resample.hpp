// Separable resampling of float planes, in parallel over strips of rows, with the same bits on any thread count.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "texture/filter.hpp"

namespace assetc::texture {

// A picture as one plane of floats for each channel; rows are tightly packed.
class Planes {
 public:
  Planes() = default;
  Planes(std::uint32_t width, std::uint32_t height, std::uint32_t channels)
      : width_(width),
        height_(height),
        channels_(channels),
        data_(std::make_unique_for_overwrite<float[]>(std::size_t{width} * height * channels)) {}

  std::uint32_t width() const { return width_; }
  std::uint32_t height() const { return height_; }
  std::uint32_t channels() const { return channels_; }
  bool empty() const { return !data_; }
  float* row(std::uint32_t channel, std::uint32_t y) { return data_.get() + offset(channel, y); }
  const float* row(std::uint32_t channel, std::uint32_t y) const { return data_.get() + offset(channel, y); }

 private:
  std::size_t offset(std::uint32_t channel, std::uint32_t y) const {
    return (std::size_t{channel} * height_ + y) * width_;
  }

  std::uint32_t width_ = 0, height_ = 0, channels_ = 0;
  std::unique_ptr<float[]> data_;
};

// Writes row y of the source, channel c at out + c * channel_stride. Called from many threads.
using RowReader = std::function<void(std::uint32_t y, float* out, std::size_t channel_stride)>;

// Events for sources that are read row by row, while strips of target rows are made. A source row may be outside the
// picture; Wrap then maps it to one inside.
struct StripEvents {
  // Called for each strip, in order, before the first strip begins: the source rows that the strip reads.
  std::function<void(std::int64_t source_begin, std::int64_t source_end)> planned;
  // Called from many threads, before and after target rows [begin, end) are made from those source rows.
  std::function<void(std::uint32_t begin, std::uint32_t end)> begins;
  std::function<void(std::int64_t source_begin, std::int64_t source_end)> ended;
};

// Filters the source, horizontally and then vertically, into target. Target sides must not exceed the source's. Each
// value is a sum in a fixed order, so the bits do not depend on the threads.
void resample(const RowReader& source, std::uint32_t source_width, std::uint32_t source_height, Filter filter,
              Wrap wrap, Planes& target, const StripEvents* events = nullptr);

}  // namespace assetc::texture
