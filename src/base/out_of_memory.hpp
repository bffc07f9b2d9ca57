// For libraries that report by a return value that memory ran out.
#pragma once

#include <cstdlib>
#include <new>

namespace assetc {

// Throws std::bad_alloc. Without exceptions, as in WebAssembly, ends the program, as operator new does there.
[[noreturn]] inline void out_of_memory() {
#ifdef __cpp_exceptions
  throw std::bad_alloc();
#else
  std::abort();
#endif
}

}  // namespace assetc
