#include <spirv-tools/libspirv.h>

#include "shader/toolchain.hpp"

namespace assetc::shader {

std::string libraries() {
  return "glslang=" + glslang_version() + "\nSPIRV-Tools=" + spvSoftwareVersionString() + "\n";
}

}  // namespace assetc::shader
