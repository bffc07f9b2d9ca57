#include "engine/target/cooked.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "assetc/formats/aas1_audio.hpp"
#include "assetc/formats/aas1_clusters.hpp"
#include "assetc/formats/aas1_describe.hpp"
#include "assetc/formats/aas1_material.hpp"
#include "assetc/formats/aas1_mesh.hpp"
#include "assetc/formats/aas1_texture.hpp"
#include "assetc/formats/registry.hpp"
#include "base/plural.hpp"
#include "crypto/sha.hpp"
#include "crypto/text.hpp"
#include "engine/target/identities.hpp"
#include "engine/target/params.hpp"
#include "identity/license.hpp"
#include "identity/virtual_path.hpp"
#include "json/json.hpp"
#include "recipes/container/containers.hpp"

namespace assetc::engine {
namespace {

constexpr std::size_t kUuidSize = 36;

// An output of a source is the asset that the stem names. Other outputs of a step are named by their suffix, which
// starts with a UUID.
std::string cooked_file_path(std::string_view stem, std::string_view suffix) {
  const std::string_view own = suffix.substr(0, kUuidSize);
  return "Assets/" + std::string(Uuid::parse(own) ? own : stem) + ".bin";
}

// Of the file for all assets with this content.
Uuid uuid_of_content(const ContentHash& content) { return crypto::uuid_of_name({}, object_bytes(content)); }
std::string shared_file_path(const ContentHash& content) {
  return cooked_file_path(uuid_of_content(content).to_string(), {});
}

// No reference hash: blobs refer to assets by UUID.
std::uint64_t cooked_asset_ref(std::string_view) { return 0; }

Result<void> verify(std::string_view path, ByteSpan bytes) {
  if (path.ends_with(registry::kJsonPath)) {
    if (!Json::parse(as_text(bytes))) return fail(ErrorCode::kInvalidData, "is not JSON", "cook again");
  } else if (path.ends_with(registry::kBinaryPath)) {
    ASSETC_CHECK(registry::View::open(bytes));
  } else {
    ASSETC_CHECK(aas1::describe(bytes));
  }
  return {};
}

// An asset in the registry, with its dependencies.
struct Row {
  std::string virtual_path;
  aas1::Description description;
  ContentHash content = {};
  std::string sha256 = {};  // in hex; empty if the registry does not include it
  Uuid container = {};      // nil: none
  Uuid shared_file = {};    // nil: it has a file of its own
  std::vector<std::string> tags = {};
  std::string license = {};
};
using Rows = std::map<Uuid, Row>;

Json json_of(const Uuid& uuid, const Row& row, const Rows& rows) {
  Json hard = Json::array(), soft = Json::array(), outer_hard = Json::array(), outer_soft = Json::array();
  for (const aas1::Dependency& dependency : row.description.dependencies) {
    const bool is_outer = !rows.contains(dependency.asset);
    Json& list = is_outer ? (dependency.is_hard ? outer_hard : outer_soft) : (dependency.is_hard ? hard : soft);
    list.push_back(dependency.asset.to_string());
  }
  Json desc = Json::object();
  for (const aas1::DescriptionField& field : row.description.fields)
    desc[field.name] = Json::parse(field.json).value_or(Json());
  Json json{{"Uuid", uuid.to_string()},
            {"Type", row.description.type},
            {"VirtualPath", row.virtual_path},
            {"CookedPath", cooked_file_path((row.shared_file.is_nil() ? uuid : row.shared_file).to_string(), {})},
            {"Dependencies", std::move(hard)}};
  if (!soft.empty()) json["SoftDependencies"] = std::move(soft);
  if (!outer_hard.empty()) json["OuterDependencies"] = std::move(outer_hard);
  if (!outer_soft.empty()) json["OuterSoftDependencies"] = std::move(outer_soft);
  if (!row.container.is_nil()) json["Container"] = row.container.to_string();
  if (!row.shared_file.is_nil()) json["SharedFile"] = row.shared_file.to_string();
  if (!row.tags.empty()) json["Tags"] = row.tags;
  if (!row.license.empty()) json["License"] = row.license;
  if (!row.sha256.empty()) json["Sha256"] = row.sha256;
  json["Desc"] = std::move(desc);
  return json;
}

// Finds the assets that steps make in addition to those in a .meta: an image in a second mode, a stage of a shader, the
// irradiance of a sky. The UUID of such an asset is derived from the UUID of its main asset and its own name.
class Relatives {
 public:
  explicit Relatives(const Identities& identities) : identities_(identities) {}

  // The main asset for which `uuid` was made under this name. Null if there is none.
  const NamedAsset* find(const Uuid& uuid, const std::string& name) {
    auto& by_uuid = of_name_[name];
    if (by_uuid.empty()) {
      identities_.each(
          [&](const NamedAsset& asset) { by_uuid.emplace(crypto::uuid_of_name(asset.uuid, as_bytes(name)), &asset); });
    }
    const auto at = by_uuid.find(uuid);
    return at == by_uuid.end() ? nullptr : at->second;
  }

 private:
  const Identities& identities_;
  std::map<std::string, std::unordered_map<Uuid, const NamedAsset*>> of_name_;
};

std::optional<Uuid> uuid_of(const IndexedFile& file) {
  const std::optional<Uuid> own = Uuid::parse(file.suffix.substr(0, kUuidSize));
  return own ? own : Uuid::parse(file.stem);
}

std::string relative_name(const IndexedFile& file) {
  if (file.suffix.size() > kUuidSize + 1 && Uuid::parse(file.suffix.substr(0, kUuidSize)))
    return std::string(file.suffix.substr(kUuidSize + 1));
  const recipes::Params params = decode_params(file.params);
  const auto mode = params.find(recipes::kModeParam);
  return mode == params.end() ? std::string() : mode->second;
}

Result<registry::Desc> texture_desc(ByteSpan blob) {
  ASSETC_TRY(const aas1::TextureView texture, aas1::TextureView::open(blob));
  const aas1::Texture2DDesc& d = texture.desc();
  const std::uint32_t depth_or_layers = std::max(texture.shape().depth_texels, texture.shape().layer_count);
  return registry::TextureDesc{d.width_texels, d.height_texels, depth_or_layers,
                               d.format,       d.mip_count,     texture.is_srgb() ? 1u : 0u};
}

Result<registry::Desc> mesh_desc(ByteSpan blob) {
  ASSETC_TRY(const aas1::MeshView mesh, aas1::MeshView::open(blob));
  const aas1::MeshDesc& d = mesh.desc();
  registry::MeshDesc desc{d.vertex_count,
                          d.index_count,
                          d.index_type == 0 ? 2u : 4u,
                          d.submesh_count,
                          static_cast<std::uint32_t>(mesh.levels().size()),
                          {},
                          {}};
  std::ranges::copy(d.bounds_min, desc.bounds_min.begin());
  std::ranges::copy(d.bounds_max, desc.bounds_max.begin());
  return desc;
}

// As of a mesh without whole levels: its triangles, levels of detail and bounds.
Result<registry::Desc> clusters_desc(ByteSpan blob) {
  ASSETC_TRY(const aas1::ClustersView view, aas1::ClustersView::open(blob));
  const hcluster::View& clusters = view.clusters();
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  registry::MeshDesc desc{0,
                          static_cast<std::uint32_t>(std::min(clusters.desc().source_triangle_count, kMost / 3) * 3),
                          1,
                          0,
                          clusters.desc().level_count,
                          {},
                          {}};
  std::ranges::copy(clusters.bounds().aabb_min, desc.bounds_min.begin());
  std::ranges::copy(clusters.bounds().aabb_max, desc.bounds_max.begin());
  return desc;
}

Result<registry::Desc> material_desc(ByteSpan blob) {
  ASSETC_TRY(const aas1::MaterialView material, aas1::MaterialView::open(blob));
  const aas1::MaterialDesc& d = material.desc();
  return registry::MaterialDesc{static_cast<std::uint32_t>(d.shading_model), static_cast<std::uint32_t>(d.blend_mode),
                                d.texture_count};
}

Result<registry::Desc> audio_desc(ByteSpan blob) {
  ASSETC_TRY(const aas1::AudioView audio, aas1::AudioView::open(blob));
  const aas1::AudioDesc& d = audio.desc();
  return registry::AudioDesc{static_cast<std::uint32_t>(d.codec), d.channel_count, d.sample_rate_hz, d.frame_count};
}

std::vector<registry::VertexAttribute> vertex_format_of(const aas1::MeshView& mesh) {
  std::vector<registry::VertexAttribute> list;
  for (const aas1::VertexAttribute& a : mesh.attributes())
    list.push_back({static_cast<std::uint8_t>(a.semantic), static_cast<std::uint8_t>(a.semantic_index),
                    static_cast<std::uint8_t>(a.format), 0, static_cast<std::uint16_t>(a.offset_bytes),
                    static_cast<std::uint16_t>(mesh.desc().vertex_stride_bytes)});
  return list;
}

// The lists of a mesh or a material in the binary registry.
Result<void> add_lists(aas1::Type type, ByteSpan blob, registry::Asset& asset) {
  if (type == aas1::Type::kMesh) {
    ASSETC_TRY(const aas1::MeshView mesh, aas1::MeshView::open(blob));
    asset.vertex_attributes = vertex_format_of(mesh);
  } else if (type == aas1::Type::kMaterial) {
    ASSETC_TRY(const aas1::MaterialView material, aas1::MaterialView::open(blob));
    for (const aas1::TextureParameter& t : material.textures())
      asset.texture_bindings.push_back({t.name_hash, t.texture});
  }
  return {};
}

// The description of a blob in the binary registry.
Result<registry::Desc> desc_of(aas1::Type type, ByteSpan blob) {
  if (aas1::is_texture(type)) return texture_desc(blob);
  switch (type) {
    case aas1::Type::kMesh:
      return mesh_desc(blob);
    case aas1::Type::kClusters:
      return clusters_desc(blob);
    case aas1::Type::kMaterial:
      return material_desc(blob);
    case aas1::Type::kAudio:
      return audio_desc(blob);
    default:
      return {};
  }
}

template <class Rows, class ToJson>
void append_lines(std::string& text, const Rows& rows, const ToJson& to_json) {
  bool first = true;
  for (const auto& row : rows) {
    text += (first ? "\n" : ",\n") + to_json(row).text({.is_ascii = true});
    first = false;
  }
}

// Adds the entries of Dependencies and SoftDependencies in .meta files, which are UUIDs or virtual paths. What a blob
// needs stays as it is.
// is_incomplete: a dependency that is not there may be of a source that failed, so it is added, too.
Result<void> add_said_dependencies(const Identities& identities, bool is_incomplete, Rows& rows) {
  std::unordered_map<std::string, Uuid> by_path;
  const auto add = [&](const identity::Meta& meta, const std::vector<std::string>& said, std::string_view member,
                       bool is_hard) -> Result<void> {
    const auto row = rows.find(meta.uuid);
    if (row == rows.end() || said.empty()) return {};
    if (by_path.empty()) {
      for (const auto& [uuid, other] : rows) by_path.emplace(identity::virtual_key(other.virtual_path), uuid);
    }
    for (std::size_t i = 0; i < said.size(); ++i) {
      std::optional<Uuid> uuid = Uuid::parse(said[i]);
      if (const auto at = by_path.find(identity::virtual_key(said[i])); !uuid && at != by_path.end()) uuid = at->second;
      if (!uuid) uuid = identities.find(said[i]);
      const bool is_there = uuid && (rows.contains(*uuid) || !identities.base_type(*uuid).empty());
      if (!is_there && is_incomplete) uuid.emplace();
      if (!is_there && !is_incomplete) {
        return std::unexpected(Error{ErrorCode::kNotFound, meta.file(),
                                     "/" + std::string(member) + "/" + std::to_string(i),
                                     "names \"" + said[i] + "\", which is not an asset of this cook",
                                     "write the UUID or the virtual path of an asset"});
      }
      auto& dependencies = row->second.description.dependencies;
      if (std::ranges::find(dependencies, *uuid, &aas1::Dependency::asset) == dependencies.end())
        dependencies.push_back({*uuid, is_hard});
    }
    return {};
  };
  for (const identity::Meta& meta : identities.metas()) {
    ASSETC_CHECK(add(meta, meta.dependencies, "Dependencies", true));
    ASSETC_CHECK(add(meta, meta.soft_dependencies, "SoftDependencies", false));
  }
  return {};
}

// Removes the assets that need one that is not there, directly or through others.
void remove_lacking(const Identities& identities, Rows& rows) {
  std::unordered_map<Uuid, std::vector<Uuid>> users;
  std::vector<Uuid> open;
  for (const auto& [uuid, row] : rows) {
    for (const aas1::Dependency& dependency : row.description.dependencies) {
      if (rows.contains(dependency.asset)) {
        users[dependency.asset].push_back(uuid);
      } else if (identities.base_type(dependency.asset).empty()) {
        open.push_back(uuid);
      }
    }
  }
  while (!open.empty()) {
    const Uuid uuid = open.back();
    open.pop_back();
    if (rows.erase(uuid) == 0) continue;
    if (const auto of = users.find(uuid); of != users.end())
      open.insert(open.end(), of->second.begin(), of->second.end());
  }
}

// Assets with the same bytes lie in one file.
void find_shared(Rows& rows) {
  std::unordered_map<ContentHash, std::size_t> counts;
  for (const auto& [uuid, row] : rows) ++counts[row.content];
  for (auto& [uuid, row] : rows) {
    if (counts[row.content] > 1) row.shared_file = uuid_of_content(row.content);
  }
}

// Fails if a source of the cook has a license that is not in the list.
Result<void> check_licenses(const Identities& identities, const Rows& rows, std::span<const std::string> allowed) {
  const identity::Meta* first = nullptr;
  std::size_t more = 0;
  for (const identity::Meta& meta : identities.metas()) {
    const bool is_cooked =
        rows.contains(meta.uuid) ||
        std::ranges::any_of(meta.sub_assets, [&](const identity::SubAsset& part) { return rows.contains(part.uuid); });
    if (!is_cooked || identity::is_allowed(meta.license, allowed)) continue;
    more += first != nullptr ? 1 : 0;
    if (first == nullptr) first = &meta;
  }
  if (first == nullptr) return {};
  const std::string found = first->license.empty() ? "found no license" : "found \"" + first->license + "\"";
  return std::unexpected(
      Error{ErrorCode::kConflict, first->file(), "/License",
            found + ", which licenses: does not allow" +
                (more == 0 ? "" : "; and " + counted(more, "other source") + " with a license that it does not allow"),
            "correct it, add it to licenses: allow:, or leave the source out with ignore:"});
}

// The parts of a source have the source's main asset as their container. All assets of a source have its tags and its
// license.
Result<void> add_tags_and_containers(const Identities& identities, Rows& rows) {
  for (const identity::Meta& meta : identities.metas()) {
    for (std::size_t i = 0; i < meta.tags.size(); ++i) {
      const std::string& tag = meta.tags[i];
      if (!tag.empty() && tag.size() <= registry::kMaxTagBytes && tag.find('\0') == std::string::npos) continue;
      return std::unexpected(Error{ErrorCode::kLimit, meta.file(), "/Tags/" + std::to_string(i),
                                   "found a tag of " + counted(tag.size(), "byte") + ", expected 1 to " +
                                       std::to_string(registry::kMaxTagBytes) + ", without a zero byte",
                                   "change or remove the tag"});
    }
    const auto main = rows.find(meta.uuid);
    const auto describe = [&](Row& row) {
      row.tags = meta.tags;
      row.license = meta.license;
    };
    if (main != rows.end()) describe(main->second);
    for (const identity::SubAsset& part : meta.sub_assets) {
      if (part.is_absent) continue;
      const auto row = rows.find(part.uuid);
      if (row == rows.end()) continue;
      describe(row->second);
      if (main != rows.end() && part.uuid != meta.uuid) row->second.container = meta.uuid;
    }
  }
  return {};
}

// Each old name must lead to a single asset, and no asset may have that name now.
Result<void> check_redirectors(const Rows& rows, std::span<const registry::Redirector> redirectors) {
  std::unordered_map<std::string, Uuid> paths;
  for (const auto& [uuid, row] : rows) paths.emplace(identity::virtual_key(row.virtual_path), uuid);
  const auto refuse = [](const Uuid& asset, const std::string& name, const std::string& whose) {
    return fail(ErrorCode::kConflict, asset.to_string() + " redirects " + name + ", which is " + whose,
                "remove it from Redirects of a .meta");
  };
  Uuid before{};
  for (const registry::Redirector& one : redirectors) {
    if (rows.contains(one.old_uuid)) return refuse(one.new_uuid, one.old_uuid.to_string(), "the UUID of an asset");
    if (one.old_uuid == before) return refuse(one.new_uuid, one.old_uuid.to_string(), "redirected twice");
    before = one.old_uuid;
    if (one.old_virtual_path.empty()) continue;
    const auto [at, is_free] = paths.emplace(identity::virtual_key(one.old_virtual_path), one.new_uuid);
    if (!is_free) {
      return refuse(one.new_uuid, "\"" + one.old_virtual_path + "\"",
                    "also a virtual path of " + at->second.to_string());
    }
  }
  return {};
}

// Writes the registry as JSON and as the binary form that engines map. The bytes do not depend on the order of steps.
Result<std::vector<ByteVector>> write_registry(const IndexInputs& inputs) {
  Rows rows;
  std::vector<registry::Asset> assets;
  Relatives relatives(*inputs.identities);
  for (const IndexedFile& file : inputs.files) {
    const std::string path = cooked_file_path(file.stem, file.suffix);
    const std::optional<Uuid> uuid = uuid_of(file);
    std::string virtual_path;
    if (const NamedAsset* asset = uuid ? inputs.identities->find(*uuid) : nullptr) {
      virtual_path = asset->virtual_path;
    } else if (const std::string beside = relative_name(file); uuid && !beside.empty()) {
      if (const NamedAsset* of = relatives.find(*uuid, beside))
        virtual_path = std::string(of->virtual_path) + "_" + identity::virtual_name(beside);
    }
    if (virtual_path.empty()) {
      return std::unexpected(
          Error{ErrorCode::kNotFound, path, {}, "belongs to no asset that a .meta names", "run `assetc import`"});
    }
    if (rows.contains(*uuid)) continue;
    ASSETC_TRY(const Bytes bytes, inputs.read(path));
    auto description = aas1::describe(bytes);
    if (!description) return std::unexpected(std::move(description.error()).in(path));
    ASSETC_TRY(const aas1::Blob blob, aas1::Blob::open(bytes));
    registry::Asset& listed = assets.emplace_back();
    listed.uuid = *uuid;
    listed.type = static_cast<registry::TypeNumber>(blob.type());
    listed.virtual_path = virtual_path;
    ASSETC_TRY(listed.desc, desc_of(blob.type(), bytes));
    ASSETC_CHECK(add_lists(blob.type(), bytes, listed));
    rows.emplace(*uuid, Row{std::move(virtual_path), std::move(*description), content_hash(bytes),
                            inputs.integrity ? crypto::hex(crypto::sha256(bytes)) : std::string()});
  }
  ASSETC_CHECK(add_said_dependencies(*inputs.identities, inputs.is_incomplete, rows));
  if (inputs.is_incomplete) {
    remove_lacking(*inputs.identities, rows);
    std::erase_if(assets, [&](const registry::Asset& asset) { return !rows.contains(asset.uuid); });
  }
  find_shared(rows);
  ASSETC_CHECK(add_tags_and_containers(*inputs.identities, rows));
  if (inputs.licenses != nullptr) ASSETC_CHECK(check_licenses(*inputs.identities, rows, *inputs.licenses));
  for (registry::Asset& listed : assets) {
    const Row& row = rows.at(listed.uuid);
    listed.container = row.container;
    listed.shared_file = row.shared_file;
    if (!row.shared_file.is_nil() && inputs.shares)
      inputs.shares(cooked_file_path(listed.uuid.to_string(), {}), shared_file_path(row.content));
    listed.tags = row.tags;
    for (const auto& [asset, is_hard] : row.description.dependencies) {
      const bool is_outer = !rows.contains(asset) && !inputs.identities->base_type(asset).empty();
      auto& hard = is_outer ? listed.outer_hard_dependencies : listed.hard_dependencies;
      auto& soft = is_outer ? listed.outer_soft_dependencies : listed.soft_dependencies;
      (is_hard ? hard : soft).push_back(asset);
    }
  }
  std::vector<registry::Redirector> redirectors;
  const auto add_redirectors = [&](const Uuid& asset, const std::vector<identity::Redirect>& redirects) {
    if (!rows.contains(asset)) return;
    for (const identity::Redirect& old : redirects) redirectors.emplace_back(old.uuid, asset, old.virtual_path);
  };
  for (const identity::Meta& meta : inputs.identities->metas()) {
    add_redirectors(meta.uuid, meta.redirects);
    for (const identity::SubAsset& part : meta.sub_assets) {
      if (!part.is_absent) add_redirectors(part.uuid, part.redirects);
    }
  }
  std::ranges::sort(redirectors, {}, &registry::Redirector::old_uuid);
  ASSETC_CHECK(check_redirectors(rows, redirectors));
  ASSETC_TRY(ByteVector binary, registry::write(std::move(assets), redirectors));

  // One row per line, because people compare registries.
  std::string text = "{\n\"SchemaVersion\": " + std::to_string(registry::kJsonSchemaVersion) + ",\n";
  if (inputs.is_incomplete) text += "\"Incomplete\": true,\n";
  text += "\"Assets\": [";
  append_lines(text, rows, [&](const auto& row) { return json_of(row.first, row.second, rows); });
  text += "\n],\n\"Redirectors\": [";
  append_lines(text, redirectors, [](const auto& row) {
    return Json{{"OldUuid", row.old_uuid.to_string()},
                {"NewUuid", row.new_uuid.to_string()},
                {"OldVirtualPath", row.old_virtual_path}};
  });
  text += "\n]\n}\n";
  const ByteSpan json = as_bytes(text);
  std::vector<ByteVector> files(2);
  files[0].assign(json.begin(), json.end());
  files[1] = std::move(binary);
  return files;
}

constexpr std::string_view kRegistry[] = {registry::kJsonPath, registry::kBinaryPath};

constexpr Target kCooked{.name = "cooked",
                         .file_path = cooked_file_path,
                         .asset_ref = cooked_asset_ref,
                         .covers = identity::leads_to_assets,
                         .containers = &recipes::kCookedContainers,
                         .verify = verify,
                         .index_paths = kRegistry,
                         .index_kind = "registry",
                         .write_index = write_registry,
                         .shared_file_path = shared_file_path,
                         .bundle_suffix = ".pak",
                         .bundles_by_rule = true};

}  // namespace

const Target& cooked_target() { return kCooked; }

}  // namespace assetc::engine
