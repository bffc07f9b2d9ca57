// Structural validity of a file by its extension.
#pragma once

#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::engine {

// The error of the format's reader, or nothing for a valid file and for a format that has no reader here.
Result<void> verify_structure(std::string_view path, ByteSpan bytes);

}  // namespace assetc::engine
