#include "identity/reconcile.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "crypto/sha.hpp"
#include "identity/virtual_path.hpp"

namespace assetc::identity {
namespace {

using Kind = IdentityChange::Kind;

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// A UUID for what a moved asset was called: that of the name in the asset's own, so that it is no asset's.
Uuid alias_of(const Uuid& asset, std::string_view old_virtual_path) {
  const std::string key = virtual_key(old_virtual_path);
  return crypto::uuid_of_name(asset, as_bytes(key));
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
        asset.next = asset.meta->meta;
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
    std::unordered_map<std::string, std::size_t> by_path;
    for (const Asset& asset : assets_) {
      if (asset.source != nullptr) ++by_path[virtual_key(asset.next.virtual_path)];
    }
    for (Asset& asset : assets_) {
      if (asset.source == nullptr || !asset.automatic_path) continue;
      const std::string key = virtual_key(asset.next.virtual_path);
      std::size_t& sharers = by_path[key];
      if (sharers < 2) continue;
      std::string_view suffix = asset.source->suffix;
      if (suffix.starts_with('.')) suffix.remove_prefix(1);
      const std::string longer = asset.next.virtual_path + "_" + virtual_name(suffix);
      if (by_path.contains(virtual_key(longer)) || !check_virtual_path(longer)) continue;
      --sharers;
      asset.next.virtual_path = longer;
      by_path.emplace(virtual_key(longer), 1);
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
    struct Owner {
      const Asset* asset;
      const SubAsset* sub;  // null: the asset itself
      const std::string& path() const { return sub != nullptr ? sub->virtual_path : asset->next.virtual_path; }
      std::string name() const {
        return (sub != nullptr ? sub->type + " \"" + sub->name + "\" of " : std::string()) + asset->source->path;
      }
    };
    std::unordered_map<std::string, Owner> owners;
    owners.reserve(assets_.size());
    const auto claim = [&](const Owner& owner) {
      const auto [at, is_new] = owners.emplace(virtual_key(owner.path()), owner);
      if (is_new) return;
      const std::string& first = at->second.path();
      Error error{ErrorCode::kConflict, owner.asset->source->path + std::string(kMetaSuffix), "/VirtualPath",
                  "\"" + owner.path() + "\" is also that of " + at->second.name() +
                      (first == owner.path() ? "" : ", but for case: \"" + first + "\""),
                  "give one of them another"};
      out_.errors.push_back(std::move(error));
    };
    for (const Asset& asset : assets_) {
      if (asset.source == nullptr) continue;
      claim({&asset, nullptr});
      for (const SubAsset& sub : asset.next.sub_assets) claim({&asset, &sub});
    }
  }

  void report() {
    for (Asset& asset : assets_) {
      if (asset.source == nullptr) continue;
      const std::string meta_path = asset.source->path + std::string(kMetaSuffix);
      if (asset.meta == nullptr || asset.meta->path != meta_path || asset.next != asset.meta->meta) {
        out_.writes.push_back(
            {meta_path, asset.meta == nullptr ? std::string() : asset.meta->path, out_.assets.size()});
        out_.changes.push_back(
            {asset.kind, asset.source->path, std::move(asset.from), asset.next.uuid, std::move(asset.sub_assets)});
      }
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
  std::vector<const FoundMeta*> lone_;  // without their sources
};

}  // namespace

Reconciled reconcile(ReconcileInput input) { return Reconciler(std::move(input)).run(); }

}  // namespace assetc::identity
