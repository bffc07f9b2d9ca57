#include "compression/encode.hpp"

#include <zdict.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <vector>

namespace assetc::compression {
namespace {

constexpr int kDictionaryLevel = 19, kPatchLevel = 9;
// The window of a frame that refers to earlier bytes. A larger window makes the index of the earlier bytes less exact.
constexpr int kMaxPatchWindowLog = 30;

// Zstd reports by a return value that memory ran out. Without exceptions, as in WebAssembly, this ends the program, as
// operator new does there.
[[noreturn]] void out_of_memory() {
#ifdef __cpp_exceptions
  throw std::bad_alloc();
#else
  std::abort();
#endif
}

using Encoder = std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)>;

// At the levels of bundles and stores, an encoder takes a few MiB, so each thread keeps one.
ZSTD_CCtx* encoder() {
  thread_local const Encoder context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (!context) out_of_memory();
  ZSTD_CCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
  return context.get();
}

// The parameters are valid and the output is large enough, so an error means that memory ran out.
std::size_t must(std::size_t result) {
  if (ZSTD_isError(result)) out_of_memory();
  return result;
}

ByteVector frame_of(ZSTD_CCtx* context, ByteSpan content) {
  ByteVector out(ZSTD_compressBound(content.size()) + sizeof(std::uint32_t));  // a checksum may follow
  out.resize(must(ZSTD_compress2(context, out.data(), out.size(), content.data(), content.size())));
  return out;
}

}  // namespace

const char* zstd_version() { return ZSTD_versionString(); }

Result<Dictionary> Dictionary::open(Bytes bytes) {
  Dictionary dictionary;
  ASSETC_TRY(dictionary.decoder_, DecodeDictionary::open(bytes));
  dictionary.encoder_ =
      std::shared_ptr<const ZSTD_CDict>(ZSTD_createCDict(bytes.data(), bytes.size(), kDictionaryLevel),
                                        [](const ZSTD_CDict* d) { ZSTD_freeCDict(const_cast<ZSTD_CDict*>(d)); });
  if (!dictionary.encoder_) out_of_memory();
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

ByteVector deflate(ByteSpan content, const FrameOptions& options) {
  // At level 22, an encoder takes over 100 MiB, which no thread should keep.
  const Encoder context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (!context) out_of_memory();
  must(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, options.level));
  must(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, options.checksum ? 1 : 0));
  ByteVector out = frame_of(context.get(), content);
  out.shrink_to_fit();
  return out;
}

std::optional<ByteVector> deflate_if_smaller(ByteSpan content, const FrameOptions& options,
                                             const Dictionary* dictionary) {
  ZSTD_CCtx* const context = encoder();
  must(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, options.checksum ? 1 : 0));
  if (dictionary != nullptr) {
    must(ZSTD_CCtx_refCDict(context, static_cast<const ZSTD_CDict*>(dictionary->encoder())));
    must(ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0));  // a bundle has one dictionary
  } else {
    must(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, options.level));
  }
  ByteVector out = frame_of(context, content);
  if (out.size() >= content.size()) return std::nullopt;
  out.shrink_to_fit();
  return out;
}

ByteVector deflate_after(ByteSpan before, ByteSpan content) {
  ZSTD_CCtx* const context = encoder();
  const int window_log =
      std::clamp(static_cast<int>(std::bit_width(before.size() + content.size())), 10, kMaxPatchWindowLog);
  must(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, kPatchLevel));
  must(ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log));
  must(ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1));
  must(ZSTD_CCtx_refPrefix(context, before.data(), before.size()));
  return frame_of(context, content);
}

}  // namespace assetc::compression
