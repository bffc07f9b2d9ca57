// The environment variables of the process. Tests pass their own.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace assetc::engine {

// The value of a variable, or nothing if it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;

Environment process_environment();

}  // namespace assetc::engine
