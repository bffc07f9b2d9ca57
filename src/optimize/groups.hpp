// Groups of connected items (a union-find structure).
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace assetc::optimize {

class Groups {
 public:
  // Each item is a group of its own.
  explicit Groups(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0u); }
  void connect(std::uint32_t a, std::uint32_t b) { parent_[of(a)] = of(b); }
  // The number of one item of the group of an item: the same for all items of the group, until the next connect().
  std::uint32_t of(std::uint32_t item) {
    while (parent_[item] != item) item = parent_[item] = parent_[parent_[item]];
    return item;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace assetc::optimize
