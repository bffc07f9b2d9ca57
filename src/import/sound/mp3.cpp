#include "import/sound/mp3.hpp"

#include <cstdint>
#include <optional>

namespace assetc::importer {
namespace {

std::uint32_t byte_at(ByteSpan file, std::size_t at) { return std::to_integer<std::uint32_t>(file[at]); }

// The first frame of Layer III, behind a tag of ID3v2.
std::optional<std::size_t> first_frame(ByteSpan file) {
  constexpr std::size_t kTagHeadBytes = 10;
  std::size_t at = 0;
  if (as_text(file).starts_with("ID3") && file.size() >= kTagHeadBytes) {
    at = kTagHeadBytes;  // four bytes of 7 bits
    at += byte_at(file, 6) << 21 | byte_at(file, 7) << 14 | byte_at(file, 8) << 7 | byte_at(file, 9);
  }
  if (!range_fits(at, 4, file.size())) return std::nullopt;
  const std::uint32_t second = byte_at(file, at + 1);
  constexpr std::uint32_t kLayer3 = 1;
  const bool is_frame = byte_at(file, at) == 0xFF && (second & 0xE0) == 0xE0 && (second >> 1 & 3) == kLayer3;
  return is_frame ? std::optional(at) : std::nullopt;
}

}  // namespace

bool is_mp3(ByteSpan file) { return first_frame(file).has_value(); }

bool says_padding(ByteSpan file) {
  const std::size_t at = *first_frame(file);
  const bool is_version1 = (byte_at(file, at + 1) >> 3 & 3) == 3, is_mono = byte_at(file, at + 3) >> 6 == 3;
  const std::size_t side_bytes = is_version1 ? (is_mono ? 17 : 32) : (is_mono ? 9 : 17);
  const std::size_t tag = at + 4 + side_bytes;
  if (!range_fits(tag, 8, file.size())) return false;
  const std::string_view name = as_text(file.subspan(tag, 4));
  if (name != "Xing" && name != "Info") return false;
  const std::uint32_t flags = byte_at(file, tag + 7);
  // Numbers of frames and bytes, a table and the quality precede the encoder's name.
  const std::size_t encoder = tag + 8 + ((flags & 1) != 0 ? 4 : 0) + ((flags & 2) != 0 ? 4 : 0) +
                              ((flags & 4) != 0 ? 100 : 0) + ((flags & 8) != 0 ? 4 : 0);
  constexpr std::size_t kPaddingAt = 21;  // 12 bits at the start, 12 at the end
  if (!range_fits(encoder + kPaddingAt, 3, file.size())) return false;
  return byte_at(file, encoder) != 0;
}

}  // namespace assetc::importer
