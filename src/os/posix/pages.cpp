#include "os/pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "os/file.hpp"

namespace assetc::os {
namespace {

// Gives advice for the whole pages of page_bytes within bytes.
void advise(std::span<std::byte> bytes, std::uintptr_t page_bytes, int advice) {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t begin = (address + page_bytes - 1) / page_bytes * page_bytes,
                       end = (address + bytes.size()) / page_bytes * page_bytes;
  if (begin < end) ::madvise(bytes.data() + (begin - address), end - begin, advice);
}

}  // namespace

void release_pages(std::span<std::byte> bytes) {
  advise(bytes, static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE)), MADV_DONTNEED);
}

void use_huge_pages([[maybe_unused]] std::span<std::byte> bytes) {
#ifdef MADV_HUGEPAGE
  advise(bytes, std::uintptr_t{2} << 20, MADV_HUGEPAGE);
#endif
}

void resize_without_pages(ByteVector& bytes, std::size_t size) {
  constexpr std::size_t kPieceBytes = 4u << 20;
  bytes.reserve(size);
  while (bytes.size() < size) {
    const std::size_t begin = bytes.size();
    bytes.resize(std::min(size, begin + kPieceBytes));
    if (size > kPieceBytes) release_pages(std::span(bytes).subspan(begin));
  }
}

OsResult<std::shared_ptr<std::byte>> reserve_zeros(std::size_t size_bytes) {
  // Pages that are never written share the zero page.
  void* const mapped =
      ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return std::unexpected(Fault::last());
  return std::shared_ptr<std::byte>(static_cast<std::byte*>(mapped),
                                    [size_bytes](std::byte* p) { ::munmap(p, size_bytes); });
}

OsResult<std::shared_ptr<const std::byte>> map_pages(const File& file, std::size_t size_bytes) {
  void* const mapped = ::mmap(nullptr, size_bytes, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (mapped == MAP_FAILED) return std::unexpected(Fault::last());
  return std::shared_ptr<const std::byte>(static_cast<const std::byte*>(mapped), [size_bytes](const std::byte* p) {
    ::munmap(const_cast<std::byte*>(p), size_bytes);
  });
}

}  // namespace assetc::os
