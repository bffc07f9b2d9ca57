// How many random sequences a property test runs.
#pragma once

#include <cstdlib>

#include "os/process.hpp"

namespace assetc::engine {

// ASSETC_SEQUENCES, or 150. Fewer under a sanitizer: the code is the same, and it takes ten times as long.
inline int sequences() {
  const char* asked = std::getenv("ASSETC_SEQUENCES");
  return asked != nullptr ? std::atoi(asked) : os::kLimitsMemory ? 150 : 12;
}

}  // namespace assetc::engine
