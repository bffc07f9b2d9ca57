// Checks that the levels of a texture can be decompressed, which ktx2::View does not check.
#pragma once

#include "assetc/formats/ktx2.hpp"

namespace assetc::filetypes {

// Also of levels that are zlib streams, which the runtime library does not read. Errors: kInvalidData at "level N".
Result<void> check_level(const ktx2::View& texture, std::size_t level);
// The error of the first level that fails.
Result<void> check_levels(const ktx2::View& texture);

}  // namespace assetc::filetypes
