// Reads Zstd frames.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"

namespace assetc::compression {

// A trained dictionary, prepared for decoding many frames. Thread safety: const.
class DecodeDictionary {
 public:
  // The dictionary does not keep bytes. Errors: kInvalidData if bytes are not a dictionary.
  static Result<DecodeDictionary> open(ByteSpan bytes);
  const void* get() const { return decoder_.get(); }

 private:
  std::shared_ptr<const void> decoder_;
};

// Why a frame cannot be decoded.
struct FrameFault {
  enum class Kind : std::uint8_t {
    kDamaged,    // the decoder refuses the bytes; reason has the cause
    kLarger,     // the content is larger than expected
    kSmaller,    // the content has content_bytes
    kTruncated,  // the frame ends early
    kTrailing,   // content_bytes follow the end of the frame
  };
  Kind kind = Kind::kDamaged;
  std::string reason = {};
  std::uint64_t content_bytes = 0;

  // The fault as a kInvalidData error. expected_bytes: of the content.
  Error to_error(std::uint64_t expected_bytes) const;
};
template <class T>
using FrameResult = std::expected<T, FrameFault>;

// Returns the content size from the header of a frame, in bytes. Returns nothing if bytes are not a frame, or the
// header has no size.
std::optional<std::uint64_t> content_size(ByteSpan frame);

// Decodes a frame into out, whose size must be that of the content. dictionary may be null.
FrameResult<void> inflate_into(ByteSpan frame, std::span<std::byte> out, const DecodeDictionary* dictionary = nullptr);
// Decodes a frame of size_bytes of content. The caller bounds size_bytes. dictionary may be null. Errors: kInvalidData.
Result<ByteVector> inflate(ByteSpan frame, std::uint64_t size_bytes, const DecodeDictionary* dictionary = nullptr);
// Decodes a frame that may refer to `before`. The caller bounds size_bytes. Errors: kInvalidData.
Result<ByteVector> inflate_after(ByteSpan before, ByteSpan frame, std::uint64_t size_bytes);

// Decodes a frame piece by piece and returns the size of its content in bytes. take receives each piece in order. It
// may return false to stop, which gives kLarger.
FrameResult<std::uint64_t> inflate_pieces(ByteSpan frame, const std::function<bool(ByteSpan)>& take);
// Returns the content_hash() of a frame's content without keeping it in memory; nothing if the frame is damaged.
std::optional<ContentHash> inflated_hash(ByteSpan frame);

}  // namespace assetc::compression
