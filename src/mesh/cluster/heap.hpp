// A priority queue of numbered items whose priorities change.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace assetc::mesh::cluster {

// The item of the least cost is on top; of equal costs, the item of the lowest number.
class Heap {
 public:
  // Empties the heap, for items [0, count).
  void reset(std::size_t count) {
    heap_.clear();
    slot_.assign(count, kAbsent);
    cost_.resize(count);
  }
  bool empty() const { return heap_.empty(); }
  std::uint32_t top() const { return heap_.front(); }
  float cost(std::uint32_t item) const { return cost_[item]; }
  bool contains(std::uint32_t item) const { return slot_[item] != kAbsent; }

  // Inserts the item, or changes its cost.
  void set(std::uint32_t item, float cost) {
    if (slot_[item] == kAbsent) {
      slot_[item] = static_cast<std::uint32_t>(heap_.size());
      heap_.push_back(item);
      cost_[item] = cost;
      rise(slot_[item]);
      return;
    }
    const float old = std::exchange(cost_[item], cost);
    if (cost < old) {
      rise(slot_[item]);
    } else {
      sink(slot_[item]);
    }
  }
  void remove(std::uint32_t item) {
    const std::uint32_t hole = slot_[item];
    if (hole == kAbsent) return;
    slot_[item] = kAbsent;
    const std::uint32_t last = heap_.back();
    heap_.pop_back();
    if (last == item) return;
    heap_[hole] = last, slot_[last] = hole;
    rise(hole);
    sink(slot_[last]);
  }

 private:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

  bool before(std::uint32_t a, std::uint32_t b) const { return cost_[a] != cost_[b] ? cost_[a] < cost_[b] : a < b; }
  void rise(std::uint32_t at) {
    const std::uint32_t item = heap_[at];
    while (at > 0) {
      const std::uint32_t parent = (at - 1) / 4;
      if (!before(item, heap_[parent])) break;
      heap_[at] = heap_[parent], slot_[heap_[at]] = at;
      at = parent;
    }
    heap_[at] = item, slot_[item] = at;
  }
  void sink(std::uint32_t at) {
    const std::uint32_t item = heap_[at];
    const auto size = static_cast<std::uint32_t>(heap_.size());
    for (;;) {
      const std::uint32_t first = 4 * at + 1, end = std::min(first + 4, size);
      if (first >= size) break;
      std::uint32_t least = first;
      for (std::uint32_t child = first + 1; child < end; ++child) {
        if (before(heap_[child], heap_[least])) least = child;
      }
      if (!before(heap_[least], item)) break;
      heap_[at] = heap_[least], slot_[heap_[at]] = at;
      at = least;
    }
    heap_[at] = item, slot_[item] = at;
  }

  std::vector<std::uint32_t> heap_, slot_;
  std::vector<float> cost_;
};

}  // namespace assetc::mesh::cluster
