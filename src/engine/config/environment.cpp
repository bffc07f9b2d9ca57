#include "engine/config/environment.hpp"

#include <cstdlib>

namespace assetc::engine {

Environment process_environment() {
  return [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
  };
}

}  // namespace assetc::engine
