#include "os/fault.hpp"

#include <cerrno>
#include <cstring>

namespace assetc::os {

Fault Fault::last() { return Fault(errno); }
Fault Fault::is_directory() { return Fault(EISDIR); }

FaultKind Fault::kind() const {
  switch (code_) {
    case ENOENT:
      return FaultKind::kNotFound;
    case ENOTDIR:
      return FaultKind::kNotDirectory;
    case EISDIR:
      return FaultKind::kIsDirectory;
    case EEXIST:
      return FaultKind::kExists;
    case ENOTEMPTY:
      return FaultKind::kNotEmpty;
    case ENOSPC:
    case EDQUOT:
      return FaultKind::kNoSpace;
    case ENAMETOOLONG:
      return FaultKind::kNameTooLong;
    case ELOOP:
      return FaultKind::kTooManyLinks;
    case EXDEV:
      return FaultKind::kOutside;
    case EROFS:
    case EACCES:
    case EPERM:
      return FaultKind::kNotAllowed;
    case ENOEXEC:
      return FaultKind::kNotExecutable;
    case EWOULDBLOCK:
      return FaultKind::kBusy;
    case EINVAL:
    case ENOSYS:
    case ENOTSUP:
      return FaultKind::kNotSupported;
    default:
      return FaultKind::kOther;
  }
}

std::string Fault::text() const { return std::strerror(code_); }

}  // namespace assetc::os
