// Pages of memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "assetc/base/bytes.hpp"
#include "os/fault.hpp"

namespace assetc::os {

class File;

// Returns whole pages within bytes to the system. They read as zeros, and are taken again when they are written.
void release_pages(std::span<std::byte> bytes);
// bytes.resize(size) whose new bytes take no memory until they are written.
void resize_without_pages(ByteVector& bytes, std::size_t size);

// size_bytes of zeros that take no memory until they are written.
OsResult<std::shared_ptr<std::byte>> reserve_zeros(std::size_t size_bytes);
// The whole of a file whose size is size_bytes, as its pages are looked at. The file must not shrink meanwhile.
OsResult<std::shared_ptr<const std::byte>> map_pages(const File& file, std::size_t size_bytes);

}  // namespace assetc::os
