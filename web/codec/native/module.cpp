#include "module.hpp"

#include <cstdlib>
#include <utility>

namespace assetc::web {
namespace {

// The result of last_error(): texts.
struct Failure {
  Range code, place, what, hint;
};

Error last;
Failure failure;

}  // namespace

std::uint32_t refuse(Error error) {
  last = std::move(error);
  return 0;
}

// Returns memory for size_bytes bytes, or 0 if there is none.
ASSETC_EXPORT(allocate) std::uint32_t allocate(std::uint32_t size_bytes) {
  return address(static_cast<std::byte*>(std::malloc(size_bytes == 0 ? 1 : size_bytes)));
}

// Frees memory that allocate() returned.
ASSETC_EXPORT(release) void release(std::uint32_t at) { std::free(reinterpret_cast<void*>(std::uintptr_t{at})); }

// Returns a Failure with the last error.
ASSETC_EXPORT(last_error) std::uint32_t last_error() {
  failure = {range_of(as_bytes(to_string(last.code))), range_of(as_bytes(last.place)), range_of(as_bytes(last.what)),
             range_of(as_bytes(last.hint))};
  return address(&failure);
}

}  // namespace assetc::web

// The standard library would print a reason before it ends the program. A trap is enough: JavaScript turns it into an
// error.
[[noreturn]] void std::__libcpp_verbose_abort(const char* /*format*/, ...) { __builtin_trap(); }
extern "C" [[noreturn]] void abort_message(const char* /*format*/, ...) { __builtin_trap(); }

// wasi-libc formats numbers by code that can also write to a file. These are its imports for that. Defined here, they
// are no imports of the module. They return WASI's "bad file descriptor".
extern "C" {
constexpr std::int32_t kBadFile = 8;
std::int32_t __imported_wasi_snapshot_preview1_fd_close(std::int32_t) { return kBadFile; }
std::int32_t __imported_wasi_snapshot_preview1_fd_seek(std::int32_t, std::int64_t, std::int32_t, std::int32_t) {
  return kBadFile;
}
std::int32_t __imported_wasi_snapshot_preview1_fd_write(std::int32_t, std::int32_t, std::int32_t, std::int32_t) {
  return kBadFile;
}
}
