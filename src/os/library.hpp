// Shared libraries that are loaded on demand.
#pragma once

#include <span>

namespace assetc::os {

// Opens the first library in names that the system finds; returns null if there is none. It stays loaded.
void* open_library(std::span<const char* const> names);
// Returns a function of the library, or null.
void* find_symbol(void* library, const char* name);

}  // namespace assetc::os
