#include "engine/run/output_claims.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "engine/target/output_tree.hpp"
#include "engine/target/params.hpp"

namespace assetc::engine {
namespace {

constexpr std::string_view kClaimHint = "rename one of them, or leave one out with ignore:";

std::string spelled(std::string_view params) {
  std::string text;
  for (const auto& [key, value] : decode_params(params))
    text.append(text.empty() ? "" : ", ").append(key + " " + value);
  return text.empty() ? "its own mode" : text;
}

}  // namespace

OutputClaims::Asked OutputClaims::cached_step(std::uint32_t position) const {
  StepRecord scratch;
  const StepRecord& record = state_.steps[position].read(scratch);
  return {record.source, {record.input_path, record.params}};
}

Result<bool> OutputClaims::add_step(const StepId& step, std::string_view source, std::string_view stem,
                                    const Wanted& wanted) {
  const std::lock_guard lock(mutex_);
  const auto cached = state_.steps.find(step);
  const bool known = cached && is_cached(*cached);
  const auto [it, added] = steps_.try_emplace(step, known ? cached_step(*cached) : Asked{source, wanted});
  if (added && !known) return true;
  const Asked& before = it->second;
  const bool is_shared = decode_params(wanted.params).contains(recipes::kContentParam);
  if ((shares_ || is_shared) && before.wanted == wanted) return false;
  if (is_shared) {
    return fail(ErrorCode::kConflict,
                "has a picture that differs from one of " + std::string(before.source) + ", but by chance the name " +
                    std::string(stem) + " is that of both",
                "change a texel of one of them, or set texture.share: source for one of the models");
  }
  if (shares_ && before.wanted.input_path == wanted.input_path && !wanted.input_path.empty()) {
    return fail(ErrorCode::kConflict,
                "uses " + std::string(wanted.input_path) + " with " + spelled(wanted.params) + ", but " +
                    std::string(before.source) + " uses it with " + spelled(before.wanted.params),
                "make a copy of the picture for one of them");
  }
  return fail(ErrorCode::kConflict,
              std::string(source) + " would write the same outputs (" + std::string(stem) + ".*) as " +
                  std::string(before.source),
              std::string(kClaimHint));
}

void OutputClaims::add_cached(std::span<const StepSet::Member> steps) {
  const std::lock_guard lock(mutex_);
  cached_.reserve(cached_.size() + steps.size());
  for (const StepSet::Member& step : steps) {
    is_cached_[step.position] = true;
    cached_.push_back(step.position);
  }
}

bool OutputClaims::is_cached(std::uint32_t position) const {
  return is_cached_[position] || (rest_ != nullptr && !rest_->steps.contains(state_.steps.id(position)));
}

std::optional<std::uint32_t> OutputClaims::cached_owner(std::string_view lower_path) {
  StepRecord scratch;
  cached_by_file_.reserve(cached_.size());
  for (; cached_with_files_ < cached_.size(); ++cached_with_files_) {
    const std::uint32_t position = cached_[cached_with_files_];
    for (const std::string& file : files_of(state_.steps[position].read(scratch), target_))
      cached_by_file_.emplace(xxh3_64(as_bytes(ascii_lower(file))), position);
  }
  const auto writes = [&](std::uint32_t position) {
    const std::vector<std::string> files = files_of(state_.steps[position].read(scratch), target_);
    return std::ranges::any_of(files, [&](const std::string& file) { return ascii_lower(file) == lower_path; });
  };
  const auto [first, last] = cached_by_file_.equal_range(xxh3_64(as_bytes(lower_path)));
  for (auto it = first; it != last; ++it) {
    if (writes(it->second)) return it->second;
  }
  if (rest_ == nullptr) return std::nullopt;
  for (const StepId& id : rest_->relations.find(Relations::Kind::kWrites, lower_path)) {
    const auto position = state_.steps.find(id);
    if (position && is_cached(*position) && writes(*position)) return position;
  }
  return std::nullopt;
}

Result<void> OutputClaims::add_file(const StepId& step, std::string_view source, std::string_view path) {
  ASSETC_CHECK(check_output_path(target_, path));
  const std::lock_guard lock(mutex_);
  const std::string lower = ascii_lower(path);
  const auto taken = [&](std::string_view by) {
    return fail(ErrorCode::kConflict,
                "would write " + std::string(path) + ", which " + std::string(by) + " also writes",
                std::string(kClaimHint));
  };
  if (const auto cached = cached_owner(lower); cached && state_.steps.id(*cached) != step)
    return taken(cached_step(*cached).source);
  const auto [it, added] = owner_of_file_.try_emplace(lower, Owner{step, source});
  if (!added && it->second.step != step) return taken(it->second.source);
  return {};
}

}  // namespace assetc::engine
