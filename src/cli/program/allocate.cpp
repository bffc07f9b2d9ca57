// The program's memory: large blocks are in huge pages.
//
// Meshes and pictures are in blocks of many megabytes that are filled once. In pages of 4 KiB, their page faults took a
// sixth of the processor time of a mesh of a million triangles.
#include <cstdlib>
#include <new>

#include "os/pages.hpp"

// The other forms of new and delete call these.
void* operator new(std::size_t size_bytes) {
  constexpr std::size_t kLarge = 4u << 20;
  void* block = nullptr;
  while ((block = std::malloc(size_bytes == 0 ? 1 : size_bytes)) == nullptr) {
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
  if (size_bytes >= kLarge) assetc::os::use_huge_pages({static_cast<std::byte*>(block), size_bytes});
  return block;
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t /*size_bytes*/) noexcept { std::free(block); }
