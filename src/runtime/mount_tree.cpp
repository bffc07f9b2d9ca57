// runtime/ as files: what assets.hman and a list of paths say there is.
#include <algorithm>

#include "assetc/formats/hman.hpp"
#include "formats/message.hpp"
#include "formats/text.hpp"
#include "runtime/indexed_mount.hpp"

namespace assetc::runtime {
namespace {

constexpr std::string_view kManifest = "assets.hman";

class TreeMount final : public IndexedMount {
 public:
  TreeMount(std::shared_ptr<Source> source, std::string folder)
      : IndexedMount(std::move(source)), folder_(std::move(folder)) {}

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

  std::string_view path(std::uint32_t entry) const override { return files_[entry]; }
  std::uint64_t size_bytes(std::uint32_t) const override { return kToEnd; }
  std::string file(std::uint32_t file) const override { return folder_ + files_[file]; }
  void parts(std::uint32_t entry, std::vector<Part>& out) const override { out.push_back({.file = entry}); }

 private:
  Result<void> add_manifest(ByteSpan bytes) {
    auto manifest = hman::View::open(bytes);
    if (!manifest) return std::unexpected(std::move(manifest).error().in(kManifest));
    const std::size_t listed = files_.size();
    for (const hman::EntryView& entry : manifest->entries()) {
      if (!std::binary_search(files_.begin(), files_.begin() + static_cast<std::ptrdiff_t>(listed), entry.path))
        files_.emplace_back(entry.path);
    }
    std::ranges::sort(files_);
    files_.erase(std::ranges::unique(files_).begin(), files_.end());
    for (const hman::EntryView& entry : manifest->entries()) {
      const auto at = std::ranges::lower_bound(files_, entry.path);
      index_.add_name(entry.hash, entry.path, static_cast<std::uint32_t>(at - files_.begin()));
    }
    return {};
  }

  std::string folder_;
  std::vector<std::string> files_;  // ascending
};

}  // namespace

MountResult open_tree(std::shared_ptr<Source> source, const std::string& folder, std::vector<std::string> files) {
  auto mount = std::make_shared<TreeMount>(std::move(source), folder);
  if (auto opened = mount->open(std::move(files)); !opened) return mount_failure(std::move(opened).error());
  return mount;
}

}  // namespace assetc::runtime
