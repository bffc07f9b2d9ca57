#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include "base/content_stream.hpp"
#include "base/plural.hpp"
#include "engine/disk/disk.hpp"
#include "engine/disk/walk.hpp"
#include "os/directory.hpp"
#include "os/file.hpp"
#include "os/machine.hpp"
#include "os/pages.hpp"
#include "os/process.hpp"

namespace assetc::engine {
namespace {

// Give up after this many reads in a row during which the file changed.
constexpr int kReadAttempts = 8;
// Smaller files are cheaper to read whole than to map.
constexpr std::size_t kReadWholeBytes = 256u << 10;
// Files larger than this are compared with the machine's memory before a buffer is allocated.
constexpr std::size_t kLargeFileBytes = 1u << 30;
constexpr std::size_t kHashPartBytes = 1u << 20;

std::unexpected<Error> os_error(const std::string& path, std::string_view what, const os::Fault& fault) {
  using enum os::FaultKind;
  const os::FaultKind why = fault.kind();
  const ErrorCode kind = why == kNotFound || why == kNotDirectory ? ErrorCode::kNotFound : ErrorCode::kIo;
  std::string hint;
  if (why == kNoSpace) hint = "free some space and build again";
  if (why == kIsDirectory || why == kNotEmpty || why == kExists) hint = "a folder is in its place: move or remove it";
  if (why == kNotDirectory) hint = "a file is in the place of one of its folders: move or remove it";
  if (why == kNameTooLong) hint = "shorten the name that it is made from";
  if (why == kNotName) hint = "rename it: Windows reserves aux, con, nul and others, with any extension";
  if (why == kInUse) hint = "close it there and build again; the old file is still in place";
  if (why == kNotAllowed) hint = "check who may read and write there";
  return std::unexpected(Error{kind, path, {}, std::string(what) + ": " + fault.text(), std::move(hint)});
}

// The value, or an error that names the path.
template <class T>
Result<T> checked(os::OsResult<T> result, const std::string& path, std::string_view what) {
  if (!result) return os_error(path, what, result.error());
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return std::move(*result);
  }
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string(".") : slash == 0 ? std::string("/") : path.substr(0, slash);
}

std::string temporary_name(const std::string& path) {
  static std::atomic<std::uint64_t> counter = 0;
  return parent_of(path) + "/" + std::string(kTemporaryPrefix) + std::to_string(os::process_id()) + "." +
         std::to_string(counter++);
}

class RealLock final : public DiskLock {
 public:
  explicit RealLock(os::File file) : file_(std::move(file)) {}

 private:
  os::File file_;  // closing it releases the lock
};

class RealRandomFile final : public RandomFile {
 public:
  RealRandomFile(std::string path, os::File file) : path_(std::move(path)), file_(std::move(file)) {}

  Result<std::size_t> read(std::uint64_t offset, std::byte* out, std::size_t size) override {
    return checked(file_.read_at(offset, {out, size}), path_, "cannot read");
  }
  Result<void> write(std::uint64_t offset, ByteSpan bytes) override {
    return checked(file_.write_at(offset, bytes), path_, "cannot write");
  }
  Result<void> truncate(std::uint64_t size) override { return checked(file_.truncate(size), path_, "cannot truncate"); }
  Result<void> sync() override { return checked(file_.sync(), path_, "cannot sync"); }
  Result<std::uint64_t> size() override {
    ASSETC_TRY(const os::Status status, checked(file_.status(), path_, "cannot stat"));
    return status.size_bytes;
  }

 private:
  std::string path_;
  os::File file_;
};

class RealStreamFile final : public StreamFile {
 public:
  RealStreamFile(std::string path, std::string temporary, os::File file)
      : path_(std::move(path)), temporary_(std::move(temporary)), file_(std::move(file)) {}
  ~RealStreamFile() override {
    if (!committed_) (void)os::remove_file(temporary_);
  }
  Result<void> write(ByteSpan bytes) override { return checked(file_.write(bytes), path_, "cannot write"); }
  Result<void> commit() override {
    ASSETC_CHECK(checked(file_.sync(), path_, "cannot sync"));
    ASSETC_CHECK(checked(os::rename(temporary_, path_), path_, "cannot rename into place"));
    committed_ = true;
    return {};
  }

 private:
  std::string path_;
  std::string temporary_;
  os::File file_;
  bool committed_ = false;
};

class RealDisk final : public Disk {
 public:
  Result<FileStatus> status(const std::string& path) override {
    ASSETC_TRY(const os::Status s, checked(os::status(path), path, "cannot stat"));
    FileStatus result{s.kind == os::FileKind::kRegular     ? FileType::kFile
                      : s.kind == os::FileKind::kDirectory ? FileType::kDirectory
                                                           : FileType::kOther,
                      {}};
    if (result.type != FileType::kOther) result.signature = signature_of(s);
    result.is_aliased = result.type == FileType::kFile && s.link_count > 1;
    result.is_read_only = s.is_read_only;
    return result;
  }

  bool same_file(const std::string& a, const std::string& b) override {
    const auto first = os::status(a), second = os::status(b);
    return first && second && first->device == second->device && first->inode == second->inode;
  }

  std::string real_path(const std::string& path) override {
    std::string real = os::weakly_canonical_path(path);
    while (real.size() > 1 && real.ends_with('/')) real.pop_back();
    return real.empty() ? path : real;
  }

  Result<Tree> walk(const std::string& root, const Skip& skip, int threads, Links links) override {
    return walk_tree(root, skip, threads, links);
  }

  Result<std::vector<std::string>> list(const std::string& directory) override {
    ASSETC_TRY(os::Directory opened, checked(os::Directory::open(directory), directory, "cannot read the directory"));
    std::vector<std::string> names;
    for (auto entry = opened.next(); entry && *entry; entry = opened.next()) {
      std::string name((*entry)->name);
      const auto status = opened.status_of(name);
      if (status && status->kind == os::FileKind::kRegular) names.push_back(std::move(name));
    }
    std::ranges::sort(names);
    return names;
  }

  Result<Bytes> read(const std::string& path, FileSignature* signature) override {
    ASSETC_TRY(OpenFile file, open_file(path));
    return read_whole(path, std::move(file), signature);
  }

  Result<Bytes> read_secret(const std::string& path, bool may_be_shared) override {
    ASSETC_TRY(OpenFile opened, open_file(path));
    ASSETC_TRY(const bool is_private, checked(opened.file.is_private(), path, "cannot stat"));
    if (!is_private && !may_be_shared) {
      return std::unexpected(Error{ErrorCode::kUsage,
                                   path,
                                   {},
                                   "holds a secret and belongs to or is open to other users, expected a file of yours "
                                   "that only you may read and write",
                                   "chmod 600 it, or accept it with --allow-shared-key; for a cache, with "
                                   "ASSETC_CACHE_SHARED_KEY=allow"});
    }
    return read_whole(path, std::move(opened), nullptr);
  }

  Result<ContentHash> hash(const std::string& path, FileSignature* signature) override {
    std::vector<std::byte> buffer;
    ContentHash result;
    ASSETC_TRY(OpenFile file, open_file(path));
    ASSETC_CHECK(read_parts(
        path, std::move(file), signature, [&](const os::File& opened, std::size_t size) -> Result<std::size_t> {
          if (!fits_memory(size)) return too_large(path, size);  // a file that is hashed will also be read
          buffer.resize(std::min(size, kHashPartBytes));
          ContentStream stream;
          std::size_t done = 0;
          while (done < size) {
            const std::span<std::byte> part = std::span(buffer).first(std::min(buffer.size(), size - done));
            ASSETC_TRY(const std::size_t got, read_at(path, opened, done, part));
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
    ASSETC_TRY(OpenFile opened, open_file(path));
    const auto file_size = static_cast<std::size_t>(opened.status.size_bytes);
    if (file_size <= std::max(size, kReadWholeBytes)) return read_whole(path, std::move(opened), nullptr);
    ASSETC_TRY(std::shared_ptr<std::byte> zeros,
               checked(os::reserve_zeros(file_size), path, "cannot find room for it"));
    ASSETC_CHECK(read_at(path, opened.file, 0, {zeros.get(), size}));
    const ByteSpan bytes(zeros.get(), file_size);
    return Bytes(std::move(zeros), bytes);
  }

  Result<Bytes> peek(const std::string& path) override {
    ASSETC_TRY(OpenFile opened, open_file(path));
    const auto size = static_cast<std::size_t>(opened.status.size_bytes);
    if (size <= kReadWholeBytes) return read_whole(path, std::move(opened), nullptr);
    ASSETC_TRY(std::shared_ptr<const std::byte> pages, checked(os::map_pages(opened.file, size), path, "cannot map"));
    const ByteSpan bytes(pages.get(), size);
    return Bytes(std::move(pages), bytes);
  }

  Result<OpenedFile> open_below(const std::string& root, const std::string& below) override {
    const std::string path = root + "/" + below;
    auto file = os::File::open_below(root, below);
    if (!file && file.error().is(os::FaultKind::kOutside)) {
      return std::unexpected(Error{ErrorCode::kConflict,
                                   path,
                                   {},
                                   "is reached through a link that leads out of " + root,
                                   "put the file itself in the folder"});
    }
    if (!file) return os_error(path, "cannot open", file.error());
    const auto status = file->status();
    if (!status || status->kind != os::FileKind::kRegular)
      return std::unexpected(Error{ErrorCode::kNotFound, path, {}, "is not a file", {}});
    OpenedFile opened{status->size_bytes, os::version_of(*status), {}, {}};
    const auto shared = std::make_shared<const os::File>(std::move(*file));
    opened.is_changed = [shared, version = opened.version] {
      const auto now = shared->status();
      return !now || os::version_of(*now) != version;
    };
    opened.read = [file = shared, path](std::uint64_t offset, std::size_t size) -> Result<Bytes> {
      ByteVector bytes(size);
      const auto count = file->read_at(offset, bytes);
      if (!count) return os_error(path, "cannot read", count.error());
      bytes.resize(*count);
      return Bytes(std::move(bytes));
    };
    return opened;
  }

  Result<FileSignature> publish_secret(const std::string& path, ByteSpan bytes) override {
    const os::PrivateFiles only_ours;
    return publish(path, bytes);
  }
  Result<FileSignature> publish(const std::string& path, ByteSpan bytes) override {
    ASSETC_TRY(const os::File nameless, create_nameless(path));
    if (nameless) {
      ASSETC_CHECK(checked(nameless.write(bytes), path, "cannot write"));
      if (give_name(nameless, path)) return named_signature(path, nameless);
    }
    ASSETC_TRY(auto made, create_temporary(path));
    const auto& [temporary, file] = made;
    auto done = checked(file.write(bytes), path, "cannot write");
    if (done) done = checked(os::rename(temporary, path), path, "cannot rename into place");
    if (done) return named_signature(path, file);
    (void)os::remove_file(temporary);
    return std::unexpected(std::move(done).error());
  }

  Result<FileSignature> replace(const std::string& path, std::optional<ByteSpan> before, ByteSpan bytes) override {
    if (before) ASSETC_CHECK(check_writable(path));
    ASSETC_TRY(const os::File nameless, before ? os::File() : create_nameless(path));
    if (nameless) {
      ASSETC_CHECK(checked(nameless.write(bytes), path, "cannot write"));
      const auto linked = nameless.link_as(path);
      if (linked) return named_signature(path, nameless);
      if (linked.error().is(os::FaultKind::kExists)) return changed_meanwhile(path);
    }
    ASSETC_TRY(auto made, create_temporary(path));
    const auto& [temporary, file] = made;
    auto done = checked(file.write(bytes), path, "cannot write");
    if (done) done = before ? exchange(temporary, path, *before, bytes) : name_new(temporary, path);
    (void)os::remove_file(temporary);
    if (!done) return std::unexpected(std::move(done).error());
    return named_signature(path, file);
  }

  Result<std::unique_ptr<StreamFile>> create(const std::string& path) override {
    ASSETC_TRY(auto made, create_temporary(path));
    return std::make_unique<RealStreamFile>(path, std::move(made.first), std::move(made.second));
  }

  Result<std::unique_ptr<RandomFile>> open(const std::string& path, bool create) override {
    ASSETC_TRY(OpenFile opened,
               open_file(path, create ? os::File::Mode::kReadWriteCreate : os::File::Mode::kReadWrite));
    return std::make_unique<RealRandomFile>(path, std::move(opened.file));
  }

  Result<void> make_directories(const std::string& path) override {
    using enum os::FaultKind;
    const auto make = [&] {
      auto made = os::make_directory(path);
      return made || !made.error().is(kExists) ? made : os::OsResult<void>();
    };
    auto made = make();
    const std::string parent = parent_of(path);
    if (!made && made.error().is(kNotFound) && parent != path) {
      ASSETC_CHECK(make_directories(parent));
      made = make();
    }
    return checked(made, path, "cannot make the directory");
  }

  Result<void> remove(const std::string& path) override {
    using enum os::FaultKind;
    const auto removed = os::remove_file(path);
    if (removed) return {};
    const os::FaultKind why = removed.error().kind();
    if (why == kNotFound || why == kNotDirectory || why == kNameTooLong) return {};  // so it cannot exist
    return os_error(path, "cannot remove", removed.error());
  }
  Result<void> remove_unchanged(const std::string& path, ByteSpan before) override {
    if (!os::status(path)) return {};
    ASSETC_CHECK(check_writable(path));
    // Only a file with a name that nobody else knows stays what it was while it is compared.
    const std::string aside = temporary_name(path);
    ASSETC_CHECK(checked(os::rename(path, aside), path, "cannot remove"));
    const auto found = read(aside, nullptr);
    if (found && is_equal(*found, before)) return checked(os::remove_file(aside), path, "cannot remove");
    const auto back = os::rename_if_free(aside, path);
    if (!back && back.error().is(os::FaultKind::kExists)) (void)os::remove_file(aside);  // a still newer file
    return changed_meanwhile(path);
  }
  Result<void> mark_used(const std::string& path) override {
    return checked(os::touch(path), path, "cannot set the time");
  }
  Result<void> rename(const std::string& from, const std::string& to) override {
    if (const std::size_t slash = to.rfind('/'); slash != std::string::npos)
      ASSETC_CHECK(make_directories(to.substr(0, slash)));
    const auto renamed = os::rename_if_free(from, to);
    if (renamed) return {};
    if (renamed.error().is(os::FaultKind::kExists))
      return std::unexpected(Error{ErrorCode::kConflict, to, {}, "already exists", "choose another name"});
    return os_error(from, "cannot rename to " + to, renamed.error());
  }
  bool remove_empty_directory(const std::string& path) override {
    const auto removed = os::remove_directory(path);
    return removed || removed.error().is(os::FaultKind::kNotFound);
  }

  Result<void> sweep(const std::string& directory) override {
    auto opened = os::Directory::open(directory);
    if (!opened) return {};
    Result<void> swept;
    for (auto entry = opened->next(); entry && *entry; entry = opened->next()) {
      if (!(*entry)->name.starts_with(kTemporaryPrefix)) continue;
      const std::string name((*entry)->name);
      const auto file = opened->open_file(name);
      const auto status = file ? file->status() : std::unexpected(file.error());
      if (!status || status->kind != os::FileKind::kRegular || !file->try_lock()) continue;
      const auto removed = opened->remove_file(name);
      if (!removed && !removed.error().is(os::FaultKind::kNotFound))
        swept = os_error(directory + "/" + name, "cannot remove", removed.error());
    }
    return swept;
  }

  Result<void> flush(const std::string& path) override {
    ASSETC_TRY(const os::File file, checked(os::File::open(path, os::File::Mode::kRead), path, "cannot flush"));
    return checked(file.sync_file_system(), path, "cannot flush");
  }

  Result<std::unique_ptr<DiskLock>> lock(const std::string& path) override {
    auto opened = open_file(path, os::File::Mode::kReadWriteCreate);
    os::File file;
    if (opened) {
      file = std::move(opened->file);
    } else {
      if (opened.error().code == ErrorCode::kConflict) return std::unexpected(std::move(opened).error());
      // If the file cannot be created, lock its folder. Then others cannot see which process holds the lock.
      auto folder = os::File::open(parent_of(path), os::File::Mode::kDirectory);
      if (!folder) return std::unexpected(std::move(opened).error());
      file = std::move(*folder);
    }
    if (const auto locked = file.try_lock(); !locked) {
      if (!locked.error().is(os::FaultKind::kBusy)) return os_error(path, "cannot lock", locked.error());
      std::array<std::byte, 32> text;
      const auto size = file.read_at(0, text);
      std::string holder = size && *size != 0 ? std::string(as_text(ByteSpan(text).first(*size))) : "unknown";
      while (!holder.empty() && holder.back() == '\n') holder.pop_back();
      return std::unexpected(Error{ErrorCode::kConflict,
                                   parent_of(path),
                                   {},
                                   "another build (process " + holder + ") is writing this output",
                                   "wait for it, or build into another output with -o"});
    }
    // Only for messages. Writing it may fail if the disk is full.
    const std::string pid = std::to_string(os::process_id()) + "\n";
    if (opened && file.truncate(0)) (void)file.write(as_bytes(pid));
    return std::make_unique<RealLock>(std::move(file));
  }

  bool is_remote(const std::string& path) override { return os::is_remote(path); }
  bool reports_changes(const std::string& path) override { return os::reports_changes(path); }
  std::int64_t now_ns() override { return os::file_clock_ns(); }
  void wait(std::int64_t duration_ns) override { std::this_thread::sleep_for(std::chrono::nanoseconds(duration_ns)); }
  std::string boot_id() override { return os::boot_id(); }
  std::uint64_t memory_bytes() override { return os::memory_bytes(); }

 private:
  struct OpenFile {
    os::File file;
    os::Status status;
  };
  // Opens only regular files: opening a pipe would wait for its writer.
  static Result<OpenFile> open_file(const std::string& path, os::File::Mode mode = os::File::Mode::kRead) {
    OpenFile opened;
    auto file = os::File::open(path, mode);
    if (!file && mode != os::File::Mode::kRead && file.error().is(os::FaultKind::kTooManyLinks)) {
      return std::unexpected(Error{ErrorCode::kConflict,
                                   path,
                                   {},
                                   "is a link, expected a file: assetc does not write its own files through links",
                                   "remove the link"});
    }
    ASSETC_TRY(opened.file, checked(std::move(file), path, "cannot open"));
    ASSETC_TRY(opened.status, checked(opened.file.status(), path, "cannot stat"));
    if (opened.status.kind == os::FileKind::kDirectory) return os_error(path, "cannot read", os::Fault::is_directory());
    if (opened.status.kind != os::FileKind::kRegular)
      return std::unexpected(Error{
          ErrorCode::kIo, path, {}, "is a pipe, socket or device, expected a regular file", "put a file in its place"});
    return opened;
  }

  static bool is_equal(ByteSpan a, ByteSpan b) { return std::ranges::equal(a, b); }
  static std::unexpected<Error> changed_meanwhile(const std::string& path) {
    return std::unexpected(Error{ErrorCode::kConflict,
                                 path,
                                 {},
                                 "was changed by something else meanwhile; that file stays",
                                 "run the command again"});
  }
  static Result<void> check_writable(const std::string& path) {
    const auto status = os::status(path);
    if (!status || !status->is_read_only) return {};
    return std::unexpected(Error{ErrorCode::kIo, path, {}, "is read-only", "check it out, or make it writable"});
  }

  // Gives `path` to the file `temporary`, whose bytes are `ours`, if its bytes are still `before`. Whatever happens,
  // the newest file of another program keeps the name or gets it back.
  Result<void> exchange(const std::string& temporary, const std::string& path, ByteSpan before, ByteSpan ours) {
    constexpr int kMaxTurns = 16;
    Bytes expected(nullptr, before), put(nullptr, ours);
    for (int turn = 0; turn < kMaxTurns; ++turn) {
      const auto exchanged = os::exchange(temporary, path);
      if (!exchanged && exchanged.error().is(os::FaultKind::kNotFound)) return changed_meanwhile(path);  // removed
      if (!exchanged && turn == 0) return compare_and_rename(temporary, path, before);
      auto out = exchanged ? read(temporary, nullptr) : Result<Bytes>(std::unexpected(Error()));
      if (!out) {
        (void)os::rename(temporary, path);
        return changed_meanwhile(path);
      }
      if (is_equal(*out, expected)) return turn == 0 ? Result<void>() : changed_meanwhile(path);
      expected = std::exchange(put, *std::move(out));
    }
    return changed_meanwhile(path);
  }
  // The nearest to exchange() where the file system cannot exchange names: another program has a moment to interfere.
  Result<void> compare_and_rename(const std::string& temporary, const std::string& path, ByteSpan before) {
    const auto now = read(path, nullptr);
    if (!now || !is_equal(*now, before)) return changed_meanwhile(path);
    return checked(os::rename(temporary, path), path, "cannot rename into place");
  }
  static Result<void> name_new(const std::string& temporary, const std::string& path) {
    const auto renamed = os::rename_if_free(temporary, path);
    if (!renamed && renamed.error().is(os::FaultKind::kExists)) return changed_meanwhile(path);
    return checked(renamed, path, "cannot rename into place");
  }

  // A sparse file can report any size.
  bool fits_memory(std::size_t size) { return size <= kLargeFileBytes || size <= memory_bytes(); }
  static std::unexpected<Error> too_large(const std::string& path, std::size_t size) {
    return std::unexpected(Error{ErrorCode::kLimit,
                                 path,
                                 {},
                                 "the file has " + counted(size, "byte") + ", more than fits in memory",
                                 "is this the right file?"});
  }

  // Reads until `out` is full or the file ends. Returns the number of bytes read.
  static Result<std::size_t> read_at(const std::string& path, const os::File& file, std::size_t offset,
                                     std::span<std::byte> out) {
    return checked(file.read_at(offset, out), path, "cannot read");
  }

  // Calls read(file, its size) until everything it read belongs to one version of the file.
  template <class Read>
  static Result<void> read_parts(const std::string& path, OpenFile opened, FileSignature* signature, const Read& read) {
    for (int attempt = 0; attempt < kReadAttempts; ++attempt) {
      const os::Status before = opened.status;
      ASSETC_TRY(const std::size_t done, read(opened.file, static_cast<std::size_t>(before.size_bytes)));
      ASSETC_TRY(opened.status, checked(opened.file.status(), path, "cannot stat"));
      if (done == before.size_bytes && signature_of(before) == signature_of(opened.status)) {
        if (signature != nullptr) *signature = signature_of(opened.status);
        return {};
      }
    }
    return std::unexpected(Error{
        ErrorCode::kIo, path, {}, "the file keeps changing while it is read", "build again when the file is complete"});
  }

  Result<Bytes> read_whole(const std::string& path, OpenFile opened, FileSignature* signature) {
    std::shared_ptr<std::byte[]> buffer;
    std::size_t size = 0;
    ASSETC_CHECK(read_parts(path, std::move(opened), signature,
                            [&](const os::File& file, std::size_t file_size) -> Result<std::size_t> {
                              buffer.reset();  // left from a failed attempt
                              if (!fits_memory(file_size)) return too_large(path, file_size);
                              size = file_size;
                              try {
                                buffer = std::make_shared_for_overwrite<std::byte[]>(std::max<std::size_t>(size, 1));
                              } catch (const std::bad_alloc&) {
                                return too_large(path, size);
                              }
                              return read_at(path, file, 0, {buffer.get(), size});
                            }));
    // Before the move: the evaluation order of arguments is unspecified.
    const ByteSpan span(buffer.get(), size);
    return Bytes(std::move(buffer), span);
  }

  // Opens a file without a name, which disappears if the process dies. Returns an empty File if the file system does
  // not support that. Naming a finished file once takes half the time of naming it twice.
  Result<os::File> create_nameless(const std::string& path) {
    const std::string folder = parent_of(path);
    auto file = os::File::open_nameless(folder);
    if (!file && file.error().is(os::FaultKind::kNotFound)) {
      ASSETC_CHECK(make_directories(folder));
      file = os::File::open_nameless(folder);
    }
    return file ? std::move(*file) : os::File();
  }

  // False if the file cannot get the name. The caller then falls back to a temporary file and reports its error.
  static bool give_name(const os::File& nameless, const std::string& path) {
    const auto linked = nameless.link_as(path);
    if (linked) return true;
    if (!linked.error().is(os::FaultKind::kExists)) return false;
    // Lock it before it has a name, so that no sweep() takes it for a leftover.
    const std::string temporary = temporary_name(path);
    if (!nameless.lock() || !nameless.link_as(temporary)) return false;
    if (os::rename(temporary, path)) return true;
    (void)os::remove_file(temporary);
    return false;
  }

  // The status after the file got its name, because that changes the ctime on most file systems.
  static Result<FileSignature> named_signature(const std::string& path, const os::File& file) {
    ASSETC_TRY(const os::Status status, checked(file.status(), path, "cannot stat"));
    return signature_of(status);
  }

  Result<std::pair<std::string, os::File>> create_temporary(const std::string& path) {
    for (;;) {
      std::string temporary = temporary_name(path);
      auto opened = os::File::open(temporary, os::File::Mode::kCreate);
      if (!opened && opened.error().is(os::FaultKind::kNotFound)) {
        ASSETC_CHECK(make_directories(parent_of(path)));
        opened = os::File::open(temporary, os::File::Mode::kCreate);
      }
      // Left by a process with the same number, or put there by someone else.
      if (!opened && opened.error().is(os::FaultKind::kExists)) continue;
      ASSETC_TRY(os::File file, checked(std::move(opened), path, "cannot create"));
      // The lock ends with the process and tells sweep() that the file is in use. If a sweep() came before the lock, it
      // has deleted the file: try again.
      const auto status = file.lock() ? file.status() : std::unexpected(os::Fault::last());
      if (status && status->link_count == 0) continue;
      return std::pair(std::move(temporary), std::move(file));
    }
  }
};

}  // namespace

std::unique_ptr<Disk> make_real_disk() { return std::make_unique<RealDisk>(); }

}  // namespace assetc::engine
