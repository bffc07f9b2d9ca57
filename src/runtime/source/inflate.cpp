#include "assetc/runtime/inflate.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "base/plural.hpp"
#include "runtime/source/inflate_stored.hpp"

namespace assetc::runtime {
namespace {

using ktx2::Supercompression;

constexpr const char* kHint = "write the texture again";

std::string place(std::size_t level) { return "level " + std::to_string(level); }

std::unexpected<Error> damaged(std::size_t level, std::size_t zstd_error) {
  return fail_at(ErrorCode::kInvalidData, place(level),
                 std::string("damaged Zstd frame: ") + ZSTD_getErrorName(zstd_error), kHint);
}
std::unexpected<Error> wrong_size(std::size_t level, const std::string& found, std::uint64_t expected) {
  return fail_at(ErrorCode::kInvalidData, place(level),
                 "inflates to " + found + ", expected " + std::to_string(expected), kHint);
}

}  // namespace

Result<std::uint64_t> inflated_size_bytes(const ktx2::View& texture, std::size_t level) {
  // Zstd says at most some 2^17 bytes in four, a block of one repeated byte.
  constexpr std::uint64_t kMaxRatio = 1u << 16;
  const Supercompression scheme = texture.supercompression();
  if (level >= texture.levels().size()) {
    return fail_at(ErrorCode::kUsage, place(level), "the texture has " + plural(texture.levels().size(), "level"));
  }
  const ktx2::Level& stored = texture.levels()[level];
  if (scheme == Supercompression::kNone) return stored.size_bytes;
  if (scheme != Supercompression::kZstd) {
    return fail_at(ErrorCode::kUnsupported, place(level),
                   "supercompression " + std::string(to_string(scheme)) + ", expected none or Zstd",
                   "write the texture as UASTC");
  }
  if (stored.uncompressed_size_bytes / kMaxRatio > stored.size_bytes)
    return fail_at(ErrorCode::kInvalidData, place(level), "a Zstd frame too short for its content", kHint);
  return stored.uncompressed_size_bytes;
}

Result<void> inflate_level(const ktx2::View& texture, std::size_t level, std::span<std::byte> out) {
  const bool is_there = level < texture.levels().size();
  return inflate_stored(texture, level, is_there ? texture.levels()[level].bytes : ByteSpan{}, out);
}

Result<void> inflate_stored(const ktx2::View& texture, std::size_t level, ByteSpan stored, std::span<std::byte> out) {
  ASSETC_TRY(const std::uint64_t expected, inflated_size_bytes(texture, level));
  if (out.size() != expected) {
    return fail_at(ErrorCode::kUsage, place(level),
                   "asked for " + counted(out.size(), "byte") + ", the level has " + std::to_string(expected));
  }
  if (texture.supercompression() == Supercompression::kNone) {
    if (!stored.empty()) std::memcpy(out.data(), stored.data(), stored.size());
    return {};
  }
  const std::size_t size = ZSTD_decompress(out.data(), out.size(), stored.data(), stored.size());
  if (ZSTD_getErrorCode(size) == ZSTD_error_dstSize_tooSmall)
    return wrong_size(level, "more than " + counted(expected, "byte"), expected);
  if (ZSTD_isError(size)) return damaged(level, size);
  if (size != expected) return wrong_size(level, counted(size, "byte"), expected);
  return {};
}

Result<void> check_level(const ktx2::View& texture, std::size_t level) {
  ASSETC_TRY(const std::uint64_t expected, inflated_size_bytes(texture, level));
  if (texture.supercompression() == Supercompression::kNone) return {};
  const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
  const std::size_t buffer_size = ZSTD_DStreamOutSize();
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(buffer_size);
  const ByteSpan stored = texture.levels()[level].bytes;
  ZSTD_inBuffer in{stored.data(), stored.size(), 0};
  std::uint64_t total = 0;
  // 0 at the end of a frame; every other call takes bytes, gives bytes or has nothing left to take.
  std::size_t left = 1;
  while (true) {
    ZSTD_outBuffer out{buffer.get(), buffer_size, 0};
    const std::size_t taken = in.pos;
    if (left == 0 && taken == in.size) break;
    left = ZSTD_decompressStream(stream.get(), &out, &in);
    if (ZSTD_isError(left)) return damaged(level, left);
    total += out.pos;
    if (total > expected) return wrong_size(level, "more than " + counted(expected, "byte"), expected);
    if (left != 0 && out.pos == 0 && in.pos == taken) break;
  }
  if (left != 0) return damaged(level, static_cast<std::size_t>(-ZSTD_error_srcSize_wrong));
  if (total != expected) return wrong_size(level, counted(total, "byte"), expected);
  return {};
}

}  // namespace assetc::runtime
