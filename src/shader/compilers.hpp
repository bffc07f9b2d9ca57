// The compilers behind compile().
#pragma once

#include "shader/process.hpp"
#include "shader/shader.hpp"

namespace assetc::shader {

// GLSL and HLSL; not validated.
Result<Compiled> compile_with_shaderc(std::string_view path, ByteSpan source, const Options& options,
                                      const ReadFile& read);

// Runs slangc from PATH in a temporary folder that holds the source and the files it names, so that the program sees
// no other file of the project. Not validated.
// It does not say when memory was too little: with less than kSlangcLimits give, a failure without a located error is
// taken for that, and says needs_memory.
Result<Compiled> compile_with_slangc(std::string_view path, ByteSpan source, const Options& options,
                                     const ReadFile& read, const ProcessLimits& limits = kSlangcLimits);

// All but Slang, in this process: compiles, or takes SPIR-V as it is, and validates.
Result<Compiled> compile_here(std::string_view path, ByteSpan source, const Options& options, const ReadFile& read);
// The same in a process of its own, where main allows it. Errors beyond those: the process crashed, or a limit; but of
// memory, for which it says needs_memory.
Result<Compiled> compile_isolated(std::string_view path, ByteSpan source, const Options& options, const ReadFile& read,
                                  const ProcessLimits& limits = {});

// The rules of the SPIR-V specification and of the target's Vulkan version, in this process.
Result<void> validate_here(ByteSpan spirv, Target target);

}  // namespace assetc::shader
