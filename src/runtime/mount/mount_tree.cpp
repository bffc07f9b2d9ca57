// Mounts runtime/ as files: those in assets.hman and in a list of paths.
#include <algorithm>
#include <unordered_set>

#include "assetc/formats/hman.hpp"
#include "formats/message.hpp"
#include "formats/text.hpp"
#include "runtime/mount/indexed_mount.hpp"

namespace assetc::runtime {
namespace {

class TreeMount final : public IndexedMount {
 public:
  TreeMount(std::shared_ptr<Source> source, std::string folder, FileLister list)
      : IndexedMount(std::move(source)), folder_(std::move(folder)), list_(std::move(list)) {}

  Result<void> open(std::vector<std::string> files) {
    files_ = std::move(files);
    for (const std::string& file : files_) {
      if (const auto fault = formats::path_fault(file); !fault.empty())
        return fail(ErrorCode::kUsage, formats::message("path ", formats::quote(file), ": ", fault));
    }
    std::ranges::sort(files_);
    files_.erase(std::ranges::unique(files_).begin(), files_.end());
    auto manifest = ask(source(), folder_ + std::string(kManifest));
    if (manifest) {
      ASSETC_CHECK(add_manifest(manifest->bytes));
    } else if (manifest.error().code != ErrorCode::kNotFound) {
      return std::unexpected(std::move(manifest).error());
    }
    for (std::uint32_t i = 0; i < files_.size(); ++i) index_.add_path(files_[i], i);
    index_.sort();
    return {};
  }

  MountInfo info() const override { return {.layout = Layout::kTree}; }
  std::uint32_t entry_count() const override { return static_cast<std::uint32_t>(files_.size()); }
  std::string_view path(std::uint32_t entry) const override { return files_[entry]; }
  std::uint64_t size_bytes(std::uint32_t) const override { return kToEnd; }
  std::string file(std::uint32_t file) const override { return folder_ + files_[file]; }
  void parts(std::uint32_t entry, std::vector<StoredRange>& out) const override { out.push_back({.file = entry}); }

  // Changes name files by their path below some mounted folder, which may be another one. Therefore the folder itself
  // is checked for files that are new or gone.
  MountResult reopen(const Changes& changes) const override {
    const auto was_known = [&](const std::string& file) { return std::ranges::binary_search(files_, file); };
    std::vector<std::string> files;
    if (changes.everything) {
      files = list_ ? list_() : files_;
    } else {
      std::vector<std::string> added;
      std::ranges::copy_if(changes.written, std::back_inserter(added), [&](const std::string& file) {
        return file != kManifest && !is_hidden(file) && !was_known(file) && has(file);
      });
      std::unordered_set<std::string_view> gone;
      for (const std::string& file : changes.removed) {
        if (was_known(file) && !has(file)) gone.insert(file);
      }
      const bool has_new_names = std::ranges::find(changes.written, kManifest) != changes.written.end();
      if (!has_new_names && added.empty() && gone.empty()) return nullptr;
      files = files_;
      std::ranges::move(added, std::back_inserter(files));
      std::erase_if(files, [&](const std::string& file) { return gone.contains(file); });
    }
    return open_tree(shared_source(), folder_, std::move(files), list_);
  }
  void assets_in(std::string_view file, std::vector<AssetHandle>& out) const override {
    const auto at = std::ranges::lower_bound(files_, file);
    if (at != files_.end() && *at == file) out.push_back(handle(static_cast<std::uint32_t>(at - files_.begin())));
  }
  void list_loose(std::vector<AssetHandle>& out) const override {
    for (std::uint32_t i = 0; i < files_.size(); ++i) out.push_back(handle(i));
  }

 private:
  // Returns whether the file exists now. On other errors returns true: the read will report the error.
  bool has(const std::string& file) const {
    const auto size = ask(source(), folder_ + file, 0, 0);
    return size || size.error().code != ErrorCode::kNotFound;
  }
  Result<void> add_manifest(ByteSpan bytes) {
    auto manifest = hman::View::open(bytes);
    if (!manifest) return std::unexpected(std::move(manifest).error().in(kManifest));
    const std::size_t listed = files_.size();
    for (const hman::EntryView& entry : manifest->entries()) {
      // If the files can be listed, only those that materials and meshes name are needed from here.
      if (list_ && entry.kind != hman::Kind::kTexture) continue;
      if (!std::binary_search(files_.begin(), files_.begin() + static_cast<std::ptrdiff_t>(listed), entry.path))
        files_.emplace_back(entry.path);
    }
    std::ranges::sort(files_);
    files_.erase(std::ranges::unique(files_).begin(), files_.end());
    for (const hman::EntryView& entry : manifest->entries()) {
      if (entry.hash == hash_embed_ref(entry.path)) continue;  // open() adds the path
      const auto at = std::ranges::lower_bound(files_, entry.path);
      if (at == files_.end() || *at != entry.path) continue;
      index_.add_name(entry.hash, entry.path, static_cast<std::uint32_t>(at - files_.begin()));
    }
    return {};
  }

  std::string folder_;
  FileLister list_;
  std::vector<std::string> files_;  // ascending
};

}  // namespace

MountResult open_tree(std::shared_ptr<Source> source, const std::string& folder, std::vector<std::string> files,
                      FileLister list) {
  auto mount = std::make_shared<TreeMount>(std::move(source), folder, std::move(list));
  if (auto opened = mount->open(std::move(files)); !opened) return mount_failure(std::move(opened).error());
  return mount;
}

}  // namespace assetc::runtime
