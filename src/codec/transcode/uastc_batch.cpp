#include "codec/transcode/uastc_batch.hpp"

#include <cstring>

#include "codec/block/bits128.hpp"
#include "codec/block/etc_bits.hpp"
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

// As uastc_to_etc1, for the solid mode.
void solid_to_etc1(Bits128 in, std::uint8_t* out) {
  // Bit 0: the mode of 5 bits. Then the table, the selector, and 5 bits of each channel.
  const auto hints = static_cast<std::uint32_t>(in.low >> (kUastcModes[kUastcSolidMode].code_bits + 32u));
  const unsigned diff = hints & 1, table = hints >> 1 & 7, level = hints >> 4 & 3;
  std::uint32_t head = table << 5 | table << 2 | diff << 1;
  for (unsigned c = 0; c < 3; ++c) {
    const unsigned base = hints >> (6 + 5 * c) & 31;
    head |= (diff ? base << 3 : (base & 15) * 17) << (24 - 8 * c);
  }
  // As in pack_etc1, for all texels.
  constexpr std::array<std::uint32_t, 4> tail = {0xffffffff, 0xffff0000, 0, 0xffff};
  store_big_endian(std::uint64_t{head} << 32 | tail[level], out);
}

}  // namespace

void solid_to_target(const std::uint8_t* block, const UastcTarget& target, std::uint8_t* out) {
  using enum BlockFormat;
  const Bits128 in = Bits128::load(block);
  const Rgba8 color = uastc_solid_color(in);
  switch (target.format) {
    case kRgba8:
      for (unsigned t = 0; t < kBlockTexels; ++t) std::memcpy(out + sizeof color * t, &color, sizeof color);
      break;
    case kBc1:
      encode_bc1_solid(color, out);
      break;
    case kBc3:
      encode_bc4_solid(color.a, out);
      encode_bc1_solid(color, out + 8);
      break;
    case kBc4:
      encode_bc4_solid(color[target.first_channel], out);
      break;
    case kBc5:
      encode_bc4_solid(color[target.first_channel], out);
      encode_bc4_solid(color[target.second_channel], out + 8);
      break;
    case kEtc1:
      solid_to_etc1(in, out);
      break;
    case kEtc2Rgba:
      encode_eac_solid(color.a, EacKind::kAlpha, out);
      solid_to_etc1(in, out + 8);
      break;
    case kEacR11:
      encode_eac_solid(color[target.first_channel], EacKind::kR11, out);
      break;
    case kEacRg11:
      encode_eac_solid(color[target.first_channel], EacKind::kR11, out);
      encode_eac_solid(color[target.second_channel], EacKind::kR11, out + 8);
      break;
    default:
      break;
  }
}

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
