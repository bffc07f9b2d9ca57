// A disk in memory. Only tests move its clock, and it can fail or stop at any write.
#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "engine/disk/disk.hpp"

namespace assetc::engine {

class FakeDisk final : public Disk {
 public:
  struct Node {
    ByteVector bytes;
    std::int64_t mtime_ns = 0;
    std::int64_t ctime_ns = 0;
    std::uint64_t inode = 0;
  };

  // ---- for tests ----

  // Replaces the file, as an editor does. The clock advances, so that the new stamp is old enough to trust.
  void put(const std::string& path, std::string_view text) {
    const std::lock_guard lock(mutex_);
    add_parents(path);
    auto node = std::make_shared<Node>();
    const ByteSpan bytes = as_bytes(text);
    node->bytes.assign(bytes.begin(), bytes.end());
    stamp(*node);
    node->inode = next_inode_++;
    files_[path] = std::move(node);
    advance();
  }
  // Changes the bytes of a file in place.
  void overwrite(const std::string& path, std::string_view text) {
    const std::lock_guard lock(mutex_);
    Node& node = *files_.at(path);
    const ByteSpan bytes = as_bytes(text);
    node.bytes.assign(bytes.begin(), bytes.end());
    stamp(node);
    advance();
  }
  // Zeros the file, as a power cut may do: bytes are lost, size and stamps stay.
  void zero(const std::string& path) { std::ranges::fill(files_.at(path)->bytes, std::byte{0}); }
  void touch(const std::string& path) {
    const std::lock_guard lock(mutex_);
    stamp(*files_.at(path));
    advance();
  }
  void move(const std::string& from, const std::string& to) {
    const std::lock_guard lock(mutex_);
    add_parents(to);
    auto node = files_.at(from);
    node->ctime_ns = clock_ns_;
    files_.erase(from);
    files_[to] = std::move(node);
    changed_directories_[parent(from)] = clock_ns_;
    drop_empty_parents(from);
    advance();
  }
  void erase(const std::string& path) {
    const std::lock_guard lock(mutex_);
    files_.erase(path);
    changed_directories_[parent(path)] = clock_ns_;
    drop_empty_parents(path);
    advance();
  }
  bool stand_still = false;  // put() and the like do not advance the clock: the next change gets the same stamp

  void sleep(std::int64_t ns) { clock_ns_ += ns; }

  bool has(const std::string& path) const { return files_.contains(path); }
  std::string text(const std::string& path) const {
    const auto it = files_.find(path);
    return it == files_.end() ? "(not there)" : std::string(as_text(it->second->bytes));
  }
  std::vector<std::string> paths_below(const std::string& root) const {
    std::vector<std::string> result;
    for (const auto& [path, node] : files_) {
      if (path.starts_with(root + "/")) result.push_back(path.substr(root.size() + 1));
    }
    return result;
  }
  // Every file and directory below root except the engine's own, to compare two trees.
  std::map<std::string, std::string> tree(const std::string& root) const {
    std::map<std::string, std::string> result;
    for (const auto& [path, node] : files_) {
      if (!path.starts_with(root + "/") || path.find("/.assetc-cache") != std::string::npos) continue;
      result[path.substr(root.size() + 1)] = std::string(as_text(node->bytes));
    }
    for (const std::string& path : directories_) {
      if (path.starts_with(root + "/")) result[path.substr(root.size() + 1) + "/"] = "";
    }
    return result;
  }
  std::int64_t mtime_ns(const std::string& path) const { return files_.at(path)->mtime_ns; }
  void remove_all(const std::string& root) {
    std::erase_if(files_, [&](const auto& f) { return f.first == root || f.first.starts_with(root + "/"); });
    std::erase_if(directories_, [&](const auto& d) { return d == root || d.starts_with(root + "/"); });
    advance();
  }
  void copy_files(const FakeDisk& other, const std::string& root) {
    for (const auto& [path, node] : other.files_) {
      if (path.starts_with(root + "/")) put(path, as_text(node->bytes));
    }
    directories_.insert(root);
  }

  // ---- faults ----

  // The machine stops at the n-th write from now (0: the next one); nothing works until reboot().
  void crash_after(std::int64_t writes) { crash_at_ = writes_ + writes; }
  bool crashed() const { return crashed_; }
  void reboot(bool power_cut = false) {
    crashed_ = false;
    crash_at_.reset();
    locks_.clear();
    if (power_cut) boot_id_ += "'";
  }
  // The n-th write from now and all later ones fail because the disk is full.
  void fill_after(std::int64_t writes) { full_at_ = writes_ + writes; }
  void make_room() { full_at_.reset(); }
  int flushes = 0;
  bool read_only = false;
  std::set<std::string> unreadable;       // files, and folders with their contents
  std::set<std::string> unwritable;       // files that can be neither written nor removed
  std::set<std::string> protected_files;  // files that version control has made read-only
  std::uint64_t most_bytes = ~0ull;       // of one published file
  // Called with the path of each published file, to act as another program.
  std::function<void(const std::string&)> after_publish;
  std::function<void(const std::string&)> after_read;      // the same for each file that was read
  std::function<void(const std::string&)> before_replace;  // called with the path of each file that is to be replaced
  std::function<void()> while_waiting;                     // called after each wait
  std::set<std::string> locked;                            // files that may not be written in place, but replaced
  std::int64_t writes() const { return writes_; }
  std::int64_t reads() const { return reads_; }
  std::uint64_t memory = 1u << 30;
  bool remote = false;  // whether the whole disk is a network file system

  // ---- Disk ----

  Result<FileStatus> status(const std::string& asked) override {
    const std::string path = relative(asked);
    const std::lock_guard lock(mutex_);
    if (is_shut_away(path))
      return std::unexpected(Error{ErrorCode::kIo, path, {}, "cannot stat: Permission denied", {}});
    if (const auto it = files_.find(path); it != files_.end())
      return FileStatus{FileType::kFile, signature(*it->second)};
    if (directories_.contains(path)) {
      const auto changed = changed_directories_.find(path);
      const std::int64_t at_ns = changed == changed_directories_.end() ? 0 : changed->second;
      return FileStatus{FileType::kDirectory, {.size_bytes = 0, .mtime_ns = at_ns, .ctime_ns = at_ns, .inode = 1}};
    }
    return not_found(path);
  }

  bool same_file(const std::string& a, const std::string& b) override {
    return status(a).has_value() && real_path(a) == real_path(b);
  }
  // The fake disk has no symbolic links.
  std::string real_path(const std::string& path) override {
    std::string real = std::filesystem::path("/project/" + path).lexically_normal().string();
    if (path.starts_with('/')) real = std::filesystem::path(path).lexically_normal().string();
    while (real.size() > 1 && real.ends_with('/')) real.pop_back();
    return real;
  }

  Result<Tree> walk(const std::string& root, const Skip& skip, int, Links = Links::kAll) override {
    const std::lock_guard lock(mutex_);
    const auto ask = [&](const std::string& path, bool directory) {
      return skip ? skip(path, directory) : Visit::kTake;
    };
    std::set<std::string> left_out;  // folders to skip, and entries to report
    for (const auto& [path, node] : files_) {
      if (!path.starts_with(root + "/")) continue;
      const std::string below = path.substr(root.size() + 1);
      const Visit visit = ask(below, false);
      if (visit == Visit::kLeaveOutFolder) left_out.insert(parent(below));
      if (visit == Visit::kTell) left_out.insert(below);
    }
    // '/' sorts before all other characters: depth first, as in the real walk.
    std::map<std::string, std::pair<std::string, const Node*>> ordered;
    const auto add = [&](const std::string& path, const Node* node) {
      if (!path.starts_with(root + "/")) return;
      const std::string below = path.substr(root.size() + 1);
      for (std::size_t slash = below.find('/'); slash != std::string::npos; slash = below.find('/', slash + 1)) {
        if (ask(below.substr(0, slash), true) != Visit::kTake || left_out.contains(below.substr(0, slash))) return;
      }
      if (ask(below, node == nullptr) != Visit::kTake) return;
      std::string key = below;
      std::ranges::replace(key, '/', '\1');
      ordered[key] = {below, node};
    };
    for (const std::string& path : directories_) {
      if (!is_shut_away(path)) add(path, nullptr);
    }
    for (const auto& [path, node] : files_) {
      if (!is_shut_away(path)) add(path, node.get());
    }
    Tree tree;
    for (const auto& [key, entry] : ordered) {
      const bool file = entry.second != nullptr;
      tree.add(entry.first, file ? FileType::kFile : FileType::kDirectory,
               file ? signature(*entry.second) : FileSignature{});
      if (!file && unreadable.contains(root + "/" + entry.first))
        tree.leave_out(entry.first, LeftOut::kUnreadable, true, "Permission denied");
    }
    for (const std::string& path : left_out)
      tree.leave_out(path, files_.contains(root + "/" + path) ? LeftOut::kTold : LeftOut::kFolder,
                     !files_.contains(root + "/" + path));
    return tree;
  }

  Result<std::vector<std::string>> list(const std::string& directory) override {
    const std::lock_guard lock(mutex_);
    if (!directories_.contains(directory)) return not_found(directory);
    if (unreadable.contains(directory) || is_shut_away(directory)) {
      return std::unexpected(Error{ErrorCode::kIo, directory, {}, "cannot read the directory: Permission denied", {}});
    }
    std::vector<std::string> names;
    for (const auto& [path, node] : files_) {
      if (path.starts_with(directory + "/") && path.find('/', directory.size() + 1) == std::string::npos) {
        names.push_back(path.substr(directory.size() + 1));
      }
    }
    return names;
  }

  Result<Bytes> read(const std::string& path, FileSignature* out) override {
    auto bytes = read_alone(path, out);
    if (bytes && after_read) after_read(path);
    return bytes;
  }
  Result<Bytes> read_alone(const std::string& asked, FileSignature* out) {
    const std::string path = relative(asked);
    const std::lock_guard lock(mutex_);
    ++reads_;
    const auto it = files_.find(path);
    if (it == files_.end()) return not_found(path);
    if (unreadable.contains(path) || is_shut_away(path))
      return std::unexpected(Error{ErrorCode::kIo, path, {}, "cannot open: Permission denied", {}});
    if (out != nullptr) *out = signature(*it->second);
    return Bytes(ByteVector(it->second->bytes));
  }
  Result<ContentHash> hash(const std::string& path, FileSignature* out) override {
    ASSETC_TRY(const Bytes bytes, read(path, out));
    return content_hash(bytes);
  }
  Result<Bytes> head(const std::string& path, std::size_t size) override {
    ASSETC_TRY(const Bytes bytes, read(path, nullptr));
    ByteVector copy(bytes.span().begin(), bytes.span().end());
    if (size < copy.size()) std::fill(copy.begin() + static_cast<std::ptrdiff_t>(size), copy.end(), std::byte{0});
    return Bytes(std::move(copy));
  }
  Result<Bytes> read_secret(const std::string& path, bool) override { return read(path, nullptr); }
  Result<Bytes> peek(const std::string& path) override { return read(path, nullptr); }

  Result<OpenedFile> open_below(const std::string& root, const std::string& path) override {
    ASSETC_TRY(const Bytes bytes, read(root + "/" + path, nullptr));
    return OpenedFile{bytes.size(), content_hash(bytes).low,
                      [bytes](std::uint64_t offset, std::size_t size) {
                        const auto from = static_cast<std::size_t>(std::min<std::uint64_t>(offset, bytes.size()));
                        return Result<Bytes>(bytes.slice(from, std::min(size, bytes.size() - from)));
                      },
                      [] { return false; }};
  }
  Result<FileSignature> publish_secret(const std::string& path, ByteSpan bytes) override {
    return publish(path, bytes);
  }
  Result<FileSignature> publish(const std::string& path, ByteSpan bytes) override {
    auto signature = publish_alone(path, bytes);
    if (signature && after_publish) after_publish(path);
    return signature;
  }
  Result<FileSignature> replace(const std::string& path, std::optional<ByteSpan> before, ByteSpan bytes) override {
    if (before_replace) before_replace(path);
    ASSETC_CHECK(check_unchanged(path, before));
    return publish(path, bytes);
  }
  Result<void> remove_unchanged(const std::string& path, ByteSpan before) override {
    if (before_replace) before_replace(path);
    if (!has(path)) return {};
    ASSETC_CHECK(check_unchanged(path, before));
    return remove(path);
  }
  Result<FileSignature> publish_alone(const std::string& path, ByteSpan bytes) {
    const std::lock_guard lock(mutex_);
    const std::string temporary = parent(path) + "/" + std::string(kTemporaryPrefix) + std::to_string(next_inode_);
    ASSETC_CHECK(write_allowed(path));
    if (directories_.contains(path))
      return std::unexpected(Error{ErrorCode::kIo, path, {}, "cannot rename into place: Is a directory", {}});
    if (bytes.size() > most_bytes)
      return std::unexpected(Error{ErrorCode::kIo, path, {}, "cannot write: No space left on device", {}});
    add_parents(path);
    auto node = std::make_shared<Node>();
    node->inode = next_inode_++;
    files_[temporary] = node;
    stamp(*node);
    node->bytes.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2));
    if (auto allowed = write_allowed(path); !allowed) return give_up(temporary, std::move(allowed).error());
    node->bytes.assign(bytes.begin(), bytes.end());
    if (auto allowed = write_allowed(path); !allowed) return give_up(temporary, std::move(allowed).error());
    files_.erase(temporary);
    files_[path] = node;
    locked.erase(path);
    return signature(*node);
  }

  Result<std::unique_ptr<StreamFile>> create(const std::string& path) override {
    return std::make_unique<Stream>(*this, path);
  }

  Result<std::unique_ptr<RandomFile>> open(const std::string& path, bool create) override {
    const std::lock_guard lock(mutex_);
    if (locked.contains(path)) {
      return std::unexpected(
          Error{ErrorCode::kIo, path, {}, "cannot open: Permission denied", "check who may read and write there"});
    }
    auto it = files_.find(path);
    if (it == files_.end()) {
      if (!create) return not_found(path);
      ASSETC_CHECK(write_allowed(path));
      add_parents(path);
      auto node = std::make_shared<Node>();
      node->inode = next_inode_++;
      stamp(*node);
      it = files_.emplace(path, std::move(node)).first;
    }
    return std::make_unique<Random>(*this, path, it->second);
  }

  Result<void> make_directories(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    if (directories_.contains(path)) return {};
    ASSETC_CHECK(write_allowed(path));
    add_parents(path + "/x");
    return {};
  }
  Result<void> remove(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    if (!files_.contains(path)) return {};
    ASSETC_CHECK(write_allowed(path, true));
    files_.erase(path);
    return {};
  }
  Result<void> mark_used(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    ASSETC_CHECK(write_allowed(path, true));
    stamp(*files_.at(path));
    return {};
  }
  bool is_remote(const std::string&) override { return remote; }
  bool reports_changes(const std::string&) override { return !remote; }
  Result<void> rename(const std::string& from, const std::string& to) override {
    const std::lock_guard lock(mutex_);
    if (!files_.contains(from)) return std::unexpected(Error{ErrorCode::kNotFound, from, {}, "no such file", {}});
    if (files_.contains(to)) return std::unexpected(Error{ErrorCode::kConflict, to, {}, "already exists", {}});
    ASSETC_CHECK(write_allowed(to, true));
    add_parents(to);
    auto node = files_.at(from);
    files_.erase(from);
    files_[to] = std::move(node);
    return {};
  }
  bool remove_empty_directory(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    if (!directories_.contains(path)) return true;
    const std::string below = path + "/";
    const auto inside = [&](const std::string& p) { return p.starts_with(below); };
    if (std::ranges::any_of(files_, [&](const auto& f) { return inside(f.first); }) ||
        std::ranges::any_of(directories_, inside) || !write_allowed(path, true)) {
      return false;
    }
    directories_.erase(path);
    return true;
  }
  Result<void> sweep(const std::string& directory) override {  // no other process exists
    const std::string prefix = directory + (directory.ends_with('/') ? "" : "/") + std::string(kTemporaryPrefix);
    const std::lock_guard lock(mutex_);
    Result<void> swept;
    std::erase_if(files_, [&](const auto& f) {
      if (!f.first.starts_with(prefix) || f.first.find('/', prefix.size()) != std::string::npos) return false;
      auto allowed = write_allowed(f.first, true);
      if (allowed) return true;
      swept = std::move(allowed);
      return false;
    });
    return swept;
  }
  Result<void> flush(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    ++flushes;
    return write_allowed(path, true);
  }

  Result<std::unique_ptr<DiskLock>> lock(const std::string& path) override {
    const std::lock_guard guard(mutex_);
    ASSETC_CHECK(write_allowed(path, true));
    if (!locks_.insert(path).second) {
      return fail(ErrorCode::kConflict, "another build (process 4242) is writing this output",
                  "wait for it, or build into another output with -o");
    }
    return std::make_unique<Lock>(*this, path);
  }

  std::int64_t now_ns() override { return clock_ns_; }
  void wait(std::int64_t duration_ns) override {
    clock_ns_ += duration_ns;
    if (while_waiting) while_waiting();
  }
  std::string boot_id() override { return boot_id_; }
  std::uint64_t memory_bytes() override { return memory; }

 private:
  class Lock final : public DiskLock {
   public:
    Lock(FakeDisk& disk, std::string path) : disk_(disk), path_(std::move(path)) {}
    ~Lock() override { disk_.locks_.erase(path_); }

   private:
    FakeDisk& disk_;
    std::string path_;
  };

  class Random final : public RandomFile {
   public:
    Random(FakeDisk& disk, std::string path, std::shared_ptr<Node> node)
        : disk_(disk), path_(std::move(path)), node_(std::move(node)) {}
    Result<std::size_t> read(std::uint64_t offset, std::byte* out, std::size_t size) override {
      const std::lock_guard lock(disk_.mutex_);
      if (offset >= node_->bytes.size()) return 0;
      size = std::min<std::size_t>(size, node_->bytes.size() - offset);
      std::memcpy(out, node_->bytes.data() + offset, size);
      return size;
    }
    Result<void> write(std::uint64_t offset, ByteSpan bytes) override {
      const std::lock_guard lock(disk_.mutex_);
      ASSETC_CHECK(disk_.write_allowed(path_));
      if (offset + bytes.size() > node_->bytes.size()) node_->bytes.resize(offset + bytes.size());
      std::memcpy(node_->bytes.data() + offset, bytes.data(), bytes.size());
      disk_.stamp(*node_);
      return {};
    }
    Result<void> truncate(std::uint64_t size) override {
      const std::lock_guard lock(disk_.mutex_);
      ASSETC_CHECK(disk_.write_allowed(path_, true));
      node_->bytes.resize(size);
      return {};
    }
    Result<void> sync() override {
      const std::lock_guard lock(disk_.mutex_);
      return disk_.write_allowed(path_, true);
    }
    Result<std::uint64_t> size() override { return node_->bytes.size(); }

   private:
    FakeDisk& disk_;
    std::string path_;
    std::shared_ptr<Node> node_;
  };

  class Stream final : public StreamFile {
   public:
    Stream(FakeDisk& disk, std::string path) : disk_(disk), path_(std::move(path)) {}
    Result<void> write(ByteSpan bytes) override {
      append_bytes(bytes_, bytes);
      return {};
    }
    Result<void> commit() override {
      ASSETC_CHECK(disk_.publish(path_, bytes_));
      return {};
    }

   private:
    FakeDisk& disk_;
    std::string path_;
    ByteVector bytes_;
  };

  // The path of a file whose real path was asked for.
  static std::string relative(const std::string& path) {
    constexpr std::string_view kProject = "/project/";
    return path.starts_with(kProject) ? path.substr(kProject.size()) : path;
  }
  Result<void> check_unchanged(const std::string& path, std::optional<ByteSpan> before) {
    const std::lock_guard lock(mutex_);
    if (protected_files.contains(path))
      return std::unexpected(Error{ErrorCode::kIo, path, {}, "is read-only", "check it out, or make it writable"});
    const auto at = files_.find(path);
    const bool is_same =
        before ? at != files_.end() && std::ranges::equal(at->second->bytes, *before) : at == files_.end();
    if (is_same) return {};
    return std::unexpected(Error{ErrorCode::kConflict, path, {}, "was changed by something else meanwhile", {}});
  }
  static std::unexpected<Error> not_found(const std::string& path) {
    return std::unexpected(Error{ErrorCode::kNotFound, path, {}, "No such file or directory", {}});
  }
  // Whether the path is below a folder of `unreadable`.
  bool is_shut_away(const std::string& path) const {
    return std::ranges::any_of(unreadable, [&](const std::string& shut) { return path.starts_with(shut + "/"); });
  }
  static std::string parent(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? std::string(".") : path.substr(0, slash);
  }
  static FileSignature signature(const Node& node) {
    return {node.bytes.size(), node.mtime_ns, node.ctime_ns, node.inode};
  }
  void stamp(Node& node) { node.mtime_ns = node.ctime_ns = clock_ns_; }
  void advance() {
    if (!stand_still) clock_ns_ += 5'000'000'000;
  }
  void add_parents(std::string path) {
    for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash != 0; slash = path.rfind('/')) {
      path.resize(slash);
      directories_.insert(path);
    }
  }
  void drop_empty_parents(std::string path) {
    for (std::size_t slash = path.rfind('/'); slash != std::string::npos; slash = path.rfind('/')) {
      path.resize(slash);
      if (path.find('/') == std::string::npos) return;  // roots are never removed
      const std::string below = path + "/";
      if (std::ranges::any_of(files_, [&](const auto& f) { return f.first.starts_with(below); })) return;
      directories_.erase(path);
    }
  }
  Result<void> write_allowed(const std::string& path, bool frees = false) {
    if (crash_at_ && writes_ >= *crash_at_) crashed_ = true;
    if (crashed_) return std::unexpected(Error{ErrorCode::kIo, path, {}, "the machine is off", {}});
    if (read_only) {
      return std::unexpected(
          Error{ErrorCode::kIo, path, {}, "cannot write: Read-only file system", "check who may read and write there"});
    }
    if (unwritable.contains(path))
      return std::unexpected(Error{ErrorCode::kIo, path, {}, "cannot write: Operation not permitted", {}});
    if (full_at_ && writes_ >= *full_at_ && !frees) {
      return std::unexpected(
          Error{ErrorCode::kIo, path, {}, "cannot write: No space left on device", "free some space and build again"});
    }
    ++writes_;
    return {};
  }
  std::unexpected<Error> give_up(const std::string& temporary, Error error) {
    if (!crashed_) files_.erase(temporary);  // a killed process does not clean up
    return std::unexpected(std::move(error));
  }

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Node>> files_;
  std::set<std::string> directories_;
  std::map<std::string, std::int64_t> changed_directories_;  // when an entry lost its name
  std::set<std::string> locks_;
  std::int64_t clock_ns_ = 1'700'000'000'123'456'789;
  std::uint64_t next_inode_ = 100;
  std::int64_t writes_ = 0;
  std::int64_t reads_ = 0;
  std::optional<std::int64_t> crash_at_;
  std::optional<std::int64_t> full_at_;
  bool crashed_ = false;
  std::string boot_id_ = "boot";
};

}  // namespace assetc::engine
