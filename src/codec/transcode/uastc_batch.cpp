#include "codec/transcode/uastc_batch.hpp"

#include "codec/block/bits128.hpp"
#include "codec/block/uastc_fields.hpp"

namespace assetc::codec {
namespace {

// [low 7 bits of a block] -> its mode, and the field that says which partition it has. Modes without partitions have a
// field of 0 bits, whose value 0 is below the limit.
struct CodeInfo {
  std::uint8_t mode;
  std::uint8_t partition_at;
  std::uint8_t partition_mask;
  std::uint8_t partition_limit;
};

constexpr unsigned partition_count(PartitionList list) {
  return list == PartitionList::kTwo          ? kUastcTwoCount
         : list == PartitionList::kThree      ? kUastcThreeCount
         : list == PartitionList::kTwoOfThree ? kUastcTwoOfThreeCount
                                              : 1;
}

constexpr auto kCodeInfo = [] {
  std::array<CodeInfo, 128> all{};
  for (unsigned bits = 0; bits < all.size(); ++bits) {
    all[bits] = {kInvalidQueue, 0, 0, 1};
    for (unsigned m = 0; m < kUastcModeCount; ++m) {
      const UastcMode& mode = kUastcModes[m];
      if ((bits & ((1u << mode.code_bits) - 1)) != mode.code) continue;
      all[bits].mode = static_cast<std::uint8_t>(m);
      if (mode.partitions == PartitionList::kNone) continue;
      all[bits] = {static_cast<std::uint8_t>(m), static_cast<std::uint8_t>(mode.code_bits + mode.hint_bits()),
                   static_cast<std::uint8_t>((1u << mode.partition_bits()) - 1),
                   static_cast<std::uint8_t>(partition_count(mode.partitions))};
    }
  }
  return all;
}();

}  // namespace

void sort_by_mode(const std::uint8_t* blocks, unsigned count, UastcBatch& batch) {
  batch.count = {};
  for (unsigned i = 0; i < count; ++i) {
    std::uint64_t low;
    std::memcpy(&low, blocks + i * 16, 8);
    const CodeInfo& info = kCodeInfo[low & 127];
    const bool valid = (low >> info.partition_at & info.partition_mask) < info.partition_limit;
    const unsigned mode = valid ? info.mode : kInvalidQueue;
    batch.queue[mode][batch.count[mode]++] = static_cast<std::uint8_t>(i);
  }
}

}  // namespace assetc::codec
