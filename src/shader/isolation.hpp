// Runs shader compilers in separate processes: a crash, a hang or excessive memory use is an error of one source only.
#pragma once

#include "process/child.hpp"

namespace assetc::shader {

inline constexpr const char* kCompileShaders = "--compile-shaders";

// The role for process::run_as, of the program itself or of assetc-shaders: the program's ASSETC_SHADER_PROGRAM in
// CMake says which. If a program with the compilers cannot be started again, it compiles shaders itself, and a crash of
// the compiler ends it.
extern const process::Role kShaderCompiler;

}  // namespace assetc::shader
