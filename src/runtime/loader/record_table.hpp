// The records of a manager that requests find, by handle and settings.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <ranges>
#include <utility>
#include <vector>

#include "runtime/loader/record.hpp"

namespace assetc::runtime {

// A hash table with linear probing. A slot has the hash of its record, so a lookup touches no other record. Not
// thread-safe.
class RecordTable {
 public:
  explicit RecordTable(std::pmr::memory_resource& memory) : slots_(&memory) {}
  RecordTable(const RecordTable&) = delete;
  RecordTable& operator=(const RecordTable&) = delete;

  // Returns null if there is no such record.
  Record* find(const AssetHandle& asset, const LoadSettings& settings) const {
    if (count_ == 0) return nullptr;
    const std::size_t hash = hash_of(asset, settings);
    for (std::size_t i = home(hash); slots_[i].record != nullptr; i = after(i)) {
      Record& record = *slots_[i].record;
      if (slots_[i].hash == hash && record.handle == asset && record.settings == settings) return &record;
    }
    return nullptr;
  }
  // Makes room for more records.
  void reserve(std::size_t more_count) {
    const std::size_t needed = std::bit_ceil((count_ + more_count) * 2);
    if (needed > slots_.size()) resize(std::max(kFirstSlots, needed));
  }
  // Requires that find() does not find its handle and settings.
  void insert(Record& record) {
    if (slots_.size() < (count_ + 1) * 2) reserve(1);
    put({hash_of(record.handle, record.settings), &record});
    ++count_;
  }
  // Requires a record that was inserted.
  void erase(const Record& record) {
    std::size_t hole = home(hash_of(record.handle, record.settings));
    while (slots_[hole].record != &record) hole = after(hole);
    // Records after it move up, so that no lookup ends at the hole.
    for (std::size_t i = after(hole); slots_[i].record != nullptr; i = after(i)) {
      const std::size_t mask = slots_.size() - 1;
      if (((i - home(slots_[i].hash)) & mask) < ((i - hole) & mask)) continue;
      slots_[std::exchange(hole, i)] = slots_[i];
    }
    slots_[hole] = {};
    --count_;
  }
  // Returns a view of Record*, in any order. Valid until a record is inserted or erased.
  auto all() const {
    return slots_ | std::views::transform(&Slot::record) |
           std::views::filter([](const Record* at) { return at != nullptr; });
  }

 private:
  static constexpr std::size_t kFirstSlots = 64;
  struct Slot {
    std::size_t hash = 0;
    Record* record = nullptr;  // null: free
  };

  static std::size_t hash_of(const AssetHandle& asset, const LoadSettings& settings) {
    const std::size_t format = settings.format ? 2 + static_cast<std::size_t>(*settings.format) : 0;
    return std::hash<AssetHandle>()(asset) ^ (format * 2 + (settings.keep_data ? 1 : 0));
  }
  // The high bits of a product depend on all bits of the hash.
  std::size_t home(std::size_t hash) const {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ull;
    return static_cast<std::size_t>((hash * kOdd) >> 32) & (slots_.size() - 1);
  }
  std::size_t after(std::size_t i) const { return (i + 1) & (slots_.size() - 1); }
  void put(const Slot& slot) {
    std::size_t i = home(slot.hash);
    while (slots_[i].record != nullptr) i = after(i);
    slots_[i] = slot;
  }
  void resize(std::size_t slot_count) {
    std::pmr::vector<Slot> smaller(slot_count, slots_.get_allocator());
    smaller.swap(slots_);
    for (const Slot& slot : smaller) {
      if (slot.record != nullptr) put(slot);
    }
  }

  std::pmr::vector<Slot> slots_;  // their number is a power of two; at least half of them are free
  std::size_t count_ = 0;
};

}  // namespace assetc::runtime
