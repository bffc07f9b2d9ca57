#include "base/release.hpp"

#include <algorithm>
#include <cstdint>

#if defined(__unix__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace assetc {

void release_pages([[maybe_unused]] std::span<std::byte> bytes) {
#if defined(__unix__)
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t begin = (address + page - 1) / page * page, end = (address + bytes.size()) / page * page;
  if (begin < end) ::madvise(bytes.data() + (begin - address), end - begin, MADV_DONTNEED);
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

}  // namespace assetc
