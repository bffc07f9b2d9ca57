#include "staging.hpp"

#include <memory>

namespace example {

using namespace assetc;

Result<runtime::LevelMemory> StagingHeap::allocate(const runtime::LevelRequest& level) {
  const std::uint64_t row_pitch = (level.row_bytes + kRowPitchBytes - 1) / kRowPitchBytes * kRowPitchBytes;
  const std::uint64_t size = row_pitch * level.row_count * level.image_count;
  const std::lock_guard lock(mutex_);
  ++counts_.levels;
  std::uint64_t begin = 0;  // of the first gap that is large enough
  for (const auto& [used_begin, used_end] : used_) {
    if (used_begin - begin >= size) break;
    begin = used_end;
  }
  if (size > memory_.size() || begin > memory_.size() - size) {
    ++counts_.outside;
    auto outside = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(size));
    return runtime::LevelMemory{.bytes = *outside, .row_pitch_bytes = row_pitch, .owner = outside};
  }
  used_[begin] = begin + size;
  counts_.used_bytes += size;
  std::byte* const memory = memory_.data() + begin;
  return runtime::LevelMemory{.bytes = {memory, static_cast<std::size_t>(size)},
                              .row_pitch_bytes = row_pitch,
                              .owner = {memory, [this](std::byte* given) { free(given); }}};
}

void StagingHeap::free(std::byte* memory) {
  const std::lock_guard lock(mutex_);
  const auto range = used_.find(static_cast<std::uint64_t>(memory - memory_.data()));
  counts_.used_bytes -= range->second - range->first;
  used_.erase(range);
}

StagingHeap::Counts StagingHeap::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace example
