// The events and results of a build as lines of JSON, for --json and for the log of the last build. docs/guide/json.md
// lists their members.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json_line.hpp"
#include "engine/config/config.hpp"
#include "engine/run/events.hpp"
#include "engine/run/report.hpp"
#include "engine/run/request.hpp"

namespace assetc::engine {

JsonObject event_json(const Event& event);
JsonObject problem_json(std::string_view event, std::string_view severity, const Error& what);
// A warning, note or error. accepted: the reason, or null.
JsonObject diagnostic_json(const recipes::Diagnostic& diagnostic, const std::string* accepted = nullptr);
JsonObject summary_json(const BuildRequest& request, const Profile& profile, const Report& report);
// "2/8"; empty without a shard.
std::string share_text(const std::optional<Shard>& shard);

}  // namespace assetc::engine
