// Finds the position of a path in a Tree. It is a hash table of positions: with 100,000 files, the nodes of a map would
// take most of the memory of a build that changes one file.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/disk/disk.hpp"

namespace assetc::engine {

class PathIndex {
 public:
  // The tree must outlive the index. It may change only by appending entries (see add()) and dropping them.
  explicit PathIndex(const Tree& tree) : tree_(tree) { fill(); }

  // Position in the tree, or nothing.
  std::optional<std::size_t> find(std::string_view path) const {
    if (path.empty()) return std::nullopt;
    const std::uint32_t position = *slot_of(path);
    return position == kFree ? std::nullopt : std::optional<std::size_t>(position);
  }

  // Call after an entry was appended to the tree. Dropped entries are no longer found.
  void add() {
    const std::size_t last = tree_.size() - 1;
    if (2 * tree_.size() + 1 > slots_.size()) return fill();
    *slot_of(tree_.path(last)) = static_cast<std::uint32_t>(last);
  }

 private:
  static constexpr std::uint32_t kFree = ~0u;

  void fill() {
    slots_.assign(std::bit_ceil(2 * tree_.size() + 1), kFree);
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      if (!tree_.path(i).empty()) *slot_of(tree_.path(i)) = static_cast<std::uint32_t>(i);
    }
  }

  // The slot of the path, or the free slot where it would go.
  const std::uint32_t* slot_of(std::string_view path) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = std::hash<std::string_view>()(path) & mask;
    while (slots_[at] != kFree && tree_.path(slots_[at]) != path) at = (at + 1) & mask;
    return &slots_[at];
  }
  std::uint32_t* slot_of(std::string_view path) {
    return const_cast<std::uint32_t*>(std::as_const(*this).slot_of(path));
  }

  const Tree& tree_;
  std::vector<std::uint32_t> slots_;  // at least half of them free
};

}  // namespace assetc::engine
