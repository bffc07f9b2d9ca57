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
  return fail(
      ErrorCode::kConflict,
      std::string(source) + " would publish the same files as " + it->second + ", as " + std::string(stem) + ".*",
      std::string(kHint));
}

void OutputClaims::add_cached(const StepId& step, std::string_view source, const StepRecord& record) {
  const std::lock_guard lock(mutex_);
  source_of_step_.emplace(step, source);
  for (const std::string& file : files_of(record, target_))
    owner_of_file_.emplace(ascii_lower(file), Owner{step, std::string(source)});
}

Result<void> OutputClaims::add_file(const StepId& step, std::string_view source, std::string_view path) {
  ASSETC_CHECK(check_output_path(target_, path));
  const std::lock_guard lock(mutex_);
  const auto [it, added] = owner_of_file_.try_emplace(ascii_lower(path), Owner{step, std::string(source)});
  if (added || it->second.step == step) return {};
  return fail(ErrorCode::kConflict,
              "would publish " + std::string(path) + ", which " + it->second.source + " publishes", std::string(kHint));
}

}  // namespace assetc::engine
