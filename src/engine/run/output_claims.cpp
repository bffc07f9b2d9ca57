#include "engine/run/output_claims.hpp"

#include "base/ascii.hpp"
#include "engine/publish/publish.hpp"

namespace assetc::engine {
namespace {

constexpr std::string_view kHint = "rename one of them, or leave one out with ignore:";

}  // namespace

Result<void> OutputClaims::add_step(const StepId& step, std::string_view source, std::string_view stem) {
  const std::lock_guard lock(mutex_);
  const auto [it, added] = source_of_step_.try_emplace(step, source);
  if (added) return {};
  return fail(ErrorCode::kConflict,
              std::string(source) + " would publish the same files as " + std::string(it->second) + ", as " +
                  std::string(stem) + ".*",
              std::string(kHint));
}

void OutputClaims::add_cached(const StepId& step, std::string_view source, const StepRecord& record) {
  const std::lock_guard lock(mutex_);
  source_of_step_.emplace(step, source);
  cached_.push_back({step, source, &record});
}

const OutputClaims::Cached* OutputClaims::cached_owner(std::string_view lower_path) {
  for (; cached_with_files_ < cached_.size(); ++cached_with_files_) {
    for (const std::string& file : files_of(*cached_[cached_with_files_].record, target_))
      cached_by_file_.emplace(xxh3_64(as_bytes(ascii_lower(file))), static_cast<std::uint32_t>(cached_with_files_));
  }
  const auto [first, last] = cached_by_file_.equal_range(xxh3_64(as_bytes(lower_path)));
  for (auto it = first; it != last; ++it) {
    const Cached& cached = cached_[it->second];
    for (const std::string& file : files_of(*cached.record, target_))
      if (ascii_lower(file) == lower_path) return &cached;
  }
  return nullptr;
}

Result<void> OutputClaims::add_file(const StepId& step, std::string_view source, std::string_view path) {
  ASSETC_CHECK(check_output_path(target_, path));
  const std::lock_guard lock(mutex_);
  const std::string lower = ascii_lower(path);
  const auto taken = [&](std::string_view by) {
    return fail(ErrorCode::kConflict,
                "would publish " + std::string(path) + ", which " + std::string(by) + " publishes", std::string(kHint));
  };
  if (const Cached* cached = cached_owner(lower); cached != nullptr && cached->step != step)
    return taken(cached->source);
  const auto [it, added] = owner_of_file_.try_emplace(lower, Owner{step, source});
  if (!added && it->second.step != step) return taken(it->second.source);
  return {};
}

}  // namespace assetc::engine
