// The variables of the process, as tests give others.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace assetc::engine {

// A variable's text; nothing where it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;

Environment process_environment();

}  // namespace assetc::engine
