#ifndef _WIN32
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "assetc/runtime/mount.hpp"
#include "runtime/source/native_file.hpp"

namespace assetc::runtime {
namespace {

Error io_error(const std::string& path, int error) {
  const bool absent = error == ENOENT || error == ENOTDIR;
  return Error{
      absent ? ErrorCode::kNotFound : ErrorCode::kIo, path, {}, absent ? "no such file" : std::strerror(error), {}};
}

// Of the pages that the bytes are in.
bool advise(ByteSpan bytes, int advice) {
  const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data()) / page_bytes * page_bytes;
  const std::size_t size = reinterpret_cast<std::uintptr_t>(bytes.data()) + bytes.size() - begin;
  return ::madvise(reinterpret_cast<void*>(begin), size, advice) == 0;
}

}  // namespace

bool is_plain_name(std::string_view part) { return part.find('\0') == part.npos; }

void will_need(ByteSpan bytes) { advise(bytes, MADV_WILLNEED); }

bool populate([[maybe_unused]] ByteSpan bytes) {
#ifdef MADV_POPULATE_READ  // Linux 5.14
  return advise(bytes, MADV_POPULATE_READ);
#else
  return false;
#endif
}

std::uint64_t version_of(const struct stat& status) {
#ifdef __APPLE__
  const timespec written = status.st_mtimespec;
#else
  const timespec written = status.st_mtim;
#endif
  return version_of({status.st_ino, static_cast<std::uint64_t>(status.st_size),
                     static_cast<std::uint64_t>(written.tv_sec), static_cast<std::uint64_t>(written.tv_nsec)});
}

Result<MappedFile> map_native(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe waits for whoever writes to it.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::unexpected(io_error(path, errno));
  struct stat status{};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(file);
    return std::unexpected(Error{ErrorCode::kIo, path, {}, "not a regular file", {}});
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) {
    ::close(file);
    return MappedFile{{}, version_of(status)};
  }
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  const int error = errno;
  ::close(file);
  if (address == MAP_FAILED) return std::unexpected(io_error(path, error));
  std::shared_ptr<const void> owner(address, [size](const void* p) { munmap(const_cast<void*>(p), size); });
  return MappedFile{Bytes(std::move(owner), {static_cast<const std::byte*>(address), size}), version_of(status)};
}

}  // namespace assetc::runtime
#endif
