#include "engine/target/identities.hpp"

#include <algorithm>
#include <map>

#include "assetc/formats/aas1.hpp"
#include "engine/target/import_settings.hpp"
#include "identity/virtual_path.hpp"

namespace assetc::engine {

Identities::Identities(std::vector<identity::Meta> metas, std::unordered_map<std::string, Error> refused,
                       std::vector<Tree::Twin> twins)
    : metas_(std::move(metas)), twins_(std::move(twins)), refused_(std::move(refused)) {
  std::ranges::sort(metas_, {}, &identity::Meta::source_path);
  for (const identity::Meta& meta : metas_) {
    uuids_.emplace(meta.source_path, meta.uuid);
    assets_.emplace(meta.uuid, NamedAsset{meta.uuid, meta.type, meta.virtual_path, meta.source_path});
    add_names(meta.uuid, meta.virtual_path, meta.uuid);
    if (auto lines = import_settings(meta); lines && !lines->empty())
      settings_.emplace(meta.source_path, std::move(*lines));
    std::map<std::string_view, std::size_t> places;
    for (const identity::SubAsset& sub : meta.sub_assets) {
      if (sub.is_absent) continue;
      uuids_.emplace(meta.source_path + "#" + sub.type + "/" + std::to_string(places[sub.type]++), sub.uuid);
      assets_.emplace(sub.uuid, NamedAsset{sub.uuid, sub.type, sub.virtual_path, meta.source_path});
      add_names(sub.uuid, sub.virtual_path, sub.uuid);
    }
  }
  for (const identity::Meta& meta : metas_) {
    for (const identity::Redirect& old : meta.redirects) add_names(old.uuid, old.virtual_path, meta.uuid);
    for (const identity::SubAsset& part : meta.sub_assets) {
      if (part.is_absent) continue;
      for (const identity::Redirect& old : part.redirects) add_names(old.uuid, old.virtual_path, part.uuid);
    }
  }
}

void Identities::add_names(const Uuid& uuid, std::string_view virtual_path, const Uuid& asset) {
  names_.emplace(uuid.to_string(), asset);
  if (!virtual_path.empty()) names_.emplace(identity::virtual_key(virtual_path), asset);
}

void Identities::add_base(const registry::View& base) {
  for (std::uint32_t i = 0; i < base.size(); ++i) {
    const registry::AssetView asset = base.asset(i);
    add_names(asset.uuid, asset.virtual_path, asset.uuid);
    const std::string_view type = aas1::type_name(static_cast<aas1::Type>(asset.type));
    if (!assets_.contains(asset.uuid)) base_types_.emplace(asset.uuid, type.empty() ? "asset" : type);
  }
  for (std::uint32_t i = 0; i < base.redirector_count(); ++i) {
    const auto old = base.redirector(i);
    if (old.asset >= base.size()) continue;
    names_.emplace(old.old_uuid.to_string(), base.uuid(old.asset));
    if (!old.old_virtual_path.empty())
      names_.emplace(identity::virtual_key(old.old_virtual_path), base.uuid(old.asset));
  }
}

std::string_view Identities::base_type(const Uuid& uuid) const {
  const auto at = base_types_.find(uuid);
  return at == base_types_.end() ? std::string_view() : at->second;
}

std::optional<Uuid> Identities::find(std::string_view asset) const {
  const auto at = uuids_.find(asset);
  if (at != uuids_.end()) return at->second;
  if (const Tree::Twin* twin = find_twin(asset, twins_)) {
    const auto first = uuids_.find(twin->first + std::string(asset.substr(twin->path.size())));
    if (first != uuids_.end()) return first->second;
  }
  const auto named = names_.find(identity::virtual_key(asset));
  return named == names_.end() ? std::nullopt : std::optional(named->second);
}

const NamedAsset* Identities::find(const Uuid& uuid) const {
  const auto at = assets_.find(uuid);
  return at == assets_.end() ? nullptr : &at->second;
}

std::string_view Identities::settings(std::string_view source_path) const {
  const auto at = settings_.find(source_path);
  return at == settings_.end() ? std::string_view() : at->second;
}

const Error* Identities::refused(std::string_view source_path) const {
  const auto at = refused_.find(std::string(source_path));
  return at == refused_.end() ? nullptr : &at->second;
}

}  // namespace assetc::engine
