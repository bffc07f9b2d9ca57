#include "codec/encode/rdo/zstd_cost.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "codec/block/bits128.hpp"

namespace assetc::codec {
namespace {

// The bits of a sequence's literal length, match length and offset code. The offset's own bits are not included.
constexpr float kSequenceBits = 7.5f;
constexpr float kNewOffsetBits = 3.0f;
constexpr float kRecentOffsetBits = 2.0f;
// Literal statistics are updated after this many blocks. Above kLongMemory they are halved, so that they follow the
// picture.
constexpr std::uint32_t kUpdateBlocks = 64;
constexpr std::uint32_t kLongMemory = 1u << 16;

// log2 of an integer from 1 up, within 0.01. No library function is used, so rounding is the same everywhere.
float log2_of(std::uint32_t x) {
  const int whole = std::bit_width(x) - 1;
  const float f = static_cast<float>(x) / static_cast<float>(1u << whole) - 1.0f;
  return static_cast<float>(whole) + f * (1.3465f - 0.3465f * f);
}

// Bit i is set if byte i is 0.
unsigned zero_bytes(std::uint64_t x) {
  constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
  const std::uint64_t zero = ~(((x & kLow) + kLow) | x | kLow) >> 7;  // bit 8 * i
  return static_cast<unsigned>(zero * 0x0102040810204080 >> 56);
}

bool has_match(unsigned equal) {
  static_assert(kShortestMatch == 5);
  const unsigned two = equal & equal >> 1;
  return (two & two >> 2 & equal >> 4) != 0;
}

}  // namespace

ZstdCost::ZstdCost(std::span<const std::byte> blocks, unsigned block_bytes)
    : blocks_(blocks), block_bytes_(block_bytes) {
  counts_.fill(8);
  total_ = 8 * 256;
  // Start with one byte of every four. A coded literal counts double.
  for (std::size_t i = 0; i < blocks.size(); i += 4) {
    ++counts_[static_cast<std::uint8_t>(blocks[i + (i / 4) % 4])];
    ++total_;
  }
  update_literal_bits();
}

void ZstdCost::update_literal_bits() {
  if (total_ > kLongMemory) {
    total_ = 0;
    for (std::uint32_t& c : counts_) total_ += c = std::max(1u, c / 2);
  }
  const float all = log2_of(total_);
  mean_literal_bits_ = 0;
  for (unsigned b = 0; b < 256; ++b) {
    // Zstd's Huffman codes have 1 to 11 bits.
    literal_bits_[b] = std::clamp(all - log2_of(counts_[b]), 1.0f, 11.0f);
    mean_literal_bits_ += literal_bits_[b] * static_cast<float>(counts_[b]);
  }
  mean_literal_bits_ /= static_cast<float>(total_);
}

float ZstdCost::new_match_bits(MatchDistance distance) const {
  return kSequenceBits + kNewOffsetBits + static_cast<float>(std::bit_width(distance * block_bytes_) - 1);
}

// Bit i is set if byte i is that of block `at`.
unsigned ZstdCost::equal_bytes(const RdoBytes& bytes, std::size_t at) const {
  RdoBytes other{};
  if (block_bytes_ == kMostBlockBytes) {
    std::memcpy(other.data(), &blocks_[at * kMostBlockBytes], kMostBlockBytes);
  } else {
    std::memcpy(other.data(), &blocks_[at * 8], 8);
  }
  const Bits128 a = Bits128::load(bytes.data()), b = Bits128::load(other.data());
  const unsigned equal = zero_bytes(a.low ^ b.low);
  return block_bytes_ == 8 ? equal : equal | zero_bytes(a.high ^ b.high) << 8;
}

float ZstdCost::match_bits(MatchDistance distance, bool from_start) const {
  if (from_start && distance == open_) return 0;
  if (std::ranges::find(recent_, distance) != recent_.end()) return kSequenceBits + kRecentOffsetBits;
  return new_match_bits(distance);
}

ZstdCost::Parse ZstdCost::parse(std::size_t at, const RdoBytes& bytes, std::span<const MatchDistance> distances) const {
  struct Source {
    MatchDistance distance;
    unsigned equal;
    float bits;
  };
  std::array<Source, 12> sources;
  std::size_t source_count = 0;
  const auto consider = [&](MatchDistance distance, float bits) {
    if (distance == 0 || distance > at || source_count == sources.size()) return;
    const unsigned equal = equal_bytes(bytes, at - distance);
    // A match that continues that of the block before may be shorter.
    if (!has_match(equal) && !(distance == open_ && (equal & 1) != 0)) return;
    for (std::size_t i = 0; i < source_count; ++i)
      if (sources[i].distance == distance) return;
    sources[source_count++] = {distance, equal, bits};
  };
  for (const MatchDistance distance : recent_) consider(distance, kSequenceBits + kRecentOffsetBits);
  for (const MatchDistance distance : distances)
    if (distance != 0) consider(distance, new_match_bits(distance));

  Parse result;
  result.recent = recent_;
  if (source_count == 0) {
    for (unsigned i = 0; i < block_bytes_; ++i) result.bits += literal_bits_[bytes[i]];
    result.literals = static_cast<std::uint16_t>((1u << block_bytes_) - 1);
    return result;
  }
  struct Step {
    float bits;
    std::uint8_t from;   // the number of bytes before the last match or literal
    std::int8_t source;  // -1: a literal
  };
  std::array<Step, kMostBlockBytes + 1> best;
  best[0] = {0, 0, -1};
  for (unsigned end = 1; end <= block_bytes_; ++end) {
    Step step{best[end - 1].bits + literal_bits_[bytes[end - 1]], static_cast<std::uint8_t>(end - 1), -1};
    for (std::size_t s = 0; s < source_count; ++s) {
      const unsigned equal = sources[s].equal;
      // Only at the end of a run of equal bytes: a match is as long as possible.
      if (!(equal >> (end - 1) & 1) || (end < block_bytes_ && (equal >> end & 1))) continue;
      const unsigned length = static_cast<unsigned>(std::countl_one(equal << (32 - end)));
      const unsigned first = end - length;
      if (first == 0 && sources[s].distance == open_ && best[0].bits < step.bits)
        step = {0, 0, static_cast<std::int8_t>(s)};
      for (unsigned from = first; from + kShortestMatch <= end; ++from)
        if (const float bits = best[from].bits + sources[s].bits; bits < step.bits)
          step = {bits, static_cast<std::uint8_t>(from), static_cast<std::int8_t>(s)};
    }
    best[end] = step;
  }

  result.bits = best[block_bytes_].bits;
  std::array<MatchDistance, 4> used{};
  std::size_t used_count = 0;
  for (unsigned end = block_bytes_; end > 0; end = best[end].from) {
    if (best[end].source < 0) {
      result.literals |= static_cast<std::uint16_t>(1u << (end - 1));
      continue;
    }
    const MatchDistance distance = sources[static_cast<std::size_t>(best[end].source)].distance;
    if (end == block_bytes_) result.open = distance;
    if (used_count < used.size()) used[used_count++] = distance;
  }
  for (std::size_t i = used_count; i-- > 0;) {
    const auto found = std::find(result.recent.begin(), result.recent.end() - 1, used[i]);
    std::rotate(result.recent.begin(), found, found + 1);
    result.recent[0] = used[i];
  }
  return result;
}

void ZstdCost::accept(const RdoBytes& bytes, const Parse& parse) {
  for (unsigned i = 0; i < block_bytes_; ++i)
    if (parse.literals >> i & 1) {
      counts_[bytes[i]] += 2;
      total_ += 2;
    }
  open_ = parse.open;
  recent_ = parse.recent;
  if (++since_update_ == kUpdateBlocks) {
    since_update_ = 0;
    update_literal_bits();
  }
}

}  // namespace assetc::codec
