#include "identity/reconcile.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/plural.hpp"
#include "identity/asset.hpp"
#include "identity/naming.hpp"
#include "identity/unicode.hpp"
#include "identity/virtual_path.hpp"

namespace assetc::identity {
namespace {

using Kind = IdentityChange::Kind;

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

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

class Reconciler {
 public:
  explicit Reconciler(ReconcileInput input) : in_(std::move(input)) {}

  Reconciled run() {
    std::sort(in_.sources.begin(), in_.sources.end(), [](auto& a, auto& b) { return a.path < b.path; });
    std::sort(in_.metas.begin(), in_.metas.end(), [](auto& a, auto& b) { return a.path < b.path; });
    for (FoundMeta& meta : in_.metas) meta.meta.is_beside = meta.path.ends_with(kMetaBesideSuffix);
    tell_twins();
    pair();
    tell_metas_apart();
    find_moved_alone();
    restore_lost();
    tell_copies_apart();
    for (Asset& asset : assets_) bring_up_to_date(asset);
    std::erase_if(assets_, [](const Asset& asset) { return asset.source == nullptr; });
    give_names(assets_, out_.errors);
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
    std::unordered_map<std::string_view, const FoundMeta*> second;  // X.meta beside X.assetc
    for (const FoundMeta& meta : in_.metas) {
      const std::string_view owner = owner_of_meta(meta.path);
      if (!metas.emplace(owner, &meta).second) second.emplace(owner, &meta);
    }
    std::unordered_set<std::string_view> unreadable;
    for (const std::string& path : in_.unreadable_metas) unreadable.insert(owner_of_meta(path));
    for (const FoundSource& source : in_.sources) {
      const auto at = metas.find(source.path);
      const FoundMeta* const meta = at == metas.end() ? nullptr : at->second;
      if (meta != nullptr) metas.erase(at);
      if (unreadable.contains(source.path)) continue;
      if (const auto other = second.find(source.path); other != second.end()) {
        out_.errors.push_back({ErrorCode::kConflict,
                               meta->path,
                               {},
                               "is beside " + other->second->path + ", and both give " + source.path + " a UUID",
                               "delete one of the two: keep the one whose UUID other files refer to"});
        continue;
      }
      Asset& asset = assets_.emplace_back();
      asset.source = &source;
      asset.next.is_beside = source.is_beside;
      if (meta == nullptr) continue;
      asset.meta = meta;
      asset.next = meta->meta;
      if (asset.next.source_path.empty()) asset.next.source_path = source.path;
    }
    for (const FoundMeta& meta : in_.metas) {
      if (metas.contains(owner_of_meta(meta.path))) lone_.push_back(&meta);
    }
  }

  // A source without a .meta beside a .meta that differs in letter case or normalization alone: on the machine where
  // they were made, the two belong together. A new UUID would be wrong, and a repair would be another file on that
  // machine.
  void tell_metas_apart() {
    if (lone_.empty()) return;
    std::unordered_map<std::string, const FoundMeta*> lone;
    for (const FoundMeta* const meta : lone_) lone.emplace(file_key(owner_of_meta(meta->path)), meta);
    std::erase_if(assets_, [&](const Asset& asset) {
      if (asset.meta != nullptr) return false;
      const auto at = lone.find(file_key(asset.source->path));
      if (at == lone.end()) return false;
      std::erase(lone_, at->second);
      out_.errors.push_back({ErrorCode::kConflict,
                             at->second->path,
                             {},
                             "differs from " + asset.source->path +
                                 std::string(at->second->meta.is_beside ? kMetaBesideSuffix : kMetaSuffix) +
                                 " in letter case or Unicode normalization alone",
                             "rename it, so that " + asset.source->path + " has its UUID on every system"});
      return true;
    });
  }

  // If a source without a .meta has the content that the source of a .meta without a source had, the source has moved.
  // Among several candidates, pairs with the same file name come first, then the order of paths decides.
  void find_moved_alone() {
    if (lone_.empty() || !in_.content || !in_.old_content) return;
    std::map<ContentHash, std::vector<const FoundMeta*>> wanted;
    for (const FoundMeta* meta : lone_) {
      if (const auto content = in_.old_content(std::string(owner_of_meta(meta->path))))
        wanted[*content].push_back(meta);
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
            return !by_name || file_name(owner_of_meta(meta->path)) == file_name(asset->source->path);
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
    asset.from = owner_of_meta(meta.path);
    std::erase(lone_, &meta);
    out_.removals.push_back(meta.path);
  }

  // A source that has lost its .meta gets its remembered identity again. The memory of this machine only proposes: what
  // a .meta says wins.
  void restore_lost() {
    for (Asset& asset : assets_) {
      if (asset.meta == nullptr) restore(asset);
    }
  }
  bool restore(Asset& asset) {
    const Meta* const before = in_.remembered_at ? in_.remembered_at(asset.source->path) : nullptr;
    if (before == nullptr || !held().insert(before->uuid).second) return false;
    asset.next = *before;
    asset.kind = Kind::kRestored;
    const auto keep_free = [this](std::vector<Redirect>& redirects) {
      std::erase_if(redirects, [this](const Redirect& old) {
        return held_.contains(old.uuid) || held_paths_.contains(virtual_key(old.virtual_path));
      });
    };
    keep_free(asset.next.redirects);
    for (SubAsset& part : asset.next.sub_assets) keep_free(part.redirects);
    return true;
  }

  // All UUIDs that a .meta has, now or from before, and those that were restored.
  std::unordered_set<Uuid>& held() {
    const auto hold = [this](const Uuid& uuid, const std::string& path, const std::vector<Redirect>& redirects) {
      held_.insert(uuid);
      held_paths_.insert(virtual_key(path));
      for (const Redirect& old : redirects) {
        held_.insert(old.uuid);
        if (!old.virtual_path.empty()) held_paths_.insert(virtual_key(old.virtual_path));
      }
    };
    if (!held_.empty()) return held_;
    for (const FoundMeta& meta : in_.metas) {
      hold(meta.meta.uuid, meta.meta.virtual_path, meta.meta.redirects);
      for (const SubAsset& part : meta.meta.sub_assets) hold(part.uuid, part.virtual_path, part.redirects);
    }
    return held_;
  }

  Uuid new_uuid_of(const FoundSource& source) {
    const bool is_free = source.wanted_uuid && held().insert(*source.wanted_uuid).second;
    return is_free ? *source.wanted_uuid : in_.new_uuid();
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
        copy->next.uuid = new_uuid_of(*copy->source);
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
    const bool is_in_place = asset.meta != nullptr && owner_of_meta(asset.meta->path) == source.path;
    next.is_beside = is_in_place ? asset.meta->meta.is_beside : source.is_beside;
    if (asset.meta == nullptr && asset.kind != Kind::kRestored) {
      asset.kind = Kind::kCreated;
      next.uuid = new_uuid_of(source);
      next.type = source.type;
    } else if (asset.kind != Kind::kCopied) {
      asset.called.push_back(next.virtual_path);
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
    find_edits(asset);
  }

  // A person who edits a virtual path or a UUID gets a redirect from the old one. Only this machine's memory knows the
  // old one. So a person must have started this import, too, and no checkout may have made the change.
  void find_edits(Asset& asset) {
    if (asset.meta == nullptr || asset.kind == Kind::kCopied) return;
    struct Edit {
      std::string member, from, to;
      std::function<void()> redirect;
    };
    std::vector<Edit> edits;
    const auto compare = [&](const auto& now, const auto& before, std::vector<std::string>& called,
                             std::vector<Redirect>& redirects) {
      if (was_edited(now, before)) {
        edits.push_back({"VirtualPath", before.virtual_path, now.virtual_path,
                         [&called, &before] { called.push_back(before.virtual_path); }});
      }
      if (now.uuid != before.uuid && !held().contains(before.uuid)) {
        edits.push_back({"Uuid", before.uuid.to_string(), now.uuid.to_string(),
                         [&redirects, &before] { redirects.push_back({before.uuid, {}}); }});
      }
    };
    const Meta& written = asset.meta->meta;
    const Meta* const before = last_state_of(written, asset.source->path);
    if (before == nullptr || written == *before) return;
    compare(written, *before, asset.called, asset.next.redirects);
    std::map<Uuid, const SubAsset*> by_uuid;
    std::map<std::pair<std::string_view, std::string_view>, const SubAsset*> by_name;
    for (const SubAsset& part : before->sub_assets) {
      by_uuid.emplace(part.uuid, &part);
      by_name.emplace(std::pair(std::string_view(part.type), std::string_view(part.name)), &part);
    }
    asset.parts_called.resize(asset.parts.sub_assets.size());
    for (std::size_t i = 0; i < asset.parts.sub_assets.size(); ++i) {
      SubAsset& part = asset.parts.sub_assets[i];
      const std::string& known_name = asset.parts.known_names[i];
      if (known_name.empty()) continue;
      const SubAsset* old = nullptr;
      if (const auto at = by_uuid.find(part.uuid); at != by_uuid.end()) {
        old = at->second;
      } else if (const auto named = by_name.find({part.type, known_name}); named != by_name.end()) {
        old = named->second;
      }
      if (old != nullptr) compare(part, *old, asset.parts_called[i], part.redirects);
    }
    if (edits.empty()) return;
    const bool is_of_checkout = in_.is_of_checkout && in_.is_of_checkout(asset.meta->path);
    for (Edit& edit : edits) {
      if (in_.by_hand && !is_of_checkout) {
        edit.redirect();
      } else if (in_.by_hand || !is_of_checkout) {
        out_.unredirected.push_back({asset.source->path, asset.meta->path, std::move(edit.member), std::move(edit.from),
                                     std::move(edit.to), is_of_checkout});
      }
    }
  }

  // Checks the statements of a .meta about its source against the source.
  bool check_written(Asset& asset) {
    const FoundSource& source = *asset.source;
    Meta& next = asset.next;
    if (asset.is_new()) next.type = source.type;
    const auto refuse = [&](const char* place, std::string what, std::string hint) {
      out_.errors.push_back({ErrorCode::kConflict, asset.meta_path(), place, std::move(what), std::move(hint)});
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
  const Meta* last_state_of(const Meta& meta, const std::string& path) const {
    const Meta* const before = remembered(meta.uuid);
    if (before != nullptr) return before->source_path == meta.source_path ? before : nullptr;
    const Meta* const here = in_.remembered_at ? in_.remembered_at(path) : nullptr;
    return here != nullptr && meta.source_path == path && here->source_path == path ? here : nullptr;
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

  void report() {
    for (Asset& asset : assets_) {
      const std::string meta_path = asset.meta_path();
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
  std::vector<const FoundMeta*> lone_;          // .meta files without a source
  std::unordered_set<Uuid> held_;               // see held()
  std::unordered_set<std::string> held_paths_;  // the same for keys of virtual paths
};

}  // namespace

Reconciled reconcile(ReconcileInput input) { return Reconciler(std::move(input)).run(); }

}  // namespace assetc::identity
