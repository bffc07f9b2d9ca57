// Reads of files through Linux's io_uring. Source: io_uring(7), liburing.
#pragma once

#include <memory>
#include <string>

#include "assetc/runtime/source.hpp"

namespace assetc::runtime {

// make_file_source(), or null where the kernel, or whoever confines this process, has no io_uring. folder: "" or with a
// slash at its end.
std::unique_ptr<Source> make_uring_source(const std::string& folder);

}  // namespace assetc::runtime
