// Replaces shaderc.cpp if ASSETC_SHADERC is off.
#include "shader/compilers.hpp"

namespace assetc::shader {

Result<Compiled> compile_with_shaderc(std::string_view path, ByteSpan, const Options&, const ReadFile&) {
  return std::unexpected(Error{ErrorCode::kUnsupported,
                               std::string(path),
                               {},
                               "this assetc was built without shaderc, which compiles GLSL and HLSL",
                               "build it with -DASSETC_SHADERC=ON, or bring the stage as Slang or SPIR-V"});
}

}  // namespace assetc::shader
