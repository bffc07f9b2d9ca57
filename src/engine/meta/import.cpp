#include "engine/meta/import.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "engine/config/platforms.hpp"
#include "engine/disk/path_index.hpp"
#include "engine/meta/import_mark.hpp"
#include "engine/meta/importers.hpp"
#include "engine/meta/in_root.hpp"
#include "engine/meta/meta_notes.hpp"
#include "engine/meta/meta_writer.hpp"
#include "engine/meta/settling.hpp"
#include "engine/plan/discover.hpp"
#include "engine/plan/left_out.hpp"
#include "engine/target/import_settings.hpp"
#include "filetypes/filetypes.hpp"
#include "formats/message.hpp"
#include "formats/text.hpp"
#include "identity/remembered.hpp"
#include "identity/virtual_path.hpp"
#include "import/engines/beside.hpp"
#include "parallel/parallel.hpp"

namespace assetc::engine {
namespace {

using identity::FoundMeta;
using identity::FoundSource;
using identity::kMetaBesideSuffix;
using identity::MetaFile;
using identity::Remembered;

Uuid random_uuid() {
  static thread_local std::random_device device;
  std::array<std::uint8_t, 16> bytes;
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    const std::uint32_t word = device();
    std::memcpy(&bytes[i], &word, 4);
  }
  return Uuid::from_random(bytes);
}

class Import {
 public:
  // known: what take_known() of an earlier attempt returned.
  Import(const ImportOptions& options, Disk& disk, Settling& settling, std::vector<Remembered> known)
      : options_(options),
        disk_(disk),
        settling_(settling),
        known_(std::move(known)),
        environment_(import_environment()) {}

  // The files changed before this import wrote anything: it must be made again, with what it knows by now.
  bool must_look_again() const { return must_look_again_; }
  std::vector<Remembered> take_known() {
    std::vector<Remembered> known;
    for (Slot& slot : slots_) {
      if (!slot.failed) known.push_back(std::move(slot.seen));
    }
    return known;
  }

  Result<ImportReport> run() {
    ASSETC_TRY(const Config pipeline, load_pipeline(disk_, options_.root));
    if (!options_.platform.empty()) ASSETC_CHECK(resolve_platform(pipeline, options_.platform));
    cache_ = build_root_of(pipeline) + "/";
    takes_guids_ = pipeline.from.guid;
    links_ = pipeline.follow_links ? Links::kAll : Links::kInside;
    ignore_ = pipeline.ignore;
    walked_at_ns_ = disk_.now_ns();
    ASSETC_TRY(tree_, walk());
    report_.diagnostics =
        left_out_of(tree_, recipes::cooked_recipes(), [this](std::string_view path) { return is_ignored(path); });
    if (!options_.list_assets && nothing_changed()) return std::move(report_);
    index_.emplace(tree_);
    if (auto whole = tree_.whole(options_.root); !whole) report_.errors.push_back(std::move(whole).error());
    recall();
    find_sources();
    read_metas();
    identity::Reconciled reconciled = bring_together();
    name_from_root(report_.errors);
    if (!options_.check) {
      ASSETC_CHECK(settle(reconciled));
      if (must_look_again_) return ImportReport();
      write(reconciled);
      remember(reconciled);
    }
    if (options_.list_assets) report_.assets = std::move(reconciled.assets);
    report_.twins = tree_.twins();
    name_from_root(report_.errors);
    std::ranges::stable_sort(report_.errors, {}, &Error::file);
    return std::move(report_);
  }

 private:
  // A source and what is remembered about it after this import.
  struct Slot {
    FoundSource source;
    Remembered seen;
    std::vector<Error> errors;
    bool failed = false;
  };

  // Reads what the last import remembers, and adds what an earlier attempt of this one found out about sources. Of
  // .meta files, only what the last import left counts.
  void recall() {
    if (const Result<Bytes> cache = disk_.read(cache_ + std::string(kRememberedPath)))
      remembered_ = identity::parse_remembered(*cache, environment_);
    for (std::size_t i = 0; i < remembered_.size(); ++i) row_of_.emplace(remembered_[i].path, i);
    for (Remembered& seen : known_) {
      const auto [row, is_new] = row_of_.emplace(seen.path, remembered_.size());
      if (is_new) remembered_.emplace_back();
      Remembered& remembered = remembered_[row->second];
      seen.meta = std::move(remembered.meta);
      seen.meta_signature = remembered.meta_signature;
      remembered = std::move(seen);
    }
  }

  // Whether a glob of `ignore:` matches, as in a cook. A .meta is ignored if its source is.
  bool is_ignored(std::string_view path) const {
    if (const std::string_view owner = identity::owner_of_meta(path); !owner.empty()) path = owner;
    const std::string_view below = identity::below_asset_root(path);
    return std::ranges::any_of(
        ignore_, [&](const std::string& glob) { return glob_matches(glob, path) || glob_matches(glob, below); });
  }

  Result<Tree> walk() {
    const Disk::Skip skip = [this](std::string_view path, bool directory) {
      const std::string_view name = path.substr(path.rfind('/') + 1);
      const bool is_taken = !name.starts_with('.') && identity::leads_to_assets(path, directory);
      // Ignored files are still walked: they are imported if a model or material uses them.
      return is_taken && !(directory && is_ignored(path)) ? Visit::kTake : Visit::kLeaveOut;
    };
    return disk_.walk(options_.root, skip, max_concurrency(), links_);
  }

  bool nothing_changed() {
    const Result<Bytes> bytes = disk_.read(cache_ + std::string(kImportMarkPath));
    const auto mark = bytes ? decode_mark(*bytes) : std::nullopt;
    if (!mark || mark->environment != environment_ || mark->tree != tree_.fingerprint()) return false;
    for (const auto& [path, signature] : mark->uncovered) {
      if (uncovered(path) != signature) return false;
    }
    report_.sources = mark->sources;
    report_.sub_assets = mark->sub_assets;
    return true;
  }

  // The signature of a file outside the walk, or nothing if there is no such file.
  std::optional<FileSignature> uncovered(const std::string& path) {
    const auto status = disk_.status(full(path));
    return status && status->type == FileType::kFile ? std::optional(status->signature) : std::nullopt;
  }

  // Combines the signatures of files: changes if any of them changes. Zero if a file may change without changing its
  // signature.
  ContentHash signature_of(const std::vector<std::string>& paths) {
    if (paths.empty()) return {};
    ContentHasher hasher;
    for (const std::string& path : paths) {
      const auto at = index_->find(path);
      const auto signature = at ? std::optional(tree_[*at].signature) : uncovered(path);
      if (signature && is_racy(*signature)) return {};
      hasher.add(path).add(signature ? hash_of(*signature) : ContentHash{});
    }
    return hasher.finish();
  }

  bool is_racy(const FileSignature& signature) const { return FileTable::is_racy(signature, walked_at_ns_); }

  // Examines the sources. Only those that changed since the last import are read.
  void find_sources() {
    const auto recipes = recipes::cooked_recipes();
    const Sources sources = discover(tree_, recipes, false);
    slots_.resize(sources.claimed.size());
    std::vector<std::size_t> wanted, ignored;
    for (std::size_t i = 0; i < slots_.size(); ++i)
      (is_ignored(tree_.path(sources.claimed[i].entry)) ? ignored : wanted).push_back(i);
    const auto look_at = [&](std::span<const std::size_t> some) {
      parallel_for(some.size(), [&](std::size_t i) {
        const Source& claimed = sources.claimed[some[i]];
        look(slots_[some[i]], claimed, *recipes[claimed.recipe]);
      });
    };
    look_at(wanted);
    if (!ignored.empty()) {
      std::set<std::string, std::less<>> asked_for;
      for (const std::size_t i : wanted)
        asked_for.insert(slots_[i].seen.source_dependencies.begin(), slots_[i].seen.source_dependencies.end());
      std::erase_if(ignored, [&](std::size_t i) { return !asked_for.contains(tree_.path(sources.claimed[i].entry)); });
      look_at(ignored);
      std::erase_if(slots_, [](const Slot& slot) { return slot.source.path.empty(); });
    }
    slot_of_.reserve(slots_.size());
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      Slot& slot = slots_[i];
      slot_of_.emplace(slot.source.path, i);
      for (Error& error : slot.errors) report_.errors.push_back(std::move(error));
      if (slot.failed) continue;
      ++report_.sources;
      report_.sub_assets += slot.source.sub_assets.size();
      if (!options_.list_assets) continue;
      for (const std::string& name : slot.seen.asset_names) report_.named_references.push_back({slot.seen.path, name});
    }
  }

  void look(Slot& slot, const Source& claimed, const recipes::Recipe& recipe) {
    const Importer& importer = importer_of(recipe.name);
    const recipes::Claim& claim = recipe.claims[claimed.claim];
    slot.source.path = tree_.path(claimed.entry);
    slot.source.suffix = slot.source.path.substr(slot.source.path.size() - claim.suffix.size());
    slot.source.type = importer.type;
    slot.source.importer = importer.name;
    slot.source.importer_version = importer.version;
    // Each remembered row belongs to one source, so it can be moved out.
    if (const auto row = row_of_.find(slot.source.path); row != row_of_.end())
      slot.seen = std::move(remembered_[row->second]);
    slot.seen.path = slot.source.path;
    if (!formats::is_utf8(slot.source.path)) {
      // A .meta is JSON and can only contain UTF-8.
      slot.errors.push_back(
          {ErrorCode::kInvalidData, slot.source.path, {}, "has a name that is not UTF-8", "rename it"});
      slot.failed = true;
      return;
    }
    const auto looked = claim.directory ? look_inside(claimed.entry, importer, slot.source, slot.seen)
                                        : look(claimed.entry, importer, slot.source, slot.seen);
    if (!looked) slot.errors.push_back(Error(looked.error()).in(slot.source.path));
    slot.failed = !looked;
  }

  // Whether neither the source nor anything that its importer read has changed.
  bool is_as_remembered(const Remembered& seen, const ContentHash& signature) {
    return seen.signature != ContentHash{} && seen.signature == signature &&
           seen.dependency_signature == signature_of(seen.source_dependencies) &&
           (seen.source_dependencies.empty() || seen.dependency_signature != ContentHash{});
  }

  Result<void> look(std::size_t entry, const Importer& importer, FoundSource& source, Remembered& seen) {
    if (is_as_remembered(seen, hash_of(tree_[entry].signature))) return take(seen, source);
    FileSignature read_signature;
    ASSETC_TRY(const Bytes bytes, disk_.read(full(source.path), &read_signature));
    ASSETC_CHECK(filetypes::check_whole(bytes));
    seen.signature = is_racy(read_signature) ? ContentHash{} : hash_of(read_signature);
    seen.content = content_hash(bytes);
    SourceContent content;
    if (importer.look != nullptr) {
      ASSETC_TRY(content, importer.look(source.path, bytes, reader()));
    }
    return take(std::move(content), seen, source);
  }

  // If a source is a folder, its signature is the list of names in it, and the files in it are its dependencies.
  Result<void> look_inside(std::size_t entry, const Importer& importer, FoundSource& source, Remembered& seen) {
    const std::vector<std::string> names = names_in(entry);
    const ContentHash listing = listing_hash(names);
    if (is_as_remembered(seen, listing)) return take(seen, source);
    ContentHasher hasher;
    std::vector<InnerFile> files;
    SourceContent content;
    for (const std::string& name : names) {
      const std::string path = source.path + "/" + name;
      ASSETC_TRY(Bytes bytes, read_whole(path));
      hasher.add(name).add(content_hash(bytes));
      content.source_dependencies.push_back(path);
      files.push_back({name, std::move(bytes)});
    }
    seen.signature = listing;
    seen.content = files.empty() ? ContentHash{} : hasher.finish();
    if (importer.look_inside != nullptr) {
      ASSETC_TRY(SourceContent more, importer.look_inside(source.path, files, reader()));
      std::ranges::move(more.source_dependencies, std::back_inserter(content.source_dependencies));
      content.sub_assets = std::move(more.sub_assets);
      content.asset_names = std::move(more.asset_names);
    }
    return take(std::move(content), seen, source);
  }

  // Names of the files directly in a folder, the same as from Inputs::list.
  std::vector<std::string> names_in(std::size_t folder) const {
    std::vector<std::string> names;
    const std::string prefix = std::string(tree_.path(folder)) + "/";
    for (std::size_t i = folder + 1; i < tree_.size() && tree_.path(i).starts_with(prefix); ++i) {
      const std::string_view name = tree_.path(i).substr(prefix.size());
      if (tree_[i].type == FileType::kFile && !name.contains('/') && identity::owner_of_meta(name).empty())
        names.emplace_back(name);
    }
    return names;
  }

  importer::FileReader reader() {
    return [this](std::string_view path) { return read_whole(path); };
  }
  // An error of a file that version control has not brought as it is.
  Result<Bytes> read_whole(std::string_view path) {
    ASSETC_TRY(Bytes bytes, disk_.read(full(path)));
    if (auto whole = filetypes::check_whole(bytes); !whole) return std::unexpected(std::move(whole).error().in(path));
    return bytes;
  }

  static Result<void> take(const Remembered& seen, FoundSource& source) {
    source.source_dependencies = seen.source_dependencies;
    source.sub_assets = seen.sub_assets;
    return {};
  }
  Result<void> take(SourceContent content, Remembered& seen, FoundSource& source) {
    std::ranges::sort(content.source_dependencies);
    const auto [first, last] = std::ranges::unique(content.source_dependencies);
    content.source_dependencies.erase(first, last);
    for (const std::string& path : content.source_dependencies) {
      if (!formats::is_utf8(path))
        return fail(ErrorCode::kInvalidData, "names " + formats::quote(path) + ", which is not UTF-8", "rename it");
    }
    seen.source_dependencies = std::move(content.source_dependencies);
    seen.dependency_signature = signature_of(seen.source_dependencies);
    seen.sub_assets = std::move(content.sub_assets);
    seen.asset_names = std::move(content.asset_names);
    return take(seen, source);
  }

  // Reads the .meta files that changed. The content of the others is remembered. In a folder of assets that has .meta
  // files of Unity, new ones of ours are X.assetc: Unity may write X.meta later.
  void read_metas() {
    struct Read {
      std::size_t entry;
      Slot* slot;  // of the source beside it, if there is one
      FileSignature signature = {};
      bool is_unitys = false;
      Result<importer::Beside> said = {};
      Result<MetaFile> file = fail(ErrorCode::kNotFound, {});
    };
    std::vector<Read> reads;
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      const std::string_view path = tree_.path(i);
      const std::string_view owner = identity::owner_of_meta(path);
      if (tree_[i].type != FileType::kFile || owner.empty() || tree_.is_twin(path)) continue;
      const auto at = slot_of_.find(owner);
      // The .meta of a file that no recipe handles belongs to some other tool.
      if (at == slot_of_.end() && index_->find(owner)) continue;
      Slot* const slot = at == slot_of_.end() ? nullptr : &slots_[at->second];
      if (slot != nullptr && slot->failed) continue;  // keep it until the source is repaired
      const bool is_only =
          path.ends_with(kMetaBesideSuffix) || !index_->find(std::string(owner) + std::string(kMetaBesideSuffix));
      if (slot != nullptr && is_only && slot->seen.meta_signature != ContentHash{} &&
          slot->seen.meta_signature == hash_of(tree_[i].signature)) {
        metas_.push_back({std::string(path), std::exchange(slot->seen.meta, {})});
      } else {
        reads.push_back({.entry = i, .slot = slot});
      }
    }
    parallel_for(reads.size(), [&](std::size_t i) {
      const Result<Bytes> bytes = disk_.read(full(tree_.path(reads[i].entry)), &reads[i].signature);
      if (bytes) {
        reads[i].is_unitys = identity::is_unity_meta(as_text(*bytes));
        if (reads[i].is_unitys && takes_guids_)
          reads[i].said = importer::read_beside(importer::OtherEngine::kUnity, {}, as_text(*bytes));
        if (!reads[i].is_unitys) reads[i].file = MetaFile::parse(std::string(as_text(*bytes)));
      } else {
        reads[i].file = std::unexpected(bytes.error());
      }
    });
    std::set<std::string, std::less<>> unitys_roots;
    for (Read& read : reads) {
      std::string path(tree_.path(read.entry));
      if (read.is_unitys) {
        unitys_roots.emplace(identity::asset_root_of(path));
        if (read.slot != nullptr && read.said) read.slot->source.wanted_uuid = read.said->guid;
        if (read.said) continue;
        report_.errors.push_back(std::move(read.said.error()).in(path));
        if (read.slot != nullptr) unreadable_metas_.push_back(std::move(path));
        continue;
      }
      if (read.slot != nullptr) {
        const bool known = read.file && !is_racy(read.signature);
        read.slot->seen.meta_signature = known ? hash_of(read.signature) : ContentHash{};
      }
      if (read.file) {
        for (const identity::UnknownMember& member : read.file->unknown_members())
          report_.notes.push_back(note_of(path, member));
        metas_.push_back({std::move(path), read.file->meta()});
      } else {
        report_.errors.push_back(std::move(read.file.error()).in(path));
        unreadable_metas_.push_back(std::move(path));
      }
    }
    for (Slot& slot : slots_) slot.source.is_beside = unitys_roots.contains(identity::asset_root_of(slot.source.path));
  }

  static std::optional<ContentHash> known(const ContentHash& content) {
    return content == ContentHash{} ? std::nullopt : std::optional(content);
  }

  // What .meta files that are now missing or changed said at the last import.
  std::unordered_map<Uuid, const identity::Meta*> remembered_metas() const {
    std::unordered_map<Uuid, const identity::Meta*> metas;
    const auto add = [&](const Remembered& seen) {
      if (!seen.meta.uuid.is_nil()) metas.emplace(seen.meta.uuid, &seen.meta);
    };
    for (const Slot& slot : slots_) add(slot.seen);
    for (const auto& [path, row] : row_of_) {
      if (!slot_of_.contains(path)) add(remembered_[row]);  // otherwise the slot has taken the row
    }
    return metas;
  }

  identity::Reconciled bring_together() {
    identity::ReconcileInput input;
    input.sources.reserve(slots_.size());
    for (Slot& slot : slots_) {
      if (!slot.failed) input.sources.push_back(std::move(slot.source));
    }
    input.metas = std::move(metas_);
    input.unreadable_metas = std::move(unreadable_metas_);
    input.old_content = [&](const std::string& path) -> std::optional<ContentHash> {
      const auto at = row_of_.find(path);
      return at == row_of_.end() ? std::nullopt : known(remembered_[at->second].content);
    };
    input.content = [&](const std::string& path) -> std::optional<ContentHash> {
      const auto at = slot_of_.find(path);
      return at == slot_of_.end() ? std::nullopt : known(slots_[at->second].seen.content);
    };
    const std::unordered_map<Uuid, const identity::Meta*> before = remembered_metas();
    input.remembered = [&](const Uuid& asset) {
      const auto at = before.find(asset);
      return at == before.end() ? nullptr : at->second;
    };
    input.remembered_at = [&](const std::string& path) -> const identity::Meta* {
      const auto at = slot_of_.find(path);
      const identity::Meta* const meta = at == slot_of_.end() ? nullptr : &slots_[at->second].seen.meta;
      return meta == nullptr || meta->uuid.is_nil() ? nullptr : meta;
    };
    input.new_uuid = random_uuid;
    input.by_hand = options_.by_hand;
    input.is_of_checkout = [&](const std::string& meta_path) {
      const auto at = index_->find(meta_path);
      return at && settling_.is_of_checkout(tree_[*at].signature);
    };
    input.prune = options_.prune;
    identity::Reconciled reconciled = reconcile(std::move(input));
    for (Error& error : reconciled.errors) report_.errors.push_back(with_line(std::move(error), options_.root, disk_));
    for (const identity::UnredirectedEdit& edit : reconciled.unredirected) {
      report_.notes.push_back(note_of(edit));
      if (!edit.is_of_checkout) pending_.insert(edit.path);
    }
    for (const std::size_t asset : reconciled.lacking)
      report_.notes.push_back(note_of_absent(reconciled.assets[asset]));
    report_.changes = std::move(reconciled.changes);
    for (const identity::Meta& meta : reconciled.assets) {
      if (meta.import_settings.empty()) continue;
      if (auto fine = import_settings(meta); !fine) report_.errors.push_back(std::move(fine.error()));
    }
    return reconciled;
  }

  // Errors of the disk name files as it opens them; all others, from the root.
  void name_from_root(std::vector<Error>& errors) const {
    const std::string prefix = options_.root + "/";
    for (Error& error : errors) {
      if (!options_.root.empty() && error.file.starts_with(prefix)) error.file.erase(0, prefix.size());
    }
  }

  std::string full(std::string_view path) const { return in_root(options_.root, path); }

  // Waits until other programs are done where this import is about to write.
  Result<void> settle(const identity::Reconciled& reconciled) {
    std::set<std::string> folders = folders_of_writes(reconciled, report_.changes);
    for (const Error& error : report_.errors) {  // a file may be half written
      if (!identity::asset_root_of(error.file).empty()) folders.insert(folder_of(error.file));
    }
    if (options_.prune) {
      for (const std::string& path : reconciled.orphans) folders.insert(folder_of(path));
    }
    if (folders.empty()) return {};
    ASSETC_TRY(const Settling::Found found, settling_.wait_for_rest(folders, tree_, [this] { return walk(); }));
    must_look_again_ = found == Settling::Found::kChange;
    report_.is_busy = found == Settling::Found::kBusy;
    for (const std::string& folder : settling_.busy()) {
      if (report_.is_busy) report_.errors.push_back(settling_.error_of(folder));
    }
    return {};
  }

  void write(const identity::Reconciled& reconciled) {
    const auto& writes = reconciled.writes;
    const MetaWriter writer(options_.root, tree_, *index_, settling_, disk_);
    std::vector<Result<FileSignature>> written(writes.size());
    parallel_for(writes.size(),
                 [&](std::size_t i) { written[i] = writer.write(writes[i], reconciled.assets[writes[i].asset]); });
    bool all_written = true;
    for (std::size_t i = 0; i < writes.size(); ++i) {
      const std::string& source = reconciled.assets[writes[i].asset].source_path;
      ContentHash& signature = slots_[slot_of_.at(source)].seen.meta_signature;
      if (written[i]) {
        signature = hash_of(*written[i]);
        published_.emplace(writes[i].path, *written[i]);
      } else {
        signature = {};
        Error error = std::move(written[i].error()).in(writes[i].path);
        unwritten_.insert(source);
        report_.is_busy |= error.code == ErrorCode::kConflict;
        if (!settling_.is_busy(error.file)) report_.errors.push_back(std::move(error));  // else settle() has said so
        all_written = false;
      }
    }
    std::erase_if(report_.changes, [&](const auto& change) { return unwritten_.contains(change.path); });
    // The new .meta is beside its source now, so the old one can go. If a write failed, the old one is all that is
    // left.
    if (all_written) {
      for (const std::string& path : reconciled.removals) remove(path);
    }
    if (options_.prune) {
      for (const std::string& path : reconciled.orphans) {
        if (remove(path)) report_.pruned.push_back(path);
      }
    }
  }

  bool remove(const std::string& path) {
    if (settling_.is_busy(folder_of(path))) return false;  // settle() has said so
    const auto removed = MetaWriter(options_.root, tree_, *index_, settling_, disk_).remove(path);
    if (!removed) return report_.errors.push_back(Error(removed.error()).in(path)), false;
    removed_.insert(path);
    return true;
  }

  void remember(identity::Reconciled& reconciled) {
    std::vector<Remembered> all;
    all.reserve(slots_.size());
    for (identity::Meta& meta : reconciled.assets) {
      if (unwritten_.contains(meta.source_path)) continue;
      Remembered& seen = slots_[slot_of_.at(meta.source_path)].seen;
      if (pending_.contains(meta.source_path)) {  // the next import that a person starts compares with the old one
        seen.meta_signature = {};
        continue;
      }
      seen.meta = options_.list_assets ? meta : std::move(meta);
    }
    for (Slot& slot : slots_) {
      if (slot.failed) continue;
      if (slot.seen.meta.uuid.is_nil()) slot.seen.meta_signature = {};
      all.push_back(std::move(slot.seen));
    }
    // Keep what is remembered of missing sources: they may reappear elsewhere.
    for (const std::string& path : reconciled.orphans) {
      const auto at = row_of_.find(identity::owner_of_meta(path));
      if (!options_.prune && at != row_of_.end()) all.push_back(std::move(remembered_[at->second]));
    }
    publish(kRememberedPath, identity::write_remembered(environment_, all));
    const bool done = report_.errors.empty() && pending_.empty() && reconciled.orphans.size() == report_.pruned.size();
    if (done) leave_mark(all);
  }

  void publish(std::string_view path, ByteSpan bytes) {
    if (const auto cached = disk_.publish(cache_ + std::string(path), bytes); !cached)
      report_.errors.push_back(Error(cached.error()).in(cache_ + std::string(path)));
  }

  // Marks the tree as this import read and left it. Leaves no mark if a later walk could not prove that it is
  // unchanged.
  void leave_mark(const std::vector<Remembered>& all) {
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      if (tree_[i].type == FileType::kFile && is_racy(tree_[i].signature)) return;
    }
    ImportMark mark;
    for (const Remembered& seen : all) {
      for (const std::string& path : seen.source_dependencies) {
        if (index_->find(path)) continue;
        const auto signature = uncovered(path);
        if (signature && is_racy(*signature)) return;
        mark.uncovered.emplace_back(path, signature);
      }
    }
    mark.environment = environment_;
    mark.sources = report_.sources;
    mark.sub_assets = report_.sub_assets;
    if (published_.empty() && removed_.empty()) {
      mark.tree = tree_.fingerprint();
    } else {
      const Result<Tree> now = walk();
      if (!now || !is_as_left(*now, tree_, *index_, published_, removed_.size())) return;
      mark.tree = now->fingerprint();
    }
    publish(kImportMarkPath, encode_mark(mark));
  }

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
  };

  const ImportOptions& options_;
  Disk& disk_;
  Settling& settling_;
  std::vector<Remembered> known_;
  bool must_look_again_ = false;
  const ContentHash environment_;
  std::string cache_;         // the build root
  bool takes_guids_ = false;  // of Unity
  Links links_ = Links::kInside;
  std::vector<std::string> ignore_;  // globs
  std::int64_t walked_at_ns_ = 0;
  Tree tree_;
  std::optional<PathIndex> index_;
  std::vector<Remembered> remembered_;
  std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> row_of_;  // in remembered_, by path
  std::vector<Slot> slots_;
  std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> slot_of_;
  std::vector<FoundMeta> metas_;
  std::vector<std::string> unreadable_metas_;
  PublishedFiles published_;
  std::set<std::string> removed_;
  std::set<std::string> pending_;    // sources whose .meta a person edited, who must start an import
  std::set<std::string> unwritten_;  // sources whose .meta could not be written
  ImportReport report_;
};

}  // namespace

Result<ImportReport> import_assets(const ImportOptions& options, Disk& disk) {
  assetc::Arena arena(options.threads);
  return arena.execute([&]() -> Result<ImportReport> {
    Settling settling(options.root, options.patience, disk);
    std::vector<Remembered> known;
    for (;;) {
      Import import(options, disk, settling, std::move(known));
      ASSETC_TRY(ImportReport report, import.run());
      if (!import.must_look_again()) return report;
      known = import.take_known();
    }
  });
}

}  // namespace assetc::engine
