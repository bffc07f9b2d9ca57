#include "engine/meta/import.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <unordered_map>
#include <unordered_set>

#include "engine/config/platforms.hpp"
#include "engine/meta/import_settings.hpp"
#include "engine/meta/importers.hpp"
#include "engine/plan/discover.hpp"
#include "identity/virtual_path.hpp"

namespace assetc::engine {
namespace {

using identity::FoundMeta;
using identity::FoundSource;
using identity::kMetaSuffix;
using identity::MetaFile;
using identity::Remembered;

std::string joined(const std::string& root, std::string_view path) { return root + "/" + std::string(path); }

std::string spelled(const FileSignature& s) {
  return std::to_string(s.size_bytes) + " " + std::to_string(s.mtime_ns) + " " + std::to_string(s.ctime_ns) + " " +
         std::to_string(s.inode);
}

Uuid random_uuid() {
  static thread_local std::random_device device;
  std::array<std::uint8_t, 16> bytes;
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    const std::uint32_t word = device();
    std::memcpy(bytes.data() + i, &word, 4);
  }
  return Uuid::from_random(bytes);
}

class Import {
 public:
  Import(const ImportOptions& options, Disk& disk) : options_(options), disk_(disk) {}

  Result<ImportReport> run() {
    const Disk::Skip skip = [](std::string_view path, bool directory) {
      const std::string_view name = path.substr(path.rfind('/') + 1);
      return identity::leads_to_assets(path, directory) && !name.starts_with('.') ? Visit::kTake : Visit::kLeaveOut;
    };
    ASSETC_TRY(tree_, disk_.walk(options_.root, skip, tbb::this_task_arena::max_concurrency()));
    if (auto whole = tree_.whole(options_.root); !whole) report_.errors.push_back(std::move(whole).error());
    for (std::size_t i = 0; i < tree_.size(); ++i) entry_of_.emplace(tree_.path(i), i);
    ASSETC_TRY(const Config pipeline, load_pipeline(disk_, options_.root));
    const std::string cache_path = build_root_of(pipeline) + "/" + std::string(kRememberedPath);
    if (const Result<Bytes> cache = disk_.read(cache_path)) {
      for (Remembered& one : identity::parse_remembered(as_text(*cache))) {
        const std::string path = one.path;
        remembered_.emplace(path, std::move(one));
      }
    }
    find_sources();
    read_metas();

    identity::ReconcileInput input;
    for (const auto& [path, one] : remembered_) input.remembered.push_back(one);
    input.sources = std::move(found_);
    input.metas = std::move(metas_);
    input.unreadable_metas = std::move(unreadable_metas_);
    input.content = [&](const std::string& path) -> std::optional<ContentHash> {
      const auto at = seen_.find(path);
      if (at == seen_.end()) return std::nullopt;
      return at->second->content;
    };
    input.new_uuid = random_uuid;
    identity::Reconciled reconciled = reconcile(std::move(input));
    for (Error& error : reconciled.errors) report_.errors.push_back(std::move(error));
    report_.changes = std::move(reconciled.changes);
    for (const identity::Meta& meta : reconciled.assets) {
      if (auto fine = import_settings(meta); !fine) report_.errors.push_back(std::move(fine.error()));
    }
    report_.assets = std::move(reconciled.assets);
    if (!options_.check) write(reconciled, cache_path);
    std::ranges::stable_sort(report_.errors, {}, &Error::file);
    return std::move(report_);
  }

 private:
  // Reads what changed since the cache; the importer of a model says what is in it.
  void find_sources() {
    const auto recipes = recipes::cooked_recipes();
    const Sources sources = discover(tree_, recipes);
    struct Slot {
      FoundSource source;
      Remembered seen;
      std::vector<Error> errors;
      bool failed = false;
    };
    std::vector<Slot> slots(sources.claimed.size());
    tbb::parallel_for(std::size_t{0}, slots.size(), [&](std::size_t i) {
      const Source& claimed = sources.claimed[i];
      const recipes::Recipe& recipe = *recipes[claimed.recipe];
      const Importer& importer = importer_of(recipe.name);
      const recipes::Claim& claim = recipe.claims[claimed.claim];
      Slot& slot = slots[i];
      slot.source.path = tree_.path(claimed.entry);
      slot.source.suffix = slot.source.path.substr(slot.source.path.size() - claim.suffix.size());
      slot.source.type = importer.type;
      slot.source.importer = importer.name;
      slot.source.importer_version = importer.version;
      slot.seen.path = slot.source.path;
      if (claim.directory) return;
      slot.failed = !look(claimed.entry, importer, slot.source, slot.seen, slot.errors);
    });
    seen_list_.reserve(slots.size());
    for (Slot& slot : slots) {
      for (Error& error : slot.errors) report_.errors.push_back(std::move(error));
      claimed_.insert(slot.source.path);
      if (slot.failed) {
        failed_.insert(std::move(slot.source.path));
        continue;
      }
      ++report_.sources;
      report_.sub_assets += slot.source.sub_assets.size();
      found_.push_back(std::move(slot.source));
      seen_list_.push_back(std::move(slot.seen));
    }
    for (const Remembered& one : seen_list_) seen_.emplace(one.path, &one);
  }

  // The signatures of files, so that a change of any of them shows.
  std::string signatures_of(const std::vector<std::string>& paths) {
    ContentHasher hasher;
    for (const std::string& path : paths) {
      const auto at = entry_of_.find(path);
      hasher.add(path).add(at == entry_of_.end() ? std::string() : spelled(tree_[at->second].signature));
    }
    return hasher.finish().hex();
  }

  bool look(std::size_t entry, const Importer& importer, FoundSource& source, Remembered& seen,
            std::vector<Error>& errors) {
    seen.signature = spelled(tree_[entry].signature);
    if (const auto at = remembered_.find(source.path);
        at != remembered_.end() && at->second.signature == seen.signature &&
        at->second.dependency_signature == signatures_of(at->second.source_dependencies)) {
      seen = at->second;
      source.source_dependencies = seen.source_dependencies;
      source.sub_assets = seen.sub_assets;
      return true;
    }
    Result<Bytes> bytes = disk_.read(joined(options_.root, source.path));
    if (!bytes) return errors.push_back(std::move(bytes.error()).in(source.path)), false;
    seen.content = content_hash(*bytes);
    if (importer.look != nullptr) {
      auto content = importer.look(source.path, *bytes,
                                   [&](std::string_view path) { return disk_.read(joined(options_.root, path)); });
      if (!content) return errors.push_back(std::move(content.error()).in(source.path)), false;
      source.source_dependencies = std::move(content->source_dependencies);
      source.sub_assets = std::move(content->sub_assets);
    }
    seen.source_dependencies = source.source_dependencies;
    seen.dependency_signature = signatures_of(seen.source_dependencies);
    seen.sub_assets = source.sub_assets;
    return true;
  }

  void read_metas() {
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      const std::string_view path = tree_.path(i);
      if (tree_[i].type != FileType::kFile || !path.ends_with(kMetaSuffix)) continue;
      const std::string owner(path.substr(0, path.size() - kMetaSuffix.size()));
      // That of a file that no recipe takes is somebody else's.
      if (entry_of_.contains(owner) && !claimed_.contains(owner)) continue;
      if (!failed_.contains(owner)) paths.emplace_back(path);  // else kept for when the source is mended
    }
    std::vector<std::optional<Result<MetaFile>>> files(paths.size());
    tbb::parallel_for(std::size_t{0}, paths.size(), [&](std::size_t i) {
      const Result<Bytes> bytes = disk_.read(joined(options_.root, paths[i]));
      files[i] = bytes ? MetaFile::parse(std::string(as_text(*bytes))) : std::unexpected(bytes.error());
    });
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (*files[i]) {
        metas_.push_back({std::move(paths[i]), std::move(**files[i])});
      } else {
        report_.errors.push_back(std::move(files[i]->error()).in(paths[i]));
        unreadable_metas_.push_back(std::move(paths[i]));
      }
    }
  }

  void write(const identity::Reconciled& reconciled, const std::string& cache_path) {
    const auto done = [&](const Result<void>& result, const std::string& path) {
      if (!result) report_.errors.push_back(Error(result.error()).in(path));
      return result.has_value();
    };
    std::vector<Result<FileSignature>> written(reconciled.writes.size());
    tbb::parallel_for(std::size_t{0}, written.size(), [&](std::size_t i) {
      const identity::MetaWrite& write = reconciled.writes[i];
      written[i] = disk_.publish(joined(options_.root, write.path), as_bytes(write.text));
    });
    bool all_written = true;
    for (std::size_t i = 0; i < written.size(); ++i) {
      if (written[i]) continue;
      report_.errors.push_back(std::move(written[i].error()).in(reconciled.writes[i].path));
      all_written = false;
    }
    // The .meta is beside its source by now, so the old one may go; where that failed, it is what is left.
    if (all_written) {
      for (const std::string& path : reconciled.removals) done(disk_.remove(joined(options_.root, path)), path);
    }
    if (options_.prune) {
      for (const std::string& path : reconciled.orphans) {
        if (done(disk_.remove(joined(options_.root, path)), path)) report_.pruned.push_back(path);
      }
    }
    // What is gone may come back elsewhere.
    for (const std::string& path : reconciled.orphans) {
      const auto at = remembered_.find(path.substr(0, path.size() - kMetaSuffix.size()));
      if (!options_.prune && at != remembered_.end()) seen_list_.push_back(at->second);
    }
    const std::string text = identity::write_remembered(seen_list_);
    const Result<FileSignature> cached = disk_.publish(cache_path, as_bytes(text));
    done(cached ? Result<void>() : std::unexpected(cached.error()), cache_path);
  }

  const ImportOptions& options_;
  Disk& disk_;
  Tree tree_;
  std::unordered_map<std::string_view, std::size_t> entry_of_;
  std::unordered_map<std::string, Remembered> remembered_;
  std::vector<FoundSource> found_;
  std::vector<Remembered> seen_list_;
  std::unordered_map<std::string, const Remembered*> seen_;
  std::unordered_set<std::string> claimed_;
  std::unordered_set<std::string> failed_;
  std::vector<FoundMeta> metas_;
  std::vector<std::string> unreadable_metas_;
  ImportReport report_;
};

}  // namespace

Result<ImportReport> import_assets(const ImportOptions& options, Disk& disk) {
  tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
  return arena.execute([&] { return Import(options, disk).run(); });
}

}  // namespace assetc::engine
