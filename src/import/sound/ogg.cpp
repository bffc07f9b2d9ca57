#include "import/sound/ogg.hpp"

#include <string_view>

namespace assetc::importer {
namespace {

constexpr std::string_view kOggMagic = "OggS";
constexpr std::size_t kOggHeadBytes = 27;  // before the sizes of the segments

std::unexpected<Error> ogg_cut_short(ByteSpan file, std::string what) {
  return fail_at(ErrorCode::kTruncated, byte_place(file.size()), std::move(what), "export the sound again");
}

// The second packet of a stream has its comments, behind a magic.
void read_ogg_comments(ByteSpan packet, SoundFacts& facts) {
  for (const std::string_view magic : {std::string_view("\3vorbis"), std::string_view("OpusTags")}) {
    if (as_text(packet).starts_with(magic)) return read_comment_loop(packet.subspan(magic.size()), facts);
  }
}

}  // namespace

bool is_ogg(ByteSpan file) { return as_text(file).starts_with(kOggMagic); }

Result<SoundFacts> read_ogg_facts(ByteSpan file) {
  constexpr std::size_t kFlagsAt = 5, kSerialAt = 14, kCountAt = 26;
  constexpr unsigned kEndOfStream = 4, kWholeSegment = 255;
  SoundFacts facts;
  std::uint32_t serial = 0;
  std::size_t packets = 0;
  ByteVector packet;  // the second of the first stream
  bool has_end = false;
  std::uint64_t at = 0;
  while (at < file.size()) {
    const auto page = static_cast<std::size_t>(at);
    // Programs append tags of other formats behind the last page.
    if (has_end && !as_text(file.subspan(page)).starts_with(kOggMagic)) break;
    if (!range_fits(at, kOggHeadBytes, file.size())) return ogg_cut_short(file, "the file ends inside of an Ogg page");
    if (!as_text(file.subspan(page)).starts_with(kOggMagic)) {
      return fail_at(ErrorCode::kInvalidData, byte_place(at), "found bytes outside of an Ogg page",
                     "export the sound again");
    }
    const std::size_t segments = std::to_integer<std::size_t>(file[page + kCountAt]);
    if (!range_fits(at + kOggHeadBytes, segments, file.size()))
      return ogg_cut_short(file, "the file ends inside of an Ogg page");
    const ByteSpan sizes = file.subspan(page + kOggHeadBytes, segments);
    std::uint64_t body = 0;
    for (const std::byte size : sizes) body += std::to_integer<std::uint64_t>(size);
    std::size_t from = page + kOggHeadBytes + segments;
    if (!range_fits(from, body, file.size())) return ogg_cut_short(file, "the file ends inside of an Ogg page");
    const auto stream = load<std::uint32_t>(file, page + kSerialAt);
    if (at == 0) serial = stream;
    if (stream == serial && packets < 2) {
      for (const std::byte segment : sizes) {
        const auto size = std::to_integer<std::size_t>(segment);
        if (packets == 1) append_bytes(packet, file.subspan(from, size));
        from += size;
        if (size == kWholeSegment) continue;
        if (packets == 1) read_ogg_comments(packet, facts);
        ++packets;
      }
    }
    has_end = (std::to_integer<unsigned>(file[page + kFlagsAt]) & kEndOfStream) != 0;
    at += kOggHeadBytes + segments + body;
  }
  if (!has_end) return ogg_cut_short(file, "the file ends before the last Ogg page");
  return facts;
}

}  // namespace assetc::importer
