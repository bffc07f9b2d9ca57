#include "os/fault.hpp"

#include "os/windows/system.hpp"

namespace assetc::os {
namespace {

// Of later headers.
constexpr int kDirectoryNotSupported = 336, kDiskQuotaExceeded = 1295;

}  // namespace

Fault Fault::last() { return Fault(static_cast<int>(GetLastError())); }
Fault Fault::is_directory() { return Fault(kDirectoryNotSupported); }

FaultKind Fault::kind() const {
  switch (code_) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_INVALID_DRIVE:
      return FaultKind::kNotFound;
    case ERROR_DIRECTORY:
      return FaultKind::kNotDirectory;
    case kDirectoryNotSupported:
      return FaultKind::kIsDirectory;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      return FaultKind::kExists;
    case ERROR_DIR_NOT_EMPTY:
      return FaultKind::kNotEmpty;
    case ERROR_HANDLE_DISK_FULL:
    case ERROR_DISK_FULL:
    case kDiskQuotaExceeded:
      return FaultKind::kNoSpace;
    case ERROR_FILENAME_EXCED_RANGE:
    case ERROR_BUFFER_OVERFLOW:
      return FaultKind::kNameTooLong;
    case ERROR_INVALID_NAME:
      return FaultKind::kNotName;
    case ERROR_CANT_RESOLVE_FILENAME:
      return FaultKind::kTooManyLinks;
    case ERROR_NOT_SAME_DEVICE:
      return FaultKind::kOutside;
    case ERROR_ACCESS_DENIED:
    case ERROR_WRITE_PROTECT:
    case ERROR_PRIVILEGE_NOT_HELD:
      return FaultKind::kNotAllowed;
    case ERROR_SHARING_VIOLATION:
    case ERROR_USER_MAPPED_FILE:
      return FaultKind::kInUse;
    case ERROR_BAD_EXE_FORMAT:
    case ERROR_EXE_MACHINE_TYPE_MISMATCH:
      return FaultKind::kNotExecutable;
    case ERROR_LOCK_VIOLATION:
    case ERROR_IO_PENDING:
      return FaultKind::kBusy;
    default:
      return FaultKind::kOther;
  }
}

std::string Fault::text() const {
  switch (kind()) {
    case FaultKind::kNotName:
      return "Windows does not allow this name";
    case FaultKind::kIsDirectory:
      return "Is a directory";
    case FaultKind::kNotDirectory:
      return "Not a directory";
    case FaultKind::kNotFound:
      return "No such file or directory";
    case FaultKind::kInUse:
      return "another program has the file open";
    default:
      break;
  }
  wchar_t text[256];
  const DWORD size =
      FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK,
                     nullptr, static_cast<DWORD>(code_), 0, text, 256, nullptr);
  std::string said = utf8({text, size});
  while (!said.empty() && (said.back() == ' ' || said.back() == '.')) said.pop_back();
  return said.empty() ? "Windows error " + std::to_string(code_) : said;
}

}  // namespace assetc::os
