// Tracks which rows of a picture will still be read, so that the other rows can be freed.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "texture/filter.hpp"

namespace assetc::texture {

// Rows are counted in blocks. Readers claim all rows that they will read before the first read begins. From any thread,
// they release the rows after reading.
class RowClaims {
 public:
  RowClaims(std::uint32_t height, Wrap wrap)
      : height_(height), wrap_(wrap), readers_(std::make_unique<std::atomic<std::uint32_t>[]>(block_count())) {}

  // Rows [begin, end) may be outside the picture; Wrap maps them into it.
  void claim(std::int64_t begin, std::int64_t end) {
    for (const std::uint32_t block : blocks(begin, end)) ++readers_[block];
  }
  // Calls gone(first, last) for rows [first, last) that nobody will read any more.
  template <class Gone>
  void give_back(std::int64_t begin, std::int64_t end, const Gone& gone) {
    for (const std::uint32_t block : blocks(begin, end)) {
      if (--readers_[block] == 0) gone(block * kBlockRows, std::min((block + 1) * kBlockRows, height_));
    }
  }

 private:
  static constexpr std::uint32_t kBlockRows = 32;

  std::size_t block_count() const { return (std::size_t{height_} + kBlockRows - 1) / kBlockRows; }
  std::vector<std::uint32_t> blocks(std::int64_t begin, std::int64_t end) const {
    std::vector<std::uint32_t> found;
    for (std::int64_t row = begin; row < end; ++row) {
      const std::uint32_t block = wrap_index(row, height_, wrap_) / kBlockRows;
      if (found.empty() || found.back() != block) found.push_back(block);
    }
    std::ranges::sort(found);
    const auto rest = std::ranges::unique(found);
    found.erase(rest.begin(), rest.end());
    return found;
  }

  std::uint32_t height_;
  Wrap wrap_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> readers_;
};

}  // namespace assetc::texture
