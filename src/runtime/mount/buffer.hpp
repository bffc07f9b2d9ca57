// Memory for content whose size is declared in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "base/plural.hpp"

namespace assetc::runtime {

// Not cleared: the caller must write all bytes before passing it on.
class Buffer {
 public:
  // Errors: kLimit if memory is not available.
  static Result<Buffer> allocate(std::uint64_t size_bytes) {
    if (size_bytes <= std::numeric_limits<std::size_t>::max()) {
      const auto size = static_cast<std::size_t>(size_bytes);
      if (std::byte* const memory = new (std::nothrow) std::byte[size])
        return Buffer(std::shared_ptr<std::byte[]>(memory), size);
    }
    return fail(ErrorCode::kLimit, "found no memory for " + counted(size_bytes, "byte"), "load less at a time");
  }
  std::span<std::byte> span() const { return {memory_.get(), size_bytes_}; }
  Bytes bytes() const { return Bytes(std::shared_ptr<const void>(memory_, memory_.get()), span()); }

 private:
  Buffer(std::shared_ptr<std::byte[]> memory, std::size_t size_bytes)
      : memory_(std::move(memory)), size_bytes_(size_bytes) {}
  std::shared_ptr<std::byte[]> memory_;
  std::size_t size_bytes_;
};

}  // namespace assetc::runtime
