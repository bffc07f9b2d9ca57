#include "import/sound/flac.hpp"

namespace assetc::importer {

bool is_flac(ByteSpan file) { return as_text(file).starts_with("fLaC"); }

SoundFacts read_flac_facts(ByteSpan file) {
  constexpr unsigned kStreamInfo = 0, kComments = 4, kLast = 0x80;
  constexpr std::size_t kHeadBytes = 4, kFramesAt = 13;  // 36 bits; the first byte ends with the four highest
  const auto byte = [](ByteSpan bytes, std::size_t at) { return std::to_integer<std::uint64_t>(bytes[at]); };
  SoundFacts facts;
  bool is_last = false;
  for (std::uint64_t at = 4; !is_last && range_fits(at, kHeadBytes, file.size());) {
    const auto head = static_cast<std::size_t>(at);
    const auto type = static_cast<unsigned>(byte(file, head));
    const std::uint64_t size = byte(file, head + 1) << 16 | byte(file, head + 2) << 8 | byte(file, head + 3);
    is_last = (type & kLast) != 0;
    if (!range_fits(at + kHeadBytes, size, file.size())) break;
    const ByteSpan block = file.subspan(head + kHeadBytes, static_cast<std::size_t>(size));
    if ((type & ~kLast) == kStreamInfo && range_fits(kFramesAt, 5, block.size())) {
      facts.least_frames = byte(block, kFramesAt) & 15;
      for (std::size_t i = 1; i < 5; ++i) facts.least_frames = facts.least_frames << 8 | byte(block, kFramesAt + i);
    }
    if ((type & ~kLast) == kComments) read_comment_loop(block, facts);
    at += kHeadBytes + size;
  }
  return facts;
}

}  // namespace assetc::importer
