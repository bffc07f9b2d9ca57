// A hash index for items in an array. With 100,000 items, a std::map would take several times the memory.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace assetc::engine {

class Positions {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  // is_it(position): whether the item at this position is the wanted one. kNone if there is none.
  template <class IsIt>
  std::uint32_t find(std::uint64_t hash, const IsIt& is_it) const {
    if (slots_.empty()) return kNone;
    const auto key = static_cast<std::uint32_t>(hash);
    for (std::size_t at = key & mask(); slots_[at].position != kNone; at = (at + 1) & mask()) {
      if (slots_[at].hash == key && is_it(slots_[at].position)) return slots_[at].position;
    }
    return kNone;
  }

  // The item must not be in the index yet.
  void insert(std::uint64_t hash, std::uint32_t position) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    ++count_;
    place({static_cast<std::uint32_t>(hash), position});
  }

  // The item must be in the index.
  void move(std::uint64_t hash, std::uint32_t from, std::uint32_t to) { slots_[slot_of(hash, from)].position = to; }

  // The item must be in the index.
  void erase(std::uint64_t hash, std::uint32_t position) {
    std::size_t hole = slot_of(hash, position);
    // Move later entries of the same probe sequence up, so that no search ends too early.
    for (std::size_t at = (hole + 1) & mask(); slots_[at].position != kNone; at = (at + 1) & mask()) {
      const std::size_t from_home = (at - slots_[at].hash) & mask();
      const std::size_t from_hole = (at - hole) & mask();
      if (from_home < from_hole) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = {};
    --count_;
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t position = kNone;
  };
  static constexpr std::size_t kFewest = 16;

  std::size_t mask() const { return slots_.size() - 1; }
  void place(const Slot& slot) {
    std::size_t at = slot.hash & mask();
    while (slots_[at].position != kNone) at = (at + 1) & mask();
    slots_[at] = slot;
  }
  std::size_t slot_of(std::uint64_t hash, std::uint32_t position) const {
    std::size_t at = static_cast<std::uint32_t>(hash) & mask();
    while (slots_[at].position != position) at = (at + 1) & mask();
    return at;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? kFewest : 2 * slots_.size());
    std::swap(old, slots_);
    for (const Slot& slot : old) {
      if (slot.position != kNone) place(slot);
    }
  }

  std::vector<Slot> slots_;  // size is a power of two; at least half of the slots are free
  std::size_t count_ = 0;
};

}  // namespace assetc::engine
