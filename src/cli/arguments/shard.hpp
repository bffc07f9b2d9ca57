// Reads --shard: which share of a build this process compiles.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"
#include "engine/config/environment.hpp"
#include "engine/plan/share.hpp"

namespace assetc::cli {

// text: "2/8", or "auto" for the share that the variables of a scheduler give. All errors are kUsage:
//   - a text of another form, or a number that is not from 1 to the count
//   - with auto: no scheduler, several schedulers that disagree, or variables that give no valid share
Result<engine::Shard> parse_shard(std::string_view text, const engine::Environment& environment);

}  // namespace assetc::cli
