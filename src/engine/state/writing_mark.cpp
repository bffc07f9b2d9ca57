#include "engine/state/writing_mark.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

namespace assetc::engine {
namespace {

// Empty, "writing <boot> <since>", or "ended <boot> <since> <bytes>".
constexpr std::string_view kWritingMark = "writing";
constexpr std::string_view kWritingWord = "writing", kEndedWord = "ended";

// At most this much may be lost in a power cut; the next build then reads all of it. Each file counts as kFileBytes
// more.
constexpr std::uint64_t kMaxUnflushedBytes = 128u << 20;
constexpr std::uint64_t kFileBytes = 16u << 10;
// Files written this long ago are on the disk: Linux keeps them in memory for 30 s (vm.dirty_expire_centisecs).
constexpr std::int64_t kWrittenBackNs = 120'000'000'000;

}  // namespace

WritingMark::WritingMark(Cache& cache, Disk& disk)
    : cache_(cache), disk_(disk), boot_(disk.boot_id()), before_(read(cache)), now_(before_) {}

WritingMark::Mark WritingMark::read(Cache& cache) {
  Mark unknown{State::kWriting, {}, std::numeric_limits<std::int64_t>::min(), 0};
  const auto value = cache.get(kWritingMark);
  if (!value) return cache.has(kWritingMark) ? unknown : Mark();  // damaged: assume the worst
  if (value->empty()) return {};
  std::istringstream text{std::string(as_text(*value))};
  std::string word;
  Mark mark;
  if (!(text >> word >> mark.boot >> mark.since_ns)) return unknown;
  mark.state = word == kEndedWord ? State::kNotFlushed : State::kWriting;
  if (mark.state == State::kNotFlushed && !(text >> mark.bytes)) return unknown;
  return mark;
}

Result<void> WritingMark::write(const Mark& mark) {
  std::string text;
  if (mark.state != State::kFlushed) {
    text = std::string(mark.state == State::kWriting ? kWritingWord : kEndedWord) + " " + mark.boot + " " +
           std::to_string(mark.since_ns);
    if (mark.state == State::kNotFlushed) text += " " + std::to_string(mark.bytes);
  }
  ASSETC_CHECK(cache_.set(kWritingMark, as_bytes(text)));
  now_ = mark;
  return {};
}

std::optional<std::int64_t> WritingMark::distrusted_since_ns() const {
  if (!machine_went_down()) return std::nullopt;
  const std::int64_t earliest = std::numeric_limits<std::int64_t>::min();
  return before_.since_ns < earliest + kWrittenBackNs ? earliest : before_.since_ns - kWrittenBackNs;
}

Result<void> WritingMark::set() {
  const std::int64_t now_ns = disk_.now_ns();
  const bool goes_on = before_.state != State::kFlushed;
  return write({State::kWriting, boot_, goes_on ? std::min(before_.since_ns, now_ns) : now_ns, 0});
}

std::uint64_t WritingMark::bytes_with(std::uint64_t files, std::uint64_t bytes) const {
  return before_.bytes + files * kFileBytes + bytes;
}

bool WritingMark::must_flush(std::uint64_t files, std::uint64_t bytes) const {
  return stands() || machine_went_down() || bytes_with(files, bytes) > kMaxUnflushedBytes;
}

Result<void> WritingMark::end(std::uint64_t files, std::uint64_t bytes, bool flushed) {
  if (flushed || machine_went_down() || now_.state == State::kFlushed)
    return now_.state == State::kFlushed ? Result<void>() : write({});
  if (now_.state == State::kNotFlushed && files == 0) return {};
  // The clock may have been set back since then. In that case the earlier time counts.
  const std::int64_t since_ns = std::min(now_.since_ns, disk_.now_ns());
  return write({State::kNotFlushed, boot_, since_ns, bytes_with(files, bytes)});
}

}  // namespace assetc::engine
