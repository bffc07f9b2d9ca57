// Lists the assets of a catalog, and finds their variants.
#include <algorithm>
#include <utility>

#include "assetc/runtime/catalog.hpp"
#include "base/ascii.hpp"
#include "runtime/mount/mount_point.hpp"
#include "runtime/mount/variants.hpp"

namespace assetc::runtime {
namespace {

bool starts_with_ignoring_case(std::string_view text, std::string_view beginning) {
  const auto lower = [](char c) { return ascii_lower(c); };
  return text.size() >= beginning.size() &&
         std::ranges::equal(text.substr(0, beginning.size()), beginning, {}, lower, lower);
}

bool is_below(std::string_view path, std::string_view folder) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  if (folder.empty()) return true;
  return path.size() > folder.size() && path[folder.size()] == '/' && starts_with_ignoring_case(path, folder);
}

// "models/chair.hmesh" has the parts "models/chair.hmat" and "models/chair/tex_0.ktx2".
bool is_part_of_file(std::string_view path, std::string_view container) {
  const std::size_t name = container.rfind('/') == container.npos ? 0 : container.rfind('/') + 1;
  const std::string_view stem = container.substr(0, std::min(container.find('.', name), container.size()));
  return path.size() > stem.size() && (path[stem.size()] == '.' || path[stem.size()] == '/') &&
         starts_with_ignoring_case(path, stem) && path != container;
}

}  // namespace

// Whether lookups, apart from variants, find this entry of a mount.
bool Catalog::is_listed(std::size_t mount, std::uint32_t entry, const AssetHandle& asset) const {
  const MountPoint& point = *mounts_[mount].point;
  if (asset.uuid.is_nil()) {
    const Place place = locate(asset);
    return place.mount == &point && place.entry == entry;
  }
  const auto has = [&](const Mounted& other) {
    const registry::View* registry = other.point->registry();
    const auto index = registry == nullptr ? std::nullopt : registry->find(asset.uuid);
    return index && registry->uuid(*index) == asset.uuid;
  };
  if (point.registry() == nullptr) return std::ranges::none_of(mounts_, has) && locate(asset).mount == &point;
  return std::none_of(mounts_.begin(), mounts_.begin() + static_cast<std::ptrdiff_t>(mount), has) &&
         follow(asset.uuid) == asset && locate(asset).mount != nullptr;
}

void Catalog::each_plain(const Query& query,
                         const std::function<void(const AssetHandle&, std::string_view)>& visit) const {
  const bool has_container = static_cast<bool>(query.container);
  std::string_view container_path;
  if (has_container && query.container.uuid.is_nil()) {
    const Place place = locate(query.container);
    if (place.mount == nullptr) return;
    container_path = place.mount->path(place.entry);
  }
  for (std::size_t m = 0; m < mounts_.size(); ++m) {
    const MountPoint& point = *mounts_[m].point;
    const registry::View* const registry = point.registry();
    for (std::uint32_t entry = 0; entry < point.entry_count(); ++entry) {
      if (point.is_index(entry)) continue;
      const AssetHandle asset = point.handle(entry);
      if (query.type != kUnknownType && asset.type != query.type) continue;
      const std::string_view path = point.path(entry);
      if (!is_below(path, query.folder) || !starts_with_ignoring_case(path, query.prefix)) continue;
      if (registry != nullptr && (has_container || !query.tag.empty())) {
        const registry::AssetView view = registry->asset(entry);
        if (!query.tag.empty() && !view.tags.contains(query.tag)) continue;
        if (has_container && (!view.container || registry->uuid(*view.container) != query.container.uuid)) continue;
      } else if (!query.tag.empty() ||
                 (has_container && (container_path.empty() || !is_part_of_file(path, container_path)))) {
        continue;
      }
      if (is_listed(m, entry, asset)) visit(asset, path);
    }
  }
}

void Catalog::each(const Query& query, const std::function<void(const AssetHandle&, std::string_view)>& visit) const {
  if (!variants_) return each_plain(query, visit);
  each_plain(query, [&](const AssetHandle& asset, std::string_view path) {
    if (variants_->best(asset) == asset) visit(asset, path);
  });
}

std::vector<AssetHandle> Catalog::list(const Query& query) const {
  std::vector<std::pair<std::string_view, AssetHandle>> found;
  each(query, [&](const AssetHandle& asset, std::string_view path) { found.emplace_back(path, asset); });
  const auto less = [](const auto& a, const auto& b) {
    const auto at =
        std::ranges::mismatch(a.first, b.first, [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
    const bool a_ends = at.in1 == a.first.end(), b_ends = at.in2 == b.first.end();
    if (a_ends && b_ends) return comes_before(a.second, b.second);
    if (a_ends || b_ends) return a_ends;
    return static_cast<unsigned char>(ascii_lower(*at.in1)) < static_cast<unsigned char>(ascii_lower(*at.in2));
  };
  std::ranges::sort(found, less);
  std::vector<AssetHandle> assets;
  assets.reserve(found.size());
  for (const auto& [path, asset] : found) assets.push_back(asset);
  return assets;
}

void Catalog::set_variants(std::vector<std::string> qualifiers) {
  variants_ = std::make_shared<Variants>(std::move(qualifiers));
  find_variants();
}

void Catalog::find_variants() {
  if (!variants_) return;
  std::vector<Variants::Member> members;
  each_plain({}, [&](const AssetHandle& asset, std::string_view path) {
    if (path.contains('+')) members.push_back({asset, std::string(path)});
  });
  const std::span<const std::string> qualifiers = variants_->qualifiers();
  auto next = std::make_shared<Variants>(std::vector<std::string>(qualifiers.begin(), qualifiers.end()));
  next->fill(members, [&](std::string_view path) { return find_plain(path); });
  variants_ = std::move(next);
}

}  // namespace assetc::runtime
