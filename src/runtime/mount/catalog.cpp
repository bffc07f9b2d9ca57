#include "assetc/runtime/catalog.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "assetc/formats/hpack.hpp"
#include "assetc/formats/pak.hpp"
#include "base/ascii.hpp"
#include "base/plural.hpp"
#include "runtime/mount/buffer.hpp"
#include "runtime/mount/indexed_mount.hpp"
#include "runtime/mount/mount_point.hpp"
#include "runtime/mount/variants.hpp"
#include "runtime/source/native_file.hpp"
#include "runtime/source/steady_mapping.hpp"

namespace assetc::runtime {
namespace {

// A source for one file, mapped once, at whatever path it was requested. It also reads other files beside it.
std::unique_ptr<Source> source_of(std::string path, SteadyMapping file, unsigned threads) {
  return make_source(
      [path = std::move(path), file = std::move(file)](const ReadRequest& request,
                                                       const std::atomic<bool>& canceled) -> Result<ReadAnswer> {
        if (request.path != path) return read_native({}, request, canceled);
        ASSETC_CHECK(file.check());
        ASSETC_TRY(ReadAnswer answer, read_range(request, file.bytes()));
        read_in(answer.bytes, canceled);
        return answer;
      },
      threads);
}

std::unique_ptr<Source> mapped_source(std::string folder, unsigned threads) {
  return make_source([folder = std::move(folder)](const ReadRequest& request, const std::atomic<bool>& canceled)
                         -> Result<ReadAnswer> { return read_native(folder, request, canceled); },
                     threads);
}

// A mapping reads ahead. Without one, a slow disk needs many requests at once.
unsigned threads_of(const MountOptions& options) {
  return options.threads != 0 ? options.threads : options.mapped ? 2 : 8;
}

// The failure of a mount. Files in a folder get the folder's path as prefix.
Failure of_mount(Failure failure, const std::string& path, const std::string& folder) {
  std::string& file = failure.error.file;
  file = file.empty() ? path : folder + file;
  return failure;
}

// Folders and packs are not signed and have no signed name or version. If the options require one, they are refused.
std::optional<Error> refusal(Layout layout, const MountOptions& options) {
  if (layout == Layout::kBundle) return std::nullopt;
  const std::string what = layout == Layout::kPack ? "is a pack" : "is a folder";
  if (options.signer)
    return Error{ErrorCode::kUsage,
                 {},
                 {},
                 what + ", which is never signed; expected a signed bundle",
                 "mount the bundle, or this without a signer"};
  if (!options.expected_name.empty() || !options.expected_platform.empty() || options.least_version > 0)
    return Error{ErrorCode::kUsage,
                 {},
                 {},
                 what + ", which has no name, platform and version; expected a bundle",
                 "mount the bundle, or do not require a name, platform or version"};
  return std::nullopt;
}

MountResult open(std::shared_ptr<Source> source, Layout layout, const std::string& path, const MountOptions& options,
                 std::vector<std::string> files, FileLister list = {}) {
  if (auto refused = refusal(layout, options)) return mount_failure(std::move(*refused), Fault::kUntrusted);
  switch (layout) {
    case Layout::kTree:
      return open_tree(std::move(source), path, std::move(files), std::move(list));
    case Layout::kPack:
      return open_pack(std::move(source), path);
    case Layout::kCooked:
    case Layout::kRegistry:
      return open_cooked(std::move(source), path, layout == Layout::kCooked);
    case Layout::kBundle:
      break;
  }
  return open_bundle(std::move(source), path, options);
}

// The path without '/' at its end. "/" stays.
std::string_view without_slash(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

std::string as_folder(const std::string& path) { return path.empty() || path.ends_with('/') ? path : path + "/"; }

}  // namespace

Result<ReadAnswer> ask(Source& source, std::string path, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
  Completions completions;
  source.submit({.path = std::move(path), .offset_bytes = offset_bytes, .size_bytes = size_bytes}, completions);
  return completions.wait().answer;
}

Result<void> MountPoint::check_version(std::uint32_t file, const ReadAnswer& answer) const {
  const std::uint64_t expected = file_version(file);
  if (expected == 0 || answer.file_version == 0 || answer.file_version == expected) return {};
  return std::unexpected(changed_since_mount(this->file(file)));
}

Bytes copied(const Bytes& bytes) { return Bytes(ByteVector(bytes.span().begin(), bytes.span().end())); }

namespace {

bool is_aligned(const Bytes& bytes) {
  constexpr std::uintptr_t kAlignment = 16;
  return reinterpret_cast<std::uintptr_t>(bytes.data()) % kAlignment == 0;
}

}  // namespace

Bytes aligned(Bytes bytes) {
  if (is_aligned(bytes)) return bytes;
  return copied(bytes);
}

Result<Bytes> aligned(Bytes bytes, const Memory& memory) {
  if (is_aligned(bytes)) return bytes;
  ASSETC_TRY(const Buffer copy, Buffer::allocate(bytes.size(), memory));
  std::ranges::copy(bytes.span(), copy.span().begin());
  return copy.bytes();
}

AssetHandle Dependencies::operator[](std::size_t i) const {
  const std::size_t hard_count = this->hard_count();
  const bool is_hard = i < hard_count;
  if (!is_hard) i -= hard_count;
  const std::span<const std::uint32_t> own = is_hard ? hard_ : soft_;
  if (i >= own.size()) return {.uuid = registry::uuid_at(is_hard ? outer_hard_ : outer_soft_, i - own.size())};
  const std::uint32_t index = own[i];
  return {.uuid = registry_->uuid(index), .type = static_cast<AssetType>(registry_->asset(index).type)};
}

Expected<void> Catalog::add(MountResult point, Mounted mount) {
  if (!point) return std::unexpected(of_mount(std::move(point).error(), mount.path, mount.folder));
  mount.point = std::move(*point);
  const auto at = std::ranges::find_if(mounts_, [&](const Mounted& other) { return other.priority <= mount.priority; });
  mounts_.insert(at, std::move(mount));
  find_variants();
  return {};
}

Expected<void> Catalog::mount(std::shared_ptr<Source> source, Layout layout, const std::string& path,
                              const MountOptions& options) {
  const bool is_file = layout == Layout::kPack || layout == Layout::kBundle;
  return add(open(std::move(source), layout, is_file ? path : as_folder(path), options, options.files),
             {.priority = options.priority, .path = path});
}

Expected<void> Catalog::mount(const std::string& path, const MountOptions& options) {
  Mounted mount{.priority = options.priority, .path = path};
  std::error_code error;
  if (std::filesystem::is_directory(native_path(path), error)) {
    auto folder = FileTree::open(path);
    if (!folder) return add(mount_failure(std::move(folder).error()), std::move(mount));
    const auto has = [&](std::string_view file) { return folder->contains(file); };
    const bool is_cooked = has("Registry/AssetRegistry.bin") || has("Registry/AssetRegistry.json");
    if (!is_cooked && !has(kManifest)) {
      return add(mount_failure({ErrorCode::kNotFound,
                                {},
                                {},
                                "found neither assets.hman nor Registry/: this is not the output of a build or a cook",
                                "mount runtime/ or Cooked/<Platform> after a build without errors"}),
                 std::move(mount));
    }
    mount.folder = as_folder(path);
    std::shared_ptr<Source> source =
        options.mapped ? mapped_source(mount.folder, threads_of(options)) : make_file_source(path, threads_of(options));
    if (is_cooked) {
      const bool has_blobs = std::filesystem::is_directory(native_path(path + "/Assets"), error);
      return add(open(std::move(source), has_blobs ? Layout::kCooked : Layout::kRegistry, "", options, {}),
                 std::move(mount));
    }
    const auto list = [tree = *folder] {
      std::vector<std::string> files = tree.list();
      std::erase_if(files, is_hidden);
      return files;
    };
    return add(open(std::move(source), Layout::kTree, "", options, list(), list), std::move(mount));
  }
  auto file = SteadyMapping::open(path);
  if (!file) return add(mount_failure(std::move(file).error()), std::move(mount));
  const ByteSpan bytes = file->bytes();
  const std::uint32_t magic = bytes.size() < sizeof(std::uint32_t) ? 0 : load<std::uint32_t>(bytes);
  if (magic != hpack::kMagic && magic != pak::kMagic)
    return add(mount_failure({ErrorCode::kInvalidData, path, {}, "is neither a folder, nor a .hpack, nor a .pak", {}}),
               std::move(mount));
  std::shared_ptr<Source> source = options.mapped ? source_of(path, std::move(*file), threads_of(options))
                                                  : make_file_source({}, threads_of(options));
  return add(open(std::move(source), magic == pak::kMagic ? Layout::kBundle : Layout::kPack, path, options, {}),
             std::move(mount));
}

Expected<void> Catalog::unmount(std::string_view path) {
  const auto at = std::ranges::find_if(
      mounts_, [&](const Mounted& mount) { return without_slash(mount.path) == without_slash(path); });
  if (at == mounts_.end()) {
    return std::unexpected(
        Failure{Fault::kMissing,
                {},
                {},
                {ErrorCode::kNotFound, std::string(path), {}, "is not mounted", "give the path as mount() got it"}});
  }
  mounts_.erase(at);
  find_variants();
  return {};
}

std::vector<MountInfo> Catalog::mounts() const {
  std::vector<MountInfo> all;
  for (const Mounted& mount : mounts_) {
    MountInfo info = mount.point->info();
    info.path = mount.path;
    info.priority = mount.priority;
    all.push_back(info);
  }
  return all;
}

Catalog::Reopened Catalog::reopen(const Changes& changes) {
  Reopened done;
  for (Mounted& mount : mounts_) {
    auto point = mount.point->reopen(changes);
    if (!point) {
      done.failures.push_back(of_mount(std::move(point).error(), mount.path, mount.folder));
    } else if (*point != nullptr) {
      mount.point = std::move(*point);
      done.any = true;
    }
  }
  if (done.any) find_variants();
  return done;
}

std::vector<AssetHandle> Catalog::assets_in(const Changes& changes) const {
  std::vector<AssetHandle> assets;
  for (const Mounted& mount : mounts_) {
    if (changes.everything) {
      mount.point->list_loose(assets);
      continue;
    }
    for (const auto* files : {&changes.written, &changes.removed}) {
      for (const std::string& file : *files) {
        const std::size_t first = assets.size();
        mount.point->assets_in(file, assets);
        const std::size_t last = assets.size();
        for (std::size_t i = first; variants_ && i < last; ++i) variants_->add_replaced(AssetHandle(assets[i]), assets);
      }
    }
  }
  return assets;
}

// The asset that replaces an asset of a mount because a mount before it has its virtual path.
AssetHandle Catalog::overriding(std::size_t mount, const registry::AssetView& asset, const Uuid& uuid) const {
  const auto lower = [](char c) { return ascii_lower(c); };
  for (std::size_t i = 0; i < mount; ++i) {
    const registry::View* const registry = mounts_[i].point->registry();
    const auto index = registry == nullptr ? std::nullopt : registry->find(asset.virtual_path);
    if (!index) continue;
    const registry::AssetView other = registry->asset(*index);
    // It may have been found by a former path.
    const bool has_path = std::ranges::equal(other.virtual_path, asset.virtual_path, {}, lower, lower);
    if (has_path && other.type == asset.type)
      return {.uuid = registry->uuid(*index), .type = static_cast<AssetType>(other.type)};
  }
  return {.uuid = uuid, .type = static_cast<AssetType>(asset.type)};
}

std::optional<AssetHandle> Catalog::follow(Uuid uuid) const {
  for (int hop = 0; hop <= kMaxRedirects; ++hop) {
    Uuid next;
    bool has_content = false;
    for (std::size_t i = 0; i < mounts_.size(); ++i) {
      const Mounted& mount = mounts_[i];
      if (const registry::View* registry = mount.point->registry()) {
        if (const auto index = registry->find(uuid)) {
          if (registry->uuid(*index) == uuid) return overriding(i, registry->asset(*index), uuid);
          if (!has_content) next = registry->uuid(*index);
        } else if (!has_content) {
          next = mount.point->redirect(uuid);
        }
        if (!next.is_nil()) break;
      } else if (mount.point->find(uuid)) {
        has_content = true;
      }
    }
    if (next.is_nil()) return has_content ? std::optional(AssetHandle{.uuid = uuid}) : std::nullopt;
    uuid = next;
  }
  return std::nullopt;
}

std::optional<AssetHandle> Catalog::vary(std::optional<AssetHandle> asset) const {
  return asset && variants_ ? variants_->best(*asset) : asset;
}

std::optional<AssetHandle> Catalog::find(const Uuid& uuid) const { return vary(follow(uuid)); }
std::optional<AssetHandle> Catalog::find_by_path(std::string_view path) const {
  std::optional<AssetHandle> asset = vary(find_plain(path));
  if (asset && !asset->uuid.is_nil()) asset->path_hash = hash_asset_ref(path);
  return asset;
}
std::optional<AssetHandle> Catalog::find(std::uint64_t hash) const {
  std::optional<Found> found = find_placed(hash);
  if (!found) return std::nullopt;
  if (!found->asset.uuid.is_nil()) found->asset.path_hash = hash;
  return found->asset;
}

std::optional<AssetHandle> Catalog::find_plain(std::string_view path) const {
  for (const Mounted& mount : mounts_) {
    if (const registry::View* registry = mount.point->registry()) {
      if (const auto index = registry->find(path)) return follow(registry->uuid(*index));
      if (const Uuid next = mount.point->redirect(path); !next.is_nil()) return follow(next);
    } else if (const auto entry = mount.point->find_path(path)) {
      return mount.point->handle(*entry);
    }
  }
  return std::nullopt;
}

std::optional<Catalog::Found> Catalog::find_placed(std::uint64_t hash) const {
  const auto varied = [&](std::optional<AssetHandle> asset) {
    asset = vary(asset);
    return asset ? std::optional(Found{*asset}) : std::nullopt;
  };
  for (const Mounted& mount : mounts_) {
    if (const registry::View* registry = mount.point->registry()) {
      if (const auto index = registry->find_hash(hash)) return varied(follow(registry->uuid(*index)));
    } else if (const auto named = mount.point->resolve(hash)) {
      if (variants_ || !named->entry) return varied(named->asset);
      return Found{named->asset, {mount.point.get(), *named->entry}};
    }
  }
  return std::nullopt;
}

Catalog::Place Catalog::locate(const AssetHandle& asset) const {
  for (const Mounted& mount : mounts_) {
    const auto entry = asset.uuid.is_nil() ? mount.point->find(asset.path_hash) : mount.point->find(asset.uuid);
    if (entry) return {mount.point.get(), *entry};
  }
  return {};
}

std::optional<ContentId> Catalog::content(const Place& place) const {
  return place.mount == nullptr ? std::nullopt : place.mount->content(place.entry);
}

std::optional<AssetDesc> Catalog::desc(const AssetHandle& asset) const { return desc(asset, locate(asset)); }

std::optional<AssetDesc> Catalog::desc(const AssetHandle& asset, const Place& place) const {
  AssetDesc desc{.handle = asset};
  return describe(place, desc) ? std::optional(desc) : std::nullopt;
}

bool Catalog::describe(const Place& place, AssetDesc& desc) const {
  const AssetHandle& asset = desc.handle;
  if (place.mount != nullptr) {
    if (desc.handle.type == kUnknownType) desc.handle.type = place.mount->handle(place.entry).type;
    desc.virtual_path = place.mount->path(place.entry);
    const std::uint64_t size = place.mount->size_bytes(place.entry);
    desc.size_bytes = size == kToEnd ? 0 : size;
  }
  if (asset.uuid.is_nil()) return place.mount != nullptr;
  for (const Mounted& mount : mounts_) {
    const registry::View* registry = mount.point->registry();
    const auto index = registry == nullptr ? std::nullopt : registry->find(asset.uuid);
    if (!index || registry->uuid(*index) != asset.uuid) continue;
    const registry::AssetView view = registry->asset(*index);
    desc.virtual_path = view.virtual_path;
    desc.fields = view.desc;
    desc.handle.type = static_cast<AssetType>(view.type);
    desc.tags = view.tags;
    if (view.container) desc.container = mount.point->handle(*view.container);
    return true;
  }
  return place.mount != nullptr;
}

Dependencies Catalog::dependencies(const AssetHandle& asset) const {
  Dependencies out;
  if (asset.uuid.is_nil()) return out;
  for (const Mounted& mount : mounts_) {
    const registry::View* registry = mount.point->registry();
    const auto index = registry == nullptr ? std::nullopt : registry->find(asset.uuid);
    if (!index || registry->uuid(*index) != asset.uuid) continue;
    const registry::AssetView view = registry->asset(*index);
    out.registry_ = registry;
    out.hard_ = view.hard_dependencies;
    out.soft_ = view.soft_dependencies;
    out.outer_hard_ = view.outer_hard_dependencies;
    out.outer_soft_ = view.outer_soft_dependencies;
    break;
  }
  return out;
}

Result<Bytes> Catalog::read(const AssetHandle& asset, std::uint64_t max_bytes) const {
  const Place place = locate(asset);
  if (place.mount == nullptr) return fail(ErrorCode::kNotFound, "no mount has this asset");
  const MountPoint& mount = *place.mount;
  std::vector<StoredRange> parts;
  mount.parts(place.entry, parts);
  std::uint64_t size_bytes = mount.size_bytes(place.entry);
  if (size_bytes == kToEnd) {
    ASSETC_TRY(const ReadAnswer sized, ask(mount.source(), mount.file(parts[0].file), 0, 0));
    size_bytes = sized.file_size_bytes;
  }
  if (size_bytes > max_bytes)
    return fail(ErrorCode::kLimit,
                "found " + counted(size_bytes, "byte") + ", expected at most " + std::to_string(max_bytes),
                "raise max_bytes");
  std::vector<Bytes> answers;
  answers.reserve(parts.size());
  for (const StoredRange& part : parts) {
    ASSETC_TRY(ReadAnswer answer, ask(mount.source(), mount.file(part.file), part.offset_bytes, part.size_bytes));
    ASSETC_CHECK(mount.check_version(part.file, answer));
    answers.push_back(std::move(answer.bytes));
  }
  ASSETC_TRY(Bytes bytes, mount.assemble(place.entry, answers));
  return aligned(std::move(bytes));
}

}  // namespace assetc::runtime
