// The compilers behind compile(); none validates what it returns.
#pragma once

#include "shader/shader.hpp"

namespace assetc::shader {

Result<Compiled> compile_with_shaderc(std::string_view path, ByteSpan source, const Options& options,
                                      const ReadFile& read);

// Runs slangc from PATH in a temporary folder that holds the source and the files it names, so that the program sees
// no other file of the project.
Result<Compiled> compile_with_slangc(std::string_view path, ByteSpan source, const Options& options,
                                     const ReadFile& read);

}  // namespace assetc::shader
