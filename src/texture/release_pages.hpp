// Memory given back before its owner goes.
#pragma once

#include <cstddef>
#include <span>

#include "assetc/base/bytes.hpp"

namespace assetc::texture {

// Gives the pages that lie wholly inside back to the system. What bytes holds is undefined afterwards.
void release_pages(std::span<std::byte> bytes);

// Makes empty bytes this long, all zero; a page is there when it is written to, so that what comes little by little
// takes its memory little by little.
void resize_without_pages(ByteVector& bytes, std::size_t size);

}  // namespace assetc::texture
