#include "identity/reconcile.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/plural.hpp"
#include "crypto/sha.hpp"
#include "identity/unicode.hpp"
#include "identity/virtual_path.hpp"

namespace assetc::identity {
namespace {

using Kind = IdentityChange::Kind;

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// A UUID for the old name of a moved asset: version 5 of that name in the asset's own UUID, so that no asset has it.
Uuid alias_of(const Uuid& asset, std::string_view old_virtual_path) {
  const std::string key = virtual_key(old_virtual_path);
  return crypto::uuid_of_name(asset, as_bytes(key));
}

struct Asset {
  const FoundSource* source = nullptr;
  const FoundMeta* meta = nullptr;  // null for a new asset
  Meta next;
  Kind kind = Kind::kUpdated;
  std::string from;
  const Meta* before = nullptr;  // its .meta at the last import, if that saw the same state
  SubAssetMatch parts;
  std::string wanted;               // the virtual path that its file gives it now; empty: keeps its path
  std::vector<std::string> called;  // former virtual paths: of its .meta now, and of that at the last import
  std::vector<std::vector<std::string>> parts_called;  // the same for its parts
  std::vector<bool> parts_change;                      // parts whose virtual path changes
  std::vector<IdentityChange::PathChange> paths;
  bool is_left_alone = false;  // its .meta has an error that only a person may correct

  bool is_new() const { return called.empty(); }
};

// Whether the two are equal but for fingerprints. A changed fingerprint only means that an artist edited the source,
// which is no reason to write the .meta.
bool are_as_written(const Meta& next, const Meta& written) {
  Meta plain = written;
  if (next.sub_assets.size() == written.sub_assets.size()) {
    for (std::size_t i = 0; i < plain.sub_assets.size(); ++i)
      plain.sub_assets[i].fingerprint = next.sub_assets[i].fingerprint;
  }
  return next == plain;
}

// "Engine/Wood" with the suffix of the file, used if that path is taken: "Engine/Wood_png".
std::string with_suffix(const std::string& path, std::string_view suffix) {
  if (suffix.starts_with('.')) suffix.remove_prefix(1);
  return path + "_" + virtual_name(suffix);
}

// The path to use if both are taken. It depends only on the path of the file.
std::string with_hash(const std::string& path, std::string_view source_path) {
  return path + "_" + content_hash(as_bytes(source_path)).hex().substr(0, 8);
}

// Whether a virtual path was made of the path of a source.
bool follows_from(std::string_view virtual_path, std::string_view source_path, std::string_view suffix) {
  const Result<std::string> path = virtual_path_of(source_path, suffix);
  const std::string key = virtual_key(virtual_path);
  return path && (key == virtual_key(*path) || key == virtual_key(with_suffix(*path, suffix)) ||
                  key == virtual_key(with_hash(*path, source_path)));
}

class Reconciler {
 public:
  explicit Reconciler(ReconcileInput input) : in_(std::move(input)) {}

  Reconciled run() {
    std::sort(in_.sources.begin(), in_.sources.end(), [](auto& a, auto& b) { return a.path < b.path; });
    std::sort(in_.metas.begin(), in_.metas.end(), [](auto& a, auto& b) { return a.path < b.path; });
    tell_twins();
    pair();
    find_moved_alone();
    restore_lost();
    tell_copies_apart();
    for (Asset& asset : assets_) bring_up_to_date(asset);
    std::erase_if(assets_, [](const Asset& asset) { return asset.source == nullptr; });
    keep_names();
    change_names();
    redirect_old_names();
    give_names();
    hold_old_names();
    report();
    return std::move(out_);
  }

 private:
  // Reports files that become one file where the file system ignores letter case or normalization. A checkout there
  // keeps only one of them.
  void tell_twins() {
    std::unordered_map<std::string, const std::string*> first;
    first.reserve(in_.sources.size());
    for (const FoundSource& source : in_.sources) {
      const auto [at, is_new] = first.emplace(file_key(source.path), &source.path);
      if (is_new) continue;
      out_.errors.push_back({ErrorCode::kConflict,
                             source.path,
                             {},
                             "differs from " + *at->second +
                                 " in letter case or Unicode normalization alone; on many systems the two are one file",
                             "rename one of them"});
    }
  }

  void pair() {
    std::unordered_map<std::string_view, const FoundMeta*> metas;
    for (const FoundMeta& meta : in_.metas) metas.emplace(meta.path, &meta);
    const std::unordered_set<std::string> unreadable(in_.unreadable_metas.begin(), in_.unreadable_metas.end());
    for (const FoundSource& source : in_.sources) {
      const std::string meta_path = source.path + std::string(kMetaSuffix);
      if (unreadable.contains(meta_path)) continue;
      Asset& asset = assets_.emplace_back();
      asset.source = &source;
      if (const auto at = metas.find(meta_path); at != metas.end()) {
        asset.meta = at->second;
        asset.next = asset.meta->meta;
        if (asset.next.source_path.empty()) asset.next.source_path = source.path;
        metas.erase(at);
      }
    }
    for (const FoundMeta& meta : in_.metas) {
      if (metas.contains(meta.path)) lone_.push_back(&meta);
    }
  }

  // If a source without a .meta has the content that the source of a .meta without a source had, the source has moved.
  // Among several candidates, pairs with the same file name come first, then the order of paths decides.
  void find_moved_alone() {
    if (lone_.empty() || !in_.content || !in_.old_content) return;
    std::map<ContentHash, std::vector<const FoundMeta*>> wanted;
    for (const FoundMeta* meta : lone_) {
      const std::string path = meta->path.substr(0, meta->path.size() - kMetaSuffix.size());
      if (const auto content = in_.old_content(path)) wanted[*content].push_back(meta);
    }
    if (wanted.empty()) return;
    std::map<ContentHash, std::vector<Asset*>> offered;
    for (Asset& asset : assets_) {
      if (asset.meta != nullptr) continue;
      if (const std::optional<ContentHash> content = in_.content(asset.source->path);
          content && wanted.contains(*content)) {
        offered[*content].push_back(&asset);
      }
    }
    for (auto& [content, assets] : offered) {
      std::vector<const FoundMeta*>& metas = wanted[content];
      for (const bool by_name : {true, false}) {
        for (Asset* asset : assets) {
          if (asset->meta != nullptr) continue;
          const auto at = std::find_if(metas.begin(), metas.end(), [&](const FoundMeta* meta) {
            return !by_name ||
                   file_name(meta->path) == std::string(file_name(asset->source->path)) + std::string(kMetaSuffix);
          });
          if (at == metas.end()) continue;
          adopt(*asset, **at);
          metas.erase(at);
        }
      }
    }
  }
  void adopt(Asset& asset, const FoundMeta& meta) {
    asset.meta = &meta;
    asset.next = meta.meta;
    asset.kind = Kind::kFound;
    asset.from = meta.path.substr(0, meta.path.size() - kMetaSuffix.size());
    std::erase(lone_, &meta);
    out_.removals.push_back(meta.path);
  }

  // A source that has lost its .meta gets its remembered identity again, unless another asset has that UUID now.
  void restore_lost() {
    for (const FoundMeta& meta : in_.metas) held_.insert(meta.meta.uuid);
    for (Asset& asset : assets_) {
      if (asset.meta == nullptr) restore(asset);
    }
  }
  bool restore(Asset& asset) {
    const Meta* const before = in_.remembered_at ? in_.remembered_at(asset.source->path) : nullptr;
    if (before == nullptr || !held_.insert(before->uuid).second) return false;
    asset.next = *before;
    asset.kind = Kind::kRestored;
    return true;
  }

  void tell_copies_apart() {
    std::vector<Asset*> by_uuid;
    for (Asset& asset : assets_) {
      if (asset.meta != nullptr) by_uuid.push_back(&asset);
    }
    const auto uuid_of = [](const Asset* asset) { return asset->next.uuid; };
    std::ranges::stable_sort(by_uuid, {}, uuid_of);
    for (auto begin = by_uuid.begin(); begin != by_uuid.end();) {
      const Uuid uuid = uuid_of(*begin);
      const auto end = std::find_if(begin, by_uuid.end(), [&](const Asset* asset) { return uuid_of(asset) != uuid; });
      const std::span<Asset* const> sharers(begin, end);
      begin = end;
      if (sharers.size() < 2) continue;
      // They are sorted by path. The first whose SourcePath is its own location is the original, else the first of all.
      const auto at_home = std::find_if(sharers.begin(), sharers.end(),
                                        [](const Asset* a) { return a->next.source_path == a->source->path; });
      Asset* const original = at_home == sharers.end() ? sharers.front() : *at_home;
      for (Asset* copy : sharers) {
        if (copy == original) continue;
        if (restore(*copy)) continue;
        copy->kind = Kind::kCopied;
        copy->from = original->source->path;
        copy->next.uuid = in_.new_uuid();
        copy->next.redirects.clear();
        copy->next.sub_assets.clear();
      }
    }
  }

  void bring_up_to_date(Asset& asset) {
    const FoundSource& source = *asset.source;
    Result<std::string> path = virtual_path_of(source.path, source.suffix);
    if (!path) {
      out_.errors.push_back(std::move(path).error().in(source.path));
      asset.source = nullptr;
      return;
    }
    Meta& next = asset.next;
    if (asset.meta == nullptr && asset.kind != Kind::kRestored) {
      asset.kind = Kind::kCreated;
      next.uuid = in_.new_uuid();
      next.type = source.type;
    } else if (asset.kind != Kind::kCopied) {
      asset.called.push_back(next.virtual_path);
      asset.before = last_state_of(next);
      if (asset.before != nullptr && was_edited(next, *asset.before))
        asset.called.push_back(asset.before->virtual_path);
      if (next.source_path != source.path) {
        if (asset.kind == Kind::kUpdated) {
          asset.kind = Kind::kMoved;
          asset.from = next.source_path;
        }
        // If the virtual path was made of the old source path, it is made again of the new one.
        if (follows_from(next.virtual_path, next.source_path, source.suffix) &&
            !follows_from(next.virtual_path, source.path, source.suffix))
          asset.wanted = *path;
      }
    }
    if (asset.is_new()) asset.wanted = *path;
    if (!check_written(asset)) {
      asset.is_left_alone = true;
      asset.parts.sub_assets = next.sub_assets;
      for (const SubAsset& part : next.sub_assets) asset.parts.known_names.push_back(part.name);
      return;
    }
    next.source_path = source.path;
    next.importer = source.importer;
    next.importer_version = source.importer_version;
    next.source_dependencies = source.source_dependencies;
    asset.parts = match_sub_assets(next.uuid, next.sub_assets, source.sub_assets, in_.prune);
  }

  // Checks the statements of a .meta about its source against the source.
  bool check_written(Asset& asset) {
    const FoundSource& source = *asset.source;
    Meta& next = asset.next;
    if (asset.is_new()) next.type = source.type;
    const auto refuse = [&](const char* place, std::string what, std::string hint) {
      out_.errors.push_back(
          {ErrorCode::kConflict, source.path + std::string(kMetaSuffix), place, std::move(what), std::move(hint)});
      return false;
    };
    // If the file was renamed to another kind, its type changes too.
    if (next.type != source.type && next.source_path != source.path) next.type = source.type;
    if (next.type != source.type) {
      return refuse("/Type",
                    "found \"" + next.type + "\", expected \"" + source.type + "\", the type of " + source.path,
                    "correct it, or restore the .meta from version control");
    }
    if (next.importer == source.importer && next.importer_version > source.importer_version) {
      return refuse("/ImporterVersion",
                    "found " + std::to_string(next.importer_version) + ", expected at most " +
                        std::to_string(source.importer_version) + ": a newer assetc wrote it",
                    "use that version, or restore the .meta from version control");
    }
    if (!next.sub_assets.empty() && source.sub_assets.empty() && !in_.prune) {
      return refuse("/SubAssets",
                    "lists " + counted(next.sub_assets.size(), "part") + ", and " + source.path + " has none of them",
                    "export it again, or use `assetc import --prune` if the parts are meant to be gone");
    }
    // Fingerprints in a .meta are updated only if something else changes. The last import may have remembered newer
    // ones.
    if (const Meta* const before = remembered(next.uuid)) {
      std::map<Uuid, const std::string*> fingerprints;
      for (const SubAsset& part : before->sub_assets) fingerprints.emplace(part.uuid, &part.fingerprint);
      for (SubAsset& part : next.sub_assets) {
        if (const auto at = fingerprints.find(part.uuid); at != fingerprints.end()) part.fingerprint = *at->second;
      }
    }
    return true;
  }

  // The .meta as the last import saw it. Null if that import saw another state of the repository, for example another
  // branch where the file has another path.
  const Meta* last_state_of(const Meta& meta) const {
    const Meta* const before = remembered(meta.uuid);
    return before != nullptr && before->source_path == meta.source_path ? before : nullptr;
  }

  // Whether a person changed this virtual path since the last import. If one of the two redirects to the other, a
  // checkout made the change.
  template <class Named>
  static bool was_edited(const Named& now, const Named& before) {
    const auto redirects = [](const Named& from, const std::string& path) {
      return std::ranges::any_of(from.redirects, [key = virtual_key(path)](const Redirect& old) {
        return virtual_key(old.virtual_path) == key;
      });
    };
    return now.virtual_path != before.virtual_path && !redirects(before, now.virtual_path) &&
           !redirects(now, before.virtual_path);
  }

  const Meta* remembered(const Uuid& asset) const { return in_.remembered ? in_.remembered(asset) : nullptr; }

  // An asset or a sub-asset, with its name for messages.
  struct Owner {
    const Asset* asset;
    const SubAsset* part;  // null: the asset itself
    const std::string& path() const { return part != nullptr ? part->virtual_path : asset->next.virtual_path; }
    std::string name() const {
      return (part != nullptr ? part->type + " \"" + part->name + "\" of " : std::string()) + asset->source->path;
    }
  };

  // An asset that has a virtual path and was not moved keeps it. If two share one, a person must decide.
  void keep_names() {
    owners_.reserve(assets_.size());
    const auto keep = [&](const Owner& owner) {
      const auto [at, is_new] = owners_.emplace(virtual_key(owner.path()), owner);
      if (is_new) return;
      const bool are_twins = owner.asset != at->second.asset &&
                             file_key(owner.asset->source->path) == file_key(at->second.asset->source->path);
      if (are_twins) return;
      const std::string& first = at->second.path();
      Error error{ErrorCode::kConflict, owner.asset->source->path + std::string(kMetaSuffix), "/VirtualPath",
                  "\"" + owner.path() + "\" is also the virtual path of " + at->second.name() +
                      (first == owner.path() ? "" : ", except for case: \"" + first + "\""),
                  "give one of them another virtual path"};
      out_.errors.push_back(std::move(error));
    };
    for (Asset& asset : assets_) {
      look_at_parts(asset);
      note_old_names(asset.next.redirects);
      for (const SubAsset& part : asset.next.sub_assets) note_old_names(part.redirects);
    }
    for (const Asset& asset : assets_) {
      if (asset.wanted.empty()) keep({&asset, nullptr});
      for (std::size_t i = 0; i < asset.next.sub_assets.size(); ++i) {
        const SubAsset& part = asset.next.sub_assets[i];
        if (!part.virtual_path.empty() && !asset.parts_change[i]) keep({&asset, &part});
      }
    }
  }

  void note_old_names(const std::vector<Redirect>& redirects) {
    for (const Redirect& old : redirects) {
      if (!old.virtual_path.empty()) old_names_.insert(virtual_key(old.virtual_path));
    }
  }

  // From here on, parts must keep their addresses, because owners point to them.
  void look_at_parts(Asset& asset) {
    std::map<Uuid, const SubAsset*> before;
    if (asset.before != nullptr) {
      for (const SubAsset& part : asset.before->sub_assets) before.emplace(part.uuid, &part);
    }
    asset.next.sub_assets = std::move(asset.parts.sub_assets);
    const std::string& now = asset.wanted.empty() ? asset.next.virtual_path : asset.wanted;
    for (std::size_t i = 0; i < asset.next.sub_assets.size(); ++i) {
      const SubAsset& part = asset.next.sub_assets[i];
      asset.parts_change.push_back(!part.is_absent && follows(part, asset.parts.known_names[i], asset.called, now));
      std::vector<std::string>& called = asset.parts_called.emplace_back();
      if (part.virtual_path.empty()) continue;
      called.push_back(part.virtual_path);
      const auto old = before.find(part.uuid);
      if (old != before.end() && was_edited(part, *old->second)) called.push_back(old->second->virtual_path);
    }
  }

  // Claims a virtual path that no other asset has and that does not redirect to another asset.
  bool claim(const std::string& path, const Owner& owner) {
    const std::string key = virtual_key(path);
    const bool led_to_it =
        std::ranges::any_of(owner.part != nullptr ? owner.part->redirects : owner.asset->next.redirects,
                            [&](const Redirect& r) { return virtual_key(r.virtual_path) == key; });
    if (old_names_.contains(key) && !led_to_it) return false;
    return owners_.emplace(key, owner).second;
  }

  ClaimPath claim_for(const Asset& asset) {
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
    out_.errors.push_back({ErrorCode::kConflict, asset.source->path + std::string(kMetaSuffix), "/VirtualPath",
                           "\"" + asset.wanted + "\" is also the virtual path of " +
                               (other != owners_.end() ? other->second.name() : "an asset that had it before"),
                           "give one of them another virtual path"});
  }

  // Renames assets that moved, and parts whose container or name changed.
  void change_names() {
    for (Asset& asset : assets_) {
      if (!asset.wanted.empty() && !asset.is_new()) take_wanted(asset, false);
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
  void give_names() {
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
          out_.errors.push_back({ErrorCode::kConflict, asset.source->path + std::string(kMetaSuffix),
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

  void report() {
    for (Asset& asset : assets_) {
      const std::string meta_path = asset.source->path + std::string(kMetaSuffix);
      const bool is_as_written = asset.meta != nullptr && asset.meta->path == meta_path &&
                                 (asset.is_left_alone || are_as_written(asset.next, asset.meta->meta));
      if (!is_as_written)
        out_.writes.push_back(
            {meta_path, asset.meta == nullptr ? std::string() : asset.meta->path, out_.assets.size()});
      if (!is_as_written || !asset.paths.empty()) {
        out_.changes.push_back({asset.kind, asset.source->path, std::move(asset.from), asset.next.uuid,
                                std::move(asset.parts.changes), std::move(asset.paths)});
      }
      if (std::ranges::any_of(asset.next.sub_assets, &SubAsset::is_absent)) out_.lacking.push_back(out_.assets.size());
      out_.assets.push_back(std::move(asset.next));
    }
    for (const FoundMeta* meta : lone_) {
      out_.orphans.push_back(meta->path);
      out_.changes.push_back({Kind::kOrphaned, meta->path, {}, meta->meta.uuid, {}});
    }
    std::sort(out_.changes.begin(), out_.changes.end(), [](auto& a, auto& b) { return a.path < b.path; });
  }

  ReconcileInput in_;
  Reconciled out_;
  std::vector<Asset> assets_;
  std::vector<const FoundMeta*> lone_;             // .meta files without a source
  std::unordered_set<Uuid> held_;                  // UUIDs that a .meta has, or that were restored
  std::unordered_map<std::string, Owner> owners_;  // owners of virtual paths, by virtual_key()
  std::unordered_set<std::string> old_names_;      // keys of virtual paths that redirect to a former owner
};

}  // namespace

Reconciled reconcile(ReconcileInput input) { return Reconciler(std::move(input)).run(); }

}  // namespace assetc::identity
