// Libraries that are loaded when they are needed.
#pragma once

#include <span>

namespace assetc::os {

// The first of names that the system finds, or null. It stays loaded.
void* open_library(std::span<const char* const> names);
// A function of it, or null.
void* find_symbol(void* library, const char* name);

}  // namespace assetc::os
