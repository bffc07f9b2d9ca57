// The interface between a WebAssembly module and its JavaScript: memory and the last error. All numbers are 32 bits,
// little-endian. A function returns 0 after an error.
#pragma once

#include <cstdint>
#include <string>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

// Makes a function an export of the module, under that name.
#define ASSETC_EXPORT(name) __attribute__((export_name(#name)))

namespace assetc::web {

// The largest buffer that the modules allocate for a file's content: WebAssembly has at most 4 GiB.
inline constexpr std::uint64_t kMaxBytes = 1u << 30;

// Keeps the error for the export `last_error`. Returns 0.
std::uint32_t refuse(Error error);

// An address as JavaScript sees it.
template <class T>
std::uint32_t address(const T* at) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(at));
}

// Bytes as JavaScript finds them.
struct Range {
  std::uint32_t at = 0, size_bytes = 0;
};
inline Range range_of(ByteSpan bytes) { return {address(bytes.data()), static_cast<std::uint32_t>(bytes.size())}; }

}  // namespace assetc::web
