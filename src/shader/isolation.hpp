// Compilers of shaders run in processes of their own: what crashes, hangs or fills the memory there is an error of one
// source.
#pragma once

#include "process/child.hpp"

namespace assetc::shader {

// For process::run_as. Where no process can be started, shaders are compiled in the calling one, whose end a crash of
// the compiler then is.
extern const process::Role kShaderCompiler;

}  // namespace assetc::shader
