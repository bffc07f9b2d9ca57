// Runs shader compilers in separate processes: a crash, a hang or excessive memory use is an error of one source only.
#pragma once

#include "process/child.hpp"

namespace assetc::shader {

inline constexpr const char* kCompileShaders = "--compile-shaders";

// The role for process::run_as. A program that has the compilers takes it itself. If it cannot be started again, it
// compiles shaders in its own process, and a crash of the compiler ends it. For a program whose CMake property
// ASSETC_SHADER_PROGRAM is set, assetc-shaders takes the role.
extern const process::Role kShaderCompiler;

}  // namespace assetc::shader
