// For programs that do not link the compilers, but start assetc-shaders.
#include "shader/compilers.hpp"
#include "shader/isolation.hpp"

namespace assetc::shader {

Result<Compiled> compile_here(std::string_view path, ByteSpan, const Options&, const ReadFile&) {
  return std::unexpected(Error{ErrorCode::kUnsupported,
                               std::string(path),
                               {},
                               "this system starts no other programs, so there is no shader compiler",
                               "build assetc with -DASSETC_SHADER_PROGRAM=OFF"});
}

constinit const process::Role kShaderCompiler{
    .argument = kCompileShaders, .serve = nullptr, .program = "assetc-shaders"};

}  // namespace assetc::shader
