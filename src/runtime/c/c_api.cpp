#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "assetc/formats/ktx2.hpp"
#include "assetc/runtime.h"
#include "assetc/runtime/all_loaders.hpp"
#include "assetc/runtime/animation.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/manager.hpp"
#include "assetc/runtime/scene.hpp"

namespace runtime = assetc::runtime;
using runtime::AssetHandle;
using runtime::AssetRef;
using runtime::Fault;

struct assetc_error {
  assetc_fault fault;
  std::string text;
};
struct assetc_catalog {
  runtime::Catalog catalog;
};
struct assetc_blob {
  assetc::Bytes bytes;
};
struct assetc_manager {
  std::unique_ptr<runtime::ThreadPool> pool;  // outlives the manager
  std::unique_ptr<runtime::Manager> manager;
};
using AnyAsset =
    std::variant<AssetRef<runtime::TextureData>, AssetRef<runtime::MeshData>, AssetRef<runtime::MaterialData>,
                 AssetRef<runtime::AnimationData>, AssetRef<runtime::AudioData>, AssetRef<runtime::SkeletonData>,
                 AssetRef<runtime::SceneData>, AssetRef<runtime::ShaderData>, AssetRef<runtime::RawData>>;
struct assetc_asset {
  AnyAsset ref;
  mutable std::once_flag has_error;
  mutable assetc_error error;
};

namespace {

// ASSETC_USAGE, which is no Fault, lies between the first faults and those that were added later.
constexpr assetc_fault code_of(Fault fault) {
  return static_cast<assetc_fault>(fault) + (fault > Fault::kCanceled ? 2 : 1);
}
static_assert(code_of(Fault::kMissing) == ASSETC_MISSING && code_of(Fault::kCorrupt) == ASSETC_CORRUPT &&
              code_of(Fault::kUntrusted) == ASSETC_UNTRUSTED && code_of(Fault::kIo) == ASSETC_IO &&
              code_of(Fault::kCanceled) == ASSETC_CANCELED && code_of(Fault::kStale) == ASSETC_STALE);
static_assert(ASSETC_TEXTURE_2D == static_cast<int>(runtime::AssetType::kTexture2D) &&
              ASSETC_TEXTURE_CUBE == static_cast<int>(runtime::AssetType::kTextureCube) &&
              ASSETC_MODEL == static_cast<int>(runtime::AssetType::kModel) &&
              ASSETC_CLUSTERS == static_cast<int>(runtime::AssetType::kClusters) &&
              ASSETC_FONT == static_cast<int>(runtime::AssetType::kFont));
static_assert(ASSETC_TREE == static_cast<int>(runtime::Layout::kTree) &&
              ASSETC_REGISTRY == static_cast<int>(runtime::Layout::kRegistry) &&
              ASSETC_BUNDLE == static_cast<int>(runtime::Layout::kBundle));
static_assert(ASSETC_READY == static_cast<int>(runtime::LoadState::kReady) &&
              ASSETC_FAILED == static_cast<int>(runtime::LoadState::kFailed));

assetc_error error_of(const runtime::Failure& failure) { return {code_of(failure.fault), failure.to_string()}; }

assetc_fault report(const runtime::Failure& failure, assetc_error** error) {
  if (error != nullptr) *error = std::make_unique<assetc_error>(error_of(failure)).release();
  return code_of(failure.fault);
}

// The size of the options in version 1 of the interface. No valid caller has smaller ones. A smaller size means that
// the caller forgot to set it. It is an error, because the requested options (a trusted signer) would be ignored.
template <class T>
constexpr std::uint32_t kFirstBytes = 0;
template <>
constexpr std::uint32_t kFirstBytes<assetc_mount_options> =
    offsetof(assetc_mount_options, reserved) + sizeof(assetc_mount_options::reserved);
template <>
constexpr std::uint32_t kFirstBytes<assetc_manager_options> =
    offsetof(assetc_manager_options, context) + sizeof(assetc_manager_options::context);
template <>
constexpr std::uint32_t kFirstBytes<assetc_query> = offsetof(assetc_query, container) + sizeof(const assetc_handle*);

template <class T>
bool is_sized(const T* given) {
  static_assert(kFirstBytes<T> > 0);
  return given == nullptr || given->struct_bytes >= kFirstBytes<T>;
}

assetc_fault report_unsized(std::uint32_t found_bytes, std::uint32_t first_bytes, assetc_error** error) {
  const assetc::Error why{assetc::ErrorCode::kUsage,
                          {},
                          {},
                          "found options with a struct_bytes of " + std::to_string(found_bytes) +
                              ", expected at least " + std::to_string(first_bytes),
                          "set it to sizeof the struct"};
  if (error != nullptr) *error = std::make_unique<assetc_error>(assetc_error{ASSETC_USAGE, why.to_string()}).release();
  return ASSETC_USAGE;
}

// Copies the caller's struct. Fields that it lacks are zero. Requires is_sized().
template <class T>
T taken(const T* given) {
  T all{};
  if (given != nullptr) std::memcpy(&all, given, std::min<std::size_t>(given->struct_bytes, sizeof all));
  return all;
}

// Writes as much as fits into the caller's struct, which may be smaller than in version 1.
template <class T>
assetc_fault give(T value, T* out) {
  if (out->struct_bytes <= sizeof value.struct_bytes) return ASSETC_USAGE;
  value.struct_bytes = out->struct_bytes;
  std::memcpy(out, &value, std::min<std::size_t>(value.struct_bytes, sizeof value));
  return ASSETC_OK;
}

AssetHandle handle_of(const assetc_handle& handle) {
  AssetHandle out{.path_hash = handle.path_hash, .type = static_cast<runtime::AssetType>(handle.type)};
  std::ranges::copy(handle.uuid, out.uuid.bytes.begin());
  return out;
}

assetc_handle handle_of(const AssetHandle& handle) {
  assetc_handle out{};
  std::ranges::copy(handle.uuid.bytes, out.uuid);
  if (handle.uuid.is_nil()) out.path_hash = handle.path_hash;  // so that C may compare all bytes
  out.type = static_cast<assetc_type>(handle.type);
  return out;
}

assetc_text text_of(std::string_view text) { return {text.data(), text.size()}; }

assetc_fault found(const std::optional<AssetHandle>& asset, assetc_handle* out) {
  if (!asset) return ASSETC_MISSING;
  *out = handle_of(*asset);
  return ASSETC_OK;
}

struct FieldsOf {
  assetc_desc& out;
  void operator()(std::monostate) const {}
  void operator()(const assetc::registry::TextureDesc& texture) const {
    out.width_texels = texture.width_texels;
    out.height_texels = texture.height_texels;
    out.depth_or_layers = texture.depth_or_layers;
    out.texture_format = texture.format;
    out.mip_count = texture.mip_count;
    out.is_srgb = texture.srgb;
  }
  void operator()(const assetc::registry::MeshDesc& mesh) const {
    out.vertex_count = mesh.vertex_count;
    out.index_count = mesh.index_count;
    out.index_width_bytes = mesh.index_width_bytes;
    out.submesh_count = mesh.submesh_count;
    out.lod_count = mesh.lod_count;
    std::ranges::copy(mesh.bounds_min, out.bounds_min);
    std::ranges::copy(mesh.bounds_max, out.bounds_max);
  }
  void operator()(const assetc::registry::MaterialDesc& material) const {
    out.shading_model = material.shading_model;
    out.blend_mode = material.blend_mode;
    out.texture_count = material.texture_count;
  }
  void operator()(const assetc::registry::AudioDesc& audio) const {
    out.codec = audio.codec;
    out.channel_count = audio.channel_count;
    out.sample_rate_hz = audio.sample_rate_hz;
    out.frame_count = audio.frame_count;
  }
};

AnyAsset load(runtime::Manager& manager, const AssetHandle& asset, int priority) {
  const auto as = [&]<class T>(std::type_identity<T>) -> AnyAsset { return manager.load_async<T>(asset, priority); };
  switch (asset.type) {
    case runtime::AssetType::kMesh:
      return as(std::type_identity<runtime::MeshData>());
    case runtime::AssetType::kMaterial:
      return as(std::type_identity<runtime::MaterialData>());
    case runtime::AssetType::kAnimation:
      return as(std::type_identity<runtime::AnimationData>());
    case runtime::AssetType::kAudio:
      return as(std::type_identity<runtime::AudioData>());
    case runtime::AssetType::kSkeleton:
      return as(std::type_identity<runtime::SkeletonData>());
    case runtime::AssetType::kModel:
      return as(std::type_identity<runtime::SceneData>());
    case runtime::AssetType::kShader:
      return as(std::type_identity<runtime::ShaderData>());
    default:
      break;
  }
  if (assetc::aas1::is_texture(asset.type)) return as(std::type_identity<runtime::TextureData>());
  return as(std::type_identity<runtime::RawData>());
}

const runtime::AnyRef& any(const assetc_asset& asset) {
  return std::visit([](const auto& ref) -> const runtime::AnyRef& { return ref; }, asset.ref);
}

// Returns null and sets `fault` to the reason.
template <class T>
const T* value(const assetc_asset& asset, assetc_fault& fault) {
  const auto* ref = std::get_if<AssetRef<T>>(&asset.ref);
  const T* value = ref == nullptr ? nullptr : ref->get();
  fault = ASSETC_OK;
  if (value == nullptr) fault = ASSETC_MISSING;
  if (ref == nullptr) fault = ASSETC_WRONG_TYPE;
  return value;
}

struct GeometryOf {
  assetc_mesh& out;
  void operator()(const assetc::aas1::MeshView& mesh) const {
    const assetc::aas1::LevelView& level = mesh.levels()[0];
    out.container = assetc::aas1::kMagic;
    out.vertex_count = level.vertex_count;
    out.vertex_stride_bytes = mesh.desc().vertex_stride_bytes;
    out.index_count = level.index_count;
    out.index_width_bytes = mesh.desc().index_type == 0 ? 2 : 4;
    out.lod_count = static_cast<std::uint32_t>(mesh.levels().size());
    out.vertices = level.vertices.data();
    out.indices = level.indices.data();
  }
  void operator()(const assetc::hmesh::View& mesh) const {
    out.container = assetc::chunks::kMagic;
    out.vertex_count = mesh.desc().vertex_count;
    out.vertex_stride_bytes = mesh.desc().vertex_stride_bytes;
    out.index_count = mesh.desc().index_count;
    out.index_width_bytes = mesh.desc().index_width_bytes;
    out.lod_count = mesh.lod_count() + 1;
    out.vertices = mesh.vertices().data();
    out.indices = mesh.index_bytes().data();
  }
  void operator()(const assetc::hmesh_v1::View& mesh) const {
    out.container = assetc::chunks::kMagic;
    out.vertex_count = static_cast<std::uint32_t>(mesh.vertices().size());
    out.vertex_stride_bytes = sizeof(assetc::hmesh_v1::GpuVertex);
    out.index_count = static_cast<std::uint32_t>(mesh.index_count());
    out.index_width_bytes = mesh.index_width_bytes();
    out.lod_count = 1;
    out.vertices = mesh.vertices().data();
    out.indices = mesh.index_bytes().data();
  }
  void operator()(const assetc::galileo::View&) const { out.container = assetc::galileo::kMagic; }
};

runtime::MountOptions mount_options_of(const assetc_mount_options* options) {
  const assetc_mount_options given = taken(options);
  runtime::MountOptions mount{.priority = given.priority, .threads = given.threads};
  for (std::size_t i = 0; i < given.patch_count; ++i) mount.patches.emplace_back(given.patches[i]);
  if (given.signer != nullptr) std::copy_n(given.signer, 32, mount.signer.emplace().begin());
  if (given.key != nullptr) std::copy_n(given.key, 32, mount.key.emplace().begin());
  if (given.expected_name != nullptr) mount.expected_name = given.expected_name;
  if (given.expected_platform != nullptr) mount.expected_platform = given.expected_platform;
  mount.least_version = given.least_version;
  return mount;
}

assetc_fault outcome(const runtime::Expected<void>& done, assetc_error** error) {
  if (!done) return report(done.error(), error);
  return ASSETC_OK;
}

std::vector<std::string> texts_of(const char* const* texts, std::size_t count) {
  return count == 0 ? std::vector<std::string>() : std::vector<std::string>(texts, texts + count);
}

std::string_view view_of(const char* text) { return text == nullptr ? std::string_view() : std::string_view(text); }

struct BytesOf {
  assetc::ByteSpan operator()(const runtime::TextureData&) const { return {}; }
  assetc::ByteSpan operator()(const runtime::ShaderData& shader) const { return shader.code; }
  assetc::ByteSpan operator()(const auto& asset) const { return asset.bytes; }
};

}  // namespace

uint32_t assetc_abi_version(void) { return ASSETC_ABI_VERSION; }

// ---- errors ----

assetc_fault assetc_error_fault(const assetc_error* error) { return error->fault; }
const char* assetc_error_text(const assetc_error* error) { return error->text.c_str(); }
void assetc_error_free(assetc_error* error) { const std::unique_ptr<assetc_error> owned(error); }

const char* assetc_fault_name(assetc_fault fault) {
  if (fault == ASSETC_USAGE) return "usage";
  // to_string() returns string literals, which end with a zero.
  if (fault == ASSETC_OK || fault > ASSETC_STALE) return "";
  return to_string(static_cast<Fault>(fault - (fault > ASSETC_USAGE ? 2 : 1))).data();
}

// ---- catalogs ----

assetc_catalog* assetc_catalog_new(void) { return std::make_unique<assetc_catalog>().release(); }
void assetc_catalog_free(assetc_catalog* catalog) { const std::unique_ptr<assetc_catalog> owned(catalog); }

assetc_fault assetc_mount(assetc_catalog* catalog, const char* path, const assetc_mount_options* options,
                          assetc_error** error) {
  if (!is_sized(options)) return report_unsized(options->struct_bytes, kFirstBytes<assetc_mount_options>, error);
  return outcome(catalog->catalog.mount(path, mount_options_of(options)), error);
}
assetc_fault assetc_unmount(assetc_catalog* catalog, const char* path, assetc_error** error) {
  return outcome(catalog->catalog.unmount(path), error);
}
void assetc_set_variants(assetc_catalog* catalog, const char* const* qualifiers, size_t count) {
  catalog->catalog.set_variants(texts_of(qualifiers, count));
}

size_t assetc_mount_count(const assetc_catalog* catalog) { return catalog->catalog.mounts().size(); }
assetc_fault assetc_mount_at(const assetc_catalog* catalog, size_t index, assetc_mounted* out) {
  const std::vector<runtime::MountInfo> mounts = catalog->catalog.mounts();
  if (index >= mounts.size()) return ASSETC_MISSING;
  const runtime::MountInfo& info = mounts[index];
  assetc_mounted all{};
  all.priority = info.priority;
  all.path = text_of(info.path);
  all.layout = static_cast<assetc_layout>(info.layout);
  all.is_encrypted = info.is_encrypted;
  all.name = text_of(info.name);
  all.platform = text_of(info.platform);
  all.version = info.version;
  all.is_signed = info.signer.has_value();
  if (info.signer) std::ranges::copy(*info.signer, all.signer);
  return give(all, out);
}

assetc_fault assetc_find_path(const assetc_catalog* catalog, const char* path, assetc_handle* out) {
  return found(catalog->catalog.find_by_path(path), out);
}
assetc_fault assetc_find_uuid(const assetc_catalog* catalog, const uint8_t* uuid_16, assetc_handle* out) {
  assetc::Uuid uuid;
  std::copy_n(uuid_16, uuid.bytes.size(), uuid.bytes.begin());
  return found(catalog->catalog.find(uuid), out);
}
assetc_fault assetc_find_hash(const assetc_catalog* catalog, uint64_t hash, assetc_handle* out) {
  return found(catalog->catalog.find(hash), out);
}
assetc_fault assetc_parse_uuid(const char* text, uint8_t* uuid_16) {
  const auto uuid = assetc::Uuid::parse(text);
  if (!uuid) return ASSETC_CORRUPT;
  std::ranges::copy(uuid->bytes, uuid_16);
  return ASSETC_OK;
}

assetc_fault assetc_describe(const assetc_catalog* catalog, const assetc_handle* asset, assetc_desc* out) {
  const auto desc = catalog->catalog.desc(handle_of(*asset));
  if (!desc) return ASSETC_MISSING;
  assetc_desc all{};
  all.type = static_cast<assetc_type>(desc->handle.type);
  all.virtual_path = text_of(desc->virtual_path);
  all.size_bytes = desc->size_bytes;
  std::visit(FieldsOf{all}, desc->fields);
  all.tags = text_of(desc->tags.text());
  all.container = handle_of(desc->container);
  return give(all, out);
}

size_t assetc_dependencies(const assetc_catalog* catalog, const assetc_handle* asset, assetc_handle* needed,
                           size_t capacity, size_t* hard_count) {
  const runtime::Dependencies needs = catalog->catalog.dependencies(handle_of(*asset));
  for (std::size_t i = 0; i < std::min(needs.size(), capacity); ++i) needed[i] = handle_of(needs[i]);
  if (hard_count != nullptr) *hard_count = needs.hard_count();
  return needs.size();
}

size_t assetc_list(const assetc_catalog* catalog, const assetc_query* query, assetc_handle* assets, size_t capacity) {
  if (!is_sized(query)) return 0;
  const assetc_query given = taken(query);
  const std::vector<AssetHandle> found =
      catalog->catalog.list({.folder = view_of(given.folder),
                             .prefix = view_of(given.prefix),
                             .tag = view_of(given.tag),
                             .type = static_cast<runtime::AssetType>(given.type),
                             .container = given.container == nullptr ? AssetHandle() : handle_of(*given.container)});
  for (std::size_t i = 0; i < std::min(found.size(), capacity); ++i) assets[i] = handle_of(found[i]);
  return found.size();
}

assetc_fault assetc_read(const assetc_catalog* catalog, const assetc_handle* asset, assetc_blob** blob,
                         assetc_error** error) {
  const AssetHandle wanted = handle_of(*asset);
  auto bytes = catalog->catalog.read(wanted);
  if (!bytes) {
    const auto desc = catalog->catalog.desc(wanted);
    const Fault fault = runtime::fault_of(bytes.error().code);
    return report({fault, wanted, std::string(desc ? desc->virtual_path : ""), std::move(bytes).error()}, error);
  }
  *blob = std::make_unique<assetc_blob>(assetc_blob{std::move(*bytes)}).release();
  return ASSETC_OK;
}
const void* assetc_blob_data(const assetc_blob* blob) { return blob->bytes.data(); }
size_t assetc_blob_size(const assetc_blob* blob) { return blob->bytes.size(); }
void assetc_blob_free(assetc_blob* blob) { const std::unique_ptr<assetc_blob> owned(blob); }

// ---- managers ----

assetc_manager* assetc_manager_new(const assetc_catalog* catalog, const assetc_manager_options* options) {
  if (!is_sized(options)) return nullptr;
  const assetc_manager_options given = taken(options);
  auto made = std::make_unique<assetc_manager>();
  runtime::ManagerOptions use;
  if (given.threads != 0) {
    made->pool = std::make_unique<runtime::ThreadPool>(given.threads);
    use.jobs = made->pool->jobs();
  }
  if (given.in_flight_bytes != 0) use.in_flight_bytes = given.in_flight_bytes;
  if (given.cpu_bytes != 0) use.cpu_bytes = given.cpu_bytes;
  if (given.max_asset_bytes != 0) use.max_asset_bytes = given.max_asset_bytes;
  if (given.on_failure != nullptr) {
    use.on_failure = [call = given.on_failure, context = given.context](const runtime::Failure& failure) {
      const assetc_error error = error_of(failure);
      call(context, &error);
    };
  }
  made->manager = std::make_unique<runtime::Manager>(catalog->catalog, std::move(use));
  const std::uint32_t families = given.texture_families == 0 ? std::uint32_t{ASSETC_BC} : given.texture_families;
  // Clusters are streamed, and text is laid out, in C++ only. Here, they are bytes.
  made->manager->add(runtime::AssetType::kClusters, runtime::raw_loader());
  made->manager->add(runtime::AssetType::kFont, runtime::raw_loader());
  runtime::add_loaders(*made->manager,
                       {.texture = runtime::texture_loader({.bc = (families & ASSETC_BC) != 0,
                                                            .astc = (families & ASSETC_ASTC) != 0,
                                                            .etc2 = (families & ASSETC_ETC2) != 0,
                                                            .max_size_texels = given.max_texture_texels})});
  return made.release();
}
void assetc_manager_free(assetc_manager* manager) { const std::unique_ptr<assetc_manager> owned(manager); }

assetc_fault assetc_manager_mount(assetc_manager* manager, const char* path, const assetc_mount_options* options,
                                  assetc_error** error) {
  if (!is_sized(options)) return report_unsized(options->struct_bytes, kFirstBytes<assetc_mount_options>, error);
  return outcome(manager->manager->mount(path, mount_options_of(options)), error);
}
assetc_fault assetc_manager_unmount(assetc_manager* manager, const char* path, assetc_error** error) {
  return outcome(manager->manager->unmount(path), error);
}
void assetc_manager_set_variants(assetc_manager* manager, const char* const* qualifiers, size_t count) {
  manager->manager->set_variants(texts_of(qualifiers, count));
}
assetc_catalog* assetc_manager_catalog(const assetc_manager* manager) {
  return std::make_unique<assetc_catalog>(assetc_catalog{manager->manager->catalog()}).release();
}

assetc_asset* assetc_load(assetc_manager* manager, const assetc_handle* asset, int32_t priority) {
  const runtime::Catalog& catalog = manager->manager->catalog();
  const AssetHandle wanted = handle_of(*asset);
  const auto known = wanted.uuid.is_nil() ? catalog.find(wanted.path_hash) : catalog.find(wanted.uuid);
  auto made = std::make_unique<assetc_asset>();
  made->ref = load(*manager->manager, known && known->type != runtime::kUnknownType ? *known : wanted, priority);
  return made.release();
}
void assetc_asset_free(assetc_asset* asset) { const std::unique_ptr<assetc_asset> owned(asset); }

assetc_state assetc_asset_state(const assetc_asset* asset) { return static_cast<assetc_state>(any(*asset).state()); }
assetc_handle assetc_asset_handle(const assetc_asset* asset) { return handle_of(any(*asset).handle()); }
const assetc_error* assetc_asset_error(const assetc_asset* asset) {
  const runtime::Failure* failure = any(*asset).failure();
  if (failure == nullptr) return nullptr;
  std::call_once(asset->has_error, [&] { asset->error = error_of(*failure); });
  return &asset->error;
}
void assetc_set_priority(assetc_manager* manager, const assetc_asset* asset, int32_t priority) {
  manager->manager->set_priority(any(*asset), priority);
}
assetc_state assetc_wait(assetc_manager* manager, const assetc_asset* asset) {
  const auto wait = [&]<class T>(const AssetRef<T>& ref) {
    if (ref.state() == runtime::LoadState::kLoading) manager->manager->load<T>(ref.handle());
  };
  std::visit(wait, asset->ref);
  return assetc_asset_state(asset);
}
size_t assetc_pump(assetc_manager* manager, uint64_t time_us, uint64_t size_bytes) {
  const runtime::Microseconds time(static_cast<std::int64_t>(std::min<std::uint64_t>(time_us, INT64_MAX)));
  return manager->manager->pump({.time = time, .bytes = size_bytes}).finalized;
}

// ---- loaded data ----

assetc_fault assetc_asset_texture(const assetc_asset* asset, assetc_texture* out) {
  assetc_fault fault = ASSETC_OK;
  const auto* texture = value<runtime::TextureData>(*asset, fault);
  if (texture == nullptr) return fault;
  assetc_texture all{};
  all.vk_format = assetc::ktx2::vk_format(texture->format, texture->is_srgb ? assetc::ktx2::Transfer::kSrgb
                                                                            : assetc::ktx2::Transfer::kLinear)
                      .value_or(0);
  all.is_srgb = texture->is_srgb;
  all.is_3d = texture->is_3d;
  all.layer_count = texture->layer_count;
  all.face_count = texture->face_count;
  all.level_count = static_cast<std::uint32_t>(texture->levels.size());
  texture->swizzle.copy(all.swizzle, sizeof all.swizzle - 1);
  return give(all, out);
}

assetc_fault assetc_asset_level(const assetc_asset* asset, uint32_t level, assetc_level* out) {
  assetc_fault fault = ASSETC_OK;
  const auto* texture = value<runtime::TextureData>(*asset, fault);
  if (texture == nullptr) return fault;
  if (level >= texture->levels.size()) return ASSETC_MISSING;
  const runtime::TextureData::Level& from = texture->levels[level];
  return give({0, from.width_texels, from.height_texels, from.depth_texels, from.bytes.data(), from.bytes.size()}, out);
}

assetc_fault assetc_asset_mesh(const assetc_asset* asset, assetc_mesh* out) {
  assetc_fault fault = ASSETC_OK;
  const auto* mesh = value<runtime::MeshData>(*asset, fault);
  if (mesh == nullptr) return fault;
  assetc_mesh all{};
  std::visit(GeometryOf{all}, mesh->view);
  return give(all, out);
}

assetc_fault assetc_asset_scene(const assetc_asset* asset, assetc_scene* out) {
  assetc_fault fault = ASSETC_OK;
  const auto* scene = value<runtime::SceneData>(*asset, fault);
  if (scene == nullptr) return fault;
  const assetc::hscene::View& view = scene->view;
  assetc_scene all{};
  all.node_count = static_cast<std::uint32_t>(view.nodes().size());
  all.mesh_count = static_cast<std::uint32_t>(view.meshes().size());
  all.camera_count = static_cast<std::uint32_t>(view.cameras().size());
  all.light_count = static_cast<std::uint32_t>(view.lights().size());
  all.material_count = static_cast<std::uint32_t>(view.materials().size());
  all.variant_count = static_cast<std::uint32_t>(view.variant_count());
  all.clip_count = static_cast<std::uint32_t>(view.clips().size());
  // The C structs have the layout of the file.
  static_assert(sizeof(assetc_node) == sizeof(assetc::hscene::Node) &&
                offsetof(assetc_node, source) == offsetof(assetc::hscene::Node, source) &&
                sizeof(assetc_camera) == sizeof(assetc::hscene::Camera) &&
                offsetof(assetc_camera, name) == offsetof(assetc::hscene::Camera, name) &&
                sizeof(assetc_light) == sizeof(assetc::hscene::Light) &&
                offsetof(assetc_light, name) == offsetof(assetc::hscene::Light, name));
  all.nodes = reinterpret_cast<const assetc_node*>(view.nodes().data());
  all.cameras = reinterpret_cast<const assetc_camera*>(view.cameras().data());
  all.lights = reinterpret_cast<const assetc_light*>(view.lights().data());
  return give(all, out);
}

assetc_text assetc_scene_text(const assetc_asset* asset, uint32_t text) {
  assetc_fault fault = ASSETC_OK;
  const auto* scene = value<runtime::SceneData>(*asset, fault);
  if (scene == nullptr || text >= scene->view.text_count()) return text_of({});
  return text_of(scene->view.text(text));
}

uint32_t assetc_scene_find(const assetc_asset* asset, const char* path) {
  assetc_fault fault = ASSETC_OK;
  const auto* scene = value<runtime::SceneData>(*asset, fault);
  return scene == nullptr ? ASSETC_NONE : scene->view.find_path(path).value_or(ASSETC_NONE);
}

assetc_fault assetc_scene_asset(const assetc_asset* asset, assetc_scene_part part, uint32_t index, assetc_handle* out) {
  assetc_fault fault = ASSETC_OK;
  const auto* scene = value<runtime::SceneData>(*asset, fault);
  if (scene == nullptr) return fault;
  const std::vector<AssetHandle>* lists[] = {&scene->meshes, &scene->materials, &scene->skeletons, &scene->clips};
  if (part >= std::size(lists) || index >= lists[part]->size() || !(*lists[part])[index]) return ASSETC_MISSING;
  *out = handle_of((*lists[part])[index]);
  return ASSETC_OK;
}

assetc_fault assetc_scene_matrices(const assetc_asset* asset, float* matrices, size_t float_count) {
  assetc_fault fault = ASSETC_OK;
  const auto* scene = value<runtime::SceneData>(*asset, fault);
  if (scene == nullptr) return fault;
  constexpr std::size_t kFloats = sizeof(runtime::Matrix) / sizeof(float);
  if (float_count != scene->view.nodes().size() * kFloats) return ASSETC_USAGE;
  runtime::world_matrices(scene->view, {}, {reinterpret_cast<runtime::Matrix*>(matrices), scene->view.nodes().size()});
  return ASSETC_OK;
}

const void* assetc_asset_bytes(const assetc_asset* asset, size_t* size_bytes) {
  const assetc::ByteSpan bytes = std::visit(
      [](const auto& ref) { return ref.get() == nullptr ? assetc::ByteSpan{} : BytesOf{}(*ref.get()); }, asset->ref);
  *size_bytes = bytes.size();
  return bytes.data();
}
