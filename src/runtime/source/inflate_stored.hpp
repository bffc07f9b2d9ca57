// Levels whose bytes are not in the view of their texture, because they were read on their own.
#pragma once

#include <span>

#include "assetc/runtime/inflate.hpp"

namespace assetc::runtime {

// inflate_level() of these bytes, of which there are as many as the view says.
Result<void> inflate_stored(const ktx2::View& texture, std::size_t level, ByteSpan stored, std::span<std::byte> out);

}  // namespace assetc::runtime
