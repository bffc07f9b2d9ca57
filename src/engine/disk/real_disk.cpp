#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <new>

#include "base/content_stream.hpp"
#include "base/plural.hpp"
#include "engine/disk/disk.hpp"
#include "engine/disk/walk.hpp"

namespace assetc::engine {
namespace {

// A reader that loses the race with a writer this often in a row gives up.
constexpr int kReadAttempts = 8;
// Reading a smaller file whole is cheaper than a mapping.
constexpr std::size_t kReadWholeBytes = 256u << 10;
// From here on a file's size is compared with the machine's memory before that is taken.
constexpr std::size_t kLargeFileBytes = 1u << 30;
constexpr std::size_t kHashPartBytes = 1u << 20;
// Linux writes at most 0x7ffff000 bytes a call.
constexpr std::size_t kMaxIoBytes = 1u << 30;

FileSignature signature_of(const struct stat& s) {
  return {static_cast<std::uint64_t>(s.st_size), ns_of(s.st_mtim), ns_of(s.st_ctim), s.st_ino};
}

std::unexpected<Error> os_error(const std::string& path, std::string_view what, int code = errno) {
  const ErrorCode kind = code == ENOENT || code == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kIo;
  std::string hint;
  if (code == ENOSPC || code == EDQUOT) hint = "free some space and build again";
  if (code == EISDIR || code == ENOTEMPTY || code == EEXIST) hint = "a folder is in its place: move or remove it";
  if (code == ENOTDIR) hint = "a file is in the place of one of its folders: move or remove it";
  if (code == ENAMETOOLONG) hint = "shorten the name that it is made from";
  if (code == EROFS || code == EACCES || code == EPERM) hint = "check who may read and write there";
  return std::unexpected(Error{kind, path, {}, std::string(what) + ": " + std::strerror(code), std::move(hint)});
}

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

bool write_all(int fd, ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), std::min(bytes.size(), kMaxIoBytes));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string(".") : slash == 0 ? std::string("/") : path.substr(0, slash);
}

std::string temporary_name(const std::string& path) {
  static std::atomic<std::uint64_t> counter = 0;
  return parent_of(path) + "/" + std::string(kTemporaryPrefix) + std::to_string(::getpid()) + "." +
         std::to_string(counter++);
}

class RealLock final : public DiskLock {
 public:
  explicit RealLock(Descriptor fd) : fd_(std::move(fd)) {}

 private:
  Descriptor fd_;  // closing lets go of the lock
};

class RealRandomFile final : public RandomFile {
 public:
  RealRandomFile(std::string path, Descriptor fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  Result<std::size_t> read(std::uint64_t offset, std::byte* out, std::size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t n = ::pread(fd_.get(), out + done, size - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return os_error(path_, "cannot read");
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return done;
  }
  Result<void> write(std::uint64_t offset, ByteSpan bytes) override {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n =
          ::pwrite(fd_.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return os_error(path_, "cannot write");
      done += static_cast<std::size_t>(n);
    }
    return {};
  }
  Result<void> truncate(std::uint64_t size) override {
    if (::ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) return os_error(path_, "cannot truncate");
    return {};
  }
  Result<void> sync() override {
    if (::fdatasync(fd_.get()) != 0) return os_error(path_, "cannot sync");
    return {};
  }
  Result<std::uint64_t> size() override {
    struct stat s{};
    if (::fstat(fd_.get(), &s) != 0) return os_error(path_, "cannot stat");
    return static_cast<std::uint64_t>(s.st_size);
  }

 private:
  std::string path_;
  Descriptor fd_;
};

class RealStreamFile final : public StreamFile {
 public:
  RealStreamFile(std::string path, std::string temporary, Descriptor fd)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(std::move(fd)) {}
  ~RealStreamFile() override {
    if (!committed_) ::unlink(temporary_.c_str());
  }
  Result<void> write(ByteSpan bytes) override {
    if (!write_all(fd_.get(), bytes)) return os_error(path_, "cannot write");
    return {};
  }
  Result<void> commit() override {
    if (::fdatasync(fd_.get()) != 0) return os_error(path_, "cannot sync");
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) return os_error(path_, "cannot rename into place");
    committed_ = true;
    return {};
  }

 private:
  std::string path_;
  std::string temporary_;
  Descriptor fd_;
  bool committed_ = false;
};

class RealDisk final : public Disk {
 public:
  Result<FileStatus> status(const std::string& path) override {
    struct stat s{};
    if (::stat(path.c_str(), &s) != 0) return os_error(path, "cannot stat");
    FileStatus result{S_ISREG(s.st_mode)   ? FileType::kFile
                      : S_ISDIR(s.st_mode) ? FileType::kDirectory
                                           : FileType::kOther,
                      {}};
    if (result.type == FileType::kFile) result.signature = signature_of(s);
    result.is_aliased = result.type == FileType::kFile && s.st_nlink > 1;
    return result;
  }

  bool same_file(const std::string& a, const std::string& b) override {
    struct stat first{}, second{};
    return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
  }

  std::string real_path(const std::string& path) override {
    std::error_code error;
    std::string real = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error).string();
    while (real.size() > 1 && real.ends_with('/')) real.pop_back();
    return real.empty() ? path : real;
  }

  Result<Tree> walk(const std::string& root, const Skip& skip, int threads, Links links) override {
    return walk_tree(root, skip, threads, links);
  }

  Result<std::vector<std::string>> list(const std::string& directory) override {
    DIR* stream = ::opendir(directory.c_str());
    if (stream == nullptr) return os_error(directory, "cannot read the directory");
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(stream)) {
      struct stat s{};
      if (::fstatat(::dirfd(stream), entry->d_name, &s, 0) == 0 && S_ISREG(s.st_mode))
        names.emplace_back(entry->d_name);
    }
    ::closedir(stream);
    std::ranges::sort(names);
    return names;
  }

  Result<Bytes> read(const std::string& path, FileSignature* signature) override {
    ASSETC_TRY(OpenFile file, open_file(path));
    return read_whole(path, std::move(file), signature);
  }

  Result<ContentHash> hash(const std::string& path, FileSignature* signature) override {
    std::vector<std::byte> buffer;
    ContentHash result;
    ASSETC_TRY(OpenFile file, open_file(path));
    ASSETC_CHECK(read_parts(path, std::move(file), signature, [&](int fd, std::size_t size) -> Result<std::size_t> {
      if (!fits_memory(size)) return too_large(path, size);  // what is hashed will be read
      buffer.resize(std::min(size, kHashPartBytes));
      ContentStream stream;
      std::size_t done = 0;
      while (done < size) {
        const std::span<std::byte> part = std::span(buffer).first(std::min(buffer.size(), size - done));
        ASSETC_TRY(const std::size_t got, read_at(path, fd, done, part));
        stream.add(part.first(got));
        done += got;
        if (got < part.size()) break;
      }
      result = stream.finish();
      return done;
    }));
    return result;
  }

  Result<Bytes> head(const std::string& path, std::size_t size) override {
    ASSETC_TRY(OpenFile file, open_file(path));
    const auto file_size = static_cast<std::size_t>(file.status.st_size);
    if (file_size <= std::max(size, kReadWholeBytes)) return read_whole(path, std::move(file), nullptr);
    // Pages that nobody writes stay the one page of zeros.
    void* const mapped =
        ::mmap(nullptr, file_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return os_error(path, "cannot find room for it");
    std::shared_ptr<const void> owner(mapped,
                                      [file_size](const void* p) { ::munmap(const_cast<void*>(p), file_size); });
    ASSETC_CHECK(read_at(path, file.fd.get(), 0, {static_cast<std::byte*>(mapped), size}));
    return Bytes(std::move(owner), ByteSpan(static_cast<const std::byte*>(mapped), file_size));
  }

  Result<Bytes> peek(const std::string& path) override {
    ASSETC_TRY(OpenFile file, open_file(path));
    const auto size = static_cast<std::size_t>(file.status.st_size);
    if (size <= kReadWholeBytes) return read_whole(path, std::move(file), nullptr);
    void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd.get(), 0);
    if (mapped == MAP_FAILED) return os_error(path, "cannot map");
    std::shared_ptr<const void> owner(mapped, [size](const void* p) { ::munmap(const_cast<void*>(p), size); });
    return Bytes(std::move(owner), ByteSpan(static_cast<const std::byte*>(mapped), size));
  }

  Result<FileSignature> publish(const std::string& path, ByteSpan bytes) override {
    ASSETC_TRY(Descriptor nameless, create_nameless(path));
    if (nameless) {
      if (!write_all(nameless.get(), bytes)) return os_error(path, "cannot write");
      if (give_name(nameless, path)) return named_signature(path, nameless);
    }
    ASSETC_TRY(auto file, create_temporary(path));
    auto& [temporary, fd] = file;
    if (!write_all(fd.get(), bytes)) {
      const int code = errno;
      ::unlink(temporary.c_str());
      return os_error(path, "cannot write", code);
    }
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
      const int code = errno;
      ::unlink(temporary.c_str());
      return os_error(path, "cannot rename into place", code);
    }
    return named_signature(path, fd);
  }

  Result<std::unique_ptr<StreamFile>> create(const std::string& path) override {
    ASSETC_TRY(auto file, create_temporary(path));
    return std::make_unique<RealStreamFile>(path, std::move(file.first), std::move(file.second));
  }

  Result<std::unique_ptr<RandomFile>> open(const std::string& path, bool create) override {
    ASSETC_TRY(OpenFile file, open_file(path, O_RDWR | (create ? O_CREAT : 0)));
    return std::make_unique<RealRandomFile>(path, std::move(file.fd));
  }

  Result<void> make_directories(const std::string& path) override {
    if (::mkdir(path.c_str(), 0777) == 0 || errno == EEXIST) return {};
    if (errno != ENOENT) return os_error(path, "cannot make the directory");
    const std::string parent = parent_of(path);
    if (parent == path) return os_error(path, "cannot make the directory");
    ASSETC_CHECK(make_directories(parent));
    if (::mkdir(path.c_str(), 0777) == 0 || errno == EEXIST) return {};
    return os_error(path, "cannot make the directory");
  }

  Result<void> remove(const std::string& path) override {
    if (::unlink(path.c_str()) == 0) return {};
    if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG) return {};  // nothing can be there
    return os_error(path, "cannot remove");
  }
  Result<void> mark_used(const std::string& path) override {
    if (::utimensat(AT_FDCWD, path.c_str(), nullptr, 0) == 0) return {};
    return os_error(path, "cannot set the time");
  }
  Result<void> rename(const std::string& from, const std::string& to) override {
    if (const std::size_t slash = to.rfind('/'); slash != std::string::npos)
      ASSETC_CHECK(make_directories(to.substr(0, slash)));
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return {};
    if (errno == EEXIST)
      return std::unexpected(Error{ErrorCode::kConflict, to, {}, "is there already", "name another"});
    return os_error(from, "cannot rename to " + to);
  }
  bool remove_empty_directory(const std::string& path) override {
    return ::rmdir(path.c_str()) == 0 || errno == ENOENT;
  }

  Result<void> sweep(const std::string& directory) override {
    DIR* stream = ::opendir(directory.c_str());
    if (stream == nullptr) return {};
    Result<void> swept;
    while (const dirent* entry = ::readdir(stream)) {
      if (!std::string_view(entry->d_name).starts_with(kTemporaryPrefix)) continue;
      const Descriptor fd(::openat(::dirfd(stream), entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
      struct stat s{};
      const bool is_file = fd && ::fstat(fd.get(), &s) == 0 && S_ISREG(s.st_mode);
      if (!is_file || ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) continue;
      if (::unlinkat(::dirfd(stream), entry->d_name, 0) != 0 && errno != ENOENT)
        swept = os_error(directory + "/" + entry->d_name, "cannot remove");
    }
    ::closedir(stream);
    return swept;
  }

  Result<void> flush(const std::string& path) override {
    const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd || ::syncfs(fd.get()) != 0) return os_error(path, "cannot flush");
    return {};
  }

  Result<std::unique_ptr<DiskLock>> lock(const std::string& path) override {
    auto file = open_file(path, O_RDWR | O_CREAT);
    // Where there can be no such file, its folder is locked: nobody can tell then who holds it.
    Descriptor fd =
        file ? std::move(file->fd) : Descriptor(::open(parent_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return std::unexpected(std::move(file).error());
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return os_error(path, "cannot lock");
      char text[32] = {};
      const ssize_t n = ::pread(fd.get(), text, sizeof text - 1, 0);
      std::string holder = n > 0 ? std::string(text, static_cast<std::size_t>(n)) : std::string("unknown");
      while (!holder.empty() && holder.back() == '\n') holder.pop_back();
      return std::unexpected(Error{ErrorCode::kConflict,
                                   parent_of(path),
                                   {},
                                   "another build (process " + holder + ") is writing this output",
                                   "wait for it, or build into another output with -o"});
    }
    // For people; a disk that is full may not take it.
    const std::string pid = std::to_string(::getpid()) + "\n";
    if (file && ::ftruncate(fd.get(), 0) == 0) write_all(fd.get(), as_bytes(pid));
    return std::make_unique<RealLock>(std::move(fd));
  }

  bool is_remote(const std::string& path) override {
    // statfs(2): NFS, SMB, SMB 2, CIFS, AFS, Coda, Ceph, 9P.
    constexpr std::array<std::uint32_t, 8> kRemote{0x6969,     0x517b,     0xfe534d42, 0xff534d42,
                                                   0x5346414f, 0x73757245, 0x00c36400, 0x01021997};
    struct statfs s{};
    return ::statfs(path.c_str(), &s) == 0 &&
           std::ranges::find(kRemote, static_cast<std::uint32_t>(s.f_type)) != kRemote.end();
  }

  std::int64_t now_ns() override {
    timespec t{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &t);  // the clock that stamps files
    return ns_of(t);
  }

  std::string boot_id() override {
    auto text = read_small("/proc/sys/kernel/random/boot_id");
    return text.empty() ? "unknown" : text;
  }

  std::uint64_t memory_bytes() override {
    const auto pages = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_PHYS_PAGES)));
    std::uint64_t bytes = pages * static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_PAGE_SIZE)));
    const std::string limit = read_small("/sys/fs/cgroup/memory.max");  // "max", or bytes in a container
    std::uint64_t value = 0;
    if (std::from_chars(limit.data(), limit.data() + limit.size(), value).ec == std::errc() && value != 0) {
      bytes = std::min(bytes, value);
    }
    return bytes;
  }

 private:
  struct OpenFile {
    Descriptor fd;
    struct stat status;
  };
  // A regular file, and nothing else: opening a pipe would wait for its writer.
  static Result<OpenFile> open_file(const std::string& path, int flags = O_RDONLY) {
    OpenFile file{Descriptor(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666)), {}};
    if (!file.fd) return os_error(path, "cannot open");
    if (::fstat(file.fd.get(), &file.status) != 0) return os_error(path, "cannot stat");
    if (S_ISDIR(file.status.st_mode)) return os_error(path, "cannot read", EISDIR);
    if (!S_ISREG(file.status.st_mode))
      return std::unexpected(Error{
          ErrorCode::kIo, path, {}, "is no regular file but a pipe, socket or device", "put a file in its place"});
    return file;
  }

  // A sparse file may say any size.
  bool fits_memory(std::size_t size) { return size <= kLargeFileBytes || size <= memory_bytes(); }
  static std::unexpected<Error> too_large(const std::string& path, std::size_t size) {
    return std::unexpected(Error{ErrorCode::kLimit,
                                 path,
                                 {},
                                 "the file has " + counted(size, "byte") + ", more than memory holds",
                                 "is it what it should be?"});
  }

  // The bytes that there are of those asked for.
  static Result<std::size_t> read_at(const std::string& path, int fd, std::size_t offset, std::span<std::byte> out) {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t n =
          ::pread(fd, out.data() + done, std::min(out.size() - done, kMaxIoBytes), static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return os_error(path, "cannot read");
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return done;
  }

  // Calls read(descriptor, size of the file) until what it read is of one version of the file.
  template <class Read>
  static Result<void> read_parts(const std::string& path, OpenFile file, FileSignature* signature, const Read& read) {
    for (int attempt = 0; attempt < kReadAttempts; ++attempt) {
      const struct stat before = file.status;
      ASSETC_TRY(const std::size_t done, read(file.fd.get(), static_cast<std::size_t>(before.st_size)));
      if (::fstat(file.fd.get(), &file.status) != 0) return os_error(path, "cannot stat");
      if (done == static_cast<std::size_t>(before.st_size) && signature_of(before) == signature_of(file.status)) {
        if (signature != nullptr) *signature = signature_of(file.status);
        return {};
      }
    }
    return std::unexpected(
        Error{ErrorCode::kIo, path, {}, "the file keeps changing while it is read", "build again when it is written"});
  }

  Result<Bytes> read_whole(const std::string& path, OpenFile opened, FileSignature* signature) {
    std::shared_ptr<std::byte[]> buffer;
    std::size_t size = 0;
    ASSETC_CHECK(
        read_parts(path, std::move(opened), signature, [&](int fd, std::size_t file_size) -> Result<std::size_t> {
          buffer.reset();  // of an attempt that lost the race
          if (!fits_memory(file_size)) return too_large(path, file_size);
          size = file_size;
          try {
            buffer = std::make_shared_for_overwrite<std::byte[]>(std::max<std::size_t>(size, 1));
          } catch (const std::bad_alloc&) {
            return too_large(path, size);
          }
          return read_at(path, fd, 0, {buffer.get(), size});
        }));
    // Before it moves: compilers evaluate arguments in the order that they like.
    const ByteSpan span(buffer.get(), size);
    return Bytes(std::move(buffer), span);
  }

  static std::string read_small(const char* path) {
    const Descriptor fd(::open(path, O_RDONLY | O_CLOEXEC));
    char text[128];
    const ssize_t n = fd ? ::read(fd.get(), text, sizeof text) : -1;
    std::string result = n > 0 ? std::string(text, static_cast<std::size_t>(n)) : std::string();
    while (!result.empty() && result.back() == '\n') result.pop_back();
    return result;
  }

  // A file that has no name yet, and is gone when the process dies; none where the file system has no such files.
  // To name one that is whole takes half the time of naming one twice.
  Result<Descriptor> create_nameless(const std::string& path) {
    constexpr int kFlags = O_TMPFILE | O_WRONLY | O_CLOEXEC;
    const std::string folder = parent_of(path);
    Descriptor fd(::open(folder.c_str(), kFlags, 0666));
    if (!fd && errno == ENOENT) {
      ASSETC_CHECK(make_directories(folder));
      fd = Descriptor(::open(folder.c_str(), kFlags, 0666));
    }
    return fd;
  }

  // False where it cannot be: the caller tries another way, and tells of what keeps that from working.
  static bool give_name(const Descriptor& nameless, const std::string& path) {
    const std::string file = "/proc/self/fd/" + std::to_string(nameless.get());
    const auto link = [&](const std::string& name) {
      return ::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (link(path)) return true;
    if (errno != EEXIST) return false;
    // The lock comes before the name, so that no sweep() takes it for a leftover.
    const std::string temporary = temporary_name(path);
    if (::flock(nameless.get(), LOCK_EX) != 0 || !link(temporary)) return false;
    if (::rename(temporary.c_str(), path.c_str()) == 0) return true;
    ::unlink(temporary.c_str());
    return false;
  }

  // Of a file that has just got its name, which changes the ctime on most file systems.
  static Result<FileSignature> named_signature(const std::string& path, const Descriptor& fd) {
    struct stat s{};
    if (::fstat(fd.get(), &s) != 0) return os_error(path, "cannot stat");
    return signature_of(s);
  }

  Result<std::pair<std::string, Descriptor>> create_temporary(const std::string& path) {
    for (;;) {
      std::string temporary = temporary_name(path);
      Descriptor fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
      if (!fd && errno == ENOENT) {
        ASSETC_CHECK(make_directories(parent_of(path)));
        fd = Descriptor(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
      }
      if (!fd) return os_error(path, "cannot create");
      // The lock ends with the process and tells sweep() that the file is in use. One that came first has removed it.
      struct stat s{};
      if (::flock(fd.get(), LOCK_EX) == 0 && ::fstat(fd.get(), &s) == 0 && s.st_nlink == 0) continue;
      return std::pair(std::move(temporary), std::move(fd));
    }
  }
};

}  // namespace

std::unique_ptr<Disk> make_real_disk() { return std::make_unique<RealDisk>(); }

}  // namespace assetc::engine
