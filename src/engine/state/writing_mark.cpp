#include "engine/state/writing_mark.hpp"

namespace assetc::engine {
namespace {

// Its value is the boot in which the build began to write; empty: it ended.
constexpr std::string_view kWritingMark = "writing";

}  // namespace

bool WritingMark::stands() const {
  const auto boot = cache_.get(kWritingMark);
  return boot ? !boot->empty() : cache_.has(kWritingMark);
}

bool WritingMark::machine_went_down() const {
  const auto boot = cache_.get(kWritingMark);
  if (!boot) return cache_.has(kWritingMark);  // damaged: nobody knows
  return !boot->empty() && as_text(*boot) != disk_.boot_id();
}

Result<void> WritingMark::set() { return cache_.set(kWritingMark, as_bytes(disk_.boot_id())); }

Result<void> WritingMark::clear() {
  if (!stands()) return {};
  return cache_.set(kWritingMark, {});
}

}  // namespace assetc::engine
