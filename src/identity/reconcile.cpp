#include "identity/reconcile.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "identity/virtual_path.hpp"

namespace assetc::identity {
namespace {

using Kind = IdentityChange::Kind;

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// A UUID for what a moved asset was called: that of the name in the asset's own, so that it is no asset's.
Uuid alias_of(const Uuid& asset, std::string_view old_virtual_path) {
  const std::string key = virtual_key(old_virtual_path);
  return Uuid::from_name(asset, as_bytes(key));
}

void add_redirect(Meta& meta, Redirect redirect) {
  std::erase_if(meta.redirects,
                [&](const Redirect& r) { return virtual_key(r.virtual_path) == virtual_key(redirect.virtual_path); });
  meta.redirects.push_back(std::move(redirect));
}

struct Asset {
  const FoundSource* source = nullptr;
  const FoundMeta* meta = nullptr;  // none of a new one
  Meta next;
  Kind kind = Kind::kUpdated;
  std::string from;
  std::vector<SubAssetChange> sub_assets;
  bool automatic_path = false;  // no person chose its virtual path
};

class Reconciler {
 public:
  explicit Reconciler(ReconcileInput input) : in_(std::move(input)) {}

  Reconciled run() {
    std::sort(in_.sources.begin(), in_.sources.end(), [](auto& a, auto& b) { return a.path < b.path; });
    std::sort(in_.metas.begin(), in_.metas.end(), [](auto& a, auto& b) { return a.path < b.path; });
    pair();
    find_moved_alone();
    tell_copies_apart();
    for (Asset& asset : assets_) bring_up_to_date(asset);
    name_without_collisions();
    report();
    return std::move(out_);
  }

 private:
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
        asset.next = asset.meta->file.meta();
        metas.erase(at);
      }
    }
    for (const FoundMeta& meta : in_.metas) {
      if (metas.contains(meta.path)) lone_.push_back(&meta);
    }
  }

  // A source without a .meta whose content is that of a .meta without a source is that source, elsewhere. Of several,
  // those of the same file name go first, then by path.
  void find_moved_alone() {
    if (lone_.empty() || !in_.content) return;
    std::unordered_map<std::string_view, ContentHash> remembered;
    for (const Remembered& r : in_.remembered) remembered.emplace(r.path, r.content);
    std::map<ContentHash, std::vector<const FoundMeta*>> wanted;
    for (const FoundMeta* meta : lone_) {
      const std::string_view path = std::string_view(meta->path).substr(0, meta->path.size() - kMetaSuffix.size());
      if (const auto at = remembered.find(path); at != remembered.end()) wanted[at->second].push_back(meta);
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
    asset.next = meta.file.meta();
    asset.kind = Kind::kFound;
    asset.from = meta.path.substr(0, meta.path.size() - kMetaSuffix.size());
    std::erase(lone_, &meta);
    out_.removals.push_back(meta.path);
  }

  void tell_copies_apart() {
    std::map<Uuid, std::vector<Asset*>> by_uuid;
    for (Asset& asset : assets_) {
      if (asset.meta != nullptr) by_uuid[asset.next.uuid].push_back(&asset);
    }
    for (auto& [uuid, sharers] : by_uuid) {
      if (sharers.size() < 2) continue;
      // In order of paths already; at most one stands where its SourcePath says.
      const auto at_home = std::find_if(sharers.begin(), sharers.end(),
                                        [](const Asset* a) { return a->next.source_path == a->source->path; });
      Asset* const original = at_home == sharers.end() ? sharers.front() : *at_home;
      for (Asset* copy : sharers) {
        if (copy == original) continue;
        const Redirect old{copy->next.uuid, copy->next.virtual_path};
        copy->kind = Kind::kCopied;
        copy->from = original->source->path;
        copy->next.uuid = in_.new_uuid();
        copy->next.redirects.clear();
        copy->next.sub_assets.clear();
        copy->automatic_path = true;
        add_redirect(copy->next, old);
      }
    }
  }

  void bring_up_to_date(Asset& asset) {
    const FoundSource& source = *asset.source;
    const Result<std::string> path = virtual_path_of(source.path, source.suffix);
    if (!path) {
      Error error = path.error();
      out_.errors.push_back(std::move(error).in(source.path));
      asset.source = nullptr;
      return;
    }
    Meta& next = asset.next;
    if (asset.meta == nullptr) {
      asset.kind = Kind::kCreated;
      next.uuid = in_.new_uuid();
      next.type = source.type;
      asset.automatic_path = true;
    } else if (asset.kind != Kind::kCopied && next.source_path != source.path) {
      if (asset.kind == Kind::kUpdated) {
        asset.kind = Kind::kMoved;
        asset.from = next.source_path;
      }
      // Where the old path made the virtual path, the new one does.
      const Result<std::string> before = virtual_path_of(next.source_path, source.suffix);
      asset.automatic_path = before && virtual_key(*before) == virtual_key(next.virtual_path);
    }
    if (asset.automatic_path && next.virtual_path != *path) {
      if (asset.kind == Kind::kMoved || asset.kind == Kind::kFound) {
        add_redirect(next, {alias_of(next.uuid, next.virtual_path), next.virtual_path});
      }
      next.virtual_path = *path;
    }
    next.source_path = source.path;
    next.importer = source.importer;
    next.importer_version = source.importer_version;
    next.source_dependencies = source.source_dependencies;
  }

  // New assets of one folder that differ in their suffix only ("Wood.png", "Wood.mat") are told apart by it; what else
  // shares a path is for a person to decide.
  void name_without_collisions() {
    std::unordered_map<std::string, std::vector<Asset*>> by_path;
    for (Asset& asset : assets_) {
      if (asset.source != nullptr) by_path[virtual_key(asset.next.virtual_path)].push_back(&asset);
    }
    for (Asset& asset : assets_) {
      if (asset.source == nullptr || !asset.automatic_path) continue;
      const std::string key = virtual_key(asset.next.virtual_path);
      std::vector<Asset*>& sharers = by_path[key];
      if (sharers.size() < 2) continue;
      std::string_view suffix = asset.source->suffix;
      if (suffix.starts_with('.')) suffix.remove_prefix(1);
      const std::string longer = asset.next.virtual_path + "_" + virtual_name(suffix);
      if (by_path.contains(virtual_key(longer)) || !check_virtual_path(longer)) continue;
      std::erase(sharers, &asset);
      asset.next.virtual_path = longer;
      by_path[virtual_key(longer)].push_back(&asset);
    }
    for (Asset& asset : assets_) {
      if (asset.source == nullptr) continue;
      std::erase_if(asset.next.redirects, [&](const Redirect& r) {
        return virtual_key(r.virtual_path) == virtual_key(asset.next.virtual_path);
      });
      SubAssetMatch match =
          match_sub_assets(asset.next.uuid, asset.next.virtual_path, asset.next.sub_assets, asset.source->sub_assets);
      asset.next.sub_assets = std::move(match.sub_assets);
      asset.sub_assets = std::move(match.changes);
    }
    std::map<std::string, std::pair<std::string, std::string>> owners;  // key: the path as it is spelled, and whose
    for (const Asset& asset : assets_) {
      if (asset.source == nullptr) continue;
      const auto claim = [&](const std::string& virtual_path, const std::string& who) {
        const auto [at, is_new] = owners.emplace(virtual_key(virtual_path), std::pair{virtual_path, who});
        if (is_new) return;
        Error error{ErrorCode::kConflict, asset.source->path + std::string(kMetaSuffix), "/VirtualPath",
                    "\"" + virtual_path + "\" is also that of " + at->second.second +
                        (at->second.first == virtual_path ? "" : ", but for case: \"" + at->second.first + "\""),
                    "give one of them another"};
        out_.errors.push_back(std::move(error));
      };
      claim(asset.next.virtual_path, asset.source->path);
      for (const SubAsset& sub : asset.next.sub_assets) {
        claim(sub.virtual_path, sub.type + " \"" + sub.name + "\" of " + asset.source->path);
      }
    }
  }

  void report() {
    for (Asset& asset : assets_) {
      if (asset.source == nullptr) continue;
      if (asset.source == nullptr) continue;
      const std::string meta_path = asset.source->path + std::string(kMetaSuffix);
      const MetaFile file = asset.meta == nullptr ? MetaFile::create(asset.next) : asset.meta->file.with(asset.next);
      const bool elsewhere = asset.meta == nullptr || asset.meta->path != meta_path;
      if (elsewhere || file.text() != asset.meta->file.text()) {
        out_.writes.push_back({meta_path, file.text()});
        out_.changes.push_back(
            {asset.kind, asset.source->path, std::move(asset.from), asset.next.uuid, std::move(asset.sub_assets)});
      }
      out_.assets.push_back(std::move(asset.next));
    }
    for (const FoundMeta* meta : lone_) {
      out_.orphans.push_back(meta->path);
      out_.changes.push_back({Kind::kOrphaned, meta->path, {}, meta->file.meta().uuid, {}});
    }
    std::sort(out_.changes.begin(), out_.changes.end(), [](auto& a, auto& b) { return a.path < b.path; });
  }

  ReconcileInput in_;
  Reconciled out_;
  std::vector<Asset> assets_;
  std::vector<const FoundMeta*> lone_;  // without their sources
};

}  // namespace

Reconciled reconcile(ReconcileInput input) { return Reconciler(std::move(input)).run(); }

}  // namespace assetc::identity
