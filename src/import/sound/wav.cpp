#include "import/sound/wav.hpp"

#include <algorithm>
#include <array>

#include "base/plural.hpp"

namespace assetc::importer {
namespace {

constexpr std::size_t kFirstChunkAt = 12, kChunkHeadBytes = 8;

// Chunks have even sizes. Some writers forget the byte after an odd one, so a known chunk may follow directly.
std::uint64_t next_chunk(ByteSpan file, std::uint64_t end) {
  constexpr std::array<std::string_view, 5> kKnown{"fmt ", "data", "smpl", "fact", "LIST"};
  if (end % 2 == 0) return end;
  const bool follows =
      range_fits(end, 4, file.size()) &&
      std::ranges::find(kKnown, as_text(file.subspan(static_cast<std::size_t>(end), 4))) != kKnown.end();
  return follows ? end : end + 1;
}

void read_loops(ByteSpan chunk, SoundFacts& facts) {
  constexpr std::size_t kCountAt = 28, kLoopsAt = 36, kLoopBytes = 24;
  constexpr std::uint32_t kAlternating = 1, kBackward = 2;
  facts.loops.clear();
  if (chunk.size() < kLoopsAt) return;
  const std::size_t stored = std::min<std::size_t>(load<std::uint32_t>(chunk, kCountAt), chunk.size() / kLoopBytes);
  const std::size_t count = std::min(stored, kMaxLoops);
  if (stored > count) facts.left_out = counted(stored - count, "loop") + " after the first " + std::to_string(count);
  for (std::size_t i = 0; i < count && range_fits(kLoopsAt + i * kLoopBytes, kLoopBytes, chunk.size()); ++i) {
    const auto field = [&](std::size_t k) { return load<std::uint32_t>(chunk, kLoopsAt + i * kLoopBytes + 4 * k); };
    const auto kind = field(1) == kAlternating ? aas1::Loop::Kind::kAlternating
                      : field(1) == kBackward  ? aas1::Loop::Kind::kBackward
                                               : aas1::Loop::Kind::kForward;
    // The chunk has the last frame that is played, and a loop the one after it.
    const std::uint32_t last = field(3);
    facts.loops.push_back({field(2), last == UINT32_MAX ? last : last + 1, kind, field(5)});
  }
}

}  // namespace

bool is_wav(ByteSpan file) {
  const std::string_view text = as_text(file);
  return text.size() >= kFirstChunkAt && (text.starts_with("RIFF") || text.starts_with("RF64")) &&
         text.substr(8, 4) == "WAVE";
}

Result<SoundFacts> read_wav_facts(ByteSpan file) {
  constexpr std::uint32_t kMsAdpcm = 2, kImaAdpcm = 17, kUnknownSize = 0xFFFFFFFF;
  SoundFacts facts;
  std::uint32_t encoding = 0;
  std::optional<std::uint64_t> frames;
  for (std::uint64_t at = kFirstChunkAt; range_fits(at, kChunkHeadBytes, file.size());) {
    const auto head = static_cast<std::size_t>(at);
    const std::string_view type = as_text(file.subspan(head, 4));
    const std::uint32_t size = load<std::uint32_t>(file, head + 4);
    const std::size_t rest = file.size() - head - kChunkHeadBytes;
    const ByteSpan chunk = file.subspan(head + kChunkHeadBytes, std::min<std::size_t>(size, rest));
    if (type == "fmt " && chunk.size() >= 2) encoding = load<std::uint16_t>(chunk);
    if (type == "fact" && chunk.size() >= 4) frames = load<std::uint32_t>(chunk);
    if (type == "smpl") read_loops(chunk, facts);
    if (type == "data") {
      // Programs that write into a pipe do not know the size.
      if (size == kUnknownSize || (size == 0 && rest > 0 && load<std::uint32_t>(file, 4) == 0)) break;
      if (size > rest) {
        return fail_at(ErrorCode::kTruncated, byte_place(file.size()),
                       "the file ends " + counted(size - rest, "byte") + " before its samples do",
                       "export the sound again");
      }
    }
    at = next_chunk(file, at + kChunkHeadBytes + size);
  }
  if (encoding == kMsAdpcm || encoding == kImaAdpcm) facts.frame_count = frames;
  return facts;
}

}  // namespace assetc::importer
