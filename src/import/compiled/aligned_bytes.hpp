// Bytes with the alignment that an in-place view requires.
#pragma once

#include <vector>

#include "assetc/base/bytes.hpp"

namespace assetc::importer {

// The same bytes at an address that is a multiple of 16. They are copied only if `bytes` is not aligned. `bytes` must
// outlive this object, and this object must outlive all pointers into span().
class AlignedBytes {
 public:
  static constexpr std::size_t kAlignment = 16;

  explicit AlignedBytes(const Bytes& bytes) : span_(bytes) {
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % kAlignment == 0) return;
    copy_.resize((bytes.size() + sizeof(Block) - 1) / sizeof(Block));
    std::memcpy(copy_.data(), bytes.data(), bytes.size());
    span_ = std::as_bytes(std::span(copy_)).first(bytes.size());
  }
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;

  ByteSpan span() const { return span_; }

 private:
  struct alignas(kAlignment) Block {
    std::byte bytes[kAlignment];
  };
  std::vector<Block> copy_;
  ByteSpan span_;
};

}  // namespace assetc::importer
