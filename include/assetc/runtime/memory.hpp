// The memory functions of an engine, for a manager.
#pragma once

#include <cstddef>

namespace assetc::runtime {

// Allocates the memory of a manager. A tag is a string literal:
// - "records": the manager's own data. Allocated in blocks of several KiB, which the manager keeps until it is
// destroyed
//   and no ref is left. `allocate` must not return null for this tag.
// - "content": bytes of assets that are not used in place: decompressed, decrypted, joined, or moved to another
//   alignment. If `allocate` returns null, the asset fails (kLimit).
// - "texture": levels of textures that were decompressed or transcoded, unless TextureOptions::allocate is set. The
//   same.
// Other memory comes from operator new: values (a T of each asset, and what it contains), memory of sources, strings
// of errors.
// Lifetime: the functions must work until the manager, all refs and all copies of Bytes are destroyed.
// Thread safety: both functions are called from any thread, also for memory of another thread.
struct Memory {
  void* context = nullptr;
  // Returns size_bytes bytes at a multiple of `alignment`, a power of two. Unset: operator new.
  void* (*allocate)(void* context, std::size_t size_bytes, std::size_t alignment, const char* tag) = nullptr;
  // Called with the arguments of the allocation. Set both functions or none.
  void (*free)(void* context, void* memory, std::size_t size_bytes, std::size_t alignment, const char* tag) = nullptr;
};

inline constexpr Memory kDefaultMemory{};

}  // namespace assetc::runtime
