// Loaders of meshes and materials, and their dependencies.
#include <algorithm>
#include <array>

#include "assetc/formats/aas1_material.hpp"
#include "assetc/formats/aas1_mesh.hpp"
#include "assetc/formats/hmesh_encoded.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/inflate.hpp"
#include "runtime/loaders/fallbacks.hpp"
#include "runtime/loaders/held.hpp"
#include "runtime/loaders/load_mesh.hpp"
#include "runtime/mount/slice.hpp"

namespace assetc::runtime {
namespace {

AssetHandle known(const Catalog& catalog, const AssetHandle& asset) { return catalog.find(asset.uuid).value_or(asset); }

void add_once(std::vector<AssetHandle>& list, const AssetHandle& asset) {
  if (std::ranges::find(list, asset) == list.end()) list.push_back(asset);
}

}  // namespace

Result<MeshData> load_mesh(LoadInput& in) {
  const std::uint32_t magic = in.bytes.size() < 4 ? 0 : load<std::uint32_t>(in.bytes);
  if (magic == aas1::kMagic) {
    ASSETC_TRY(aas1::MeshView view, aas1::MeshView::open(in.bytes));
    MeshData mesh{in.bytes, std::move(view), {}};
    for (const Uuid& material : mesh.aas1()->materials())
      mesh.materials.push_back(material.is_nil() ? AssetHandle{} : known(in.catalog, {.uuid = material}));
    return mesh;
  }
  // The .hmat with the same path: chairs/oak.hmesh and chairs/oak.hmat.
  std::vector<AssetHandle> materials;
  const std::string_view path = in.desc.virtual_path;
  if (const std::size_t dot = path.rfind('.'); dot != path.npos) {
    if (const auto beside = in.catalog.find_by_path(std::string(path.substr(0, dot)) + ".hmat"))
      materials.push_back(*beside);
  }
  in.hard.insert(in.hard.end(), materials.begin(), materials.end());
  if (magic == galileo::kMagic) {
    ASSETC_TRY(galileo::View view, galileo::View::open(in.bytes));
    return MeshData{in.bytes, std::move(view), std::move(materials)};
  }
  if (magic == chunks::kMagic && hmesh_v1::is_version_1(in.bytes)) {
    ASSETC_TRY(hmesh_v1::View view, hmesh_v1::View::open(in.bytes));
    return MeshData{in.bytes, std::move(view), std::move(materials)};
  }
  ASSETC_TRY(Bytes plain, plain_mesh(in.bytes, in.memory));
  ASSETC_TRY(hmesh::View view, hmesh::View::open(plain));
  return MeshData{std::move(plain), std::move(view), std::move(materials)};
}

namespace {

std::uint64_t decoded_mesh_bytes(ByteSpan file) {
  return hmesh::is_encoded(file) ? hmesh::decoded_size(file).value_or(0) : 0;
}

MeshData cube(AssetType /*type*/) {
  struct Vertex {
    std::array<float, 3> position, normal;
    std::array<float, 2> texcoord;
  };
  aas1::Mesh mesh;
  mesh.vertex_stride_bytes = sizeof(Vertex);
  mesh.attributes = {{aas1::Semantic::kPosition, 0, aas1::VertexFormat::kRgb32F, 0, 0, 0, 0},
                     {aas1::Semantic::kNormal, 0, aas1::VertexFormat::kRgb32F, 0, 12, 0, 0},
                     {aas1::Semantic::kTexcoord, 0, aas1::VertexFormat::kRg32F, 0, 24, 0, 0}};
  aas1::Mesh::Level level;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const float side : {-0.5f, 0.5f}) {
      const auto first = static_cast<std::uint32_t>(mesh.vertices.size() / sizeof(Vertex));
      for (std::size_t corner = 0; corner < 4; ++corner) {
        const float u = corner == 1 || corner == 2 ? 1.0f : 0.0f, v = corner >= 2 ? 1.0f : 0.0f;
        Vertex vertex{};
        vertex.position[axis] = side;
        vertex.position[(axis + 1) % 3] = (u - 0.5f) * (side > 0 ? 1.0f : -1.0f);
        vertex.position[(axis + 2) % 3] = v - 0.5f;
        vertex.normal[axis] = side * 2;
        vertex.texcoord = {u, 1 - v};
        append(mesh.vertices, vertex);
      }
      for (const std::uint32_t corner : {0u, 1u, 2u, 0u, 2u, 3u}) level.indices.push_back(first + corner);
    }
  }
  level.submeshes = {{0, static_cast<std::uint32_t>(level.indices.size()), 0, aas1::kNoMaterial}};
  level.bounds_min = {-0.5f, -0.5f, -0.5f};
  level.bounds_max = {0.5f, 0.5f, 0.5f};
  mesh.levels = {std::move(level)};
  Bytes bytes(must(aas1::write(mesh)));
  aas1::MeshView view = must(aas1::MeshView::open(bytes));
  return {std::move(bytes), std::move(view), {}};
}

Result<MaterialData> load_material(LoadInput& in) {
  std::vector<AssetHandle> textures;
  if (is_aas1_blob(in.bytes, aas1::kMagic)) {
    ASSETC_TRY(aas1::MaterialView view, aas1::MaterialView::open(in.bytes));
    for (const aas1::TextureParameter& parameter : view.textures())
      add_once(textures, known(in.catalog, {.uuid = parameter.texture}));
    return MaterialData{in.bytes, std::move(view), std::move(textures)};
  }
  ASSETC_TRY(hmat::View view, hmat::View::open(in.bytes));
  for (const hmat::GpuMaterial& row : view.materials()) {
    for (const std::uint64_t hash : {row.base_color_texture, row.metallic_roughness_texture, row.normal_texture,
                                     row.occlusion_texture, row.emissive_texture}) {
      if (hash == 0) continue;
      // A texture that does not exist yet is a dependency too: the fallback is used until it is built.
      add_once(textures, in.catalog.find(hash).value_or(AssetHandle{.path_hash = hash, .type = AssetType::kTexture2D}));
    }
  }
  in.hard = textures;
  return MaterialData{in.bytes, std::move(view), std::move(textures)};
}

MaterialData gray(AssetType /*type*/) {
  aas1::Material material;
  material.add("BaseColor", std::array{0.5f, 0.5f, 0.5f, 1.0f});
  material.add("Metallic", 0.0f);
  material.add("Roughness", 1.0f);
  Bytes bytes(must(aas1::write(material)));
  aas1::MaterialView view = must(aas1::MaterialView::open(bytes));
  return {std::move(bytes), std::move(view), {}};
}

}  // namespace

Loader<MeshData> mesh_loader() {
  return {.decode = load_mesh,
          .decoded_bytes = decoded_mesh_bytes,
          .size_bytes = held_bytes<MeshData>,
          .gpu_bytes = held_bytes<MeshData>,
          .fallback = cube};
}

Loader<MaterialData> material_loader() {
  return {.decode = load_material, .decoded_bytes = nothing, .size_bytes = held_bytes<MaterialData>, .fallback = gray};
}

}  // namespace assetc::runtime
