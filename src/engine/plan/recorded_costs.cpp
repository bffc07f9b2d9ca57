#include "engine/plan/recorded_costs.hpp"

#include <cmath>

#include "json/json.hpp"

namespace assetc::engine {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kMostSeconds = 1e6;

}  // namespace

Result<RecordedCosts> parse_costs(ByteSpan json) {
  constexpr const char* kHint = "give a file that a build wrote with --report";
  const auto root = Json::parse(as_text(json), JsonOrder::kByName);
  if (!root) return fail(ErrorCode::kInvalidData, "is not JSON", kHint);
  const Json* found = root->find("costs");
  if (found == nullptr || !found->is_object())
    return fail(ErrorCode::kInvalidData, "has no \"costs\" with the compile time of each source", kHint);
  RecordedCosts costs;
  for (const auto& [path, value] : found->members()) {
    const double seconds = value.is_number() ? value.as_number() : -1;
    if (!(seconds >= 0 && seconds <= kMostSeconds)) {
      return fail_at(ErrorCode::kInvalidData, "/costs/" + path, "is not a number of seconds up to a million", kHint);
    }
    costs.emplace(path, static_cast<std::uint64_t>(std::llround(seconds * kNsPerSecond)));
  }
  return costs;
}

}  // namespace assetc::engine
