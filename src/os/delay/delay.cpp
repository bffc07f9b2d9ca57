// Finds the functions of delayed libraries when they are first called (function.inc).
#include <cstdio>
#include <cstdlib>

#include "os/library.hpp"

// What function.inc stores for each function.
struct DelayedFunction {
  void* address;        // where the function continues
  const char* name;     // in the library
  const char* library;  // its file name: "libsndfile.so.1"
};

// Thread-safe: threads that make the first call at the same time store the same address.
extern "C" void* assetc_delay_find(DelayedFunction* function) noexcept {
  const char* const names[] = {function->library};
  void* const library = assetc::os::open_library(names);
  void* const address = library == nullptr ? nullptr : assetc::os::find_symbol(library, function->name);
  if (address == nullptr) {
    if (library == nullptr) {
      std::fprintf(stderr, "assetc: %s is not installed; install the package that has it\n", function->library);
    } else {
      std::fprintf(stderr, "assetc: %s has no function %s; install the version that assetc was built with\n",
                   function->library, function->name);
    }
    std::_Exit(1);
  }
  __atomic_store_n(&function->address, address, __ATOMIC_RELEASE);
  return address;
}
