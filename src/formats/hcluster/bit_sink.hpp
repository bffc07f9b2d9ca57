// What the encoders of clusters and of their offsets share: bits, and the widths of numbers.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "assetc/base/bytes.hpp"
#include "formats/hcluster/bits.hpp"

namespace assetc::hcluster {

// Appends bits, low ones of a byte first.
class BitSink {
 public:
  explicit BitSink(ByteVector& out) : out_(out) {}
  void put(std::uint32_t value, unsigned bits) {
    word_ |= std::uint64_t{value} << used_;
    used_ += bits;
    while (used_ >= 8) {
      out_.push_back(static_cast<std::byte>(word_ & 0xFF));
      word_ >>= 8, used_ -= 8;
    }
  }
  void finish() {
    if (used_ > 0) out_.push_back(static_cast<std::byte>(word_ & 0xFF));
    word_ = 0, used_ = 0;
  }

 private:
  ByteVector& out_;
  std::uint64_t word_ = 0;
  unsigned used_ = 0;
};

// The four widths that take the fewest bits, ascending; the last is the largest needed. needed: the width of each item,
// at most kMaxComponentBits.
inline std::array<std::uint8_t, kWidths> choose_widths(std::span<const std::uint8_t> needed) {
  std::array<std::uint32_t, kMaxComponentBits + 2> needing{};
  for (const std::uint8_t width : needed) ++needing[width];
  std::uint32_t top = kMaxComponentBits;
  while (top > 0 && needing[top] == 0) --top;
  // cost[k][w]: of all vertices that need at most w bits, with k + 1 widths of which w is the largest.
  std::array<std::array<std::uint32_t, kMaxComponentBits + 1>, kWidths> cost{};
  std::array<std::array<std::uint8_t, kMaxComponentBits + 1>, kWidths> below{};
  std::array<std::uint32_t, kMaxComponentBits + 2> sum{};
  for (std::uint32_t w = 0; w <= top; ++w) sum[w + 1] = sum[w] + needing[w];
  for (std::uint32_t w = 0; w <= top; ++w) cost[0][w] = sum[w + 1] * w;
  for (std::size_t k = 1; k < kWidths; ++k) {
    for (std::uint32_t w = 0; w <= top; ++w) {
      cost[k][w] = cost[k - 1][w], below[k][w] = static_cast<std::uint8_t>(w);
      for (std::uint32_t lower = 0; lower < w; ++lower) {
        const std::uint32_t total = cost[k - 1][lower] + (sum[w + 1] - sum[lower + 1]) * w;
        if (total < cost[k][w]) cost[k][w] = total, below[k][w] = static_cast<std::uint8_t>(lower);
      }
    }
  }
  std::array<std::uint8_t, kWidths> widths{};
  std::uint32_t w = top;
  for (std::size_t k = kWidths; k-- > 0;) {
    widths[k] = static_cast<std::uint8_t>(w);
    w = below[k][w];
  }
  return widths;
}

}  // namespace assetc::hcluster
