#include "compression/decode.hpp"

#include <zdict.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/content_stream.hpp"
#include "base/plural.hpp"

namespace assetc::compression {
namespace {

// The encoder never uses a larger window for a frame that refers to earlier bytes.
constexpr int kMaxWindowLog = 31;
constexpr const char* kHint = "the file is damaged; write it again";

using Decoder = std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)>;

// One for each call, because a frame may require a window of 128 MiB, which no thread should keep.
Decoder make_decoder() { return {ZSTD_createDCtx(), ZSTD_freeDCtx}; }
std::unexpected<FrameFault> no_memory() {
  return std::unexpected(FrameFault{.reason = ZSTD_getErrorString(ZSTD_error_memory_allocation)});
}

FrameFault damaged(std::size_t result) { return {.reason = ZSTD_getErrorName(result)}; }

FrameResult<void> check_size(std::size_t result, std::size_t expected) {
  if (ZSTD_getErrorCode(result) == ZSTD_error_dstSize_tooSmall)
    return std::unexpected(FrameFault{.kind = FrameFault::Kind::kLarger, .reason = ZSTD_getErrorName(result)});
  if (ZSTD_isError(result)) return std::unexpected(damaged(result));
  if (result != expected)
    return std::unexpected(FrameFault{.kind = FrameFault::Kind::kSmaller, .content_bytes = result});
  return {};
}

std::unexpected<Error> unreadable(std::string what) { return fail(ErrorCode::kInvalidData, std::move(what), kHint); }

}  // namespace

Error FrameFault::to_error(std::uint64_t expected_bytes) const {
  Error error{ErrorCode::kInvalidData, {}, {}, {}, kHint};
  switch (kind) {
    case Kind::kDamaged:
    case Kind::kLarger:
      error.what = "found bytes that Zstd cannot read: " + reason;
      break;
    case Kind::kSmaller:
      error.what = "found " + counted(content_bytes, "byte") + ", expected " + std::to_string(expected_bytes);
      break;
    case Kind::kTruncated:
      error.code = ErrorCode::kTruncated;
      error.what = "found " + counted(content_bytes, "byte") + " of an incomplete frame";
      break;
    case Kind::kTrailing:
      error.what = "found " + counted(content_bytes, "byte") + " after the end of a frame";
      break;
  }
  return error;
}

Result<DecodeDictionary> DecodeDictionary::open(ByteSpan bytes) {
  DecodeDictionary dictionary;
  if (ZDICT_getDictID(bytes.data(), bytes.size()) != 0) {
    dictionary.decoder_ =
        std::shared_ptr<const ZSTD_DDict>(ZSTD_createDDict(bytes.data(), bytes.size()),
                                          [](const ZSTD_DDict* d) { ZSTD_freeDDict(const_cast<ZSTD_DDict*>(d)); });
  }
  if (!dictionary.decoder_) return unreadable("found a dictionary that Zstd cannot read");
  return dictionary;
}

std::optional<std::uint64_t> content_size(ByteSpan frame) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) return std::nullopt;
  return size;
}

FrameResult<void> inflate_into(ByteSpan frame, std::span<std::byte> out, const DecodeDictionary* dictionary) {
  const Decoder context = make_decoder();
  if (!context) return no_memory();
  if (dictionary != nullptr) ZSTD_DCtx_refDDict(context.get(), static_cast<const ZSTD_DDict*>(dictionary->get()));
  return check_size(ZSTD_decompressDCtx(context.get(), out.data(), out.size(), frame.data(), frame.size()), out.size());
}

Result<ByteVector> inflate(ByteSpan frame, std::uint64_t size_bytes, const DecodeDictionary* dictionary) {
  ByteVector out(static_cast<std::size_t>(size_bytes));
  const FrameResult<void> done = inflate_into(frame, out, dictionary);
  if (!done) return std::unexpected(done.error().to_error(size_bytes));
  return out;
}

Result<ByteVector> inflate_after(ByteSpan before, ByteSpan frame, std::uint64_t size_bytes) {
  ByteVector out(static_cast<std::size_t>(size_bytes));
  const Decoder context = make_decoder();
  if (!context) return std::unexpected(no_memory().error().to_error(size_bytes));
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kMaxWindowLog);
  ZSTD_DCtx_refPrefix(context.get(), before.data(), before.size());
  const FrameResult<void> done =
      check_size(ZSTD_decompressDCtx(context.get(), out.data(), out.size(), frame.data(), frame.size()), out.size());
  if (!done) return std::unexpected(done.error().to_error(size_bytes));
  return out;
}

FrameResult<std::uint64_t> inflate_pieces(ByteSpan frame, const std::function<bool(ByteSpan)>& take) {
  const Decoder context = make_decoder();
  if (!context) return no_memory();
  const std::size_t piece_bytes = ZSTD_DStreamOutSize();
  const auto piece = std::make_unique_for_overwrite<std::byte[]>(piece_bytes);
  ZSTD_inBuffer in{frame.data(), frame.size(), 0};
  std::uint64_t total = 0;
  for (std::size_t left = 1; left != 0;) {
    ZSTD_outBuffer out{piece.get(), piece_bytes, 0};
    const std::size_t taken = in.pos;
    left = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(left)) return std::unexpected(damaged(left));
    total += out.pos;
    if (!take({piece.get(), out.pos})) return std::unexpected(FrameFault{.kind = FrameFault::Kind::kLarger});
    // Each call takes bytes or gives bytes, unless the frame ends early.
    if (left != 0 && out.pos == 0 && in.pos == taken)
      return std::unexpected(FrameFault{.kind = FrameFault::Kind::kTruncated,
                                        .reason = ZSTD_getErrorString(ZSTD_error_srcSize_wrong),
                                        .content_bytes = frame.size()});
  }
  if (in.pos != in.size)
    return std::unexpected(FrameFault{.kind = FrameFault::Kind::kTrailing, .content_bytes = in.size - in.pos});
  return total;
}

std::optional<ContentHash> inflated_hash(ByteSpan frame) {
  ContentStream hash;
  const auto size = inflate_pieces(frame, [&](ByteSpan piece) {
    hash.add(piece);
    return true;
  });
  if (!size) return std::nullopt;
  return hash.finish();
}

}  // namespace assetc::compression
