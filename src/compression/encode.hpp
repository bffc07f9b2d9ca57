// Writes Zstd frames. One libzstd version writes the same bytes for the same input.
#pragma once

#include <optional>

#include "compression/decode.hpp"

namespace assetc::compression {

// Returns the version of the linked libzstd, "1.5.4". Compressed bytes depend on it.
const char* zstd_version();

// A trained dictionary, prepared for encoding and decoding. Thread safety: const.
class Dictionary {
 public:
  // Errors: kInvalidData if bytes are not a dictionary.
  static Result<Dictionary> open(Bytes bytes);
  // Trains a dictionary of at most max_bytes; nothing if the samples are too few or too different.
  static std::optional<Dictionary> train(std::span<const Bytes> samples, std::size_t max_bytes);

  ByteSpan bytes() const { return bytes_; }
  const void* encoder() const { return encoder_.get(); }
  const DecodeDictionary& decoder() const { return decoder_; }

 private:
  Bytes bytes_;
  std::shared_ptr<const void> encoder_;
  DecodeDictionary decoder_;
};

struct FrameOptions {
  int level = 15;         // 1 to 22; with a dictionary, its level is used instead
  bool checksum = false;  // adds 4 bytes, with which the decoder detects a flipped bit
};

// Returns one frame that contains its content size.
ByteVector deflate(ByteSpan content, const FrameOptions& options);
// Returns one frame, or nothing if it would not be smaller than content. dictionary may be null.
std::optional<ByteVector> deflate_if_smaller(ByteSpan content, const FrameOptions& options,
                                             const Dictionary* dictionary = nullptr);
// Returns one frame that may refer to `before`. Its reader must have the same bytes.
ByteVector deflate_after(ByteSpan before, ByteSpan content);

}  // namespace assetc::compression
