// The compilers that compile() uses.
#pragma once

#include "shader/process.hpp"
#include "shader/shader.hpp"

namespace assetc::shader {

// Compiles GLSL and HLSL. Does not validate the result.
Result<Compiled> compile_with_shaderc(std::string_view path, ByteSpan source, const Options& options,
                                      const ReadFile& read);

// Runs slangc from PATH in a temporary folder that contains only the source and the files it names, so that the program
// cannot see other files of the project. Does not validate the result. slangc does not report that memory was too
// small. If it had less than kSlangcLimits and fails without a located error, the result is needs_memory.
Result<Compiled> compile_with_slangc(std::string_view path, ByteSpan source, const Options& options,
                                     const ReadFile& read, const ProcessLimits& limits = kSlangcLimits);

// The same with dxc, for HLSL.
Result<Compiled> compile_with_dxc(std::string_view path, ByteSpan source, const Options& options, const ReadFile& read,
                                  const ProcessLimits& limits = kSlangcLimits);

// The error of HLSL whose SPIR-V breaks a rule, with the line that it comes from. preprocessed is its source without
// directives other than #line. what: the rule, used if the line cannot be found.
Error invalid_module_error(std::string_view path, std::string_view preprocessed, const Options& options,
                           std::string what);

// Compiles any language except Slang in this process, or takes SPIR-V unchanged, and validates the result. A program
// without the compilers refuses.
Result<Compiled> compile_here(std::string_view path, ByteSpan source, const Options& options, const ReadFile& read);
// The same in a separate process, if the main program supports that. Additional errors: the process crashed or exceeded
// a limit. If the limit was memory, the result is needs_memory instead.
Result<Compiled> compile_isolated(std::string_view path, ByteSpan source, const Options& options, const ReadFile& read,
                                  const ProcessLimits& limits = {});

// Checks the rules of the SPIR-V specification and of the target's Vulkan version, in this process.
Result<void> validate_here(ByteSpan spirv, Target target);

}  // namespace assetc::shader
