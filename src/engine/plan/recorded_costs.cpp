#include "engine/plan/recorded_costs.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace assetc::engine {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kMostSeconds = 1e6;

}  // namespace

Result<RecordedCosts> parse_costs(ByteSpan json) {
  constexpr const char* kHint = "give a file that a build wrote with --report";
  const std::string_view text = as_text(json);
  const auto root = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (root.is_discarded()) return fail(ErrorCode::kInvalidData, "is not JSON", kHint);
  const auto found = root.is_object() ? root.find("costs") : root.end();
  if (!root.is_object() || found == root.end() || !found->is_object())
    return fail(ErrorCode::kInvalidData, "has no \"costs\" with the compile time of each source", kHint);
  RecordedCosts costs;
  for (const auto& [path, value] : found->items()) {
    const double seconds = value.is_number() ? value.get<double>() : -1;
    if (!(seconds >= 0 && seconds <= kMostSeconds)) {
      return fail_at(ErrorCode::kInvalidData, "/costs/" + path, "is not a number of seconds up to a million", kHint);
    }
    costs.emplace(path, static_cast<std::uint64_t>(std::llround(seconds * kNsPerSecond)));
  }
  return costs;
}

}  // namespace assetc::engine
