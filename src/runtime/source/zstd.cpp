#include "runtime/source/zstd.hpp"

#include <zdict.h>
#include <zstd.h>

#include <string>

#include "base/plural.hpp"
#include "formats/reader.hpp"

namespace assetc::runtime {
namespace {

// What patches are written with: assetc never asks for a larger window.
constexpr int kMaxWindowLog = 31;

using Decoder = std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)>;
Decoder make_decoder() { return {ZSTD_createDCtx(), ZSTD_freeDCtx}; }

std::unexpected<Error> unreadable(const std::string& what) {
  return fail(ErrorCode::kInvalidData, what, formats::kDamagedHint);
}

Result<void> expect_size(std::size_t result, std::size_t expected) {
  if (ZSTD_isError(result))
    return unreadable(std::string("found bytes that Zstd cannot read: ") + ZSTD_getErrorName(result));
  if (result != expected)
    return unreadable("found " + counted(result, "byte") + ", expected " + std::to_string(expected));
  return {};
}

}  // namespace

Result<Dictionary> Dictionary::open(ByteSpan bytes) {
  Dictionary dictionary;
  if (ZDICT_getDictID(bytes.data(), bytes.size()) != 0) {
    dictionary.decoder_ =
        std::shared_ptr<const ZSTD_DDict>(ZSTD_createDDict(bytes.data(), bytes.size()),
                                          [](const ZSTD_DDict* d) { ZSTD_freeDDict(const_cast<ZSTD_DDict*>(d)); });
  }
  if (!dictionary.decoder_) return unreadable("found a dictionary that Zstd cannot read");
  return dictionary;
}

Result<void> inflate_frame(ByteSpan frame, std::span<std::byte> out, const Dictionary* dictionary) {
  const Decoder decoder = make_decoder();
  if (dictionary != nullptr) {
    const auto* decoded = static_cast<const ZSTD_DDict*>(dictionary->get());
    return expect_size(
        ZSTD_decompress_usingDDict(decoder.get(), out.data(), out.size(), frame.data(), frame.size(), decoded),
        out.size());
  }
  return expect_size(ZSTD_decompressDCtx(decoder.get(), out.data(), out.size(), frame.data(), frame.size()),
                     out.size());
}

Result<ByteVector> inflate_after(ByteSpan before, ByteSpan frame, std::uint64_t size_bytes) {
  const Decoder decoder = make_decoder();
  ByteVector out(static_cast<std::size_t>(size_bytes));
  ZSTD_DCtx_setParameter(decoder.get(), ZSTD_d_windowLogMax, kMaxWindowLog);
  ZSTD_DCtx_refPrefix(decoder.get(), before.data(), before.size());
  ASSETC_CHECK(
      expect_size(ZSTD_decompressDCtx(decoder.get(), out.data(), out.size(), frame.data(), frame.size()), out.size()));
  return out;
}

}  // namespace assetc::runtime
