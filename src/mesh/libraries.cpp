#include "mesh/libraries.hpp"

#include <meshoptimizer.h>

namespace assetc::mesh {

// MESHOPTIMIZER_VERSION 220 means 0.22.
std::string libraries() {
  return "meshoptimizer=" + std::to_string(MESHOPTIMIZER_VERSION / 1000) + "." +
         std::to_string(MESHOPTIMIZER_VERSION / 10 % 100) + "." + std::to_string(MESHOPTIMIZER_VERSION % 10) + "\n";
}

}  // namespace assetc::mesh
