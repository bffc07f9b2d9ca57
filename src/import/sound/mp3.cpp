#include "import/sound/mp3.hpp"

#include <array>
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

// The version, and the tag of encoders in the first frame.
bool is_version1(ByteSpan file, std::size_t frame) { return (byte_at(file, frame + 1) >> 3 & 3) == 3; }
std::optional<std::size_t> mp3_tag_of(ByteSpan file, std::size_t frame) {
  const bool is_mono = byte_at(file, frame + 3) >> 6 == 3;
  const std::size_t side_bytes = is_version1(file, frame) ? (is_mono ? 17 : 32) : (is_mono ? 9 : 17);
  const std::size_t tag = frame + 4 + side_bytes;
  if (!range_fits(tag, 8, file.size())) return std::nullopt;
  const std::string_view name = as_text(file.subspan(tag, 4));
  return name == "Xing" || name == "Info" ? std::optional(tag) : std::nullopt;
}
enum Mp3TagFlags : std::uint32_t { kMp3TagFrames = 1, kMp3TagBytes = 2, kMp3TagTable = 4, kMp3TagQuality = 8 };

// The 12 bits each of padding at the start and the end, behind the encoder's name; nothing if there are none. Numbers
// of frames and bytes, a table and the quality precede the name.
std::optional<std::size_t> mp3_padding_at(ByteSpan file, std::size_t tag) {
  const std::uint32_t flags = byte_at(file, tag + 7);
  const std::size_t encoder = tag + 8 + ((flags & kMp3TagFrames) != 0 ? 4 : 0) + ((flags & kMp3TagBytes) != 0 ? 4 : 0) +
                              ((flags & kMp3TagTable) != 0 ? 100 : 0) + ((flags & kMp3TagQuality) != 0 ? 4 : 0);
  constexpr std::size_t kPaddingAt = 21;
  if (!range_fits(encoder + kPaddingAt, 3, file.size()) || byte_at(file, encoder) == 0) return std::nullopt;
  return encoder + kPaddingAt;
}

// The size of a frame of Layer III with its header; 0 if there is none, or the size is not in the header.
std::size_t mp3_frame_bytes(ByteSpan file, std::size_t at) {
  constexpr std::array<std::uint32_t, 15> kRates1{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320};
  constexpr std::array<std::uint32_t, 15> kRates2{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160};
  constexpr std::array<std::uint32_t, 3> kSamplesPerSecond{44100, 48000, 32000};
  const std::uint32_t second = byte_at(file, at + 1), third = byte_at(file, at + 2);
  const std::uint32_t version = second >> 3 & 3, rate = third >> 4, frequency = third >> 2 & 3;
  if (byte_at(file, at) != 0xFF || (second & 0xE6) != 0xE2 || version == 1 || rate == 0 || rate == 15 || frequency == 3)
    return 0;
  const bool first = version == 3;
  const std::uint32_t hertz = kSamplesPerSecond[frequency] / (first ? 1 : version == 2 ? 2 : 4);
  return (first ? 144 : 72) * (first ? kRates1 : kRates2)[rate] * 1000 / hertz + (third >> 1 & 1);
}

}  // namespace

bool is_mp3(ByteSpan file) { return first_frame(file).has_value(); }

bool says_padding(ByteSpan file) {
  const auto tag = mp3_tag_of(file, *first_frame(file));
  return tag && mp3_padding_at(file, *tag);
}

std::uint64_t least_mp3_frames(ByteSpan file) {
  const std::size_t first = *first_frame(file);
  const auto tag = mp3_tag_of(file, first);
  if (!tag || (byte_at(file, *tag + 7) & kMp3TagFrames) == 0 || !range_fits(*tag + 8, 4, file.size())) return 0;
  std::uint64_t frames = 0;
  for (std::size_t i = 0; i < 4; ++i) frames = frames << 8 | byte_at(file, *tag + 8 + i);
  const std::uint64_t each = is_version1(file, first) ? 1152 : 576;
  std::uint64_t left_out = each;  // decoders differ by less than a frame
  if (const auto at = mp3_padding_at(file, *tag)) {
    const std::uint32_t both = byte_at(file, *at) << 16 | byte_at(file, *at + 1) << 8 | byte_at(file, *at + 2);
    left_out += (both >> 12) + (both & 0xFFF);
  }
  return frames * each > left_out ? frames * each - left_out : 0;
}

bool ends_inside_frame(ByteSpan file) {
  for (std::uint64_t at = *first_frame(file); range_fits(at, 4, file.size());) {
    const std::size_t size = mp3_frame_bytes(file, static_cast<std::size_t>(at));
    if (size == 0) return false;  // a tag
    at += size;
    if (at > file.size()) return true;
  }
  return false;
}

}  // namespace assetc::importer
