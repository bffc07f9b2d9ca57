#include "os/pages.hpp"

#include "os/windows/system.hpp"

namespace assetc::os {

// Memory of the heap cannot be given back in parts.
void release_pages(std::span<std::byte> /*bytes*/) {}
void use_huge_pages(std::span<std::byte> /*bytes*/) {}
void resize_without_pages(ByteVector& bytes, std::size_t size) { bytes.resize(size); }

OsResult<std::shared_ptr<std::byte>> reserve_zeros(std::size_t size_bytes) {
  void* const pages = VirtualAlloc(nullptr, size_bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (pages == nullptr) return std::unexpected(Fault::last());
  return std::shared_ptr<std::byte>(static_cast<std::byte*>(pages),
                                    [](std::byte* p) { VirtualFree(p, 0, MEM_RELEASE); });
}

OsResult<std::shared_ptr<const std::byte>> map_pages(const File& file, std::size_t size_bytes) {
  const UniqueHandle mapping(CreateFileMappingW(handle_of(file.descriptor()), nullptr, PAGE_READONLY, 0, 0, nullptr));
  if (!mapping) return std::unexpected(Fault::last());
  const void* const pages = MapViewOfFile(mapping.get(), FILE_MAP_READ, 0, 0, size_bytes);
  if (pages == nullptr) return std::unexpected(Fault::last());
  return std::shared_ptr<const std::byte>(static_cast<const std::byte*>(pages),
                                          [](const std::byte* p) { UnmapViewOfFile(p); });
}

}  // namespace assetc::os
