#include "os/file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <thread>

#include "base/ascii.hpp"
#include "os/windows/system.hpp"

namespace assetc::os {
namespace {

constexpr std::size_t kMaxIoBytes = 1u << 30;
// A lock of Windows keeps other programs from reading the range, so the locked byte is behind the end of every file.
constexpr DWORD kLockedOffsetHigh = 0x7ffffffe;

std::unexpected<Fault> last() { return std::unexpected(Fault::last()); }
OsResult<void> checked(BOOL result) {
  if (result == 0) return last();
  return {};
}

OVERLAPPED at(std::uint64_t offset_bytes) {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset_bytes);
  place.OffsetHigh = static_cast<DWORD>(offset_bytes >> 32);
  return place;
}

// operation(bytes done, size, moved) transfers a part of size bytes.
template <class Operation>
OsResult<std::size_t> transfer(std::size_t size, const Operation& operation) {
  std::size_t done = 0;
  while (done < size) {
    DWORD moved = 0;
    if (operation(done, static_cast<DWORD>(std::min(size - done, kMaxIoBytes)), &moved) == 0) {
      if (GetLastError() == ERROR_HANDLE_EOF) break;
      return last();
    }
    if (moved == 0) break;
    done += moved;
  }
  return done;
}

OsResult<void> whole(const OsResult<std::size_t>& transferred, std::size_t size) {
  if (!transferred) return std::unexpected(transferred.error());
  if (*transferred != size) return std::unexpected(Fault(ERROR_DISK_FULL));
  return {};
}

bool is_folder(const std::wstring& path) {
  const DWORD attributes = GetFileAttributesW(path.c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

// Renames an open file. The old file with the name disappears at once, although other programs have it open, if they
// share it (Windows 10). ERROR_INVALID_PARAMETER or others if the file system does not support it.
OsResult<void> rename_open(HANDLE file, const std::wstring& to, bool replaces) {
  constexpr auto kRenameEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
  constexpr DWORD kReplace = 0x1, kPosix = 0x2, kIgnoreReadOnly = 0x40;
  struct Header {
    DWORD flags;
    HANDLE root;
    DWORD name_bytes;
    wchar_t name[1];
  };
  const std::size_t name_bytes = to.size() * sizeof(wchar_t);
  std::vector<std::byte> buffer(offsetof(Header, name) + name_bytes + sizeof(wchar_t));
  const Header header{.flags = replaces ? kReplace | kPosix | kIgnoreReadOnly : 0,
                      .root = nullptr,
                      .name_bytes = static_cast<DWORD>(name_bytes),
                      .name = {}};
  std::memcpy(buffer.data(), &header, offsetof(Header, name));
  std::memcpy(buffer.data() + offsetof(Header, name), to.c_str(), name_bytes + sizeof(wchar_t));
  return checked(SetFileInformationByHandle(file, kRenameEx, buffer.data(), static_cast<DWORD>(buffer.size())));
}

OsResult<void> rename_path(const std::string& from, const std::string& to, bool replaces) {
  const auto source = system_path(from), target = system_path(to);
  if (!source) return std::unexpected(source.error());
  if (!target) return std::unexpected(target.error());
  // Virus scanners and indexers open a new file for a moment.
  constexpr int kAttempts = 10;
  for (int attempt = 1;; ++attempt) {
    OsResult<void> renamed;
    {
      const auto file = open_path(*source, DELETE | SYNCHRONIZE, OPEN_EXISTING,
                                  FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS);
      if (!file) return std::unexpected(file.error());
      renamed = rename_open(handle_of(file->descriptor()), *target, replaces);
    }
    if (renamed) return {};
    if (MoveFileExW(source->c_str(), target->c_str(), replaces ? MOVEFILE_REPLACE_EXISTING : 0) != 0) return {};
    const Fault fault = Fault::last();
    const bool denied = fault.is(FaultKind::kNotAllowed);
    if (replaces && denied && is_folder(*target)) return std::unexpected(Fault::is_directory());
    if (!denied && !fault.is(FaultKind::kInUse)) return std::unexpected(fault);
    // A read-only file is replaced, as on other systems.
    const DWORD attributes = GetFileAttributesW(target->c_str());
    if (replaces && attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_READONLY) != 0)
      SetFileAttributesW(target->c_str(), attributes & ~DWORD{FILE_ATTRIBUTE_READONLY});
    // A file that another program has open without sharing it is not accessible either.
    if (attempt == kAttempts)
      return std::unexpected(denied && attributes != INVALID_FILE_ATTRIBUTES ? Fault(ERROR_SHARING_VIOLATION) : fault);
    std::this_thread::sleep_for(std::chrono::milliseconds(attempt * 5));
  }
}

OsResult<void> lock_byte(int descriptor, DWORD flags) {
  OVERLAPPED place{};
  place.OffsetHigh = kLockedOffsetHigh;
  return checked(LockFileEx(handle_of(descriptor), LOCKFILE_EXCLUSIVE_LOCK | flags, 0, 1, 0, &place));
}

std::string slashed(std::wstring path) {
  if (path.starts_with(L"\\\\?\\UNC\\")) {
    path.replace(0, 8, L"\\\\");
  } else if (path.starts_with(L"\\\\?\\")) {
    path.erase(0, 4);
  }
  std::ranges::replace(path, L'\\', L'/');
  return utf8(path);
}

// The path of an open file without links; empty if its file system does not tell.
std::string final_path(const File& file) {
  std::wstring real(MAX_PATH, L'\0');
  for (;;) {
    const DWORD size = GetFinalPathNameByHandleW(handle_of(file.descriptor()), real.data(),
                                                 static_cast<DWORD>(real.size()), FILE_NAME_NORMALIZED);
    if (size == 0) return {};
    const bool fits = size < real.size();
    real.resize(size);
    if (fits) return slashed(std::move(real));
  }
}

}  // namespace

File::~File() {
  if (descriptor_ >= 0) CloseHandle(handle_of(descriptor_));
}

OsResult<File> File::open(const std::string& path, Mode mode) {
  const auto wide = system_path(path);
  if (!wide) return std::unexpected(wide.error());
  // Folders open too, so that the error is the one of a folder.
  constexpr DWORD kFlags = FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS, kBoth = GENERIC_READ | GENERIC_WRITE;
  switch (mode) {
    case Mode::kRead:
      return open_path(*wide, GENERIC_READ, OPEN_EXISTING, kFlags);
    case Mode::kReadWrite:
    case Mode::kReadWriteCreate: {
      auto file = open_path(*wide, kBoth, mode == Mode::kReadWrite ? OPEN_EXISTING : OPEN_ALWAYS,
                            kFlags | FILE_FLAG_OPEN_REPARSE_POINT);
      const auto found = file ? file->status() : std::unexpected(file.error());
      if (found && found->kind == FileKind::kDirectory) return std::unexpected(Fault::is_directory());
      if (found && found->kind == FileKind::kLink) return std::unexpected(Fault(ERROR_CANT_RESOLVE_FILENAME));
      return file;
    }
    case Mode::kCreate:
      return open_path(*wide, kBoth, CREATE_NEW, FILE_ATTRIBUTE_NORMAL);
    case Mode::kDirectory:
      break;
  }
  auto folder = open_path(*wide, GENERIC_READ, OPEN_EXISTING, kFlags);
  const auto found = folder ? folder->status() : std::unexpected(folder.error());
  if (found && found->kind != FileKind::kDirectory) return std::unexpected(Fault(ERROR_DIRECTORY));
  return folder;
}

OsResult<File> File::open_below(const std::string& root, const std::string& path) {
  auto file = open(root + "/" + path, Mode::kRead);
  const auto folder = system_path(root);
  if (!file || !folder) return file;
  const auto opened = open_path(*folder, FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
  if (!opened) return std::unexpected(opened.error());
  std::string prefix = final_path(*opened);
  if (!prefix.ends_with('/')) prefix += '/';
  if (prefix == "/" || !final_path(*file).starts_with(prefix)) return std::unexpected(Fault(ERROR_NOT_SAME_DEVICE));
  return file;
}

OsResult<File> File::open_nameless(const std::string& /*folder*/) {
  return std::unexpected(Fault(ERROR_NOT_SUPPORTED));
}
OsResult<void> File::link_as(const std::string& /*path*/) const { return std::unexpected(Fault(ERROR_NOT_SUPPORTED)); }

OsResult<Status> File::status() const { return status_of(handle_of(descriptor_)); }

OsResult<bool> File::is_private() const { return true; }

OsResult<std::size_t> File::read_at(std::uint64_t offset_bytes, std::span<std::byte> out) const {
  return transfer(out.size(), [&](std::size_t done, DWORD size, DWORD* moved) {
    OVERLAPPED place = at(offset_bytes + done);
    return ReadFile(handle_of(descriptor_), out.data() + done, size, moved, &place);
  });
}

OsResult<void> File::write_at(std::uint64_t offset_bytes, ByteSpan bytes) const {
  return whole(transfer(bytes.size(),
                        [&](std::size_t done, DWORD size, DWORD* moved) {
                          OVERLAPPED place = at(offset_bytes + done);
                          return WriteFile(handle_of(descriptor_), bytes.data() + done, size, moved, &place);
                        }),
               bytes.size());
}

OsResult<void> File::write(ByteSpan bytes) const {
  return whole(transfer(bytes.size(),
                        [&](std::size_t done, DWORD size, DWORD* moved) {
                          return WriteFile(handle_of(descriptor_), bytes.data() + done, size, moved, nullptr);
                        }),
               bytes.size());
}

OsResult<void> File::truncate(std::uint64_t size_bytes) const {
  FILE_END_OF_FILE_INFO end{};
  end.EndOfFile.QuadPart = static_cast<LONGLONG>(size_bytes);
  return checked(SetFileInformationByHandle(handle_of(descriptor_), FileEndOfFileInfo, &end, sizeof end));
}

OsResult<void> File::sync() const { return checked(FlushFileBuffers(handle_of(descriptor_))); }
// Only administrators may flush a volume.
OsResult<void> File::sync_file_system() const { return {}; }
// Wine does not wake a waiting LockFileEx when the owner of the lock closes the file.
OsResult<void> File::lock() const {
  constexpr std::chrono::milliseconds kLongest{20};
  for (std::chrono::milliseconds pause{1};; pause = std::min(2 * pause, kLongest)) {
    const auto locked = try_lock();
    if (locked || !locked.error().is(FaultKind::kBusy)) return locked;
    std::this_thread::sleep_for(pause);
  }
}
OsResult<void> File::try_lock() const { return lock_byte(descriptor_, LOCKFILE_FAIL_IMMEDIATELY); }

OsResult<Status> status(const std::string& path) {
  const auto wide = system_path(path);
  if (!wide) return std::unexpected(wide.error());
  const auto file = open_path(*wide, FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
  if (!file) return std::unexpected(file.error());
  return file->status();
}

OsResult<void> remove_file(const std::string& path) {
  const auto wide = system_path(path);
  if (!wide) return std::unexpected(wide.error());
  return remove_path(*wide);
}

OsResult<void> remove_directory(const std::string& path) {
  const auto wide = system_path(path);
  if (!wide) return std::unexpected(wide.error());
  return checked(RemoveDirectoryW(wide->c_str()));
}

OsResult<void> make_directory(const std::string& path) {
  const auto wide = system_path(path);
  if (!wide) return std::unexpected(wide.error());
  return checked(CreateDirectoryW(wide->c_str(), nullptr));
}

OsResult<void> rename(const std::string& from, const std::string& to) { return rename_path(from, to, true); }
OsResult<void> rename_if_free(const std::string& from, const std::string& to) { return rename_path(from, to, false); }

OsResult<void> exchange(const std::string& from, const std::string& to) {
  const std::string aside = from + ".aside";
  const auto source = system_path(from), target = system_path(to), backup = system_path(aside);
  if (!source) return std::unexpected(source.error());
  if (!target) return std::unexpected(target.error());
  if (!backup) return std::unexpected(backup.error());
  const auto exchanged = checked(ReplaceFileW(target->c_str(), source->c_str(), backup->c_str(),
                                              REPLACEFILE_IGNORE_MERGE_ERRORS, nullptr, nullptr));
  return exchanged ? rename_path(aside, from, true) : exchanged;
}

OsResult<void> touch(const std::string& path) {
  const auto wide = system_path(path);
  if (!wide) return std::unexpected(wide.error());
  const auto file =
      open_path(*wide, FILE_WRITE_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
  if (!file) return std::unexpected(file.error());
  FILETIME now;
  GetSystemTimeAsFileTime(&now);
  return checked(SetFileTime(handle_of(file->descriptor()), nullptr, nullptr, &now));
}

bool is_remote(const std::string& path) {
  const auto wide = system_path(path);
  if (!wide) return false;
  wchar_t root[MAX_PATH];
  return GetVolumePathNameW(wide->c_str(), root, MAX_PATH) != 0 && GetDriveTypeW(root) == DRIVE_REMOTE;
}

bool reports_changes(const std::string& path) { return !is_remote(path); }

std::string read_small(const std::string& path) {
  const auto file = File::open(path, File::Mode::kRead);
  std::array<std::byte, 128> text;
  const auto size = file ? file->read_at(0, text) : std::unexpected(file.error());
  std::string result(size ? as_text(ByteSpan(text).first(*size)) : std::string_view());
  while (!result.empty() && (result.back() == '\n' || result.back() == '\r')) result.pop_back();
  return result;
}

// Windows has no permission for this that is of use; programs have the suffix.
bool is_executable(const std::string& path) {
  const auto found = status(path);
  return found && found->kind == FileKind::kRegular && ascii_lower(path).ends_with(".exe");
}

// The folder decides who may read a new file.
PrivateFiles::PrivateFiles() : before_(0) {}
PrivateFiles::~PrivateFiles() { static_cast<void>(before_); }

std::string temporary_path() {
  wchar_t folder[MAX_PATH + 1];
  const DWORD size = GetTempPathW(MAX_PATH + 1, folder);
  std::string path = size <= MAX_PATH ? slashed({folder, size}) : std::string();
  if (path.ends_with('/')) path.pop_back();
  return path;
}

OsResult<std::string> make_temporary_directory(const std::string& prefix) {
  const std::string folder = temporary_path();
  if (folder.empty()) return std::unexpected(Fault(ERROR_PATH_NOT_FOUND));
  static std::atomic<unsigned> counter = 0;
  for (;;) {
    LARGE_INTEGER ticks;
    QueryPerformanceCounter(&ticks);
    const std::string name = folder + "/" + prefix + std::to_string(GetCurrentProcessId()) + "-" +
                             std::to_string(counter++) + "-" + std::to_string(ticks.QuadPart);
    const auto made = make_directory(name);
    if (made) return name;
    if (!made.error().is(FaultKind::kExists)) return std::unexpected(made.error());
  }
}

std::string canonical_path(const std::string& path) {
  const auto wide = system_path(path);
  if (!wide) return {};
  const auto file = open_path(*wide, FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
  if (!file) return {};
  const std::string real = final_path(*file);
  return real.empty() ? slashed(full_path(*wide)) : real;  // some file systems do not answer
}

std::string weakly_canonical_path(const std::string& path) {
  auto wide = system_path(path);
  if (!wide) return {};
  std::string head = utf8(full_path(*wide)), tail;
  std::ranges::replace(head, '\\', '/');
  for (;;) {
    if (const std::string real = canonical_path(head); !real.empty())
      return tail.empty() ? real : real + (real.ends_with('/') ? "" : "/") + tail;
    const std::size_t slash = head.rfind('/');
    if (slash == head.npos || slash + 1 == head.size()) return head + tail;
    tail = head.substr(slash + 1) + (tail.empty() ? "" : "/" + tail);
    head.resize(slash);
    if (head.ends_with(':')) head += '/';
  }
}

}  // namespace assetc::os
