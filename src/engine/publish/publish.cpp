#include "engine/publish/publish.hpp"

#include <algorithm>

#include "engine/plan/discover.hpp"
#include "engine/state/cache.hpp"
#include "filetypes/filetypes.hpp"

namespace assetc::engine {
namespace {

// Beside the cache, so that losing the cache does not lose which files are ours: paths, each ended by a zero byte.
std::string notes_path(const std::string& root) { return root + "/" + std::string(kCachePrefix) + "-outputs"; }

}  // namespace

Disk::Skip output_skip(const Profile& profile) {
  return [nested = paths_inside(profile.output, profile.other_outputs)](std::string_view path, bool directory) {
    const std::size_t slash = path.rfind('/');
    const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
    if (name.starts_with('.')) return !name.starts_with(kTemporaryPrefix);
    if (!directory) return name.ends_with(".hpack");
    return std::ranges::find(nested, path) != nested.end();
  };
}

Result<void> check_output_path(std::string_view path) {
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorCode::kInvalidData, "the output path \"" + std::string(path) + "\" " + std::string(why),
                "rename what it is named after");
  };
  if (path == kManifestName) return refuse("is the manifest's");
  if (path.find('\0') != std::string_view::npos) return refuse("holds a zero byte");
  for (std::string_view rest = path;;) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    if (part.empty()) return refuse("has an empty part");
    if (part.starts_with('.')) return refuse("has a part that starts with a dot");
    if (slash == std::string_view::npos) return {};
    rest.remove_prefix(slash + 1);
  }
}

Publisher::Publisher(Disk& disk, std::string root, const Tree& tree, Settings settings)
    : disk_(disk), root_(std::move(root)), tree_(tree), settings_(settings) {
  index_.reserve(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) index_.emplace(tree.path(i), static_cast<std::uint32_t>(i));
}

Publisher::Condition Publisher::check(std::string_view path, OutputRecord& record, bool& renewed) {
  const auto it = index_.find(path);
  if (it == index_.end() || tree_[it->second].type != FileType::kFile) return Condition::kMissing;
  const FileSignature& now = tree_[it->second].signature;
  if (now == record.signature && !settings_.distrust) return Condition::kIntact;
  if (now.size_bytes != record.signature.size_bytes) return Condition::kModified;
  FileSignature signature;
  const auto bytes = disk_.read(full(path), &signature);
  if (!bytes || content_hash(*bytes) != record.hash) return Condition::kModified;
  record.signature = signature;
  renewed = true;
  return Condition::kIntact;
}

Result<FileSignature> Publisher::publish(std::string_view path, ByteSpan bytes) { return write(path, bytes, true); }
Result<FileSignature> Publisher::publish_manifest(ByteSpan bytes) { return write(kManifestName, bytes, false); }

Result<FileSignature> Publisher::write(std::string_view path, ByteSpan bytes, bool note_first) {
  // Noted also when the bytes are there already: without a cache nothing else would tell that they are ours.
  if (note_first) ASSETC_CHECK(note(path));
  const std::string target = full(path);
  const auto it = index_.find(path);
  if (it != index_.end() && tree_[it->second].type == FileType::kFile &&
      tree_[it->second].signature.size_bytes == bytes.size()) {
    FileSignature signature;
    const auto present = disk_.read(target, &signature);
    if (present && std::ranges::equal(present->span(), bytes)) return signature;
  }
  auto signature = disk_.publish(target, bytes);
  if (!signature) return std::unexpected(std::move(signature).error().in(target));
  ++files_written_;
  bytes_written_ += bytes.size();
  if (settings_.verify) ASSETC_CHECK(verify_written(target, bytes));
  return *signature;
}

Result<void> Publisher::verify_written(const std::string& path, ByteSpan bytes) {
  auto back = disk_.read(path, nullptr);
  if (!back) return std::unexpected(std::move(back).error().in(path));
  if (!std::ranges::equal(back->span(), bytes)) {
    return std::unexpected(
        Error{ErrorCode::kIo, path, {}, "the bytes read back are not those written", "check the disk"});
  }
  if (auto valid = filetypes::open_file(path, *back); !valid) return std::unexpected(std::move(valid).error().in(path));
  return {};
}

Result<Bytes> Publisher::read(std::string_view path) { return disk_.read(full(path), nullptr); }

Result<void> Publisher::load_notes() {
  if (noted_) return {};
  auto bytes = disk_.read(notes_path(root_), nullptr);
  if (!bytes && bytes.error().code != ErrorCode::kNotFound) return std::unexpected(std::move(bytes).error());
  noted_.emplace();
  if (!bytes) return {};
  // A last path without its zero was being noted when the build died: its file was not published, and the next note
  // goes in its place.
  std::string_view rest = as_text(*bytes);
  for (std::size_t end; (end = rest.find('\0')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
    const std::string_view path = rest.substr(0, end);
    if (check_output_path(path)) noted_->emplace(path);
  }
  notes_end_ = bytes->size() - rest.size();
  return {};
}

Result<void> Publisher::note(std::string_view path) {
  std::string line(path);
  const std::lock_guard lock(notes_mutex_);
  ASSETC_CHECK(load_notes());
  if (noted_->contains(line)) return {};
  if (!notes_file_) {
    ASSETC_TRY(notes_file_, disk_.open(notes_path(root_), true));
  }
  noted_->insert(line);
  line += '\0';
  ASSETC_CHECK(notes_file_->write(notes_end_, as_bytes(line)));
  notes_end_ += line.size();
  return {};
}

Result<std::vector<std::string>> Publisher::noted() {
  const std::lock_guard lock(notes_mutex_);
  ASSETC_CHECK(load_notes());
  return std::vector<std::string>(noted_->begin(), noted_->end());
}

Result<void> Publisher::set_noted(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text.append(path).push_back('\0');
  const std::lock_guard lock(notes_mutex_);
  notes_file_.reset();
  noted_.emplace(paths.begin(), paths.end());
  notes_end_ = text.size();
  ASSETC_CHECK(disk_.publish(notes_path(root_), as_bytes(text)));
  return {};
}

Result<void> Publisher::remove_leftovers() {
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    const std::string_view path = tree_.path(i);
    const std::string_view name = path.substr(path.rfind('/') + 1);
    if (tree_[i].type != FileType::kFile || !name.starts_with(kTemporaryPrefix)) continue;
    ASSETC_CHECK(disk_.remove(full(path)));
    remove_empty_parents(path);
  }
  return {};
}

Result<void> Publisher::remove(std::string_view path) {
  ASSETC_CHECK(disk_.remove(full(path)));
  remove_empty_parents(path);
  return {};
}

void Publisher::remove_empty_parents(std::string_view path) {
  for (std::size_t slash = path.rfind('/'); slash != std::string_view::npos; slash = path.rfind('/')) {
    path = path.substr(0, slash);
    if (!disk_.remove_empty_directory(full(path))) return;
  }
}

}  // namespace assetc::engine
