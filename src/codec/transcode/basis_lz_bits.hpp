// The bits and Huffman tables of BasisLZ streams. Internal to its decoder.
// Source: KTX File Format Specification 2.0, BasisLZ/ETC1S Bitstream Specification; RFC 1951, 3.2.2, for the codes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "assetc/base/bytes.hpp"

namespace assetc::codec {

// Reads bits, from the least significant of each byte up. Bits past the end are 0, and is_past_end() is true
// afterwards. Loops are bounded by their counts and check it at their end.
class StreamBits {
 public:
  explicit StreamBits(ByteSpan bytes) : bytes_(bytes) {}

  // Returns the next bits without consuming them. count <= 16.
  std::uint32_t peek(unsigned count) {
    while (held_ < count) {
      const std::uint64_t byte = next_ < bytes_.size() ? std::to_integer<std::uint64_t>(bytes_[next_]) : 0;
      ++next_;
      bits_ |= byte << held_;
      held_ += 8;
    }
    return static_cast<std::uint32_t>(bits_ & ((std::uint64_t{1} << count) - 1));
  }
  // Requires that peek() has returned at least count bits.
  void skip(unsigned count) {
    bits_ >>= count;
    held_ -= count;
    used_ += count;
  }
  std::uint32_t take(unsigned count) {
    const std::uint32_t bits = peek(count);
    skip(count);
    return bits;
  }
  // Reads a number in chunks of chunk_bits. A bit after each chunk is 1 if another chunk follows. False if the number
  // has more than 32 bits.
  bool take_chunks(unsigned chunk_bits, std::uint32_t& value) {
    value = 0;
    for (unsigned at = 0; at < 32; at += chunk_bits) {
      const std::uint32_t chunk = take(chunk_bits + 1);
      value |= (chunk & ((1u << chunk_bits) - 1)) << at;
      if ((chunk >> chunk_bits) == 0) return true;
    }
    return false;
  }
  bool is_past_end() const { return used_ > std::uint64_t{bytes_.size()} * 8; }

 private:
  ByteSpan bytes_;
  std::size_t next_ = 0;
  std::uint64_t bits_ = 0;
  unsigned held_ = 0;
  std::uint64_t used_ = 0;
};

// A canonical Huffman code with lengths of up to 16 bits.
class HuffmanTable {
 public:
  static constexpr unsigned kMaxBits = 16;
  static constexpr std::uint32_t kNone = ~0u;

  // False if the lengths are no code: there are too many codes, or too few and more than one symbol.
  // Requires at most 2^14 symbols and lengths <= kMaxBits.
  bool build(std::span<const std::uint8_t> lengths) {
    std::array<std::uint32_t, kMaxBits + 1> count{};
    for (const std::uint8_t length : lengths) ++count[length];
    const std::size_t used = lengths.size() - count[0];
    count[0] = 0;
    std::uint32_t code = 0, first_symbol = 0;
    for (unsigned bits = 1; bits <= kMaxBits; ++bits) {
      code = (code + count[bits - 1]) << 1;
      if (code + count[bits] > 1u << bits) return false;
      first_code_[bits] = code;
      first_symbol_[bits] = first_symbol;
      count_[bits] = count[bits];
      first_symbol += count[bits];
    }
    if (used > 1 && code + count[kMaxBits] != 1u << kMaxBits) return false;
    symbols_.resize(used);
    std::array<std::uint32_t, kMaxBits + 1> next = first_symbol_;
    for (std::size_t s = 0; s < lengths.size(); ++s) {
      if (lengths[s] != 0) symbols_[next[lengths[s]]++] = static_cast<std::uint16_t>(s);
    }
    build_short();
    return true;
  }

  // Reads the next symbol. kNone if the bits are no code.
  std::uint32_t read(StreamBits& bits) const {
    const Short found = short_[bits.peek(kShortBits)];
    if (found.bits != 0) {
      bits.skip(found.bits);
      return found.symbol;
    }
    const std::uint32_t all = bits.peek(kMaxBits);
    std::uint32_t code = 0;
    for (unsigned length = 1; length <= kMaxBits; ++length) {
      code = code << 1 | (all >> (length - 1) & 1);
      if (code - first_code_[length] < count_[length] && code >= first_code_[length]) {
        bits.skip(length);
        return symbols_[first_symbol_[length] + (code - first_code_[length])];
      }
    }
    return kNone;
  }

 private:
  static constexpr unsigned kShortBits = 10;
  struct Short {
    std::uint16_t symbol = 0;
    std::uint8_t bits = 0;  // 0: the bits begin a longer code, or none
  };

  void build_short() {
    for (unsigned length = 1; length <= kShortBits; ++length) {
      for (std::uint32_t i = 0; i < count_[length]; ++i) {
        std::uint32_t reversed = 0;
        for (unsigned b = 0; b < length; ++b) reversed |= ((first_code_[length] + i) >> b & 1) << (length - 1 - b);
        const Short entry{symbols_[first_symbol_[length] + i], static_cast<std::uint8_t>(length)};
        for (std::uint32_t at = reversed; at < short_.size(); at += 1u << length) short_[at] = entry;
      }
    }
  }

  std::array<std::uint32_t, kMaxBits + 1> first_code_{}, first_symbol_{}, count_{};
  std::vector<std::uint16_t> symbols_;  // by length, then by number
  std::array<Short, 1u << kShortBits> short_{};
};

}  // namespace assetc::codec
