#include "os/pages.hpp"

namespace assetc::os {

void release_pages(std::span<std::byte> /*bytes*/) {}
void use_huge_pages(std::span<std::byte> /*bytes*/) {}
void resize_without_pages(ByteVector& bytes, std::size_t size) { bytes.resize(size); }

}  // namespace assetc::os
