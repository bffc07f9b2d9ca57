#include "os/mapping.hpp"

#include <memory>

#include "os/windows/system.hpp"

namespace assetc::os {
namespace {

std::unexpected<Error> io_error(const std::string& path, DWORD error) {
  const bool absent = error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND || error == ERROR_INVALID_NAME;
  return std::unexpected(Error{absent ? ErrorCode::kNotFound : ErrorCode::kIo,
                               path,
                               {},
                               absent ? "no such file" : "Windows error " + std::to_string(error),
                               {}});
}
std::unexpected<Error> not_regular(const std::string& path) {
  return std::unexpected(Error{ErrorCode::kIo, path, {}, "not a regular file", {}});
}

}  // namespace

// Backslashes and colons are separators, drives and streams. A dot or space at the end is dropped: ".. " is "..".
bool is_plain_name(std::string_view part) {
  constexpr std::string_view kForbidden("\0\\:*?\"<>|", 9);
  return part.find_first_of(kForbidden) == part.npos && !part.ends_with('.') && !part.ends_with(' ');
}

void will_need(ByteSpan) {}
bool populate(ByteSpan) { return false; }

Result<MappedFile> map_file(const std::string& path, std::uint64_t map_from_bytes) {
  const std::filesystem::path native = native_path(path);
  const DWORD attributes = GetFileAttributesW(native.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return io_error(path, GetLastError());
  if (attributes & FILE_ATTRIBUTE_DIRECTORY) return not_regular(path);
  const HANDLE opened = CreateFileW(native.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr,
                                    OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (opened == INVALID_HANDLE_VALUE) return io_error(path, GetLastError());
  const UniqueHandle file(opened);
  // "NUL" and "COM1" are devices in every folder.
  if (GetFileType(file.get()) != FILE_TYPE_DISK) return not_regular(path);
  LARGE_INTEGER size;
  if (!GetFileSizeEx(file.get(), &size)) return io_error(path, GetLastError());
  std::uint64_t version = 0;
  BY_HANDLE_FILE_INFORMATION information;
  if (GetFileInformationByHandle(file.get(), &information) != 0) {
    const FILETIME& written = information.ftLastWriteTime;
    version = version_of({.size_bytes = static_cast<std::uint64_t>(size.QuadPart),
                          .mtime_ns = static_cast<std::int64_t>(joined(written.dwHighDateTime, written.dwLowDateTime)),
                          .inode = joined(information.nFileIndexHigh, information.nFileIndexLow)});
  }
  if (size.QuadPart == 0) return MappedFile{{}, version};
  if (static_cast<std::uint64_t>(size.QuadPart) < map_from_bytes) {
    const auto count = static_cast<DWORD>(size.QuadPart);
    const auto copy = std::make_shared_for_overwrite<std::byte[]>(count);
    for (DWORD done = 0; done < count;) {
      DWORD got = 0;
      if (ReadFile(file.get(), copy.get() + done, count - done, &got, nullptr) == 0)
        return io_error(path, GetLastError());
      if (got == 0)
        return std::unexpected(Error{ErrorCode::kIo, path, {}, "the file became shorter while it was read", {}});
      done += got;
    }
    return MappedFile{Bytes(copy, {copy.get(), count}), version, false};
  }
  const UniqueHandle mapping(CreateFileMappingW(file.get(), nullptr, PAGE_READONLY, 0, 0, nullptr));
  if (!mapping) return io_error(path, GetLastError());
  const void* address = MapViewOfFile(mapping.get(), FILE_MAP_READ, 0, 0, 0);
  if (!address) return io_error(path, GetLastError());
  std::shared_ptr<const void> owner(address, [](const void* p) { UnmapViewOfFile(p); });
  const ByteSpan bytes(static_cast<const std::byte*>(address), static_cast<std::size_t>(size.QuadPart));
  return MappedFile{Bytes(std::move(owner), bytes), version};
}

}  // namespace assetc::os
