// Runs shader compilers in separate processes: a crash, a hang or excessive memory use is an error of one source only.
#pragma once

#include "process/child.hpp"

namespace assetc::shader {

// The role for process::run_as. If no process can be started, shaders are compiled in the calling process, and a crash
// of the compiler ends that process.
extern const process::Role kShaderCompiler;

}  // namespace assetc::shader
