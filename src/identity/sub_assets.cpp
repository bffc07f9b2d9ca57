#include "identity/sub_assets.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "crypto/sha.hpp"
#include "identity/virtual_path.hpp"

namespace assetc::identity {
namespace {

using Key = std::pair<std::string, std::string>;  // type, and name or content

// A unique name for each asset. An unnamed one gets its type and position. If a name is taken, a number is appended.
std::vector<std::string> names_of(std::span<const FoundSubAsset> found) {
  std::set<Key> taken;
  for (const FoundSubAsset& asset : found) taken.insert({asset.type, asset.name});
  std::map<std::string, std::size_t> places;
  std::set<Key> used;
  std::map<Key, std::size_t> next_number;  // all lower numbers are used
  std::vector<std::string> names;
  for (const FoundSubAsset& asset : found) {
    std::string name = asset.name;
    const std::size_t place = places[asset.type]++;
    if (name.empty()) name = asset.type + "_" + std::to_string(place);
    const std::string base = name;
    std::size_t* number = nullptr;
    while (!used.insert({asset.type, name}).second || (name != asset.name && taken.contains({asset.type, name}))) {
      if (number == nullptr) number = &next_number.try_emplace({asset.type, base}, 2).first->second;
      name = base + "_" + std::to_string((*number)++);
    }
    names.push_back(std::move(name));
  }
  return names;
}

Uuid new_uuid(const Uuid& container, const std::string& type, const std::string& name,
              std::unordered_set<Uuid>& taken) {
  for (std::size_t i = 1;; ++i) {
    // Joins the parts with a zero byte, which names do not contain.
    std::string key = name + '\0' + type;
    if (i > 1) key += '\0' + std::to_string(i);
    const Uuid uuid = crypto::uuid_of_name(container, as_bytes(key));
    if (taken.insert(uuid).second) return uuid;
  }
}

// The name of a part at the n-th attempt: "Wood", "Wood_Material", "Wood_Material_2".
std::string part_name(std::string_view name, std::string_view type, std::size_t attempt) {
  std::string suffix;
  if (attempt > 0) suffix = virtual_name("_" + std::string(type));
  if (attempt > 1) suffix += "_" + std::to_string(attempt);
  const std::string whole = virtual_name(name);
  return virtual_name(whole.substr(0, kMaxVirtualName - std::min(suffix.size(), kMaxVirtualName))) + suffix;
}

bool is_part_name(std::string_view last, std::string_view name, std::string_view type) {
  if (last == part_name(name, type, 0) || last == part_name(name, type, 1)) return true;
  const std::size_t digits = last.find_last_not_of("0123456789") + 1;
  std::size_t attempt = 0;
  const auto read = std::from_chars(last.data() + digits, last.data() + last.size(), attempt);
  return read.ec == std::errc() && attempt > 1 && last == part_name(name, type, attempt);
}

std::string_view last_name(std::string_view virtual_path) { return virtual_path.substr(virtual_path.rfind('/') + 1); }

std::string_view folder_of(const SubAsset& part) {
  return std::string_view(part.virtual_path).substr(0, part.virtual_path.rfind('/'));
}

// Returns the attempt that succeeded.
std::size_t claim_name(SubAsset& part, std::string_view container, std::size_t first_attempt, const ClaimPath& claim) {
  for (std::size_t attempt = first_attempt;; ++attempt) {
    std::string path = std::string(container) + "/" + part_name(part.name, part.type, attempt);
    if (!claim(part, path)) continue;
    part.virtual_path = std::move(path);
    return attempt;
  }
}

// Puts the known parts that match none behind their neighbors of before.
void keep_absent(std::span<const SubAsset> known, const std::vector<bool>& is_matched, SubAssetMatch& result) {
  if (std::ranges::find(is_matched, false) == is_matched.end()) return;
  std::vector<SubAsset> all;
  std::vector<std::string> names;
  std::unordered_map<Uuid, std::size_t> places;
  for (std::size_t k = 0; k < known.size(); ++k) places.emplace(known[k].uuid, k);
  const auto add_absent_from = [&](std::size_t k) {
    for (; k < known.size() && !is_matched[k]; ++k) {
      all.push_back(known[k]);
      all.back().is_absent = true;
      names.push_back(known[k].name);
    }
  };
  add_absent_from(0);
  for (std::size_t i = 0; i < result.sub_assets.size(); ++i) {
    const auto at = places.find(result.sub_assets[i].uuid);
    all.push_back(std::move(result.sub_assets[i]));
    names.push_back(std::move(result.known_names[i]));
    if (at != places.end()) add_absent_from(at->second + 1);
  }
  result.sub_assets = std::move(all);
  result.known_names = std::move(names);
}

}  // namespace

SubAssetMatch match_sub_assets(const Uuid& container, std::span<const SubAsset> known,
                               std::span<const FoundSubAsset> found, bool prune) {
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
    if (matches[f].known != kNone || found[f].fingerprint.empty() || !found[f].uuid_name.empty()) continue;
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
    if (matches[f].known == kNone && found[f].uuid_name.empty()) left[found[f].type].second.push_back(f);
  }
  for (const auto& [type, sides] : left) {
    const auto& [old_ones, new_ones] = sides;
    if (old_ones.size() != new_ones.size()) continue;
    for (std::size_t i = 0; i < old_ones.size(); ++i) match(new_ones[i], old_ones[i], false);
  }

  SubAssetMatch result;
  std::unordered_set<Uuid> taken{container};
  for (const SubAsset& asset : known) taken.insert(asset.uuid);
  for (std::size_t f = 0; f < found.size(); ++f) {
    SubAsset asset{{}, found[f].type, names[f], {}, found[f].fingerprint, {}};
    std::string known_name;
    if (matches[f].known == kNone) {
      asset.uuid = found[f].uuid_name.empty() ? new_uuid(container, asset.type, asset.name, taken)
                                              : crypto::uuid_of_name(container, as_bytes(found[f].uuid_name));
      result.changes.push_back({SubAssetChange::Kind::kAdded, asset.type, "", asset.name, false});
    } else {
      const SubAsset& old = known[matches[f].known];
      asset.uuid = old.uuid;
      asset.virtual_path = old.virtual_path;
      asset.redirects = old.redirects;
      known_name = old.name;
      if (asset.name != old.name) {
        result.changes.push_back(
            {SubAssetChange::Kind::kRenamed, asset.type, old.name, asset.name, matches[f].by_content});
      }
    }
    result.sub_assets.push_back(std::move(asset));
    result.known_names.push_back(std::move(known_name));
  }
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (!is_matched[k] && prune)
      result.changes.push_back({SubAssetChange::Kind::kRemoved, known[k].type, known[k].name, "", false});
  }
  if (!prune) keep_absent(known, is_matched, result);
  return result;
}

bool is_made_of(const SubAsset& part, std::string_view known_name, std::span<const std::string> containers) {
  if (part.virtual_path.empty() || !is_part_name(last_name(part.virtual_path), known_name, part.type)) return false;
  return std::ranges::find(containers, folder_of(part)) != containers.end();
}

bool follows(const SubAsset& part, std::string_view known_name, std::span<const std::string> before,
             std::string_view now) {
  const bool is_below_now = folder_of(part) == now;
  if (part.name == known_name && is_below_now) return false;
  const std::string current(now);
  return is_made_of(part, known_name, before) || (is_below_now && is_made_of(part, known_name, {&current, 1}));
}

void rename_part(SubAsset& part, std::string_view known_name, std::string_view container, const ClaimPath& claim) {
  if (part.name == known_name) {
    std::string moved = std::string(container) + "/" + std::string(last_name(part.virtual_path));
    if (claim(part, moved)) {
      part.virtual_path = std::move(moved);
      return;
    }
  }
  claim_name(part, container, 0, claim);
}

void name_new_parts(std::span<SubAsset> parts, std::string_view container, const ClaimPath& claim) {
  std::map<std::string, std::size_t> uses;
  for (const SubAsset& part : parts) {
    if (part.virtual_path.empty()) ++uses[virtual_key(part_name(part.name, part.type, 0))];
  }
  std::map<Key, std::size_t> next_attempt;  // all earlier attempts are taken
  for (SubAsset& part : parts) {
    if (!part.virtual_path.empty()) continue;
    const std::string key = virtual_key(part_name(part.name, part.type, 0));
    std::size_t& attempt = next_attempt.try_emplace({part.type, key}, uses[key] > 1 ? 1 : 0).first->second;
    attempt = claim_name(part, container, attempt, claim) + 1;
  }
}

}  // namespace assetc::identity
