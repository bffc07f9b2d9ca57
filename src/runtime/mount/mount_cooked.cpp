// Mounts Cooked/<Platform>: a registry, and one blob for each asset.
#include <algorithm>
#include <mutex>

#include "base/ascii.hpp"
#include "runtime/mount/cooked_registry.hpp"
#include "runtime/mount/mount_point.hpp"

namespace assetc::runtime {
namespace {

constexpr std::string_view kBinary = "Registry/AssetRegistry.bin", kText = "Registry/AssetRegistry.json";
constexpr std::string_view kAssets = "Assets/", kBlobSuffix = ".bin";

class CookedMount final : public MountPoint {
 public:
  CookedMount(std::shared_ptr<Source> source, std::string folder, CookedRegistry registry, bool has_blobs)
      : MountPoint(std::move(source)),
        folder_(std::move(folder)),
        registry_(std::move(registry)),
        has_blobs_(has_blobs) {}

  MountInfo info() const override { return {.layout = has_blobs_ ? Layout::kCooked : Layout::kRegistry}; }
  std::optional<std::uint32_t> find(const Uuid& uuid) const override {
    if (!has_blobs_) return std::nullopt;
    const auto found = registry_.view.find(uuid);
    return found && registry_.view.uuid(*found) == uuid ? found : std::nullopt;
  }
  AssetHandle handle(std::uint32_t entry) const override {
    return {.uuid = registry_.view.uuid(entry), .type = static_cast<AssetType>(registry_.view.asset(entry).type)};
  }
  std::uint32_t entry_count() const override { return registry_.view.size(); }
  std::string_view path(std::uint32_t entry) const override { return registry_.view.asset(entry).virtual_path; }
  std::uint64_t size_bytes(std::uint32_t) const override { return kToEnd; }
  const registry::View* registry() const override { return &registry_.view; }

  Uuid redirect(const Uuid& uuid) const override {
    const auto at = std::ranges::lower_bound(registry_.redirectors, uuid, {}, &registry::Redirector::old_uuid);
    return at == registry_.redirectors.end() || at->old_uuid != uuid ? Uuid() : at->new_uuid;
  }
  Uuid redirect(std::string_view path) const override {
    const auto same = [](char a, char b) { return ascii_lower(a) == ascii_lower(b); };
    const auto at = std::ranges::find_if(registry_.redirectors, [&](const registry::Redirector& r) {
      return std::ranges::equal(r.old_virtual_path, path, same);
    });
    return at == registry_.redirectors.end() ? Uuid() : at->new_uuid;
  }

  std::string file(std::uint32_t file) const override {
    if (!registry_.files.empty() && !registry_.files[file].empty()) return folder_ + registry_.files[file];
    return folder_ + std::string(kAssets) + name_of(file).to_string() + std::string(kBlobSuffix);
  }
  std::optional<ContentId> content(std::uint32_t entry) const override {
    const Uuid name = name_of(entry);
    const ByteSpan uuid = object_bytes(name);
    return ContentId{id(), {load<std::uint64_t>(uuid), load<std::uint64_t>(uuid.subspan(8))}};
  }
  void parts(std::uint32_t entry, std::vector<StoredRange>& out) const override { out.push_back({.file = entry}); }

  MountResult reopen(const Changes& changes) const override {
    const auto is_registry = [](const std::string& file) { return file == kBinary || file == kText; };
    if (!changes.everything && std::ranges::none_of(changes.written, is_registry)) return nullptr;
    ASSETC_TRY(std::shared_ptr<CookedMount> next, open(shared_source(), folder_, has_blobs_));
    next->keep_id(*this);
    return next;
  }
  void assets_in(std::string_view name, std::vector<AssetHandle>& out) const override {
    if (!has_blobs_) return;
    if (registry_.files.empty()) {
      if (!name.starts_with(kAssets) || !name.ends_with(kBlobSuffix)) return;
      name.remove_suffix(kBlobSuffix.size());
      const auto uuid = Uuid::parse(name.substr(kAssets.size()));
      if (!uuid) return;
      if (const auto entry = find(*uuid)) out.push_back(handle(*entry));
      for (const auto& [file, entry] : std::ranges::equal_range(sharers(), *uuid, {}, &Sharer::file))
        out.push_back(handle(entry));
      return;
    }
    for (std::uint32_t i = 0; i < registry_.view.size(); ++i) {
      if (file(i).substr(folder_.size()) == name) out.push_back(handle(i));
    }
  }
  void list_loose(std::vector<AssetHandle>& out) const override {
    for (std::uint32_t i = 0; has_blobs_ && i < registry_.view.size(); ++i) out.push_back(handle(i));
  }

  static Expected<std::shared_ptr<CookedMount>> open(std::shared_ptr<Source> source, const std::string& folder,
                                                     bool has_blobs) {
    const std::string binary = folder + std::string(kBinary), text = folder + std::string(kText);
    auto answer = ask(*source, binary);
    const bool is_binary = answer || answer.error().code != ErrorCode::kNotFound;
    if (!is_binary) answer = ask(*source, text);
    if (!answer) return mount_failure(std::move(answer).error());
    auto registry = is_binary ? CookedRegistry::from_binary(std::move(answer->bytes))
                              : CookedRegistry::from_json(as_text(answer->bytes));
    if (!registry) return mount_failure(std::move(registry).error().in(is_binary ? binary : text));
    return std::make_shared<CookedMount>(std::move(source), folder, std::move(*registry), has_blobs);
  }

 private:
  struct Sharer {
    Uuid file;
    std::uint32_t entry;
  };
  // The name of an entry's file in Assets/.
  Uuid name_of(std::uint32_t entry) const {
    const Uuid shared = registry_.view.asset(entry).shared_file;
    return shared.is_nil() ? registry_.view.uuid(entry) : shared;
  }
  // The assets in shared files, ordered by file. Made for the first change.
  const std::vector<Sharer>& sharers() const {
    std::call_once(has_sharers_, [&] {
      for (std::uint32_t i = 0; i < registry_.view.size(); ++i) {
        if (const Uuid file = name_of(i); file != registry_.view.uuid(i)) sharers_.push_back({file, i});
      }
      std::ranges::stable_sort(sharers_, {}, &Sharer::file);
    });
    return sharers_;
  }

  std::string folder_;
  CookedRegistry registry_;
  bool has_blobs_;
  mutable std::once_flag has_sharers_;
  mutable std::vector<Sharer> sharers_;
};

}  // namespace

MountResult open_cooked(std::shared_ptr<Source> source, const std::string& folder, bool has_blobs) {
  return CookedMount::open(std::move(source), folder, has_blobs);
}

}  // namespace assetc::runtime
