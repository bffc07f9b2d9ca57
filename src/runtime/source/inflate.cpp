#include "assetc/runtime/inflate.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/plural.hpp"
#include "compression/decode.hpp"
#include "runtime/source/basis_level.hpp"
#include "runtime/source/inflate_stored.hpp"

namespace assetc::runtime {
namespace {

using compression::FrameFault;
using ktx2::Supercompression;

constexpr const char* kHint = "write the texture again";

std::string place(std::size_t level) { return "level " + std::to_string(level); }

std::unexpected<Error> damaged(std::size_t level, const FrameFault& fault) {
  return fail_at(ErrorCode::kInvalidData, place(level), "damaged Zstd frame: " + fault.reason, kHint);
}
std::unexpected<Error> wrong_size(std::size_t level, const std::string& found, std::uint64_t expected) {
  return fail_at(ErrorCode::kInvalidData, place(level),
                 "inflates to " + found + ", expected " + std::to_string(expected), kHint);
}

}  // namespace

Result<std::uint64_t> inflated_size_bytes(const ktx2::View& texture, std::size_t level) {
  // The best case of Zstd is about 2^17 bytes in four: a block of one repeated byte.
  constexpr std::uint64_t kMaxRatio = 1u << 16;
  const Supercompression scheme = texture.supercompression();
  if (level >= texture.levels().size()) {
    return fail_at(ErrorCode::kUsage, place(level), "the texture has " + plural(texture.levels().size(), "level"));
  }
  const ktx2::Level& stored = texture.levels()[level];
  if (scheme == Supercompression::kNone) return stored.size_bytes;
  if (scheme == Supercompression::kBasisLz) return basis_level_bytes(texture, level);
  if (scheme != Supercompression::kZstd) {
    return fail_at(ErrorCode::kUnsupported, place(level),
                   "supercompression " + std::string(to_string(scheme)) + ", expected none, BasisLZ or Zstd",
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
  if (texture.supercompression() == Supercompression::kBasisLz) return decode_basis_level(texture, level, stored, out);
  const auto done = compression::inflate_into(stored, out);
  if (done) return {};
  const FrameFault& fault = done.error();
  if (fault.kind == FrameFault::Kind::kLarger)
    return wrong_size(level, "more than " + counted(expected, "byte"), expected);
  if (fault.kind == FrameFault::Kind::kSmaller)
    return wrong_size(level, counted(fault.content_bytes, "byte"), expected);
  return damaged(level, fault);
}

Result<void> check_level(const ktx2::View& texture, std::size_t level) {
  ASSETC_TRY(const std::uint64_t expected, inflated_size_bytes(texture, level));
  if (texture.supercompression() == Supercompression::kNone) return {};
  if (texture.supercompression() == Supercompression::kBasisLz)
    return decode_basis_level(texture, level, texture.levels()[level].bytes, {});
  std::uint64_t total = 0;
  const auto add = [&](ByteSpan piece) {
    total += piece.size();
    return total <= expected;
  };
  // A level may consist of several frames.
  ByteSpan rest = texture.levels()[level].bytes;
  for (bool more = true; more;) {
    const auto done = compression::inflate_pieces(rest, add);
    more = !done && done.error().kind == FrameFault::Kind::kTrailing;
    if (more) {
      rest = rest.last(static_cast<std::size_t>(done.error().content_bytes));
    } else if (!done && done.error().kind == FrameFault::Kind::kLarger) {
      return wrong_size(level, "more than " + counted(expected, "byte"), expected);
    } else if (!done) {
      return damaged(level, done.error());
    }
  }
  if (total != expected) return wrong_size(level, counted(total, "byte"), expected);
  return {};
}

}  // namespace assetc::runtime
