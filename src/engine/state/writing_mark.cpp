#include "engine/state/writing_mark.hpp"

namespace assetc::engine {
namespace {

// Its value is the boot in which the build began to write; empty: it ended.
constexpr std::string_view kName = "writing";

}  // namespace

bool WritingMark::stands() const {
  const auto boot = cache_.get(kName);
  return boot ? !boot->empty() : cache_.has(kName);
}

bool WritingMark::machine_went_down() const {
  const auto boot = cache_.get(kName);
  if (!boot) return cache_.has(kName);  // damaged: nobody knows
  return !boot->empty() && as_text(*boot) != disk_.boot_id();
}

Result<void> WritingMark::set() { return cache_.set(kName, as_bytes(disk_.boot_id())); }

Result<void> WritingMark::clear() {
  if (!stands()) return {};
  return cache_.set(kName, {});
}

}  // namespace assetc::engine
