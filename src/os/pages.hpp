// Pages of memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "assetc/base/bytes.hpp"
#include "os/fault.hpp"

namespace assetc::os {

class File;

// Returns whole pages within bytes to the system, if it takes them (not on Windows). They then read as zeros, and use
// memory again when they are written. Otherwise they keep their values.
void release_pages(std::span<std::byte> bytes);
// bytes.resize(size) for which new bytes use no memory until they are written.
void resize_without_pages(ByteVector& bytes, std::size_t size);

// Asks the system to back whole huge pages (of 2 MiB) within bytes with huge pages, where it has them and lets programs
// choose (transparent_hugepage: madvise). The values stay. Thread-safe.
void use_huge_pages(std::span<std::byte> bytes);

// Returns size_bytes of zeros, which use no memory until they are written.
OsResult<std::shared_ptr<std::byte>> reserve_zeros(std::size_t size_bytes);
// Maps a whole file of size_bytes. Pages are read on access. The file must not shrink meanwhile.
OsResult<std::shared_ptr<const std::byte>> map_pages(const File& file, std::size_t size_bytes);

}  // namespace assetc::os
