// Decompresses levels that were read separately, so that the texture's view does not have their bytes.
#pragma once

#include <span>

#include "assetc/runtime/inflate.hpp"

namespace assetc::runtime {

// inflate_level() for the stored bytes of a level. stored must have the size that the view reports.
Result<void> inflate_stored(const ktx2::View& texture, std::size_t level, ByteSpan stored, std::span<std::byte> out);

}  // namespace assetc::runtime
