// Numbers for the few vertices that a patch or a cluster uses.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace assetc::mesh::cluster {

// Numbers keys from 0 in the order in which they come.
class Numbering {
 public:
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFF;

  // Forgets all keys, and makes room for as many.
  void reset(std::size_t most) {
    mask_ = std::bit_ceil(2 * most + 2) - 1;
    keys_.assign(mask_ + 1, kFree);
    numbers_.resize(mask_ + 1);
    count_ = 0;
  }
  // The number of a key, a new one if it has none. At most as many keys as reset made room for.
  std::uint32_t of(std::uint32_t key) {
    std::size_t slot = first_slot(key);
    while (keys_[slot] != kFree && keys_[slot] != key) slot = (slot + 1) & mask_;
    if (keys_[slot] == kFree) {
      keys_[slot] = key;
      numbers_[slot] = count_++;
    }
    return numbers_[slot];
  }
  // The number of a key; kUnknown if it has none.
  std::uint32_t find(std::uint32_t key) const {
    std::size_t slot = first_slot(key);
    while (keys_[slot] != kFree && keys_[slot] != key) slot = (slot + 1) & mask_;
    return keys_[slot] == kFree ? kUnknown : numbers_[slot];
  }
  std::uint32_t count() const { return count_; }

 private:
  std::size_t first_slot(std::uint32_t key) const { return (key * 0x9E3779B1u >> 7) & mask_; }

  static constexpr std::uint32_t kFree = 0xFFFFFFFF;  // no key

  std::vector<std::uint32_t> keys_, numbers_;
  std::size_t mask_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace assetc::mesh::cluster
