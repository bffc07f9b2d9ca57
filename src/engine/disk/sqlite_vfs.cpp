#include "engine/disk/sqlite_vfs.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

namespace assetc::engine {
namespace {

class MemoryFile final : public RandomFile {
 public:
  explicit MemoryFile(ByteSpan bytes = {}) : bytes_(bytes.begin(), bytes.end()) {}
  Result<std::size_t> read(std::uint64_t offset, std::byte* out, std::size_t size) override {
    if (offset >= bytes_.size()) return 0;
    size = std::min(size, bytes_.size() - static_cast<std::size_t>(offset));
    std::memcpy(out, bytes_.data() + offset, size);
    return size;
  }
  Result<void> write(std::uint64_t offset, ByteSpan bytes) override {
    if (offset + bytes.size() > bytes_.size()) bytes_.resize(static_cast<std::size_t>(offset) + bytes.size());
    std::memcpy(bytes_.data() + offset, bytes.data(), bytes.size());
    return {};
  }
  Result<void> truncate(std::uint64_t size) override {
    bytes_.resize(static_cast<std::size_t>(size));
    return {};
  }
  Result<void> sync() override { return {}; }
  Result<std::uint64_t> size() override { return bytes_.size(); }

 private:
  ByteVector bytes_;
};

}  // namespace

struct SqliteVfs::Impl {
  Disk& disk;
  bool in_memory;
  std::string name;
  Error error;
  sqlite3_vfs vfs{};

  int failed(const Error& e, int code) {
    error = e;
    return code;
  }
};

namespace {

struct VfsFile {
  sqlite3_file base;  // must be first: SQLite casts to it
  RandomFile* file;
  void* owner;
};

}  // namespace

namespace {

SqliteVfs::Impl& impl_of(sqlite3_vfs* vfs) { return *static_cast<SqliteVfs::Impl*>(vfs->pAppData); }
RandomFile& file_of(sqlite3_file* file) { return *reinterpret_cast<VfsFile*>(file)->file; }

int close_file(sqlite3_file* file) {
  delete reinterpret_cast<VfsFile*>(file)->file;
  return SQLITE_OK;
}
int failed(sqlite3_file* file, const Error& error, int code) {
  return static_cast<SqliteVfs::Impl*>(reinterpret_cast<VfsFile*>(file)->owner)->failed(error, code);
}
int read_file(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
  const auto wanted = static_cast<std::size_t>(size);
  const auto n = file_of(file).read(static_cast<std::uint64_t>(offset), static_cast<std::byte*>(out), wanted);
  if (!n) return failed(file, n.error(), SQLITE_IOERR_READ);
  if (*n == wanted) return SQLITE_OK;
  std::memset(static_cast<char*>(out) + *n, 0, wanted - *n);  // SQLite requires zeros after a short read
  return SQLITE_IOERR_SHORT_READ;
}
int write_file(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  const auto done = file_of(file).write(static_cast<std::uint64_t>(offset),
                                        ByteSpan(static_cast<const std::byte*>(bytes), static_cast<std::size_t>(size)));
  return done ? SQLITE_OK : failed(file, done.error(), SQLITE_IOERR_WRITE);
}
int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  const auto done = file_of(file).truncate(static_cast<std::uint64_t>(size));
  return done ? SQLITE_OK : failed(file, done.error(), SQLITE_IOERR_TRUNCATE);
}
int sync_file(sqlite3_file* file, int) {
  const auto done = file_of(file).sync();
  return done ? SQLITE_OK : failed(file, done.error(), SQLITE_IOERR_FSYNC);
}
int size_of_file(sqlite3_file* file, sqlite3_int64* out) {
  const auto size = file_of(file).size();
  if (!size) return failed(file, size.error(), SQLITE_IOERR_FSTAT);
  *out = static_cast<sqlite3_int64>(*size);
  return SQLITE_OK;
}
int lock_file(sqlite3_file*, int) { return SQLITE_OK; }
int check_lock(sqlite3_file*, int* out) {
  *out = 0;
  return SQLITE_OK;
}
int file_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return 4096; }
int characteristics(sqlite3_file*) { return SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN; }

const sqlite3_io_methods* io_methods() {
  // Version 1: no shared memory. WAL works without it in exclusive locking mode.
  static const sqlite3_io_methods methods = [] {
    sqlite3_io_methods m{};
    m.iVersion = 1;
    m.xClose = close_file;
    m.xRead = read_file;
    m.xWrite = write_file;
    m.xTruncate = truncate_file;
    m.xSync = sync_file;
    m.xFileSize = size_of_file;
    m.xLock = lock_file;
    m.xUnlock = lock_file;
    m.xCheckReservedLock = check_lock;
    m.xFileControl = file_control;
    m.xSectorSize = sector_size;
    m.xDeviceCharacteristics = characteristics;
    return m;
  }();
  return &methods;
}

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* out, int flags, int* out_flags) {
  SqliteVfs::Impl& impl = impl_of(vfs);
  auto* file = reinterpret_cast<VfsFile*>(out);
  file->base.pMethods = nullptr;
  std::unique_ptr<RandomFile> opened;
  if (name == nullptr) {
    opened = std::make_unique<MemoryFile>();  // a temporary file of SQLite
  } else if (impl.in_memory) {
    auto bytes = impl.disk.read(name, nullptr);
    if (!bytes && bytes.error().code != ErrorCode::kNotFound) return impl.failed(bytes.error(), SQLITE_CANTOPEN);
    if (!bytes && (flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
    opened = bytes ? std::make_unique<MemoryFile>(bytes->span()) : std::make_unique<MemoryFile>();
  } else {
    auto real = impl.disk.open(name, (flags & SQLITE_OPEN_CREATE) != 0);
    if (!real) return impl.failed(real.error(), SQLITE_CANTOPEN);
    opened = std::move(*real);
  }
  file->file = opened.release();
  file->owner = &impl;
  file->base.pMethods = io_methods();
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

int delete_file(sqlite3_vfs* vfs, const char* name, int) {
  SqliteVfs::Impl& impl = impl_of(vfs);
  if (impl.in_memory) return SQLITE_OK;
  const auto done = impl.disk.remove(name);
  return done ? SQLITE_OK : impl.failed(done.error(), SQLITE_IOERR_DELETE);
}

int access_file(sqlite3_vfs* vfs, const char* name, int, int* out) {
  const auto status = impl_of(vfs).disk.status(name);
  *out = status && status->type == FileType::kFile ? 1 : 0;
  return SQLITE_OK;
}

int full_pathname(sqlite3_vfs*, const char* name, int size, char* out) {
  const std::size_t length = std::strlen(name);
  if (length >= static_cast<std::size_t>(size)) return SQLITE_CANTOPEN;
  std::memcpy(out, name, length + 1);
  return SQLITE_OK;
}

int randomness(sqlite3_vfs*, int size, char* out) {
  sqlite3_vfs* system = sqlite3_vfs_find(nullptr);
  return system->xRandomness(system, size, out);
}
int sleep_microseconds(sqlite3_vfs*, int microseconds) { return microseconds; }  // no lock to wait for
int current_time(sqlite3_vfs*, double* out) {
  *out = 2440587.5;  // the cache stores no times
  return SQLITE_OK;
}
int get_last_error(sqlite3_vfs*, int, char*) { return 0; }

}  // namespace

SqliteVfs::SqliteVfs(Disk& disk, bool in_memory) : impl_(new Impl{disk, in_memory, {}, {}, {}}) {
  static std::atomic<int> counter = 0;
  impl_->name = "assetc-" + std::to_string(counter++);
  sqlite3_vfs& v = impl_->vfs;
  v.iVersion = 1;
  v.szOsFile = sizeof(VfsFile);
  v.mxPathname = 4096;
  v.zName = impl_->name.c_str();
  v.pAppData = impl_.get();
  v.xOpen = open_file;
  v.xDelete = delete_file;
  v.xAccess = access_file;
  v.xFullPathname = full_pathname;
  v.xRandomness = randomness;
  v.xSleep = sleep_microseconds;
  v.xCurrentTime = current_time;
  v.xGetLastError = get_last_error;
  sqlite3_vfs_register(&v, 0);
}

SqliteVfs::~SqliteVfs() { sqlite3_vfs_unregister(&impl_->vfs); }

const char* SqliteVfs::name() const { return impl_->name.c_str(); }
const Error& SqliteVfs::last_error() const { return impl_->error; }
void SqliteVfs::forget_error() { impl_->error = {}; }

}  // namespace assetc::engine
