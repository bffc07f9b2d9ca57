// Writes the bits and Huffman tables of BasisLZ streams. Internal to its encoder; codec/transcode/basis_lz_bits.hpp
// reads them.
// Source: KTX File Format Specification 2.0, BasisLZ/ETC1S Bitstream Specification; RFC 1951, 3.2.2, for the codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"

namespace assetc::codec {

// Writes bits, from the least significant of each byte up.
class StreamWriter {
 public:
  // Requires count <= 32 and value < 2^count.
  void put(std::uint32_t value, unsigned count) {
    bits_ |= std::uint64_t{value} << held_;
    for (held_ += count; held_ >= 8; held_ -= 8, bits_ >>= 8) bytes_.push_back(static_cast<std::byte>(bits_));
  }
  // Writes a number in chunks of chunk_bits. A bit after each chunk is 1 if another chunk follows.
  void put_chunks(std::uint32_t value, unsigned chunk_bits) {
    for (;;) {
      const std::uint32_t chunk = value & ((1u << chunk_bits) - 1);
      value >>= chunk_bits;
      put(chunk | (value != 0 ? 1u << chunk_bits : 0), chunk_bits + 1);
      if (value == 0) return;
    }
  }
  // The bytes so far; the last one is filled with zeros.
  ByteVector finish() {
    if (held_ != 0) put(0, 8 - held_);
    return std::move(bytes_);
  }

 private:
  ByteVector bytes_;
  std::uint64_t bits_ = 0;
  unsigned held_ = 0;
};

// A canonical Huffman code of limited length.
class HuffmanCode {
 public:
  static constexpr unsigned kMaxBits = 16;

  // Builds a code from the number of times that each symbol is written. If none is, symbol 0 gets a code, because
  // readers refuse a table without one.
  // Requires 1 to 16383 symbols, and at most 2^max_bits of them used.
  explicit HuffmanCode(std::vector<std::uint32_t> counts, unsigned max_bits = kMaxBits);

  // Requires that the symbol had a count.
  void put(StreamWriter& bits, std::uint32_t symbol) const { bits.put(codes_[symbol], lengths_[symbol]); }
  // Bits of a symbol; 0 if it has no code.
  unsigned length(std::uint32_t symbol) const { return lengths_[symbol]; }
  // Writes the code lengths, which are coded themselves.
  void put_table(StreamWriter& bits) const;

 private:
  std::vector<std::uint8_t> lengths_;
  std::vector<std::uint16_t> codes_;  // with the first bit lowest
};

}  // namespace assetc::codec
