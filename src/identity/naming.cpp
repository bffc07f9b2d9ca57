#include "identity/naming.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "crypto/sha.hpp"
#include "identity/unicode.hpp"
#include "identity/virtual_path.hpp"

namespace assetc::identity {
namespace {

// A UUID for the old name of a moved asset: version 5 of that name in the asset's own UUID, so that no asset has it.
Uuid alias_of(const Uuid& asset, std::string_view old_virtual_path) {
  const std::string key = virtual_key(old_virtual_path);
  return crypto::uuid_of_name(asset, as_bytes(key));
}

// A path with something behind its last name, which is cut if the whole would be too long.
std::string with_end(const std::string& path, const std::string& end) {
  const std::size_t name = path.rfind('/') + 1;
  const std::size_t longest = std::min(kMaxVirtualName, kMaxVirtualPath - std::min(name, kMaxVirtualPath));
  const std::size_t kept = std::min(path.size() - name, longest - std::min(end.size(), longest));
  return path.substr(0, name + kept) + end;
}

// "Engine/Wood" with the suffix of the file, used if that path is taken: "Engine/Wood_png".
std::string with_suffix(const std::string& path, std::string_view suffix) {
  if (suffix.starts_with('.')) suffix.remove_prefix(1);
  return with_end(path, "_" + virtual_name(suffix));
}

// The path to use if both are taken. It depends only on the path of the file.
std::string with_hash(const std::string& path, std::string_view source_path) {
  return with_end(path, "_" + content_hash(as_bytes(source_path)).hex().substr(0, 8));
}

class Naming {
 public:
  Naming(std::span<Asset> assets, std::vector<Error>& errors) : assets_(assets), errors_(errors) {}

  void run() {
    keep_names();
    change_names();
    redirect_old_names();
    name_new();
    hold_old_names();
  }

 private:
  // An asset or a sub-asset, with its name for messages.
  struct Owner {
    Asset* asset;
    const SubAsset* part;  // null: the asset itself
    std::size_t index() const { return static_cast<std::size_t>(part - asset->next.sub_assets.data()); }
    const std::string& path() const { return part != nullptr ? part->virtual_path : asset->next.virtual_path; }
    std::string name() const {
      return (part != nullptr ? part->type + " \"" + part->name + "\" of " : std::string()) + asset->source->path;
    }
    std::string meta_path() const { return asset->meta_path(); }
    // In the .meta as it is on the disk.
    std::string place() const {
      if (part == nullptr || asset->meta == nullptr) return "/VirtualPath";
      const std::vector<SubAsset>& parts = asset->meta->meta.sub_assets;
      const auto at = std::ranges::find(parts, part->uuid, &SubAsset::uuid);
      return "/SubAssets/" + std::to_string(at - parts.begin()) + "/VirtualPath";
    }
  };

  // An asset that has a virtual path and was not moved keeps it.
  void keep_names() {
    owners_.reserve(assets_.size());
    for (const Asset& asset : assets_) {
      note_old_names(asset.next.redirects);
      for (const SubAsset& part : asset.parts.sub_assets) note_old_names(part.redirects);
    }
    find_yielding();
    for (Asset& asset : assets_) {
      look_at_parts(asset);
      if (asset.wanted.empty()) keep({&asset, nullptr});
    }
    for (Asset& asset : assets_) {
      for (std::size_t i = 0; i < asset.next.sub_assets.size(); ++i) {
        if (!asset.next.sub_assets[i].virtual_path.empty() && !asset.parts_change[i]) keep_part(asset, i);
      }
    }
  }

  // Two branches may each have added an asset of one virtual path. Those that only follow from the path of their file
  // get longer names.
  void find_yielding() {
    std::unordered_map<std::string, Asset*> first;
    std::map<std::string, std::vector<Asset*>> shared;
    first.reserve(assets_.size());
    for (Asset& asset : assets_) {
      if (asset.is_new() || !asset.wanted.empty()) continue;
      std::string key = virtual_key(asset.next.virtual_path);
      const auto [at, is_first] = first.emplace(key, &asset);
      if (is_first && !(asset.is_restored() && is_old_name_of_another(key, asset.next.redirects))) continue;
      std::vector<Asset*>& sharers = shared[std::move(key)];
      if (sharers.empty() && !is_first) sharers.push_back(at->second);
      sharers.push_back(&asset);
    }
    for (auto& [key, sharers] : shared) {
      const auto rank = [](const Asset* asset) {
        if (asset->is_restored()) return 2;
        return follows_from(asset->next.virtual_path, asset->source->path, asset->source->suffix) ? 1 : 0;
      };
      std::ranges::stable_sort(sharers, {}, rank);
      const Asset& best = *sharers.front();
      const bool is_taken = best.is_restored() && is_old_name_of_another(key, best.next.redirects);
      for (Asset* const asset : std::span(sharers).subspan(is_taken ? 0 : 1)) {
        const Result<std::string> path = virtual_path_of(asset->source->path, asset->source->suffix);
        if (rank(asset) == 0 || !path || are_twins(*asset, best)) continue;
        asset->wanted = *path;
        yielding_.insert(asset);
      }
    }
  }

  static bool are_twins(const Asset& a, const Asset& b) {
    return &a != &b && file_key(a.source->path) == file_key(b.source->path);
  }

  bool is_old_name_of_another(const std::string& key, std::span<const Redirect> own) const {
    return old_names_.contains(key) &&
           std::ranges::none_of(own, [&](const Redirect& r) { return virtual_key(r.virtual_path) == key; });
  }

  void keep(const Owner& owner) {
    const auto [at, is_new] = owners_.emplace(virtual_key(owner.path()), owner);
    if (!is_new && !are_twins(*owner.asset, *at->second.asset)) refuse_both(owner, at->second);
  }

  // A part whose virtual path was made of its container's gives way, too.
  void keep_part(Asset& asset, std::size_t i) {
    const auto is_made = [](const Owner& owner) {
      return owner.part != nullptr && is_made_of(*owner.part, owner.asset->parts.known_names[owner.index()],
                                                 {&owner.asset->next.virtual_path, 1});
    };
    const Owner owner{&asset, &asset.next.sub_assets[i]};
    const auto at = owners_.find(virtual_key(owner.path()));
    if (at == owners_.end()) return keep(owner);
    if (is_made(owner)) {
      asset.parts_change[i] = true;
    } else if (is_made(at->second)) {
      at->second.asset->parts_change[at->second.index()] = true;
      at->second = owner;
    } else {
      keep(owner);
    }
  }

  // An error at each of the two lines of which one must change.
  void refuse_both(const Owner& one, const Owner& other) {
    const auto refuse = [this](const Owner& at, const Owner& has) {
      errors_.push_back({ErrorCode::kConflict, at.meta_path(), at.place(),
                         "\"" + at.path() + "\" is also the virtual path of " + has.name() +
                             (has.path() == at.path() ? "" : ", except for case: \"" + has.path() + "\""),
                         "give one of them another virtual path"});
    };
    refuse(other, one);
    refuse(one, other);
  }

  void note_old_names(const std::vector<Redirect>& redirects) {
    for (const Redirect& old : redirects) {
      if (!old.virtual_path.empty()) old_names_.insert(virtual_key(old.virtual_path));
    }
  }

  // From here on, parts must keep their addresses, because owners point to them.
  void look_at_parts(Asset& asset) {
    asset.next.sub_assets = std::move(asset.parts.sub_assets);
    const std::string& now = asset.wanted.empty() ? asset.next.virtual_path : asset.wanted;
    // Parts also follow if a person edited the virtual path of their container on another machine.
    std::vector<std::string> before = asset.called;
    const auto is_elsewhere = [&](const SubAsset& part) { return !part.virtual_path.starts_with(now + "/"); };
    if (!asset.is_new() && std::ranges::any_of(asset.next.sub_assets, is_elsewhere)) {
      if (auto made = virtual_path_of(asset.source->path, asset.source->suffix)) before.push_back(*std::move(made));
    }
    const bool yields = yielding_.contains(&asset);
    for (std::size_t i = 0; i < asset.next.sub_assets.size(); ++i) {
      const SubAsset& part = asset.next.sub_assets[i];
      const std::string& known_name = asset.parts.known_names[i];
      asset.parts_change.push_back(
          !part.is_absent && (yields ? is_made_of(part, known_name, before) : follows(part, known_name, before, now)));
      if (asset.parts_called.size() <= i) asset.parts_called.emplace_back();
      if (!part.virtual_path.empty()) asset.parts_called[i].insert(asset.parts_called[i].begin(), part.virtual_path);
    }
  }

  // Claims a virtual path that no other asset has and that does not redirect to another asset.
  bool claim(const std::string& path, const Owner& owner) {
    std::string key = virtual_key(path);
    if (is_old_name_of_another(key, owner.part != nullptr ? owner.part->redirects : owner.asset->next.redirects))
      return false;
    return owners_.emplace(std::move(key), owner).second;
  }

  ClaimPath claim_for(Asset& asset) {
    return [this, &asset](const SubAsset& part, const std::string& path) { return claim(path, {&asset, &part}); };
  }

  void take_wanted(Asset& asset, bool others_want_it) {
    const Owner owner{&asset, nullptr};
    std::array<std::string, 3> names{asset.wanted, with_suffix(asset.wanted, asset.source->suffix),
                                     with_hash(asset.wanted, asset.source->path)};
    if (others_want_it) std::swap(names[0], names[1]);
    for (const std::string& path : names) {
      if (!check_virtual_path(path) || !claim(path, owner)) continue;
      asset.next.virtual_path = path;
      return;
    }
    asset.next.virtual_path = asset.wanted;
    const auto other = owners_.find(virtual_key(asset.wanted));
    if (other != owners_.end() && file_key(asset.source->path) == file_key(other->second.asset->source->path))
      return;  // tell_twins() has reported this
    errors_.push_back({ErrorCode::kConflict, asset.source->path + std::string(kMetaSuffix), "/VirtualPath",
                       "\"" + asset.wanted + "\" is also the virtual path of " +
                           (other != owners_.end() ? other->second.name() : "an asset that had it before"),
                       "give one of them another virtual path"});
  }

  // Renames assets that moved, and parts whose container or name changed.
  void change_names() {
    for (Asset& asset : assets_) {
      if (!asset.wanted.empty() && !asset.is_new()) take_wanted(asset, yielding_.contains(&asset));
    }
    for (Asset& asset : assets_) {
      for (std::size_t i = 0; i < asset.next.sub_assets.size(); ++i) {
        SubAsset& part = asset.next.sub_assets[i];
        if (!asset.parts_change[i]) continue;
        rename_part(part, asset.parts.known_names[i], asset.next.virtual_path, claim_for(asset));
      }
    }
  }

  // If no asset has taken an old name, the name redirects to its former owner.
  void redirect_old_names() {
    const auto redirect = [&](Asset& asset, const Uuid& uuid, const std::string& now, std::vector<Redirect>& redirects,
                              std::span<const std::string> called) {
      const std::string key = virtual_key(now);
      std::erase_if(redirects, [&](const Redirect& r) { return virtual_key(r.virtual_path) == key; });
      for (const std::string& old : called) {
        const std::string old_key = virtual_key(old);
        if (old_key == key) continue;
        const auto leads_there = [&](const Redirect& r) { return virtual_key(r.virtual_path) == old_key; };
        if (!owners_.contains(old_key) && old_names_.insert(old_key).second)
          redirects.push_back({alias_of(uuid, old), old});
        if (old == called.back()) asset.paths.push_back({old, now, std::ranges::any_of(redirects, leads_there)});
      }
      if (!called.empty() && called.back() != now && virtual_key(called.back()) == key)
        asset.paths.push_back({called.back(), now, true});  // only the letter case changed
    };
    for (Asset& asset : assets_) {
      redirect(asset, asset.next.uuid, asset.next.virtual_path, asset.next.redirects, asset.called);
      for (std::size_t i = 0; i < asset.next.sub_assets.size(); ++i) {
        SubAsset& part = asset.next.sub_assets[i];
        redirect(asset, part.uuid, part.virtual_path, part.redirects, asset.parts_called[i]);
      }
    }
  }

  // New assets of one folder that differ only in their suffix ("Wood.png", "Wood.mat") get the suffix in their path. If
  // others share a path, a person must decide.
  void name_new() {
    std::unordered_map<std::string, std::size_t> undecided;
    for (const Asset& asset : assets_) {
      if (asset.is_new()) ++undecided[virtual_key(asset.wanted)];
    }
    for (Asset& asset : assets_) {
      if (asset.is_new()) take_wanted(asset, undecided[virtual_key(asset.wanted)]-- > 1);
    }
    for (Asset& asset : assets_) {
      name_new_parts(asset.next.sub_assets, asset.next.virtual_path, claim_for(asset));
    }
  }

  // Checks that each old name leads to one asset and is the current name of none.
  void hold_old_names() {
    std::unordered_map<Uuid, const Asset*> living;
    for (const Asset& asset : assets_) {
      living.emplace(asset.next.uuid, &asset);
      for (const SubAsset& part : asset.next.sub_assets) living.emplace(part.uuid, &asset);
    }
    std::unordered_map<Uuid, const Asset*> uuids;
    std::unordered_map<std::string, const Asset*> paths;
    const auto hold = [&](const Asset& asset, const std::vector<Redirect>& redirects, const std::string& place) {
      for (std::size_t i = 0; i < redirects.size(); ++i) {
        const auto refuse = [&](const char* member, const std::string& name, const std::string& whose) {
          errors_.push_back({ErrorCode::kConflict, asset.source->path + std::string(kMetaSuffix),
                             place + "/Redirects/" + std::to_string(i) + "/" + member, name + " is " + whose,
                             "remove it from Redirects of one of them"});
        };
        const Redirect& old = redirects[i];
        const std::string key = virtual_key(old.virtual_path);
        if (const auto at = living.find(old.uuid); at != living.end())
          refuse("OldUuid", old.uuid.to_string(), "the UUID of " + at->second->source->path);
        if (const auto [at, is_first] = uuids.emplace(old.uuid, &asset); !is_first)
          refuse("OldUuid", old.uuid.to_string(), "also an old UUID of " + at->second->source->path);
        if (old.virtual_path.empty()) continue;
        if (const auto at = owners_.find(key); at != owners_.end())
          refuse("OldVirtualPath", "\"" + old.virtual_path + "\"",
                 "the virtual path of " + at->second.asset->source->path);
        if (const auto [at, is_first] = paths.emplace(key, &asset); !is_first)
          refuse("OldVirtualPath", "\"" + old.virtual_path + "\"",
                 "also an old virtual path of " + at->second->source->path);
      }
    };
    for (const Asset& asset : assets_) {
      hold(asset, asset.next.redirects, "");
      for (std::size_t i = 0; i < asset.next.sub_assets.size(); ++i)
        hold(asset, asset.next.sub_assets[i].redirects, "/SubAssets/" + std::to_string(i));
    }
  }

  std::span<Asset> assets_;
  std::vector<Error>& errors_;
  std::unordered_set<const Asset*> yielding_;      // assets that give their virtual path to another
  std::unordered_map<std::string, Owner> owners_;  // owners of virtual paths, by virtual_key()
  std::unordered_set<std::string> old_names_;      // keys of virtual paths that redirect to a former owner
};

}  // namespace

bool follows_from(std::string_view virtual_path, std::string_view source_path, std::string_view suffix) {
  const Result<std::string> path = virtual_path_of(source_path, suffix);
  const std::string key = virtual_key(virtual_path);
  return path && (key == virtual_key(*path) || key == virtual_key(with_suffix(*path, suffix)) ||
                  key == virtual_key(with_hash(*path, source_path)));
}

void give_names(std::span<Asset> assets, std::vector<Error>& errors) { Naming(assets, errors).run(); }

}  // namespace assetc::identity
