// Replaces glslang.cpp if ASSETC_SHADERC is off.
#include "shader/compilers.hpp"

namespace assetc::shader {

Error invalid_module_error(std::string_view path, std::string_view, const Options&, std::string what) {
  return Error{ErrorCode::kUnsupported, std::string(path), {}, std::move(what), {}};
}

}  // namespace assetc::shader
