#include "import/sound/aiff.hpp"

#include <algorithm>
#include <array>

#include "base/plural.hpp"

namespace assetc::importer {
namespace {

constexpr std::size_t kAiffFirstChunkAt = 12, kAiffChunkHeadBytes = 8;

std::uint32_t aiff_number(ByteSpan bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
  return value;
}

struct AiffMarker {
  std::uint32_t id, frame;
};

// MARK: markers of id, frame and name. A name has its length before it, and both have an even size.
std::vector<AiffMarker> read_aiff_markers(ByteSpan chunk) {
  std::vector<AiffMarker> markers;
  for (std::size_t at = 2; range_fits(at, 7, chunk.size());) {
    markers.push_back({aiff_number(chunk, at, 2), aiff_number(chunk, at + 2, 4)});
    const std::size_t name_bytes = 1 + aiff_number(chunk, at + 6, 1);
    at += 6 + name_bytes + name_bytes % 2;
  }
  return markers;
}

}  // namespace

bool is_aiff(ByteSpan file) {
  const std::string_view text = as_text(file);
  return text.size() >= kAiffFirstChunkAt && text.starts_with("FORM") &&
         (text.substr(8, 4) == "AIFF" || text.substr(8, 4) == "AIFC");
}

Result<SoundFacts> read_aiff_facts(ByteSpan file) {
  ByteSpan marks, instrument;
  for (std::uint64_t at = kAiffFirstChunkAt; range_fits(at, kAiffChunkHeadBytes, file.size());) {
    const auto head = static_cast<std::size_t>(at);
    const std::string_view type = as_text(file.subspan(head, 4));
    const std::uint32_t size = aiff_number(file, head + 4, 4);
    const std::size_t rest = file.size() - head - kAiffChunkHeadBytes;
    const ByteSpan chunk = file.subspan(head + kAiffChunkHeadBytes, std::min<std::size_t>(size, rest));
    if (type == "MARK") marks = chunk;
    if (type == "INST") instrument = chunk;
    if (type == "SSND" && size > rest) {
      return fail_at(ErrorCode::kTruncated, byte_place(file.size()),
                     "the file ends " + counted(size - rest, "byte") + " before its samples do",
                     "export the sound again");
    }
    at += kAiffChunkHeadBytes + std::uint64_t{size} + size % 2;
  }
  SoundFacts facts;
  // INST: notes and gain, then the loop of a note that is held, and the one after its release. Each has a mode (1:
  // forward, 2: alternating) and the ids of two markers.
  constexpr std::size_t kLoopBytes = 6;
  constexpr std::array<std::size_t, 2> kLoopsAt{8, 14};
  const std::vector<AiffMarker> markers = read_aiff_markers(marks);
  for (const std::size_t at : kLoopsAt) {
    if (!range_fits(at, kLoopBytes, instrument.size())) break;
    const std::uint32_t mode = aiff_number(instrument, at, 2);
    if (mode == 0) continue;
    const auto first = std::ranges::find(markers, aiff_number(instrument, at + 2, 2), &AiffMarker::id);
    const auto last = std::ranges::find(markers, aiff_number(instrument, at + 4, 2), &AiffMarker::id);
    if (first == markers.end() || last == markers.end()) {
      facts.left_out = "a loop whose markers are not in the file";
      continue;
    }
    const auto kind = mode == 2 ? aas1::Loop::Kind::kAlternating : aas1::Loop::Kind::kForward;
    facts.loops.push_back({first->frame, last->frame, kind, 0});
  }
  return facts;
}

}  // namespace assetc::importer
