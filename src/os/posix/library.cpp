#include "os/library.hpp"

#include <dlfcn.h>

namespace assetc::os {

void* open_library(std::span<const char* const> names) {
  for (const char* name : names) {
    if (void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

void* find_symbol(void* library, const char* name) { return ::dlsym(library, name); }

}  // namespace assetc::os
