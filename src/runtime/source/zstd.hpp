// Frames of bundles, with and without a dictionary.
#pragma once

#include <memory>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::runtime {

// A bundle's dictionary, ready for many frames. Thread safety: const.
class Dictionary {
 public:
  // Errors: kInvalidData for bytes that are none.
  static Result<Dictionary> open(ByteSpan bytes);
  const void* get() const { return decoder_.get(); }

 private:
  std::shared_ptr<const void> decoder_;
};

// Inflates a frame into out, which must be of its content's size. dictionary may be null. Errors: kInvalidData.
Result<void> inflate_frame(ByteSpan frame, std::span<std::byte> out, const Dictionary* dictionary);
// The content of a frame that may refer to `before`.
Result<ByteVector> inflate_after(ByteSpan before, ByteSpan frame, std::uint64_t size_bytes);

}  // namespace assetc::runtime
