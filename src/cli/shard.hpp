// Which share of a build this process compiles.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"
#include "engine/config/environment.hpp"
#include "engine/plan/share.hpp"

namespace assetc::cli {

// "2/8", or "auto": what the environment's scheduler says. Errors are kUsage: a text that is neither, a number that is
// not from 1 to the count, and of auto no scheduler, several that differ, or one whose variables make no share.
Result<engine::Shard> parse_shard(std::string_view text, const engine::Environment& environment);

}  // namespace assetc::cli
