#include "shader/compilers.hpp"

namespace assetc::shader {

Result<Compiled> compile_here(std::string_view path, ByteSpan source, const Options& options, const ReadFile& read) {
  Result<Compiled> compiled = options.language == Language::kSpirv ? Compiled{{source.begin(), source.end()}, {}}
                                                                   : compile_with_shaderc(path, source, options, read);
  if (!compiled) return compiled;
  if (auto valid = validate_here(compiled->spirv, options.target); !valid) {
    return std::unexpected(std::move(valid).error().in(path));
  }
  return compiled;
}

}  // namespace assetc::shader
