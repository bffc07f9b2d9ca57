#include "export/meshopt_v1.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace assetc::exporter {
namespace {

constexpr std::uint8_t kVersion1 = 0xA1;
constexpr std::size_t kGroup = 16;
constexpr std::size_t kMostBlockElements = 256;
constexpr std::size_t kMostBlockBytes = 8192;
constexpr std::size_t kLeastTailBytes = 24;
// Blocks of which one of kBlockShare decides the kinds of differences.
constexpr std::size_t kBlockShare = 4;
constexpr std::uint8_t kShorts = 1, kBits = 2;

// The differences of one byte position in a block. Zeros follow up to a whole group.
using Column = std::array<std::uint8_t, kMostBlockElements>;
using Columns = std::array<Column, 4>;

// The widths of the differences of a group. A column uses the first four, or the last four.
constexpr std::array<unsigned, 5> kWidths{0, 1, 2, 4, 8};

template <class Word>
Word zigzag(Word difference) {
  using Signed = std::make_signed_t<Word>;
  return static_cast<Word>((difference << 1) ^
                           static_cast<Word>(static_cast<Signed>(difference) >> (8 * sizeof(Word) - 1)));
}

template <class Word>
Word load_word(const std::byte* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Splits the differences of elements into columns, from the lowest byte. at: of the first element.
template <class Word, class Difference>
void split(const std::byte* at, std::size_t count, std::size_t stride, const std::byte* before, Column* columns,
           Difference difference) {
  Word last = load_word<Word>(before);
  for (std::size_t e = 0; e < count; ++e) {
    const Word value = load_word<Word>(at + e * stride);
    const auto delta = static_cast<Word>(difference(value, last));
    for (std::size_t j = 0; j < sizeof(Word); ++j) columns[j][e] = static_cast<std::uint8_t>(delta >> (8 * j));
    last = value;
  }
}

// before: the four bytes of the element before the first one.
void split_channel(std::uint8_t mode, const std::byte* at, std::size_t count, std::size_t stride,
                   const std::byte* before, Columns& columns) {
  const auto subtract = [](auto value, auto last) { return zigzag(static_cast<decltype(value)>(value - last)); };
  if (mode == 0) {
    for (std::size_t j = 0; j < 4; ++j) split<std::uint8_t>(at + j, count, stride, before + j, &columns[j], subtract);
  } else if (mode == kShorts) {
    for (std::size_t j = 0; j < 4; j += 2)
      split<std::uint16_t>(at + j, count, stride, before + j, &columns[j], subtract);
  } else {
    split<std::uint32_t>(at, count, stride, before, columns.data(),
                         [&](std::uint32_t value, std::uint32_t last) { return std::rotl(value ^ last, mode >> 4); });
  }
  const std::size_t end = (count + kGroup - 1) / kGroup * kGroup;
  for (Column& column : columns)
    std::fill(column.begin() + static_cast<std::ptrdiff_t>(count), column.begin() + static_cast<std::ptrdiff_t>(end),
              std::uint8_t{0});
}

// The bytes of a group in each width. Differences that need more bits follow as whole bytes.
std::array<std::size_t, 5> group_sizes(const std::uint8_t* group) {
  std::size_t any = 0, above_two = 0, above_four = 0;
  for (std::size_t i = 0; i < kGroup; ++i) {
    any += group[i] != 0 ? 1 : 0;
    above_two += group[i] >= 3 ? 1 : 0;
    above_four += group[i] >= 15 ? 1 : 0;
  }
  constexpr std::size_t kImpossible = 1000;
  return {any == 0 ? 0 : kImpossible, 2 + any, 4 + above_two, 8 + above_four, kGroup};
}

// How a column is stored.
struct Plan {
  std::uint8_t control = 2;  // 0: widths from the first, 1: from the second, 2: all zeros, 3: as it is
  std::size_t size_bytes = 0;
};

Plan plan_column(const Column& column, std::size_t count) {
  const std::size_t groups = (count + kGroup - 1) / kGroup, header = (groups + 3) / 4;
  std::array<std::size_t, 2> sizes{header, header};
  bool is_zero = true;
  for (std::size_t g = 0; g < groups; ++g) {
    const auto of = group_sizes(column.data() + g * kGroup);
    const std::size_t packed = std::min({of[1], of[2], of[3]});
    sizes[0] += std::min(of[0], packed);
    sizes[1] += std::min(of[4], packed);
    is_zero = is_zero && of[0] == 0;
  }
  if (is_zero) return {};
  const std::uint8_t control = sizes[0] < sizes[1] ? 0 : 1;
  return sizes[control] < count ? Plan{control, sizes[control]} : Plan{3, count};
}

void pack_group(const std::uint8_t* group, unsigned width, ByteVector& out) {
  if (width == 0) return;
  if (width == 8) {
    for (std::size_t i = 0; i < kGroup; ++i) out.push_back(std::byte{group[i]});
    return;
  }
  const unsigned per_byte = 8 / width, whole = (1u << width) - 1;
  for (std::size_t i = 0; i < kGroup; i += per_byte) {
    unsigned packed = 0;
    for (unsigned k = 0; k < per_byte; ++k) {
      const unsigned value = std::min<unsigned>(group[i + k], whole);
      // Single bits begin at the lowest, wider differences at the highest.
      packed |= value << (width == 1 ? k : 8 - width * (k + 1));
    }
    out.push_back(static_cast<std::byte>(packed));
  }
  for (std::size_t i = 0; i < kGroup; ++i)
    if (group[i] >= whole) out.push_back(std::byte{group[i]});
}

void write_column(const Column& column, std::size_t count, const Plan& plan, ByteVector& out) {
  if (plan.control == 2) return;
  if (plan.control == 3) {
    for (std::size_t i = 0; i < count; ++i) out.push_back(std::byte{column[i]});
    return;
  }
  const std::size_t groups = (count + kGroup - 1) / kGroup, header = out.size();
  out.resize(header + (groups + 3) / 4);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::uint8_t* group = column.data() + g * kGroup;
    const auto sizes = group_sizes(group);
    const auto* first = sizes.data() + plan.control;
    const auto choice = static_cast<unsigned>(std::min_element(first, first + 4) - first);
    out[header + g / 4] |= static_cast<std::byte>(choice << (g % 4 * 2));
    pack_group(group, kWidths[choice + plan.control], out);
  }
}

class Encoder {
 public:
  Encoder(ByteSpan elements, std::size_t stride)
      : data_(elements.data()),
        stride_(stride),
        count_(elements.size() / stride),
        block_(std::min(kMostBlockBytes / stride / kGroup * kGroup, kMostBlockElements)) {}

  ByteVector run() {
    ByteVector out{std::byte{kVersion1}};
    out.reserve(64 + count_ * stride_ / 2);
    const std::size_t channels = stride_ / 4;
    std::vector<std::uint8_t> modes(channels);
    for (std::size_t c = 0; c < channels; ++c) modes[c] = choose(c);
    for (std::size_t first = 0; first < count_; first += block_) {
      const std::size_t controls = out.size(), count = std::min(block_, count_ - first);
      out.resize(controls + channels);
      for (std::size_t c = 0; c < channels; ++c) {
        split_block(modes[c], c, first, count);
        for (std::size_t j = 0; j < 4; ++j) {
          const Plan plan = plan_column(columns_[j], count);
          out[controls + c] |= static_cast<std::byte>(plan.control << (2 * j));
          write_column(columns_[j], count, plan, out);
        }
      }
    }
    const std::size_t tail = stride_ + channels;
    out.resize(out.size() + (tail < kLeastTailBytes ? kLeastTailBytes - tail : 0));
    append_bytes(out, {data_, stride_});
    for (const std::uint8_t mode : modes) out.push_back(std::byte{mode});
    return out;
  }

 private:
  void split_block(std::uint8_t mode, std::size_t channel, std::size_t first, std::size_t count) {
    const std::byte* at = data_ + first * stride_ + 4 * channel;
    split_channel(mode, at, count, stride_, first == 0 ? at : at - stride_, columns_);
  }

  std::size_t size_of(std::uint8_t mode, std::size_t channel) {
    const std::size_t share = count_ > 4 * block_ ? kBlockShare : 1;
    std::size_t size = 0;
    for (std::size_t first = 0; first < count_; first += block_ * share) {
      const std::size_t count = std::min(block_, count_ - first);
      split_block(mode, channel, first, count);
      for (const Column& column : columns_) size += plan_column(column, count).size_bytes;
    }
    return size;
  }

  std::uint8_t choose(std::size_t channel) {
    std::uint8_t best = 0;
    std::size_t least = size_of(0, channel);
    const auto attempt = [&](std::uint8_t mode) {
      const std::size_t size = size_of(mode, channel);
      if (size < least) best = mode, least = size;
    };
    attempt(kShorts);
    for (unsigned rotation = 0; rotation < 8; ++rotation) attempt(static_cast<std::uint8_t>(kBits | rotation << 4));
    return best;
  }

  const std::byte* data_;
  std::size_t stride_, count_, block_;
  Columns columns_{};
};

}  // namespace

ByteVector encode_meshopt_v1(ByteSpan elements, std::size_t stride_bytes) {
  return Encoder(elements, stride_bytes).run();
}

}  // namespace assetc::exporter
