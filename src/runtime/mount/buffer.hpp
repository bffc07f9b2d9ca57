// Memory for content whose size is declared in a file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/runtime/memory.hpp"
#include "base/plural.hpp"

namespace assetc::runtime {

// Not cleared: the caller must write all bytes before passing it on.
class Buffer {
 public:
  // Errors: kLimit if memory is not available. tag: as in Memory.
  static Result<Buffer> allocate(std::uint64_t size_bytes, const Memory& memory = kDefaultMemory,
                                 const char* tag = "content") {
    if (size_bytes <= std::numeric_limits<std::size_t>::max()) {
      const auto size = static_cast<std::size_t>(size_bytes);
      if (memory.allocate == nullptr) {
        if (std::byte* const bytes = new (std::nothrow) std::byte[size])
          return Buffer(std::shared_ptr<std::byte[]>(bytes), size);
      } else if (void* const bytes = memory.allocate(memory.context, std::max<std::size_t>(size, 1), kAlignment, tag)) {
        const auto give_back = [memory, size, tag](std::byte* gone) {
          memory.free(memory.context, gone, std::max<std::size_t>(size, 1), kAlignment, tag);
        };
        return Buffer(std::shared_ptr<std::byte[]>(static_cast<std::byte*>(bytes), give_back), size);
      }
    }
    return fail(ErrorCode::kLimit, "found no memory for " + counted(size_bytes, "byte"), "load less at a time");
  }
  std::span<std::byte> span() const { return {memory_.get(), size_bytes_}; }
  Bytes bytes() const { return Bytes(std::shared_ptr<const void>(memory_, memory_.get()), span()); }

 private:
  static constexpr std::size_t kAlignment = 16;  // for the views of all formats
  Buffer(std::shared_ptr<std::byte[]> memory, std::size_t size_bytes)
      : memory_(std::move(memory)), size_bytes_(size_bytes) {}
  std::shared_ptr<std::byte[]> memory_;
  std::size_t size_bytes_;
};

}  // namespace assetc::runtime
