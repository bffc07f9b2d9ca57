#if ASSETC_SHADERC
#include <glslang/build_info.h>
#endif
#include <spirv-tools/libspirv.h>

#include "assetc/version.hpp"
#include "shader/toolchain.hpp"

namespace assetc::shader {
namespace {

// From the header, because the function would bring glslang's tables into the program. CMake links the library of the
// same package.
std::string glslang_version() {
#if ASSETC_SHADERC
  return std::to_string(GLSLANG_VERSION_MAJOR) + "." + std::to_string(GLSLANG_VERSION_MINOR) + "." +
         std::to_string(GLSLANG_VERSION_PATCH);
#else
  return "none";
#endif
}

}  // namespace

std::string libraries() {
  return "glslang=" + glslang_version() + "\nSPIRV-Tools=" + spvSoftwareVersionString() + "\n";
}

std::string build() { return "assetc=" + std::to_string(ASSETC_VERSION) + "\n" + libraries(); }

}  // namespace assetc::shader
