#include "os/windows/system.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "os/mapping.hpp"

namespace assetc::os {
namespace {

// Paths of folders may have 12 characters less than the 260 of a file's.
constexpr std::size_t kLongestPlainPath = 247;

// Names of devices, in every folder and with any extension.
bool is_device(std::string_view name) {
  constexpr std::array<std::string_view, 6> kDevices{"con", "prn", "aux", "nul", "conin$", "conout$"};
  std::string stem = ascii_lower(name.substr(0, name.find('.')));
  while (stem.ends_with(' ')) stem.pop_back();
  if (stem.size() == 4 && (stem.starts_with("com") || stem.starts_with("lpt"))) return stem[3] >= '1' && stem[3] <= '9';
  return std::ranges::find(kDevices, stem) != kDevices.end();
}

constexpr std::size_t kLongestName = 255;  // in UTF-16

bool is_name(std::string_view part) {
  return part.empty() || part == "." || part == ".." || (is_plain_name(part) && !is_device(part));
}

// Why a path cannot be one of this system; ERROR_SUCCESS if it can.
DWORD fault_of_name(std::string_view part) {
  if (!is_name(part)) return ERROR_INVALID_NAME;
  const bool is_long = part.size() > kLongestName && utf16(part).size() > kLongestName;
  return is_long ? ERROR_FILENAME_EXCED_RANGE : ERROR_SUCCESS;
}

// "//?/C:/a" and "//./pipe/a" are paths that Windows does not change.
bool is_verbatim(std::string_view path) { return path.starts_with("//?/") || path.starts_with("//./"); }

DWORD fault_of_path(std::string_view path) {
  if (is_verbatim(path)) return ERROR_SUCCESS;
  if (path.size() >= 2 && path[1] == ':') path.remove_prefix(2);
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (const DWORD fault = fault_of_name(path.substr(0, end))) return fault;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return ERROR_SUCCESS;
}

std::wstring without_limit(std::wstring path) {
  if (path.size() <= kLongestPlainPath || path.starts_with(L"\\\\?\\")) return path;
  path = full_path(path);
  if (path.starts_with(L"\\\\")) return L"\\\\?\\UNC\\" + path.substr(2);
  return L"\\\\?\\" + path;
}

}  // namespace

std::wstring full_path(const std::wstring& path) {
  std::wstring full(path.size() + MAX_PATH, L'\0');
  for (;;) {
    const DWORD size = GetFullPathNameW(path.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr);
    const bool fits = size < full.size();
    full.resize(size);
    if (fits) return full;
  }
}

std::wstring utf16(std::string_view utf8) {
  const int size = static_cast<int>(utf8.size());
  std::wstring text(static_cast<std::size_t>(MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, nullptr, 0)), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, text.data(), static_cast<int>(text.size()));
  return text;
}

std::string utf8(std::wstring_view utf16) {
  const int size = static_cast<int>(utf16.size());
  const int needed = WideCharToMultiByte(CP_UTF8, 0, utf16.data(), size, nullptr, 0, nullptr, nullptr);
  std::string text(static_cast<std::size_t>(needed), '\0');
  WideCharToMultiByte(CP_UTF8, 0, utf16.data(), size, text.data(), needed, nullptr, nullptr);
  return text;
}

OsResult<std::wstring> system_path(const std::string& path) {
  std::string slashes = path;
  std::ranges::replace(slashes, '\\', '/');
  if (slashes.empty()) return std::unexpected(Fault(ERROR_PATH_NOT_FOUND));
  if (const DWORD fault = fault_of_path(slashes)) return std::unexpected(Fault(static_cast<int>(fault)));
  if (slashes.size() == 2 && slashes[1] == ':') slashes += '/';  // alone, it is the working folder of the drive
  std::wstring wide = utf16(slashes);
  std::ranges::replace(wide, L'/', L'\\');
  return without_limit(std::move(wide));
}

OsResult<std::wstring> system_path_in(const std::wstring& folder, std::string_view name) {
  if (const DWORD fault = fault_of_name(name)) return std::unexpected(Fault(static_cast<int>(fault)));
  return without_limit((folder.ends_with(L'\\') ? folder : folder + L'\\') + utf16(name));
}

OsResult<Status> status_of(HANDLE file) {
  if (GetFileType(file) != FILE_TYPE_DISK) return Status{};
  BY_HANDLE_FILE_INFORMATION information;
  FILE_BASIC_INFO basic;
  FILE_STANDARD_INFO standard;
  if (GetFileInformationByHandle(file, &information) == 0 ||
      GetFileInformationByHandleEx(file, FileBasicInfo, &basic, sizeof basic) == 0 ||
      GetFileInformationByHandleEx(file, FileStandardInfo, &standard, sizeof standard) == 0)
    return std::unexpected(Fault::last());
  const bool is_folder = (information.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  FILE_ATTRIBUTE_TAG_INFO tag{};
  const bool is_link = (information.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
                       GetFileInformationByHandleEx(file, FileAttributeTagInfo, &tag, sizeof tag) != 0 &&
                       (tag.ReparseTag == IO_REPARSE_TAG_SYMLINK || tag.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
  return Status{.kind = is_link     ? FileKind::kLink
                        : is_folder ? FileKind::kDirectory
                                    : FileKind::kRegular,
                .size_bytes = is_folder ? 0 : static_cast<std::uint64_t>(standard.EndOfFile.QuadPart),
                .mtime_ns = ns_of(basic.LastWriteTime.QuadPart),
                .ctime_ns = ns_of(basic.ChangeTime.QuadPart),
                .inode = joined(information.nFileIndexHigh, information.nFileIndexLow),
                .device = information.dwVolumeSerialNumber,
                .link_count = standard.DeletePending ? 0 : information.nNumberOfLinks,
                .is_read_only = (information.dwFileAttributes & FILE_ATTRIBUTE_READONLY) != 0};
}

OsResult<File> open_path(const std::wstring& path, DWORD access, DWORD disposition, DWORD flags) {
  constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const HANDLE file = CreateFileW(path.c_str(), access, kShared, nullptr, disposition, flags, nullptr);
  if (file != INVALID_HANDLE_VALUE) return File(descriptor_of(file));
  const Fault fault = Fault::last();
  if (fault.code() != ERROR_ACCESS_DENIED && fault.code() != ERROR_PATH_NOT_FOUND) return std::unexpected(fault);
  // The reason may be more exact: a folder in the place of a file, or a file in the place of a folder.
  const DWORD attributes = GetFileAttributesW(path.c_str());
  if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0)
    return std::unexpected(Fault::is_directory());
  for (std::size_t slash = path.rfind(L'\\'); fault.code() == ERROR_PATH_NOT_FOUND && slash != path.npos && slash > 2;
       slash = path.rfind(L'\\', slash - 1)) {
    const DWORD above = GetFileAttributesW(path.substr(0, slash).c_str());
    if (above == INVALID_FILE_ATTRIBUTES) continue;
    if ((above & FILE_ATTRIBUTE_DIRECTORY) == 0) return std::unexpected(Fault(ERROR_DIRECTORY));
    break;
  }
  return std::unexpected(fault);
}

OsResult<void> remove_path(const std::wstring& path) {
  auto file = open_path(path, DELETE, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS);
  if (!file) return std::unexpected(file.error());
  const HANDLE handle = handle_of(file->descriptor());
  FILE_ATTRIBUTE_TAG_INFO tag{};
  const DWORD attributes = GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof tag) != 0
                               ? tag.FileAttributes
                               : GetFileAttributesW(path.c_str());
  const bool is_folder = (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  if (is_folder && (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) return std::unexpected(Fault::is_directory());
  // The name disappears at once, although another program may have the file open (Windows 10).
  struct {
    DWORD flags;
  } disposition{0x1 | 0x2 | 0x10};  // delete, POSIX semantics, ignore the read-only attribute
  constexpr auto kDispositionEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(21);
  if (SetFileInformationByHandle(handle, kDispositionEx, &disposition, sizeof disposition) != 0) return {};
  *file = File();
  if (is_folder) {
    if (RemoveDirectoryW(path.c_str()) != 0) return {};
  } else {
    if (DeleteFileW(path.c_str()) != 0) return {};
    if ((attributes & FILE_ATTRIBUTE_READONLY) != 0 && GetLastError() == ERROR_ACCESS_DENIED &&
        SetFileAttributesW(path.c_str(), attributes & ~FILE_ATTRIBUTE_READONLY) != 0 && DeleteFileW(path.c_str()) != 0)
      return {};
  }
  return std::unexpected(Fault::last());
}

}  // namespace assetc::os
