#include "os/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <span>

#include "os/posix/status.hpp"

namespace assetc::os {
namespace {

// Linux reads and writes at most 0x7ffff000 bytes per call.
constexpr std::size_t kMaxIoBytes = 1u << 30;

OsResult<void> checked(int result) {
  if (result != 0) return std::unexpected(Fault::last());
  return {};
}

// operation(bytes done) transfers a part of size bytes. It returns the results of read and write.
template <class Operation>
OsResult<std::size_t> transfer(std::size_t size, const Operation& operation) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t moved = operation(done, std::min(size - done, kMaxIoBytes));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return std::unexpected(Fault::last());
    if (moved == 0) break;
    done += static_cast<std::size_t>(moved);
  }
  return done;
}

// Requires that all bytes were transferred. A device that accepts none is full.
OsResult<void> whole(const OsResult<std::size_t>& transferred, std::size_t size) {
  if (!transferred) return std::unexpected(transferred.error());
  if (*transferred != size) return std::unexpected(Fault(ENOSPC));
  return {};
}

int flags_of(File::Mode mode) {
  switch (mode) {
    case File::Mode::kRead:
      return O_RDONLY | O_NONBLOCK;
    case File::Mode::kReadWrite:
      return O_RDWR | O_NOFOLLOW | O_NONBLOCK;
    case File::Mode::kReadWriteCreate:
      return O_RDWR | O_NOFOLLOW | O_CREAT | O_NONBLOCK;
    case File::Mode::kCreate:
      return O_WRONLY | O_CREAT | O_EXCL;
    case File::Mode::kDirectory:
      return O_RDONLY | O_DIRECTORY;
  }
  return O_RDONLY;
}

// The path of an open file without links; empty if the system does not tell.
std::string path_of(const File& file) {
#ifdef F_GETPATH
  char path[PATH_MAX];
  return ::fcntl(file.descriptor(), F_GETPATH, path) == 0 ? path : "";
#else
  std::error_code error;
  return std::filesystem::read_symlink(std::string(kOpenFiles) + std::to_string(file.descriptor()), error).string();
#endif
}

// Opens a file below a folder as far as the kernel can ensure that: since Linux 5.6. It refuses absolute links.
OsResult<File> open_beneath([[maybe_unused]] const std::string& root, [[maybe_unused]] const std::string& path) {
#ifdef SYS_openat2
  const File folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return std::unexpected(Fault::last());
  open_how how{};
  how.flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  File file(static_cast<int>(::syscall(SYS_openat2, folder.descriptor(), path.c_str(), &how, sizeof how)));
  if (!file) return std::unexpected(Fault::last());
  return file;
#else
  return std::unexpected(Fault(ENOSYS));
#endif
}

}  // namespace

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

OsResult<File> File::open(const std::string& path, Mode mode) {
  File file(::open(path.c_str(), flags_of(mode) | O_CLOEXEC, 0666));
  if (!file) return std::unexpected(Fault::last());
  return file;
}

OsResult<File> File::open_below(const std::string& root, const std::string& path) {
  auto beneath = open_beneath(root, path);
  if (beneath) return beneath;
  // The kernel has no such call, refuses it (in a sandbox), or found an absolute link or a changing folder.
  const int code = beneath.error().code();
  if (code != ENOSYS && code != EPERM && code != EXDEV && code != EAGAIN && code != EINVAL) return beneath;
  auto file = open(root + "/" + path, Mode::kRead);
  if (!file) return file;
  std::string folder = canonical_path(root);
  if (!folder.ends_with('/')) folder += '/';
  if (!path_of(*file).starts_with(folder)) return std::unexpected(Fault(EXDEV));
  return file;
}

OsResult<File> File::open_nameless(const std::string& folder) {
#ifdef O_TMPFILE
  File file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
  if (!file) return std::unexpected(Fault::last());
  return file;
#else
  static_cast<void>(folder);
  return std::unexpected(Fault(ENOTSUP));
#endif
}

OsResult<void> File::link_as(const std::string& path) const {
  const std::string open_file = std::string(kOpenFiles) + std::to_string(descriptor_);
  return checked(::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW));
}

OsResult<Status> File::status() const {
  struct stat s{};
  if (::fstat(descriptor_, &s) != 0) return std::unexpected(Fault::last());
  return status_of(s);
}

OsResult<bool> File::is_private() const {
  struct stat s{};
  if (::fstat(descriptor_, &s) != 0) return std::unexpected(Fault::last());
  return (s.st_mode & (S_IRWXG | S_IRWXO)) == 0 && (s.st_uid == ::geteuid() || s.st_uid == 0);
}

OsResult<std::size_t> File::read_at(std::uint64_t offset_bytes, std::span<std::byte> out) const {
  return transfer(out.size(), [&](std::size_t done, std::size_t size) {
    return ::pread(descriptor_, out.data() + done, size, static_cast<off_t>(offset_bytes + done));
  });
}

OsResult<void> File::write_at(std::uint64_t offset_bytes, ByteSpan bytes) const {
  return whole(transfer(bytes.size(),
                        [&](std::size_t done, std::size_t size) {
                          return ::pwrite(descriptor_, bytes.data() + done, size,
                                          static_cast<off_t>(offset_bytes + done));
                        }),
               bytes.size());
}

OsResult<void> File::write(ByteSpan bytes) const {
  return whole(
      transfer(bytes.size(),
               [&](std::size_t done, std::size_t size) { return ::write(descriptor_, bytes.data() + done, size); }),
      bytes.size());
}

OsResult<void> File::truncate(std::uint64_t size_bytes) const {
  return checked(::ftruncate(descriptor_, static_cast<off_t>(size_bytes)));
}

OsResult<void> File::sync() const {
#ifdef __linux__
  return checked(::fdatasync(descriptor_));
#else
  return checked(::fsync(descriptor_));
#endif
}

OsResult<void> File::sync_file_system() const {
#ifdef __linux__
  return checked(::syncfs(descriptor_));
#else
  ::sync();
  return {};
#endif
}

OsResult<void> File::lock() const { return checked(::flock(descriptor_, LOCK_EX)); }
OsResult<void> File::try_lock() const { return checked(::flock(descriptor_, LOCK_EX | LOCK_NB)); }

OsResult<Status> status(const std::string& path) {
  struct stat s{};
  if (::stat(path.c_str(), &s) != 0) return std::unexpected(Fault::last());
  return status_of(s);
}

OsResult<void> remove_file(const std::string& path) { return checked(::unlink(path.c_str())); }
OsResult<void> remove_directory(const std::string& path) { return checked(::rmdir(path.c_str())); }
OsResult<void> make_directory(const std::string& path) { return checked(::mkdir(path.c_str(), 0777)); }
OsResult<void> rename(const std::string& from, const std::string& to) {
  return checked(::rename(from.c_str(), to.c_str()));
}

OsResult<void> rename_if_free(const std::string& from, const std::string& to) {
#ifdef __linux__
  auto renamed = checked(::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE));
  // Some file systems in a network can only link a second name.
  if (!renamed && renamed.error().is(FaultKind::kNotSupported)) {
    renamed = checked(::link(from.c_str(), to.c_str()));
    if (renamed) renamed = remove_file(from);
  }
  return renamed;
#else
  return checked(::renamex_np(from.c_str(), to.c_str(), RENAME_EXCL));
#endif
}

OsResult<void> exchange(const std::string& from, const std::string& to) {
#ifdef __linux__
  return checked(::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE));
#else
  return checked(::renamex_np(from.c_str(), to.c_str(), RENAME_SWAP));
#endif
}

OsResult<void> touch(const std::string& path) {
  return checked(::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW));
}

std::string canonical_path(const std::string& path) {
  std::error_code error;
  return std::filesystem::canonical(path, error).string();
}

std::string weakly_canonical_path(const std::string& path) {
  std::error_code error;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error).string();
}

namespace {

// Whether the file system of a path has one of these magic numbers of statfs(2). Known on Linux only.
bool is_one_of([[maybe_unused]] const std::string& path, [[maybe_unused]] std::span<const std::uint32_t> magics) {
#ifdef __linux__
  struct statfs s{};
  return ::statfs(path.c_str(), &s) == 0 &&
         std::ranges::find(magics, static_cast<std::uint32_t>(s.f_type)) != magics.end();
#else
  return false;
#endif
}

}  // namespace

bool is_remote(const std::string& path) {
  // NFS, SMB, SMB 2, CIFS, AFS, Coda, Ceph, 9P
  constexpr std::uint32_t kRemote[] = {0x6969,     0x517b,     0xfe534d42, 0xff534d42,
                                       0x5346414f, 0x73757245, 0x00c36400, 0x01021997};
  return is_one_of(path, kRemote);
}

bool reports_changes(const std::string& path) {
  // FUSE, which is virtiofs too, and the shared folders of VirtualBox, VMware and Parallels
  constexpr std::uint32_t kShared[] = {0x65735546, 0x786f4256, 0xbacbacbc, 0x7c7c6673};
  return !is_remote(path) && !is_one_of(path, kShared);
}

std::string read_small(const std::string& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char text[128];
  const ssize_t size = file ? ::read(file.descriptor(), text, sizeof text) : -1;
  std::string result = size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string();
  while (!result.empty() && result.back() == '\n') result.pop_back();
  return result;
}

bool is_executable(const std::string& path) {
  const auto found = status(path);
  return found && found->kind == FileKind::kRegular && ::access(path.c_str(), X_OK) == 0;
}

PrivateFiles::PrivateFiles() : before_(::umask(0077)) {}
PrivateFiles::~PrivateFiles() { ::umask(static_cast<mode_t>(before_)); }

std::string temporary_path() {
  std::error_code error;
  return std::filesystem::temp_directory_path(error).string();
}

OsResult<std::string> make_temporary_directory(const std::string& prefix) {
  const std::string folder = temporary_path();
  if (folder.empty()) return std::unexpected(Fault(ENOENT));
  std::string name = folder + "/" + prefix + "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) return std::unexpected(Fault::last());
  return name;
}

}  // namespace assetc::os
