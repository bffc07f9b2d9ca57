#include "identity/sub_assets.hpp"

#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "crypto/sha.hpp"
#include "identity/virtual_path.hpp"

namespace assetc::identity {
namespace {

using Key = std::pair<std::string, std::string>;  // type, and name or content

// A name for each: its own, the type and the place for one without, and a number for one that has another's.
std::vector<std::string> names_of(std::span<const FoundSubAsset> found) {
  std::set<Key> taken;
  for (const FoundSubAsset& asset : found) taken.insert({asset.type, asset.name});
  std::map<std::string, std::size_t> places;
  std::set<Key> used;
  std::vector<std::string> names;
  for (const FoundSubAsset& asset : found) {
    std::string name = asset.name;
    const std::size_t place = places[asset.type]++;
    if (name.empty()) name = asset.type + "_" + std::to_string(place);
    const std::string base = name;
    for (std::size_t i = 2;
         !used.insert({asset.type, name}).second || (name != asset.name && taken.contains({asset.type, name})); ++i) {
      name = base + "_" + std::to_string(i);
    }
    names.push_back(std::move(name));
  }
  return names;
}

Uuid new_uuid(const Uuid& container, const std::string& type, const std::string& name,
              std::unordered_set<Uuid>& taken) {
  for (std::size_t i = 1;; ++i) {
    // A zero byte between the parts, which names do not hold.
    std::string key = name + '\0' + type;
    if (i > 1) key += '\0' + std::to_string(i);
    const Uuid uuid = crypto::uuid_of_name(container, as_bytes(key));
    if (taken.insert(uuid).second) return uuid;
  }
}

}  // namespace

SubAssetMatch match_sub_assets(const Uuid& container, std::string_view container_virtual_path,
                               std::span<const SubAsset> known, std::span<const FoundSubAsset> found) {
  const std::vector<std::string> names = names_of(found);
  constexpr std::size_t kNone = ~std::size_t{0};
  struct Match {
    std::size_t known = kNone;
    bool by_content = false;
  };
  std::vector<Match> matches(found.size());
  std::vector<bool> is_matched(known.size());
  const auto match = [&](std::size_t f, std::size_t k, bool by_content) {
    matches[f] = {k, by_content};
    is_matched[k] = true;
  };

  std::map<Key, std::size_t> by_name;
  for (std::size_t k = 0; k < known.size(); ++k) by_name.emplace(Key{known[k].type, known[k].name}, k);
  for (std::size_t f = 0; f < found.size(); ++f) {
    const auto at = by_name.find({found[f].type, names[f]});
    if (at != by_name.end() && !is_matched[at->second]) match(f, at->second, false);
  }

  std::multimap<Key, std::size_t> by_content;
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (!is_matched[k] && !known[k].fingerprint.empty())
      by_content.emplace(Key{known[k].type, known[k].fingerprint}, k);
  }
  for (std::size_t f = 0; f < found.size(); ++f) {
    if (matches[f].known != kNone || found[f].fingerprint.empty()) continue;
    const auto at = by_content.find({found[f].type, found[f].fingerprint});
    if (at == by_content.end()) continue;
    match(f, at->second, true);
    by_content.erase(at);
  }

  std::map<std::string, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> left;
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (!is_matched[k]) left[known[k].type].first.push_back(k);
  }
  for (std::size_t f = 0; f < found.size(); ++f) {
    if (matches[f].known == kNone) left[found[f].type].second.push_back(f);
  }
  for (const auto& [type, sides] : left) {
    const auto& [old_ones, new_ones] = sides;
    if (old_ones.size() != new_ones.size()) continue;
    for (std::size_t i = 0; i < old_ones.size(); ++i) match(new_ones[i], old_ones[i], false);
  }

  SubAssetMatch result;
  std::unordered_set<Uuid> taken{container};
  for (const SubAsset& asset : known) taken.insert(asset.uuid);
  const auto automatic = [&](std::string_view name) {
    return std::string(container_virtual_path) + "/" + virtual_name(name);
  };
  for (std::size_t f = 0; f < found.size(); ++f) {
    SubAsset asset{{}, found[f].type, names[f], automatic(names[f]), found[f].fingerprint};
    if (matches[f].known == kNone) {
      asset.uuid = new_uuid(container, asset.type, asset.name, taken);
      result.changes.push_back({SubAssetChange::Kind::kAdded, asset.type, "", asset.name, false});
    } else {
      const SubAsset& old = known[matches[f].known];
      asset.uuid = old.uuid;
      const std::string_view last = std::string_view(old.virtual_path).substr(old.virtual_path.rfind('/') + 1);
      // Chosen by a person: neither what its name made of it, nor that with its type behind.
      const bool chosen = last != virtual_name(old.name) && last != virtual_name(old.name + "_" + old.type);
      if (chosen) asset.virtual_path = old.virtual_path;
      if (asset.name != old.name) {
        result.changes.push_back(
            {SubAssetChange::Kind::kRenamed, asset.type, old.name, asset.name, matches[f].by_content});
      }
    }
    result.sub_assets.push_back(std::move(asset));
  }
  // A mesh and its material often share a name: the type behind it tells them apart.
  std::map<std::string, std::size_t> uses;
  for (const SubAsset& asset : result.sub_assets) ++uses[virtual_key(asset.virtual_path)];
  for (SubAsset& asset : result.sub_assets) {
    if (uses[virtual_key(asset.virtual_path)] > 1 && asset.virtual_path == automatic(asset.name)) {
      asset.virtual_path = automatic(asset.name + "_" + asset.type);
    }
  }
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (!is_matched[k]) {
      result.changes.push_back({SubAssetChange::Kind::kRemoved, known[k].type, known[k].name, "", false});
    }
  }
  return result;
}

}  // namespace assetc::identity
