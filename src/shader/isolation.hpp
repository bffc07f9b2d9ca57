// Compilers of shaders run in processes of their own: this program, started again. What crashes, hangs or fills the
// memory there is an error of one source.
#pragma once

#include <optional>

namespace assetc::shader {

// The first call of main. Returns the exit code of a process that was started to compile; otherwise nothing, and
// shaders are compiled in such processes from now on. Without the call, and where a program cannot be started again
// (under an emulator), they are compiled in the calling process, whose end a crash of the compiler then is.
std::optional<int> run_as_compiler(int argc, const char* const* argv);

}  // namespace assetc::shader
