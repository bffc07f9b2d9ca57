#include "compression/zlib.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/plural.hpp"

namespace assetc::compression {
namespace {

constexpr std::size_t kWindowBytes = 32u << 10;
constexpr std::uint32_t kAdlerBase = 65521;
constexpr unsigned kMaxCodeBits = 15;
constexpr unsigned kEndOfBlock = 256;

// Bits of the stream, least significant first. Bits past its end are an error that ok() reports.
class Bits {
 public:
  explicit Bits(ByteSpan bytes) : bytes_(bytes) {}
  std::uint32_t take(unsigned count) {
    while (held_ < count) {
      if (at_ == bytes_.size()) {
        ok_ = false;
        return 0;
      }
      word_ |= std::uint64_t{std::to_integer<std::uint8_t>(bytes_[at_++])} << held_;
      held_ += 8;
    }
    const auto bits = static_cast<std::uint32_t>(word_ & ((std::uint64_t{1} << count) - 1));
    word_ >>= count;
    held_ -= count;
    return bits;
  }
  // Drops the rest of a byte. No whole byte is held, because take() reads only as many as it needs.
  void align() { word_ = held_ = 0; }
  bool ok() const { return ok_; }
  bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  ByteSpan bytes_;
  std::size_t at_ = 0;
  std::uint64_t word_ = 0;
  unsigned held_ = 0;
  bool ok_ = true;
};

// A canonical Huffman code (RFC 1951, section 3.2.2).
class Code {
 public:
  // False if more codes are used than the lengths allow, or fewer. A code of one symbol may be incomplete.
  bool set(std::span<const std::uint8_t> lengths) {
    counts_.fill(0);
    for (const std::uint8_t length : lengths) ++counts_[length];
    int left = 1;
    for (unsigned bits = 1; bits <= kMaxCodeBits; ++bits) {
      left = 2 * left - counts_[bits];
      if (left < 0) return false;
    }
    std::array<std::uint16_t, kMaxCodeBits + 1> first{};
    for (unsigned bits = 1; bits < kMaxCodeBits; ++bits)
      first[bits + 1] = static_cast<std::uint16_t>(first[bits] + counts_[bits]);
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol)
      if (lengths[symbol] != 0) symbols_[first[lengths[symbol]]++] = static_cast<std::uint16_t>(symbol);
    return left == 0 || lengths.size() - counts_[0] <= 1;
  }
  std::optional<unsigned> read(Bits& bits) const {
    int code = 0, first = 0, index = 0;
    for (unsigned length = 1; length <= kMaxCodeBits; ++length) {
      code |= static_cast<int>(bits.take(1));
      const int count = counts_[length];
      if (code - count < first) return symbols_[static_cast<std::size_t>(index + code - first)];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    return std::nullopt;
  }

 private:
  std::array<std::uint16_t, kMaxCodeBits + 1> counts_{};
  std::array<std::uint16_t, 288> symbols_{};
};

// The content, of which only the window is kept, unless `all` takes the rest.
class Content {
 public:
  Content(std::uint64_t most_bytes, ByteVector* all) : most_(most_bytes), all_(all) {}
  bool add(std::uint8_t byte) {
    if (size_ == most_) return false;
    if (all_ != nullptr) all_->push_back(std::byte{byte});
    window_[size_++ % kWindowBytes] = byte;
    a_ = (a_ + byte) % kAdlerBase;
    b_ = (b_ + a_) % kAdlerBase;
    return true;
  }
  bool copy(std::size_t distance, std::size_t count) {
    if (distance > size_) return false;
    for (; count > 0; --count)
      if (!add(window_[(size_ - distance) % kWindowBytes])) return false;
    return true;
  }
  std::uint64_t size() const { return size_; }
  std::uint32_t checksum() const { return b_ << 16 | a_; }

 private:
  std::uint64_t most_, size_ = 0;
  ByteVector* all_;
  std::uint32_t a_ = 1, b_ = 0;
  std::array<std::uint8_t, kWindowBytes> window_{};
};

constexpr std::array<std::uint16_t, 29> kLengths{3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<std::uint8_t, 29> kLengthBits{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                   2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::array<std::uint16_t, 30> kDistances{1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                                   33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                                   1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

bool read_stored(Bits& bits, Content& content) {
  bits.align();
  const std::uint32_t size = bits.take(16), inverted = bits.take(16);
  if (!bits.ok() || size != (~inverted & 0xffff)) return false;
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t byte = bits.take(8);
    if (!bits.ok() || !content.add(static_cast<std::uint8_t>(byte))) return false;
  }
  return true;
}

bool read_codes(Bits& bits, Code& literals, Code& distances) {
  constexpr std::array<std::uint8_t, 19> kOrder{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  const std::uint32_t literal_count = bits.take(5) + 257, distance_count = bits.take(5) + 1;
  const std::uint32_t length_count = bits.take(4) + 4;
  if (literal_count > 286 || distance_count > 30) return false;
  std::array<std::uint8_t, 19> of_lengths{};
  for (std::uint32_t i = 0; i < length_count; ++i) of_lengths[kOrder[i]] = static_cast<std::uint8_t>(bits.take(3));
  Code code;
  if (!bits.ok() || !code.set(of_lengths)) return false;
  std::array<std::uint8_t, 286 + 30> lengths{};
  const std::size_t count = literal_count + distance_count;
  for (std::size_t i = 0; i < count;) {
    const auto symbol = code.read(bits);
    if (!symbol || !bits.ok()) return false;
    if (*symbol < 16) {
      lengths[i++] = static_cast<std::uint8_t>(*symbol);
      continue;
    }
    if (*symbol == 16 && i == 0) return false;
    const std::uint8_t repeated = *symbol == 16 ? lengths[i - 1] : std::uint8_t{0};
    const std::uint32_t times = *symbol == 16 ? 3 + bits.take(2) : *symbol == 17 ? 3 + bits.take(3) : 11 + bits.take(7);
    if (times > count - i) return false;
    std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(i), times, repeated);
    i += times;
  }
  const auto all = std::span<const std::uint8_t>(lengths).first(count);
  return lengths[kEndOfBlock] != 0 && literals.set(all.first(literal_count)) &&
         distances.set(all.subspan(literal_count));
}

bool read_block(Bits& bits, const Code& literals, const Code& distances, Content& content) {
  for (;;) {
    const auto symbol = literals.read(bits);
    if (!symbol || !bits.ok()) return false;
    if (*symbol == kEndOfBlock) return true;
    if (*symbol < kEndOfBlock) {
      if (!content.add(static_cast<std::uint8_t>(*symbol))) return false;
      continue;
    }
    const std::size_t length = *symbol - kEndOfBlock - 1;
    if (length >= kLengths.size()) return false;
    const std::size_t count = kLengths[length] + bits.take(kLengthBits[length]);
    const auto far = distances.read(bits);
    if (!far || *far >= kDistances.size()) return false;
    const std::size_t distance = kDistances[*far] + bits.take(*far < 2 ? 0 : *far / 2 - 1);
    if (!bits.ok() || !content.copy(distance, count)) return false;
  }
}

void set_fixed(Code& literals, Code& distances) {
  std::array<std::uint8_t, 288> lengths{};
  std::fill_n(lengths.begin(), 144, 8);
  std::fill(lengths.begin() + 144, lengths.begin() + 256, 9);
  std::fill(lengths.begin() + 256, lengths.begin() + 280, 7);
  std::fill(lengths.begin() + 280, lengths.end(), 8);
  literals.set(lengths);
  std::array<std::uint8_t, 30> flat{};
  flat.fill(5);
  distances.set(flat);
}

bool read_blocks(Bits& bits, Content& content) {
  for (bool is_last = false; !is_last;) {
    is_last = bits.take(1) != 0;
    const std::uint32_t type = bits.take(2);
    if (!bits.ok() || type > 2) return false;
    if (type == 0) {
      if (!read_stored(bits, content)) return false;
      continue;
    }
    Code literals, distances;
    if (type == 1) set_fixed(literals, distances);
    if (type == 2 && !read_codes(bits, literals, distances)) return false;
    if (!read_block(bits, literals, distances, content)) return false;
  }
  return true;
}

// all: takes the content; null: it is not kept.
Result<void> read_stream(ByteSpan stream, std::uint64_t content_bytes, ByteVector* all) {
  constexpr std::uint32_t kDeflate = 8, kHasDictionary = 0x20;
  Bits bits(stream);
  const std::uint32_t method = bits.take(8), flags = bits.take(8);
  if (!bits.ok() || (method & 0xf) != kDeflate || method >> 4 > 7 || (method << 8 | flags) % 31 != 0 ||
      (flags & kHasDictionary) != 0)
    return fail(ErrorCode::kInvalidData, "is no zlib stream");
  Content content(content_bytes, all);
  if (!read_blocks(bits, content)) {
    return fail(ErrorCode::kInvalidData, "the zlib stream is damaged after " + counted(content.size(), "byte") +
                                             " of content, expected " + std::to_string(content_bytes));
  }
  if (content.size() != content_bytes) {
    return fail(ErrorCode::kInvalidData, "the zlib stream has " + counted(content.size(), "byte") +
                                             " of content, expected " + std::to_string(content_bytes));
  }
  bits.align();
  std::uint32_t checksum = 0;
  for (int i = 0; i < 4; ++i) checksum = checksum << 8 | bits.take(8);
  if (!bits.ok() || checksum != content.checksum())
    return fail(ErrorCode::kInvalidData, "the checksum of the zlib stream is wrong");
  if (!bits.is_at_end()) return fail(ErrorCode::kInvalidData, "bytes follow the end of the zlib stream");
  return {};
}

}  // namespace

Result<void> check_zlib(ByteSpan stream, std::uint64_t content_bytes) {
  return read_stream(stream, content_bytes, nullptr);
}

Result<ByteVector> inflate_zlib(ByteSpan stream, std::uint64_t content_bytes) {
  ByteVector content;
  ASSETC_CHECK(read_stream(stream, content_bytes, &content));
  return content;
}

}  // namespace assetc::compression
