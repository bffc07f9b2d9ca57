#include "engine/config/environment.hpp"

#include "os/machine.hpp"

namespace assetc::engine {

Environment process_environment() {
  return [](const char* name) { return os::environment_variable(name); };
}

}  // namespace assetc::engine
