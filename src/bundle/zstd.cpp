#include "bundle/zstd.hpp"

#include <zdict.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <new>
#include <string>
#include <vector>

#include "base/content_stream.hpp"
#include "base/plural.hpp"

namespace assetc::bundle {
namespace {

constexpr int kLevel = 15, kDictionaryLevel = 19, kRecipeLevel = 9;
// Windows of recipes: an index that is larger finds less of the old one.
constexpr int kMaxWindowLog = 30;

using Encoder = std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)>;
using Decoder = std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)>;

// Contexts are large: each thread keeps one.
ZSTD_CCtx* encoder() {
  thread_local const Encoder context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (!context) throw std::bad_alloc();
  ZSTD_CCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
  return context.get();
}
ZSTD_DCtx* decoder() {
  thread_local const Decoder context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (!context) throw std::bad_alloc();
  ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
  return context.get();
}

// Where libzstd fails at what it can do, memory ran out.
std::size_t must(std::size_t result) {
  if (ZSTD_isError(result)) throw std::bad_alloc();
  return result;
}

std::unexpected<Error> unreadable(std::size_t result) {
  return fail(ErrorCode::kInvalidData, std::string("found bytes that Zstd cannot read: ") + ZSTD_getErrorName(result),
              "the file is damaged; write it again");
}

Result<ByteVector> expect_size(ByteVector out, std::size_t result) {
  if (ZSTD_isError(result)) return unreadable(result);
  if (result != out.size())
    return fail(ErrorCode::kInvalidData,
                "found " + counted(result, "byte") + ", expected " + std::to_string(out.size()),
                "the file is damaged; write it again");
  return out;
}

}  // namespace

Result<Dictionary> Dictionary::open(Bytes bytes) {
  if (ZDICT_getDictID(bytes.data(), bytes.size()) == 0)
    return fail(ErrorCode::kInvalidData, "found a dictionary that Zstd cannot read",
                "the file is damaged; write it again");
  Dictionary dictionary;
  dictionary.encoder_ =
      std::shared_ptr<const ZSTD_CDict>(ZSTD_createCDict(bytes.data(), bytes.size(), kDictionaryLevel),
                                        [](const ZSTD_CDict* d) { ZSTD_freeCDict(const_cast<ZSTD_CDict*>(d)); });
  dictionary.decoder_ =
      std::shared_ptr<const ZSTD_DDict>(ZSTD_createDDict(bytes.data(), bytes.size()),
                                        [](const ZSTD_DDict* d) { ZSTD_freeDDict(const_cast<ZSTD_DDict*>(d)); });
  if (!dictionary.encoder_ || !dictionary.decoder_)
    return fail(ErrorCode::kInvalidData, "found a dictionary that Zstd cannot read",
                "the file is damaged; write it again");
  dictionary.bytes_ = std::move(bytes);
  return dictionary;
}

std::optional<Dictionary> Dictionary::train(std::span<const Bytes> samples, std::size_t max_bytes) {
  ByteVector joined;
  std::vector<std::size_t> sizes;
  for (const Bytes& sample : samples) {
    append_bytes(joined, sample);
    sizes.push_back(sample.size());
  }
  ByteVector out(max_bytes);
  const std::size_t size =
      ZDICT_trainFromBuffer(out.data(), out.size(), joined.data(), sizes.data(), static_cast<unsigned>(sizes.size()));
  if (ZDICT_isError(size)) return std::nullopt;
  out.resize(size);
  auto opened = open(Bytes(std::move(out)));
  if (!opened) return std::nullopt;
  return std::move(*opened);
}

namespace {

std::optional<ByteVector> smaller_frame(ZSTD_CCtx* context, ByteSpan content) {
  ByteVector out(ZSTD_compressBound(content.size()));
  out.resize(must(ZSTD_compress2(context, out.data(), out.size(), content.data(), content.size())));
  if (out.size() >= content.size()) return std::nullopt;
  out.shrink_to_fit();
  return out;
}

}  // namespace

std::optional<ByteVector> deflate(ByteSpan content, const Dictionary* dictionary) {
  ZSTD_CCtx* const context = encoder();
  if (dictionary != nullptr) {
    must(ZSTD_CCtx_refCDict(context, static_cast<const ZSTD_CDict*>(dictionary->encoder())));
    must(ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0));  // there is one dictionary
  } else {
    must(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, kLevel));
  }
  return smaller_frame(context, content);
}

std::optional<ByteVector> deflate_fast(ByteSpan content) {
  ZSTD_CCtx* const context = encoder();
  must(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1));
  return smaller_frame(context, content);
}

std::optional<std::uint64_t> content_size(ByteSpan frame) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) return std::nullopt;
  return size;
}

Result<ContentHash> inflated_hash(ByteSpan frame) {
  ZSTD_DCtx* const context = decoder();
  ByteVector part(ZSTD_DStreamOutSize());
  ContentStream hash;
  ZSTD_inBuffer in{frame.data(), frame.size(), 0};
  for (std::size_t left = 1; left != 0;) {
    ZSTD_outBuffer out{part.data(), part.size(), 0};
    const bool had_all = in.pos == in.size;
    left = ZSTD_decompressStream(context, &out, &in);
    if (ZSTD_isError(left)) return unreadable(left);
    hash.add(ByteSpan(part).first(out.pos));
    if (left != 0 && had_all && out.pos == 0)
      return fail(ErrorCode::kTruncated, "found " + counted(frame.size(), "byte") + " of a frame that goes on",
                  "the file is damaged; write it again");
  }
  if (in.pos != in.size)
    return fail(ErrorCode::kInvalidData, "found " + counted(in.size - in.pos, "byte") + " behind the end of a frame",
                "the file is damaged; write it again");
  return hash.finish();
}

Result<ByteVector> inflate(ByteSpan frame, std::uint64_t size_bytes, const Dictionary* dictionary) {
  ByteVector out(size_bytes);
  ZSTD_DCtx* const context = decoder();
  if (dictionary != nullptr) must(ZSTD_DCtx_refDDict(context, static_cast<const ZSTD_DDict*>(dictionary->decoder())));
  const std::size_t result = ZSTD_decompressDCtx(context, out.data(), out.size(), frame.data(), frame.size());
  return expect_size(std::move(out), result);
}

ByteVector deflate_after(ByteSpan before, ByteSpan content) {
  ZSTD_CCtx* const context = encoder();
  const int window_log =
      std::clamp(static_cast<int>(std::bit_width(before.size() + content.size())), 10, kMaxWindowLog);
  must(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, kRecipeLevel));
  must(ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log));
  must(ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1));
  must(ZSTD_CCtx_refPrefix(context, before.data(), before.size()));
  ByteVector out(ZSTD_compressBound(content.size()));
  out.resize(must(ZSTD_compress2(context, out.data(), out.size(), content.data(), content.size())));
  return out;
}

Result<ByteVector> inflate_after(ByteSpan before, ByteSpan frame, std::uint64_t size_bytes) {
  ByteVector out(size_bytes);
  ZSTD_DCtx* const context = decoder();
  must(ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, kMaxWindowLog + 1));
  must(ZSTD_DCtx_refPrefix(context, before.data(), before.size()));
  const std::size_t result = ZSTD_decompressDCtx(context, out.data(), out.size(), frame.data(), frame.size());
  return expect_size(std::move(out), result);
}

}  // namespace assetc::bundle
