#include "os/library.hpp"

#include "os/windows/system.hpp"

namespace assetc::os {

// Not from the working folder, which may be a project of another person.
void* open_library(std::span<const char* const> names) {
  for (const char* name : names) {
    if (const HMODULE library = LoadLibraryExW(utf16(name).c_str(), nullptr, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS))
      return reinterpret_cast<void*>(library);
  }
  return nullptr;
}

void* find_symbol(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

}  // namespace assetc::os
