// Bytes at the alignment that an in-place view asks for.
#pragma once

#include <vector>

#include "assetc/base/bytes.hpp"

namespace assetc::importer {

// The same bytes at a multiple of 16, copied only where they are not. Must outlive what points into span(); holds a
// copy or a view of `bytes`, which must outlive it.
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
