#include <algorithm>

#include "import/source.hpp"
#include "recipes/mesh_parts.hpp"

namespace assetc::recipes {
namespace {

using scene::Mat4;
using scene::Primitive;
using scene::Vec3;
using scene::Vec4;

struct Draw {
  std::uint32_t mesh;
  std::uint32_t node;
};

// Which meshes are drawn, where. Without any node that shows a mesh, the file is a library: every mesh is drawn once.
std::vector<Draw> list_draws(const scene::Scene& scene, bool merge) {
  std::vector<Draw> draws;
  std::vector<bool> reduced(scene.nodes.size(), false);  // levels of detail are made anew, of the full mesh
  for (const scene::Node& node : scene.nodes)
    for (const std::uint32_t level : node.lods) reduced[level] = true;
  for (std::uint32_t n = 0; n < scene.nodes.size(); ++n) {
    if (scene.nodes[n].mesh != scene::kNone && !reduced[n]) draws.push_back({scene.nodes[n].mesh, n});
  }
  if (draws.empty()) {
    const bool hidden =
        std::ranges::any_of(scene.dropped, [](const scene::Dropped& d) { return d.what.starts_with("mesh nodes"); });
    for (std::uint32_t m = 0; m < scene.meshes.size() && !hidden; ++m) draws.push_back({m, scene::kNone});
  } else if (!merge) {
    std::ranges::stable_sort(draws, {}, &Draw::mesh);
    const auto rest = std::ranges::unique(draws, {}, &Draw::mesh);
    draws.erase(rest.begin(), rest.end());
  }
  return draws;
}

void report_lost_attributes(const Primitive& primitive, const FlatSubmesh& submesh, MeshReport& report) {
  const auto sets = [](const auto& all) {
    return static_cast<std::uint32_t>(std::ranges::count_if(all, [](const auto& s) { return !s.empty(); }));
  };
  if (const std::uint32_t count = sets(primitive.texcoords); count > 1) {
    report.drop("further texture coordinate sets", submesh.place, count - 1);
  }
  report.drop("vertex color sets", submesh.place, sets(primitive.colors));
}

}  // namespace

std::string MeshSource::primitive_place(std::uint32_t mesh, std::size_t primitive) const {
  if (is_gltf) return "/meshes/" + std::to_string(mesh) + "/primitives/" + std::to_string(primitive);
  const std::string& name = scene.meshes[mesh].name;
  return name.empty() ? "the mesh" : "\"" + name + "\"";
}

std::string MeshSource::material_place(std::uint32_t material) const {
  if (is_gltf) return "/materials/" + std::to_string(material);
  return "material \"" + scene.materials[material].name + "\"";
}

void MeshReport::drop(std::string_view what, std::string_view where, std::uint32_t count) {
  if (count == 0) return;
  const auto known = std::ranges::find(dropped_, what, &scene::Dropped::what);
  if (known != dropped_.end()) {
    known->count += std::min(count, ~known->count);
  } else {
    dropped_.push_back({std::string(what), std::string(where), count});
  }
}

void MeshReport::warn(std::string place, std::string what, std::string hint) {
  warnings_.push_back(warning(ErrorCode::kInvalidData, std::move(place), std::move(what), std::move(hint)));
}

std::vector<Diagnostic> MeshReport::take() && {
  for (const scene::Dropped& d : dropped_) {
    warnings_.push_back(warning(ErrorCode::kUnsupported, {}, importer::describe(d)));
  }
  dropped_.clear();
  return std::move(warnings_);
}

void transform_submesh(FlatSubmesh& s, const Mat4& m) {
  if (m == Mat4{}) return;
  FlatSubmesh::Owned& owned = s.owned;
  std::vector<Vec3> positions(s.positions.size());
  std::ranges::transform(s.positions, positions.begin(), [&](Vec3 p) { return transform_point(m, p); });
  std::vector<Vec3> normals(s.normals.size());
  std::ranges::transform(s.normals, normals.begin(), [&](Vec3 n) { return normalize_or(transform_normal(m, n), n); });
  const bool mirrored = determinant3(m) < 0;
  std::vector<Vec4> tangents(s.tangents.size());
  std::ranges::transform(s.tangents, tangents.begin(), [&](Vec4 t) {
    const Vec3 d = normalize_or(transform_direction(m, {t.x, t.y, t.z}), {t.x, t.y, t.z});
    return Vec4{d.x, d.y, d.z, mirrored ? -t.w : t.w};
  });
  if (mirrored) {
    std::vector<std::uint32_t> indices(s.indices.begin(), s.indices.end());
    for (std::size_t i = 0; i + 2 < indices.size(); i += 3) std::swap(indices[i + 1], indices[i + 2]);
    owned.indices = std::move(indices);
    s.indices = owned.indices;
  }
  owned.positions = std::move(positions);
  owned.normals = std::move(normals);
  owned.tangents = std::move(tangents);
  s.positions = owned.positions;
  s.normals = owned.normals;
  s.tangents = owned.tangents;
}

Result<std::vector<FlatSubmesh>> flatten(const MeshSource& source, bool merge, MeshReport& report) {
  const scene::Scene& scene = source.scene;
  const std::vector<Mat4> world = world_matrices(scene);
  const std::optional<Skeleton> skeleton = build_skeleton(source, report);
  std::vector<FlatSubmesh> flat;
  // Each primitive's losses are told once, however often it is drawn.
  std::vector<bool> told(scene.meshes.size(), false);
  for (const Draw& draw : list_draws(scene, merge)) {
    const scene::Mesh& mesh = scene.meshes[draw.mesh];
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      const Primitive& primitive = mesh.primitives[p];
      if (primitive.indices.empty()) continue;
      FlatSubmesh s;
      s.place = source.primitive_place(draw.mesh, p);
      s.name = primitive.name.empty() ? mesh.name : primitive.name;
      s.material = primitive.material;
      s.node = draw.node;
      s.primitive = &primitive;
      s.indices = primitive.indices;
      s.positions = primitive.positions;
      s.normals = primitive.normals;
      s.tangents = primitive.tangents;
      s.smoothing_groups = primitive.smoothing_groups;
      MeshReport silent;
      MeshReport& to = told[draw.mesh] ? silent : report;
      choose_texcoords(source, primitive, s, to);
      if (!source.keeps_channels) report_lost_attributes(primitive, s, to);
      if (skeleton) {
        ASSETC_CHECK(bind_submesh(source, *skeleton, world, primitive, s, to));
      } else if (merge && draw.node != scene::kNone) {
        transform_submesh(s, world[draw.node]);
      }
      flat.push_back(std::move(s));
    }
    told[draw.mesh] = true;
  }
  return flat;
}

}  // namespace assetc::recipes
