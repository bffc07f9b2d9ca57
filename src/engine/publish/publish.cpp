#include "engine/publish/publish.hpp"

#include <algorithm>

#include "engine/target/output_tree.hpp"

namespace assetc::engine {
namespace {

// A disk with less free space than this counts as full: it would only take a few of the smallest outputs.
constexpr std::size_t kProbeBytes = 16u << 10;

}  // namespace

Publisher::Publisher(Disk& disk, std::string root, const Tree& tree, const Target& target, Settings settings)
    : disk_(disk),
      root_(std::move(root)),
      tree_(tree),
      target_(target),
      settings_(settings),
      index_(tree),
      notes_(disk, root_, target) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].type == FileType::kOther) links_.push_back(tree.path(i));
  }
}

Publisher::Condition Publisher::check(std::string_view output, OutputRecord& record, bool& renewed) {
  const std::optional<std::string> shared = shared_.file_of(output);
  const std::string_view path = shared ? std::string_view(*shared) : output;
  const auto it = index_.find(path);
  if (!it || tree_[*it].type != FileType::kFile) return Condition::kMissing;
  const FileSignature& now = tree_[*it].signature;
  const bool in_doubt = settings_.distrusted_since_ns && changed_since(now, *settings_.distrusted_since_ns);
  if (now == record.signature && !in_doubt && !settings_.verify) return Condition::kIntact;
  if (now.size_bytes != record.signature.size_bytes) return Condition::kModified;
  FileSignature signature;
  const auto bytes = disk_.read(full(path), &signature);
  if (!bytes || content_hash(*bytes) != record.hash) return Condition::kModified;
  renewed = record.signature != signature;
  record.signature = signature;
  return Condition::kIntact;
}

Result<FileSignature> Publisher::publish(std::string_view path, ByteSpan bytes) {
  // Note it even if the bytes are already there: without a cache, nothing else shows that the file is ours.
  ASSETC_CHECK(notes_.add(path));
  if (target_.shared_file_path == nullptr) return write(path, bytes);
  const ContentHash content = content_hash(bytes);
  const std::string file = target_.shared_file_path(content);
  if (!shared_.takes(path, file, content)) {
    ASSETC_TRY(const FileSignature signature, write(path, bytes));
    shared_.leave(path, content);
    return signature;
  }
  // A file of its own, which an index lists, stays until the next index is written.
  ASSETC_TRY(const FileSignature signature, write_shared(file, bytes));
  shared_.put(path, file);
  const std::lock_guard lock(mutex_);
  changed_.emplace(path);
  return signature;
}

// ---- outputs with the same bytes ----

Result<FileSignature> Publisher::write_shared(const std::string& file, ByteSpan bytes) {
  const std::lock_guard one(sharing_);
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = written_.find(file); at != written_.end()) return at->second;
  }
  ASSETC_CHECK(notes_.add(file));
  return write(file, bytes);
}

Result<void> Publisher::make_files_for(const SharedFiles::Table& wanted) {
  for (const auto& [output, file] : shared_.table()) {
    if (wanted.contains(output)) continue;
    ASSETC_TRY(const Bytes bytes, read(output));
    ASSETC_CHECK(write(output, bytes));
  }
  std::set<std::string, std::less<>> present = shared_.files();
  for (const auto& [output, file] : wanted) {
    if (!present.insert(file).second) continue;
    ASSETC_TRY(const Bytes bytes, read(output));
    ASSETC_CHECK(write_shared(file, bytes));
  }
  return {};
}

Result<void> Publisher::share(const SharedFiles::Table& wanted) {
  std::set<std::string, std::less<>> unused = shared_.files();
  for (const auto& [output, file] : wanted) {
    unused.erase(file);
    if (may_hold(output)) ASSETC_CHECK(remove_file(output));
  }
  for (const std::string& file : unused) ASSETC_CHECK(remove_file(file));
  shared_.begin(wanted);
  return {};
}

Result<FileSignature> Publisher::publish_index(std::string_view path, ByteSpan bytes) { return write(path, bytes); }

bool Publisher::is_beyond_link(std::string_view path) const {
  return std::ranges::any_of(links_, [&](std::string_view link) {
    return path.size() > link.size() && path[link.size()] == '/' && path.starts_with(link);
  });
}

Result<FileSignature> Publisher::write(std::string_view path, ByteSpan bytes) {
  if (is_beyond_link(path)) {
    return std::unexpected(Error{ErrorCode::kConflict,
                                 full(path),
                                 {},
                                 "a parent folder of this output is a link, and outputs are not written through links",
                                 "remove the link, or make the output folder itself a link"});
  }
  ASSETC_TRY(const FileSignature signature, put(path, bytes));
  const std::lock_guard lock(mutex_);
  written_.insert_or_assign(std::string(path), signature);
  if (const auto removed = removed_.find(path); removed != removed_.end()) removed_.erase(removed);
  return signature;
}

Result<FileSignature> Publisher::put(std::string_view path, ByteSpan bytes) {
  const std::string target = full(path);
  const auto it = index_.find(path);
  if (it && tree_[*it].type == FileType::kFile && tree_[*it].signature.size_bytes == bytes.size()) {
    FileSignature signature;
    const auto present = disk_.read(target, &signature);
    if (present && std::ranges::equal(present->span(), bytes)) return signature;
  }
  auto signature = disk_.publish(target, bytes);
  if (!signature) return std::unexpected(std::move(signature).error().in(target));
  ++files_written_;
  bytes_written_ += bytes.size();
  {
    const std::lock_guard lock(mutex_);
    changed_.emplace(path);
  }
  if (settings_.verify) ASSETC_CHECK(verify_written(target, bytes));
  return *signature;
}

Result<void> Publisher::verify_written(const std::string& path, ByteSpan bytes) {
  auto back = disk_.read(path, nullptr);
  if (!back) return std::unexpected(std::move(back).error().in(path));
  if (!std::ranges::equal(back->span(), bytes)) {
    return std::unexpected(
        Error{ErrorCode::kIo, path, {}, "the bytes read back differ from the bytes written", "check the disk"});
  }
  if (auto valid = target_.verify(path, *back); !valid) return std::unexpected(std::move(valid).error().in(path));
  return {};
}

Result<Bytes> Publisher::read(std::string_view path) {
  return disk_.read(full(shared_.file_of(path).value_or(std::string(path))), nullptr);
}

bool Publisher::takes_files() {
  const std::string probe = full(kTemporaryPrefix) + "probe";
  const bool taken = disk_.publish(probe, ByteVector(kProbeBytes)).has_value();
  (void)disk_.remove(probe);  // if this fails, the next build removes it
  return taken;
}

bool Publisher::holds_temporaries(const Tree& tree) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const std::string_view path = tree.path(i);
    if (path.substr(path.rfind('/') + 1).starts_with(kTemporaryPrefix)) return true;
  }
  return false;
}

Result<void> Publisher::remove_leftovers() {
  const std::size_t slash = root_.rfind('/');
  Result<void> swept = disk_.sweep(slash == std::string::npos ? std::string(".") : root_.substr(0, slash + 1));
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    const std::string_view path = tree_.path(i);
    const std::size_t name = path.rfind('/') + 1;
    if (tree_[i].type != FileType::kFile || !path.substr(name).starts_with(kTemporaryPrefix)) continue;
    const std::string_view folder = path.substr(0, name == 0 ? 0 : name - 1);
    if (auto done = disk_.sweep(folder.empty() ? root_ : full(folder)); !done) swept = std::move(done);
    if (!folder.empty()) remove_empty(folder);
  }
  return swept;
}

bool Publisher::has_directory(std::string_view path) const {
  const auto it = index_.find(path);
  return it && tree_[*it].type == FileType::kDirectory;
}

std::vector<std::string> Publisher::changed_meanwhile(const Tree& now) const {
  std::vector<std::string> changed;
  std::vector<bool> found(tree_.size());
  std::size_t written_found = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i].type != FileType::kFile) continue;
    const std::string_view path = now.path(i);
    const FileSignature* left = nullptr;
    if (const auto old = index_.find(path)) {
      found[*old] = true;
      left = &tree_[*old].signature;
    }
    if (const auto written = written_.find(path); written != written_.end()) {
      ++written_found;
      left = &written->second;
    }
    if (left != nullptr && *left != now[i].signature && is_ours(path)) changed.emplace_back(path);
  }
  std::unordered_set<std::string_view> present;
  if (written_found != written_.size()) {
    for (std::size_t i = 0; i < now.size(); ++i) present.insert(now.path(i));
    for (const auto& [path, signature] : written_) {
      if (!present.contains(path) && !removed_.contains(path)) changed.push_back(path);
    }
  }
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    if (found[i] || tree_[i].type != FileType::kFile) continue;
    const std::string_view path = tree_.path(i);
    if (!removed_.contains(path) && !written_.contains(path) && is_ours(path)) changed.emplace_back(path);
  }
  std::ranges::sort(changed);
  return changed;
}

void Publisher::begin(Tree& tree) {
  const auto put = [&](std::string_view path, FileType type, const FileSignature& signature) {
    if (const auto known = index_.find(path)) return tree.set(*known, type, signature);
    tree.add(path, type, signature);
    index_.add();
  };
  for (const auto& [path, signature] : written_) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
      put(std::string_view(path).substr(0, slash), FileType::kDirectory, {});
    put(path, FileType::kFile, signature);
  }
  for (const std::string& path : removed_) {
    if (const auto known = written_.contains(path) ? std::nullopt : index_.find(path)) tree.drop(*known);
  }
  shared_.begin_next();
  written_.clear();
  changed_.clear();
  removed_.clear();
  files_written_ = bytes_written_ = 0;
}

bool Publisher::is_ours(std::string_view path) const {
  return is_index(target_, path) || notes_.has(path) || written_.contains(path);
}

Result<void> Publisher::remove(std::string_view path) {
  shared_.leave(path);
  return remove_file(path);
}

Result<void> Publisher::remove_file(std::string_view path) {
  if (is_beyond_link(path)) return {};
  ASSETC_CHECK(disk_.remove(full(path)));
  {
    const std::lock_guard lock(mutex_);
    removed_.emplace(path);
    if (const auto written = written_.find(path); written != written_.end()) written_.erase(written);
  }
  if (const std::size_t slash = path.rfind('/'); slash != std::string_view::npos) remove_empty(path.substr(0, slash));
  return {};
}

void Publisher::remove_empty(std::string_view folder) {
  while (disk_.remove_empty_directory(full(folder))) {
    const std::size_t slash = folder.rfind('/');
    if (slash == std::string_view::npos) return;
    folder = folder.substr(0, slash);
  }
}

}  // namespace assetc::engine
