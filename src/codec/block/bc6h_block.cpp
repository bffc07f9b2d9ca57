#include "codec/block/bc6h_block.hpp"

#include <string_view>

#include "codec/block/bits128.hpp"
#include "codec/block/index_bits.hpp"

namespace assetc::codec {
namespace {

// The positions of the bits of a mode's endpoints. The fields are in block order, from the first bit after the mode
// code. Each names a channel, an endpoint and a range of its bits; a range may descend.
struct Layout {
  std::uint8_t code;
  std::uint8_t code_bits;
  std::string_view fields;
};
constexpr std::array<Layout, kBc6hModeCount> kLayouts = {{
    {0b00, 2,
     "g2.4 b2.4 b3.4 r0.0-9 g0.0-9 b0.0-9 r1.0-4 g3.4 g2.0-3 g1.0-4 b3.0 g3.0-3 b1.0-4 b3.1 b2.0-3 r2.0-4 b3.2 "
     "r3.0-4 b3.3"},
    {0b01, 2,
     "g2.5 g3.4-5 r0.0-6 b3.0-1 b2.4 g0.0-6 b2.5 b3.2 g2.4 b0.0-6 b3.3 b3.5-4 r1.0-5 g2.0-3 g1.0-5 g3.0-3 "
     "b1.0-5 b2.0-3 r2.0-5 r3.0-5"},
    {0b00010, 5,
     "r0.0-9 g0.0-9 b0.0-9 r1.0-4 r0.10 g2.0-3 g1.0-3 g0.10 b3.0 g3.0-3 b1.0-3 b0.10 b3.1 b2.0-3 r2.0-4 b3.2 "
     "r3.0-4 b3.3"},
    {0b00110, 5,
     "r0.0-9 g0.0-9 b0.0-9 r1.0-3 r0.10 g3.4 g2.0-3 g1.0-4 g0.10 g3.0-3 b1.0-3 b0.10 b3.1 b2.0-3 r2.0-3 b3.0 "
     "b3.2 r3.0-3 g2.4 b3.3"},
    {0b01010, 5,
     "r0.0-9 g0.0-9 b0.0-9 r1.0-3 r0.10 b2.4 g2.0-3 g1.0-3 g0.10 b3.0 g3.0-3 b1.0-4 b0.10 b2.0-3 r2.0-3 "
     "b3.1-2 r3.0-3 b3.4-3"},
    {0b01110, 5,
     "r0.0-8 b2.4 g0.0-8 g2.4 b0.0-8 b3.4 r1.0-4 g3.4 g2.0-3 g1.0-4 b3.0 g3.0-3 b1.0-4 b3.1 b2.0-3 r2.0-4 "
     "b3.2 r3.0-4 b3.3"},
    {0b10010, 5,
     "r0.0-7 g3.4 b2.4 g0.0-7 b3.2 g2.4 b0.0-7 b3.3-4 r1.0-5 g2.0-3 g1.0-4 b3.0 g3.0-3 b1.0-4 b3.1 b2.0-3 "
     "r2.0-5 r3.0-5"},
    {0b10110, 5,
     "r0.0-7 b3.0 b2.4 g0.0-7 g2.5-4 b0.0-7 g3.5 b3.4 r1.0-4 g3.4 g2.0-3 g1.0-5 g3.0-3 b1.0-4 b3.1 b2.0-3 "
     "r2.0-4 b3.2 r3.0-4 b3.3"},
    {0b11010, 5,
     "r0.0-7 b3.1 b2.4 g0.0-7 b2.5 g2.4 b0.0-7 b3.5-4 r1.0-4 g3.4 g2.0-3 g1.0-4 b3.0 g3.0-3 b1.0-5 b2.0-3 "
     "r2.0-4 b3.2 r3.0-4 b3.3"},
    {0b11110, 5,
     "r0.0-5 g3.4 b3.0-1 b2.4 g0.0-5 g2.5 b2.5 b3.2 g2.4 b0.0-5 g3.5 b3.3 b3.5-4 r1.0-5 g2.0-3 g1.0-5 g3.0-3 "
     "b1.0-5 b2.0-3 r2.0-5 r3.0-5"},
    {0b00011, 5, "r0.0-9 g0.0-9 b0.0-9 r1.0-9 g1.0-9 b1.0-9"},
    {0b00111, 5, "r0.0-9 g0.0-9 b0.0-9 r1.0-8 r0.10 g1.0-8 g0.10 b1.0-8 b0.10"},
    {0b01011, 5, "r0.0-9 g0.0-9 b0.0-9 r1.0-7 r0.11-10 g1.0-7 g0.11-10 b1.0-7 b0.11-10"},
    {0b01111, 5, "r0.0-9 g0.0-9 b0.0-9 r1.0-3 r0.15-10 g1.0-3 g0.15-10 b1.0-3 b0.15-10"},
}};

// Consecutive bits of one channel of one endpoint, in ascending order.
struct Run {
  std::uint8_t channel, end, bit, width;
};
// The runs of the endpoints of one mode, in block order.
struct RunList {
  std::array<Run, 48> runs{};
  std::uint8_t count = 0, width = 0;
};
constexpr RunList parse(std::string_view fields) {
  RunList list;
  std::size_t at = 0;
  const auto number = [&] {
    int value = 0;
    while (at < fields.size() && fields[at] >= '0' && fields[at] <= '9') value = value * 10 + (fields[at++] - '0');
    return value;
  };
  while (at < fields.size()) {
    const char letter = fields[at];
    const auto channel = static_cast<std::uint8_t>(letter == 'r' ? 0 : letter == 'g' ? 1 : 2);
    const auto end = static_cast<std::uint8_t>(fields[at + 1] - '0');
    at += 3;
    const int first = number();
    int last = first;
    if (at < fields.size() && fields[at] == '-') {
      ++at;
      last = number();
    }
    const auto add = [&](int bit, int width) {
      list.runs[list.count++] = {channel, end, static_cast<std::uint8_t>(bit), static_cast<std::uint8_t>(width)};
      list.width = static_cast<std::uint8_t>(list.width + width);
    };
    if (first <= last) add(first, last - first + 1);
    for (int bit = first; bit >= last && first > last; --bit) add(bit, 1);
    ++at;  // the blank
  }
  return list;
}
constexpr std::array<RunList, kBc6hModeCount> kRuns = [] {
  std::array<RunList, kBc6hModeCount> all;
  for (std::size_t m = 0; m < kBc6hModeCount; ++m) all[m] = parse(kLayouts[m].fields);
  return all;
}();
// Every mode fills its block: the mode code, the endpoints, the partition if there are two subsets, and the indices
// with one bit less for each anchor.
constexpr bool all_fill() {
  for (std::size_t m = 0; m < kBc6hModeCount; ++m) {
    const unsigned subsets = kBc6hModes[m].subset_count;
    const unsigned rest = subsets == 1 ? 63 : 5 + 46;
    if (kLayouts[m].code_bits + kRuns[m].width + rest != 128) return false;
  }
  return true;
}
static_assert(all_fill());

// The positions of the top bits of the anchors' indices, which a block does not store: the first and, with two subsets,
// the second.
struct AnchorBits {
  unsigned first, second;
  bool two;
};
AnchorBits anchor_bits(const Bc6hMode& mode, unsigned partition) {
  const unsigned bits = mode.index_bits();
  return {bits - 1, (kBc7AnchorOfTwo[partition] + 1u) * bits - 1, mode.subset_count == 2};
}

std::int32_t extend_sign(std::int32_t value, unsigned bits) {
  const std::int32_t top = 1 << (bits - 1);
  return (value ^ top) - top;
}

}  // namespace

bool bc6h_ends_fit(const Bc6hBlock& block) {
  const Bc6hMode& mode = kBc6hModes[block.mode];
  if (!mode.is_delta()) return true;
  for (std::size_t i = 1; i < std::size_t{2} * mode.subset_count; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::int32_t delta = block.ends[i][c] - block.ends[0][c], most = 1 << (mode.delta_bits[c] - 1);
      if (delta < -most || delta >= most) return false;
    }
  }
  return true;
}

void pack_bc6h(const Bc6hBlock& block, std::uint8_t* out) {
  const Bc6hMode& mode = kBc6hModes[block.mode];
  BitWriter writer;
  writer.add(kLayouts[block.mode].code, kLayouts[block.mode].code_bits);
  const RunList& list = kRuns[block.mode];
  for (std::size_t i = 0; i < list.count; ++i) {
    const Run run = list.runs[i];
    const bool delta = mode.is_delta() && run.end > 0;
    const std::int32_t value = block.ends[run.end][run.channel] - (delta ? block.ends[0][run.channel] : 0);
    writer.add(static_cast<unsigned>(value) >> run.bit & ((1u << run.width) - 1), run.width);
  }
  std::uint64_t indices = pack_indices(block.index.data(), mode.index_bits());
  const AnchorBits anchors = anchor_bits(mode, block.partition);
  if (anchors.two) {
    writer.add(block.partition, 5);
    indices = remove_bit(indices, anchors.second);
  }
  writer.add(remove_bit(indices, anchors.first), 128 - writer.position());
  writer.bits().store(out);
}

bool unpack_bc6h(const std::uint8_t* in, Bc6hBlock& block) {
  BitReader reader(Bits128::load(in));
  unsigned code = reader.take(2), code_bits = 2;
  if (code > 1) {
    code |= reader.take(3) << 2;
    code_bits = 5;
  }
  block = {};
  block.mode = kBc6hModeCount;
  for (std::size_t m = 0; m < kBc6hModeCount; ++m) {
    if (kLayouts[m].code == code && kLayouts[m].code_bits == code_bits) block.mode = static_cast<std::uint8_t>(m);
  }
  if (block.mode == kBc6hModeCount) return false;
  const Bc6hMode& mode = kBc6hModes[block.mode];
  const RunList& list = kRuns[block.mode];
  for (std::size_t i = 0; i < list.count; ++i) {
    const Run run = list.runs[i];
    block.ends[run.end][run.channel] |= static_cast<std::int32_t>(reader.take(run.width)) << run.bit;
  }
  for (std::size_t i = 1; mode.is_delta() && i < std::size_t{2} * mode.subset_count; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::int32_t delta = extend_sign(block.ends[i][c], mode.delta_bits[c]);
      block.ends[i][c] = (block.ends[0][c] + delta) & ((1 << mode.end_bits) - 1);
    }
  }
  if (mode.subset_count == 2) block.partition = static_cast<std::uint8_t>(reader.take(5));
  const AnchorBits anchors = anchor_bits(mode, block.partition);
  std::uint64_t indices = insert_zero(reader.bits().window(reader.position()), anchors.first);
  if (anchors.two) indices = insert_zero(indices, anchors.second);
  const unsigned bits = mode.index_bits();
  for (unsigned t = 0; t < kBlockTexels; ++t)
    block.index[t] = static_cast<std::uint8_t>(indices >> t * bits & ((1u << bits) - 1));
  return true;
}

HalfBlock decode_bc6h(const std::uint8_t* in) {
  HalfBlock texels{};
  Bc6hBlock block;
  if (!unpack_bc6h(in, block)) return texels;
  const Bc6hMode& mode = kBc6hModes[block.mode];
  const auto& weights = mode.subset_count == 1 ? kBc7Weights4 : kBc7Weights3;
  std::array<Bc6hEnd, 4> ends{};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t c = 0; c < 3; ++c) ends[i][c] = bc6h_unquantize(block.ends[i][c], mode.end_bits);
  }
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const std::size_t low = 2 * bc7_subset(mode.subset_count, block.partition, t);
    for (std::size_t c = 0; c < 3; ++c)
      texels[t][c] = bc6h_interpolate(ends[low][c], ends[low + 1][c], weights[block.index[t]]);
  }
  return texels;
}

}  // namespace assetc::codec
