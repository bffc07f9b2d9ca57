// Memory given back before its owner goes.
#pragma once

#include <cstddef>
#include <span>

namespace assetc::texture {

// Gives the pages that lie wholly inside back to the system. What bytes holds is undefined afterwards.
void release_pages(std::span<std::byte> bytes);

}  // namespace assetc::texture
