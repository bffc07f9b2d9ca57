#include "engine/state/inputs.hpp"

#include <algorithm>
#include <cassert>

#include "base/absolute_path.hpp"
#include "base/ascii.hpp"
#include "filetypes/filetypes.hpp"
#include "identity/meta.hpp"
#include "import/engines/unity_material.hpp"

namespace assetc::engine {
namespace {

// Linux stamps files with a clock that ticks every 1 to 10 ms; some file systems keep whole (even) seconds only.
constexpr std::int64_t kTickNs = 20'000'000;
constexpr std::int64_t kCoarseTickNs = 2'000'000'000;
constexpr std::int64_t kSecondNs = 1'000'000'000;

}  // namespace

Result<std::string> normalized_input_path(std::string_view path) {
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorCode::kInvalidData, "the path \"" + std::string(path) + "\" " + std::string(why),
                "use a path below the input directory");
  };
  if (is_absolute_path(path)) return refuse("is absolute");
  if (path.find('\0') != std::string_view::npos) return refuse("contains a zero byte");
  std::vector<std::string_view> parts;
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    if (part == "..") {
      if (parts.empty()) return refuse("leads out of the input directory");
      parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  std::string result;
  for (std::string_view part : parts) result.append(result.empty() ? "" : "/").append(part);
  return result;
}

bool FileTable::is_racy(const FileSignature& s, std::int64_t read_at_ns) {
  const std::int64_t stamp = std::max(s.mtime_ns, s.ctime_ns);
  const bool coarse = s.mtime_ns % kSecondNs == 0 && s.ctime_ns % kSecondNs == 0;
  return stamp + (coarse ? kCoarseTickNs : kTickNs) > read_at_ns;
}

FileTable::FileTable(Disk& disk, std::string root, const Tree& tree, const State& state, Disk::Skip skip, Reach reach)
    : disk_(disk),
      root_(std::move(root)),
      tree_(tree),
      remembered_(state),
      skip_(std::move(skip)),
      reach_(reach),
      index_(tree) {
  seen_at_size_ = tree.size();
  seen_at_ = std::make_unique<std::atomic<std::uint32_t>[]>(seen_at_size_);
  if (reach == Reach::kRoot) real_root_ = disk_.real_path(root_);
  for (const Tree::Note& note : tree.left_out()) {
    if (note.why == LeftOut::kUnreadable) unreadable_.push_back(note.path);
  }
}

void FileTable::begin() {
  for (const Seen& seen : seen_) seen_at_[seen.position] = 0;
  seen_.clear();
  extras_.clear();
  by_name_.reset();
  changed_meanwhile_ = false;
}

void FileTable::add_entry() {
  index_.add();
  if (sets_) add_to_sets(tree_.size() - 1);
  if (tree_.size() <= seen_at_size_) return;
  assert(seen_.empty());
  seen_at_size_ = 2 * tree_.size();
  seen_at_ = std::make_unique<std::atomic<std::uint32_t>[]>(seen_at_size_);
}

bool FileTable::is_unreadable(std::string_view path) const {
  return std::ranges::any_of(unreadable_, [&](std::string_view lost) {
    return path.starts_with(lost) && (path.size() == lost.size() || path[lost.size()] == '/');
  });
}

bool FileTable::leaves_root(std::string_view path) const {
  if (real_root_.empty() || is_unreadable(path)) return false;
  const std::string real = disk_.real_path(full(path));
  const std::string prefix = real_root_ == "/" ? real_root_ : real_root_ + "/";
  return real != real_root_ && !real.starts_with(prefix);
}

Result<std::string> FileTable::name_of(std::string_view path) const {
  return reach_ == Reach::kAnywhere ? std::string(path) : normalized_input_path(path);
}

std::string FileTable::full(std::string_view path) const {
  if (is_absolute_path(path)) return std::string(path);
  return path.empty() ? root_ : root_ + "/" + std::string(path);
}

std::optional<std::size_t> FileTable::find(std::string_view path) const { return index_.find(path); }

bool FileTable::covers(std::string_view path) const {
  if (is_unreadable(path)) return false;
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    if (skip_(path.substr(0, slash), true) != Visit::kTake) return false;
  }
  return skip_(path, false) == Visit::kTake;
}

void FileTable::settle(std::size_t position, const FileRecord& record, bool learn) {
  const std::lock_guard lock(mutex_);
  if (seen_at_[position] != 0) return;  // another thread has already recorded it
  seen_.push_back({position, learn, record});
  seen_at_[position] = static_cast<std::uint32_t>(seen_.size());
}

Result<FileTable::Extra> FileTable::extra(std::string_view path) {
  {
    const std::lock_guard lock(mutex_);
    const auto it = extras_.find(std::string(path));
    if (it != extras_.end()) return it->second;
  }
  Extra found;
  if (leaves_root(path)) return found;
  const auto status = disk_.status(full(path));
  if (!status && status.error().code != ErrorCode::kNotFound) return std::unexpected(status.error());
  if (status && status->type == FileType::kFile) {
    const auto known = remembered_.files.find(path);
    if (known && known->signature == status->signature) {
      found = {true, false, *known};
    } else {
      const std::int64_t now = disk_.now_ns();
      auto hash = disk_.hash(full(path), &found.record.signature);
      if (!hash && hash.error().code != ErrorCode::kNotFound) return std::unexpected(hash.error());
      if (hash) {
        found.exists = true;
        found.record.hash = *hash;
        found.learn = !is_racy(found.record.signature, now);
      }
    }
  }
  const std::lock_guard lock(mutex_);
  return extras_.try_emplace(std::string(path), found).first->second;
}

template <class Look, class Digest>
auto FileTable::look_at(std::string_view path, const Look& look, const Digest& digest) {
  const std::int64_t now = disk_.now_ns();
  FileRecord record;
  auto seen = look(&record.signature);
  const auto position = find(path);
  if (!seen) {
    if (position) changed_meanwhile_ = true;
    seen.error() = std::move(seen.error()).in(std::string(path));
    return seen;
  }
  record.hash = digest(*seen);
  const bool learn = !is_racy(record.signature, now);
  if (position) {
    if (tree_[*position].signature != record.signature) changed_meanwhile_ = true;
    settle(*position, record, learn);
  } else if (!covers(path)) {
    const std::lock_guard lock(mutex_);
    extras_.insert_or_assign(std::string(path), Extra{true, learn, record});
  } else {
    changed_meanwhile_ = true;  // created since the walk
  }
  return seen;
}

Result<std::optional<ContentHash>> FileTable::hash(std::string_view path) {
  const auto position = find(path);
  if (!position) {
    // The walk saw everything that it covers, so the file does not exist.
    if (covers(path)) return std::nullopt;
    ASSETC_TRY(const Extra found, extra(path));
    return found.exists ? std::optional(found.record.hash) : std::nullopt;
  }
  const Tree::Entry& entry = tree_[*position];
  if (entry.type != FileType::kFile) return std::nullopt;
  if (const std::uint32_t seen = seen_at_[*position]; seen != 0) {
    const std::lock_guard lock(mutex_);
    return seen_[seen - 1].record.hash;
  }
  const auto known = remembered_.files.find(path);
  if (known && known->signature == entry.signature) return known->hash;
  auto result = look_at(
      path, [&](FileSignature* signature) { return disk_.hash(full(path), signature); },
      [](const ContentHash& found) { return found; });
  if (!result && result.error().code == ErrorCode::kNotFound) return std::nullopt;
  return result;
}

bool FileTable::exists(std::string_view path) {
  if (const auto position = find(path)) return tree_[*position].type == FileType::kFile;
  if (is_unreadable(path)) return true;
  if (covers(path) || leaves_root(path)) return false;
  const auto status = disk_.status(full(path));
  return status && status->type == FileType::kFile;
}

Result<std::optional<std::vector<std::string>>> FileTable::list(std::string_view directory) {
  const bool walked = directory.empty() || find(directory);
  if (!walked && leaves_root(directory)) return std::nullopt;
  auto names = disk_.list(full(directory));
  if (!names && names.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!names) return std::unexpected(std::move(names).error());
  std::string path(directory);
  if (!path.empty()) path += '/';
  const std::size_t base = path.size();
  std::erase_if(*names, [&](const std::string& name) {
    path.resize(base);
    path += name;
    if (skip_(path, false) != Visit::kTake) return true;
    if (walked && !find(path)) return true;  // a link out of the root, or created since the walk
    const std::string_view owner = identity::owner_of_meta(path);
    return !owner.empty() && find(owner);
  });
  return std::optional(std::move(*names));
}

std::vector<std::string> FileTable::named(std::string_view name) {
  std::vector<std::string> paths;
  const std::lock_guard lock(mutex_);
  if (!by_name_) {
    by_name_.emplace();
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      const std::string_view path = tree_.path(i);
      if (tree_[i].type == FileType::kFile) by_name_->emplace(loose_name(path.substr(path.rfind('/') + 1)), i);
    }
  }
  const auto [first, last] = by_name_->equal_range(loose_name(name));
  for (auto at = first; at != last; ++at) paths.emplace_back(tree_.path(at->second));
  std::ranges::sort(paths);
  return paths;
}

bool FileTable::has_set(std::string_view set) {
  const std::lock_guard lock(mutex_);
  if (!sets_) {
    sets_.emplace();
    for (std::size_t i = 0; i < tree_.size(); ++i) add_to_sets(i);
  }
  const auto [first, last] = sets_->equal_range(std::hash<std::string_view>()(set));
  return std::any_of(first, last, [&](const auto& at) { return recipes::picture_set(tree_.path(at.second)) == set; });
}

void FileTable::add_to_sets(std::size_t position) {
  if (tree_[position].type != FileType::kFile) return;
  const auto set = recipes::picture_set(tree_.path(position));
  if (set) sets_->emplace(std::hash<std::string_view>()(*set), static_cast<std::uint32_t>(position));
}

Result<Bytes> FileTable::read(std::string_view path, ContentHash& hash) {
  if (!find(path) && leaves_root(path)) {
    return std::unexpected(Error{ErrorCode::kNotFound,
                                 std::string(path),
                                 {},
                                 "is reached through a link that leads out of the input folder",
                                 "set `links: follow` in assetc.yml to follow it"});
  }
  return look_at(
      path, [&](FileSignature* signature) { return disk_.read(full(path), signature); },
      [&](const Bytes& bytes) { return hash = content_hash(bytes); });
}

ContentHash FileTable::content_of(ByteSpan bytes, ContentHash (*compute)(ByteSpan)) {
  const ContentHash key = content_hash(bytes);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = contents_.find(key); known != contents_.end()) return known->second;
  }
  const ContentHash content = compute(bytes);
  const std::lock_guard lock(mutex_);
  return contents_.try_emplace(key, content).first->second;
}

bool FileTable::differs_from(std::string_view path, const ContentHash& hash) {
  const auto now = disk_.hash(full(path), nullptr);
  return !now || *now != hash;
}

Result<Bytes> FileTable::head(std::string_view path, std::size_t size) { return disk_.head(full(path), size); }

std::optional<FileSignature> FileTable::signature_of_uncovered(std::string_view path) const {
  const std::lock_guard lock(mutex_);
  const auto it = extras_.find(std::string(path));
  if (it == extras_.end() || !it->second.exists) return std::nullopt;
  return it->second.record.signature;
}

std::vector<std::pair<std::string_view, FileRecord>> FileTable::learned() const {
  std::vector<std::pair<std::string_view, FileRecord>> result;
  for (const Seen& seen : seen_) {
    if (seen.learn) result.emplace_back(tree_.path(seen.position), seen.record);
  }
  std::ranges::sort(result, {}, [](const auto& learned) { return learned.first; });
  for (const auto& [path, found] : extras_) {
    if (found.learn) result.emplace_back(path, found.record);
  }
  return result;
}

void remember_files(const FileTable& files, State& state, LogWriter& log) {
  for (const auto& [path, record] : files.learned()) {
    const std::string_view kept = state.arena.keep(path);
    state.files.put(kept, state.arena.keep(encode_file_record(record)));
    log.file(kept, record);
  }
  if (state.files.size() <= files.tree_size() + files.tree_size() / 4 + 64) return;
  std::vector<std::string_view> gone;
  for (std::size_t i = 0; i < state.files.size(); ++i) {
    if (!files.find(state.files.path(i))) gone.push_back(state.files.path(i));
  }
  for (std::string_view path : gone) {
    log.forget_file(path);
    state.files.erase(path);
  }
}

void forget_changed_since(std::int64_t time_ns, State& state) {
  std::vector<std::string_view> changed;
  for (std::size_t i = 0; i < state.files.size(); ++i) {
    if (changed_since(state.files[i].signature, time_ns)) changed.push_back(state.files.path(i));
  }
  for (std::string_view path : changed) state.files.erase(path);
}

namespace {

// Kinds of the same class describe the same property of a path.
int class_of(DependencyKind kind) {
  if (kind == DependencyKind::kAsset) return 2;
  if (kind == DependencyKind::kUuid) return 3;
  if (kind == DependencyKind::kNamed) return 4;
  if (kind == DependencyKind::kSettings) return 5;
  return kind == DependencyKind::kListing || kind == DependencyKind::kListingAbsent ? 1 : 0;
}

std::optional<recipes::SourceAsset> asset_now(FileTable& files, const AssetRules& assets, std::string_view path) {
  if (!files.exists(path)) return std::nullopt;
  auto asset = recipes::asset_of(assets.recipes, path, assets.settings_of(path),
                                 [&files](std::string_view set) { return files.has_set(set); });
  if (asset && assets.identities != nullptr)
    asset->stem = assets.stem_of(path, *recipes::file_claim(*asset->recipe, path));
  return asset;
}

ContentHash uuid_hash(const std::optional<Uuid>& uuid) {
  return uuid ? content_hash(object_bytes(uuid->bytes)) : ContentHash();
}

// The GUID in "unity:01234567-...", and a nil one for "unity:" alone; nothing for another name.
std::optional<Uuid> guid_in(std::string_view name) {
  if (!name.starts_with(importer::kUnityName)) return std::nullopt;
  if (name == importer::kUnityName) return Uuid();
  return Uuid::parse(name.substr(importer::kUnityName.size()));
}

// What a name means now: zero if it means nothing. A GUID means another file if the .meta with it has moved.
ContentHash meaning_of(const AssetRules& assets, std::string_view name) {
  if (name == importer::kUnityName) return assets.source_of_guid ? content_hash(as_bytes(name)) : ContentHash();
  if (const std::optional<Uuid> guid = guid_in(name)) {
    const auto path = assets.source_of_guid ? assets.source_of_guid(*guid) : std::nullopt;
    return path ? content_hash(as_bytes(*path)) : ContentHash();
  }
  return uuid_hash(assets.identities == nullptr ? std::nullopt : assets.identities->find(name));
}

// Zero if there is no asset.
ContentHash asset_hash(const std::optional<recipes::SourceAsset>& asset) {
  if (!asset) return {};
  return ContentHasher().add(asset->recipe->name).add(recipes::mode_name(asset->mode)).add(asset->stem).finish();
}

}  // namespace

std::string AssetRules::stem_of(std::string_view path, const recipes::Claim& claim) const {
  if (identities == nullptr) return recipes::stem_of(path, claim);
  const std::optional<Uuid> uuid = identities->find(path);
  return uuid ? uuid->to_string() : std::string(path);
}

void TrackedInputs::remember(std::string path, DependencyKind kind, const ContentHash& hash) {
  // A model may name 100,000 files.
  std::string key = path;
  key += static_cast<char>(class_of(kind));
  const auto [at, is_new] = seen_at_.try_emplace(std::move(key), seen_.size());
  if (!is_new) {
    Seen& seen = seen_[at->second];
    const bool was_there = seen.kind != DependencyKind::kAbsent && seen.kind != DependencyKind::kListingAbsent;
    const bool is_there = kind != DependencyKind::kAbsent && kind != DependencyKind::kListingAbsent;
    const bool both_read = seen.kind == kind && kind != DependencyKind::kPresent;
    if (was_there != is_there || (both_read && seen.hash != hash)) {
      torn_ = Error{
          ErrorCode::kIo, path, {}, "the file changed while it was compiled", "build again when the file is complete"};
    }
    if (kind == DependencyKind::kRead) {  // the bytes prove more than the existence
      seen.kind = kind;
      seen.hash = hash;
    }
    return;
  }
  seen_.push_back({std::move(path), kind, hash});
}

bool TrackedInputs::is_outdated() const {
  return torn_ || std::ranges::any_of(seen_, [this](const Seen& seen) {
           return seen.kind == DependencyKind::kRead && files_.differs_from(seen.path, seen.hash);
         });
}

Result<Bytes> TrackedInputs::read(std::string_view path) {
  ASSETC_TRY(std::string normal, files_.name_of(path));
  ContentHash hash;
  auto bytes = files_.read(normal, hash);
  if (bytes) {
    auto fetched = filetypes::check_whole(*bytes);
    if (!fetched) return std::unexpected(std::move(fetched).error().in(normal));
    remember(std::move(normal), DependencyKind::kRead, hash);
  } else if (bytes.error().code == ErrorCode::kNotFound) {
    remember(std::move(normal), DependencyKind::kAbsent, {});
  }
  return bytes;
}

bool TrackedInputs::exists(std::string_view path) {
  auto normal = files_.name_of(path);
  if (!normal) return false;
  const bool there = files_.exists(*normal);
  remember(std::move(*normal), there ? DependencyKind::kPresent : DependencyKind::kAbsent, {});
  return there;
}

Result<std::vector<std::string>> TrackedInputs::list(std::string_view directory) {
  ASSETC_TRY(std::string normal, files_.name_of(directory));
  ASSETC_TRY(auto names, files_.list(normal));
  if (!names) {
    remember(normal, DependencyKind::kListingAbsent, {});
    return std::unexpected(Error{ErrorCode::kNotFound, normal, {}, "the directory does not exist", {}});
  }
  remember(std::move(normal), DependencyKind::kListing, listing_hash(*names));
  return std::move(*names);
}

std::vector<std::string> TrackedInputs::named(std::string_view name) {
  std::vector<std::string> paths = files_.named(name);
  remember(loose_name(name), DependencyKind::kNamed, listing_hash(paths));
  return paths;
}

std::optional<recipes::SourceAsset> TrackedInputs::asset(std::string_view path) {
  auto normal = files_.name_of(path);
  if (!normal) return std::nullopt;
  auto asset = asset_now(files_, assets_, *normal);
  if (asset) asset->ref = target_.asset_ref(asset->stem);
  remember(std::move(*normal), DependencyKind::kAsset, asset_hash(asset));
  return asset;
}

std::optional<Uuid> TrackedInputs::uuid(std::string_view asset) {
  if (const std::optional<Uuid> guid = guid_in(asset)) {
    const ContentHash means = meaning_of(assets_, asset);
    remember(std::string(asset), DependencyKind::kUuid, means);
    return means == ContentHash() ? std::nullopt : guid;
  }
  if (assets_.identities == nullptr) return std::nullopt;
  const std::optional<Uuid> found = assets_.identities->find(asset);
  remember(std::string(asset), DependencyKind::kUuid, uuid_hash(found));
  return found;
}

std::optional<std::string> TrackedInputs::path_of(const Uuid& source) {
  if (assets_.source_of_guid) {
    if (auto path = assets_.source_of_guid(source)) return path;
  }
  const NamedAsset* asset = assets_.identities == nullptr ? nullptr : assets_.identities->find(source);
  if (asset == nullptr || assets_.identities->find(asset->source_path) != source) return std::nullopt;
  return std::string(asset->source_path);
}

std::string_view TrackedInputs::base_type(const Uuid& asset) {
  return assets_.identities == nullptr ? std::string_view() : assets_.identities->base_type(asset);
}

Result<recipes::Product> TrackedInputs::make(const recipes::Step& step) {
  return maker_ ? maker_(step) : recipes::Inputs::make(step);
}

ChildSettings TrackedInputs::settings_of(const AskedSettings& asked) {
  const ChildSettings settings = assets_.settings_of_child(asked);
  remember(asked.text(), DependencyKind::kSettings, settings.hash(asked));
  return settings;
}

Result<recipes::TextureMaker> TrackedInputs::share(recipes::Step& child) {
  using recipes::TextureMaker;
  if (!assets_.settings_of_child || assets_.identities != nullptr || child.recipe->content_of == nullptr)
    return TextureMaker::kStep;
  std::string pins;
  for (const auto& [key, value] : child.pins) pins.append(key).append("=").append(value).append("\n");
  const ChildSettings settings = settings_of({child.recipe->name, rules_source_, child.input_path, pins});
  if (!settings.shares) return TextureMaker::kStep;
  // Pixel art that is a source of its own may lack the mip levels that a model needs.
  const bool differs_alone = settings.keeps_graphics && recipes::mode_in(child.params) == recipes::TextureUsage::kColor;
  if (!child.input_path.empty() && !differs_alone) {
    const auto own = asset(child.input_path);
    const bool has_only_mode = std::ranges::all_of(child.params, [](const auto& param) {
      return param.first == recipes::kModeParam || param.first == recipes::kYDownParam;
    });
    if (own && own->recipe == child.recipe && own->mode == recipes::mode_in(child.params) && has_only_mode &&
        settings_of({child.recipe->name, {}, child.input_path, {}}).canonical == settings.canonical) {
      child.stem = own->stem;
      return TextureMaker::kSource;
    }
  }
  const std::string folder(recipes::kSharedFolder);
  if (files_.covers(folder + "/a") && list(folder)) {
    return fail(ErrorCode::kConflict,
                "the input has a folder named " + folder + ", where the shared textures of models would be",
                "rename the folder, or set texture.share: source");
  }
  // A file is one picture, whatever it contains. A model names it by its path.
  const ContentHash content =
      child.input_path.empty()
          ? files_.content_of(child.inline_input.span(), child.recipe->content_of)
          : ContentHasher().add(std::string_view("file")).add(std::string_view(child.input_path)).finish();
  share_step(child, content, settings);
  return TextureMaker::kStep;
}

void TrackedInputs::runs(const recipes::Program& program) {
  toolchain_.look_at(program);
  programs_.push_back(&program);
}

Result<Bytes> PeekingInputs::read(std::string_view path) {
  ASSETC_TRY(const std::string normal, normalized_input_path(path));
  ContentHash ignored;
  return files_.read(normal, ignored);
}
Result<Bytes> PeekingInputs::head(std::string_view path, std::size_t size) {
  ASSETC_TRY(const std::string normal, normalized_input_path(path));
  return files_.head(normal, size);
}
bool PeekingInputs::exists(std::string_view path) {
  const auto normal = normalized_input_path(path);
  return normal && files_.exists(*normal);
}
Result<std::vector<std::string>> PeekingInputs::list(std::string_view directory) {
  ASSETC_TRY(const std::string normal, normalized_input_path(directory));
  ASSETC_TRY(auto names, files_.list(normal));
  if (!names) return fail(ErrorCode::kNotFound, "the directory does not exist");
  return std::move(*names);
}

ContentHash listing_hash(const std::vector<std::string>& names) {
  ContentHasher hasher;
  for (const std::string& name : names) hasher.add(name);
  return hasher.finish();
}

Result<Dependency> dependency_now(FileTable& files, const AssetRules& assets, std::string_view path,
                                  DependencyKind recorded) {
  switch (recorded) {
    case DependencyKind::kRead: {
      ASSETC_TRY(const auto hash, files.hash(path));
      return hash ? Dependency{path, DependencyKind::kRead, *hash} : Dependency{path, DependencyKind::kAbsent, {}};
    }
    case DependencyKind::kPresent:
    case DependencyKind::kAbsent:
      return Dependency{path, files.exists(path) ? DependencyKind::kPresent : DependencyKind::kAbsent, {}};
    case DependencyKind::kAsset:
      return Dependency{path, DependencyKind::kAsset, asset_hash(asset_now(files, assets, path))};
    case DependencyKind::kUuid:
      return Dependency{path, DependencyKind::kUuid, meaning_of(assets, path)};
    case DependencyKind::kSettings: {
      const AskedSettings asked = AskedSettings::of(path);
      return Dependency{path, DependencyKind::kSettings,
                        assets.settings_of_child ? assets.settings_of_child(asked).hash(asked) : ContentHash()};
    }
    case DependencyKind::kNamed:
      return Dependency{path, DependencyKind::kNamed, listing_hash(files.named(path))};
    case DependencyKind::kListing:
    case DependencyKind::kListingAbsent: {
      ASSETC_TRY(const auto names, files.list(path));
      return names ? Dependency{path, DependencyKind::kListing, listing_hash(*names)}
                   : Dependency{path, DependencyKind::kListingAbsent, {}};
    }
  }
  return fail(ErrorCode::kInvalidData, "unknown kind of dependency");
}

}  // namespace assetc::engine
