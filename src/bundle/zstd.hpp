// Zstd as bundles use it: blocks with and without a dictionary, one frame after another's bytes.
#pragma once

#include <memory>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"

namespace assetc::bundle {

// A trained dictionary, ready for many blocks. Thread safety: const.
class Dictionary {
 public:
  // Errors: kInvalidData for bytes that are none.
  static Result<Dictionary> open(Bytes bytes);
  // Of at most max_bytes, or nothing where the samples are too few or too much apart.
  static std::optional<Dictionary> train(std::span<const Bytes> samples, std::size_t max_bytes);

  ByteSpan bytes() const { return bytes_; }
  const void* encoder() const { return encoder_.get(); }
  const void* decoder() const { return decoder_.get(); }

 private:
  Bytes bytes_;
  std::shared_ptr<const void> encoder_, decoder_;
};

// One frame; nothing where it would not be smaller than content. dictionary may be null. The same bytes for the same
// libzstd.
std::optional<ByteVector> deflate(ByteSpan content, const Dictionary* dictionary);
// The same without a dictionary, as fast as Zstd goes.
std::optional<ByteVector> deflate_fast(ByteSpan content);
// What a frame of these says is in it; nothing for bytes that are none.
std::optional<std::uint64_t> content_size(ByteSpan frame);
// content_hash() of what is in a frame, without holding it. Errors: kInvalidData.
Result<ContentHash> inflated_hash(ByteSpan frame);
// The content of a frame, which must be of this size. Errors: kInvalidData.
Result<ByteVector> inflate(ByteSpan frame, std::uint64_t size_bytes, const Dictionary* dictionary);

// A frame that may refer to `before`, which whoever reads it has.
ByteVector deflate_after(ByteSpan before, ByteSpan content);
Result<ByteVector> inflate_after(ByteSpan before, ByteSpan frame, std::uint64_t size_bytes);

}  // namespace assetc::bundle
