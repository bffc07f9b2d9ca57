// Reads files through Linux's io_uring. Source: io_uring(7), liburing.
#pragma once

#include <memory>
#include <string>

#include "assetc/runtime/source.hpp"

namespace assetc::runtime {

// The same as make_file_source(). Returns null if the kernel has no io_uring or a sandbox blocks it. folder: "", or
// with a slash at its end.
std::unique_ptr<Source> make_uring_source(const std::string& folder);

}  // namespace assetc::runtime
