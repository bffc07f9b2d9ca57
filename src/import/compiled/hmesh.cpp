#include "import/compiled/hmesh.hpp"

#include <algorithm>
#include <unordered_map>

#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/hmesh_v1.hpp"
#include "assetc/formats/octahedral.hpp"
#include "assetc/runtime/inflate.hpp"
#include "import/compiled/aligned_bytes.hpp"
#include "import/compiled/hmesh_further.hpp"
#include "import/compiled/skeleton.hpp"
#include "import/model/source.hpp"

namespace assetc::importer {
namespace {

using namespace scene;

constexpr std::uint32_t kMeshNode = 0;

struct Has {
  bool normals = true, tangents = false, texcoords = true;
};

// Collects the vertices that a list of indices uses and numbers them by first use.
class Compactor {
 public:
  explicit Compactor(const hmesh::View& view) : view_(view), number_(view.vertices().size(), kNone) {}

  // has: which attributes of all vertices the primitive has.
  template <class Index>
  Primitive primitive(std::size_t index_count, const Index& index, const Has& has) {
    Primitive p;
    p.indices.resize(index_count);
    used_.clear();
    for (std::size_t i = 0; i < index_count; ++i) {
      std::uint32_t& number = number_[index(i)];
      if (number == kNone) {
        number = static_cast<std::uint32_t>(used_.size());
        used_.push_back(index(i));
      }
      p.indices[i] = number;
    }
    fill(p, has);
    for (const std::uint32_t v : used_) number_[v] = kNone;
    return p;
  }

 private:
  void fill(Primitive& p, const Has& has) const {
    p.positions.resize(used_.size());
    if (has.normals) p.normals.resize(used_.size());
    if (has.texcoords) p.texcoords.assign(1, std::vector<Vec2>(used_.size()));
    if (has.tangents) p.tangents.resize(used_.size());
    const std::array skins{view_.skin(), view_.further_skin()};
    p.influences.resize(!view_.is_skinned() ? 0 : view_.further_skin().empty() ? 1 : 2);
    for (Influences& set : p.influences) {
      set.joints.resize(used_.size());
      set.weights.resize(used_.size());
    }
    for (std::size_t i = 0; i < used_.size(); ++i) {
      const hmesh::GpuVertex& v = view_.vertices()[used_[i]];
      p.positions[i] = {v.position[0], v.position[1], v.position[2]};
      if (has.normals) {
        const auto n = decode_octahedral(v.normal[0], v.normal[1]);
        p.normals[i] = {n[0], n[1], n[2]};
      }
      if (has.texcoords) p.texcoords[0][i] = {v.uv[0], v.uv[1]};
      if (has.tangents) {
        const auto t = decode_octahedral_tangent(v.tangent[0], v.tangent[1]);
        p.tangents[i] = {t[0], t[1], t[2], t[3]};
      }
      // The weights of all influences have a sum of 1, those of the first four alone as well.
      float sum = 0;
      for (std::size_t set = 0; set < p.influences.size(); ++set) {
        for (const float w : skins[set][used_[i]].weights) sum += w;
      }
      const float scale = p.influences.size() < 2 ? 1 : 1 / sum;
      for (std::size_t set = 0; set < p.influences.size(); ++set) {
        const hmesh::GpuSkinVertex& s = skins[set][used_[i]];
        std::copy_n(s.joints, 4, p.influences[set].joints[i].begin());
        p.influences[set].weights[i] = {s.weights[0] * scale, s.weights[1] * scale, s.weights[2] * scale,
                                        s.weights[3] * scale};
      }
    }
    if (view_.further_attributes()) fill_further(*view_.further_attributes(), p);
    if (!view_.morphs()) return;
    // Every primitive has all targets, though one of them may move nothing in it.
    for (std::size_t t = 0; t < view_.morphs()->targets().size(); ++t)
      p.morphs.push_back(morph_of(*view_.morphs(), t, number_));
  }

  // Set 0 of the file's further sets is another set than that of every vertex, which is set 0 of the scene. It gets the
  // first free number.
  void fill_further(const hmesh::FurtherAttributesView& further, Primitive& p) const {
    const auto place = [](auto& sets, std::size_t at) -> auto& {
      if (sets.size() <= at) sets.resize(at + 1);
      return sets[at];
    };
    for (const hmesh::GpuAttribute& a : further.attributes()) {
      if (a.semantic == hmesh::FurtherSemantic::kTexcoord && a.set != 0)
        place(p.texcoords, a.set) = texcoords_of(further, a, used_);
      if (a.semantic == hmesh::FurtherSemantic::kColor) place(p.colors, a.set) = colors_of(further, a, used_);
    }
    if (const hmesh::GpuAttribute* first = further.find(hmesh::FurtherSemantic::kTexcoord, 0)) {
      const auto free = std::ranges::find_if(p.texcoords, [](const auto& set) { return set.empty(); });
      place(p.texcoords, static_cast<std::size_t>(free - p.texcoords.begin())) = texcoords_of(further, *first, used_);
    }
    p.custom = custom_of(further, used_);
  }

  const hmesh::View& view_;
  std::vector<std::uint32_t> number_;  // by vertex of the file; kNone if the primitive does not use it
  std::vector<std::uint32_t> used_;
};

// A triangle as three corners, rotated so that the smallest is first. Equal for any rotation.
struct TriangleKey {
  std::uint32_t a, b, c;
  TriangleKey(std::uint32_t x, std::uint32_t y, std::uint32_t z) : a(x), b(y), c(z) {
    while (a > b || a > c) {
      const std::uint32_t first = a;
      a = b;
      b = c;
      c = first;
      if (a == first) break;
    }
  }
  bool operator==(const TriangleKey&) const = default;
};
struct TriangleHash {
  std::size_t operator()(const TriangleKey& t) const {
    return (t.a * 0x9E3779B97F4A7C15ull) ^ (t.b * 0xC2B2AE3D27D4EB4Full) ^ (t.c * 0x165667B19E3779F9ull);
  }
};

// Finds the meshlet of each triangle by its corners, because meshlets order the triangles of a submesh differently.
std::vector<std::uint32_t> clusters_of(const hmesh::View& view, const hmesh::SubMesh& submesh) {
  std::unordered_map<TriangleKey, std::uint32_t, TriangleHash> meshlet_of;
  for (std::uint32_t m = submesh.first_meshlet; m < submesh.first_meshlet + submesh.meshlet_count; ++m) {
    const hmesh::Meshlet& meshlet = view.meshlets()[m];
    for (std::uint32_t t = 0; t < meshlet.triangle_count; ++t) {
      const auto& corners = view.meshlet_triangles()[meshlet.triangle_offset + t].corners;
      const auto vertex = [&](int k) { return view.meshlet_vertices()[meshlet.vertex_offset + corners[k]]; };
      meshlet_of.try_emplace(TriangleKey(vertex(0), vertex(1), vertex(2)), m);
    }
  }
  std::vector<std::uint32_t> clusters(submesh.meshlet_count == 0 ? 0 : submesh.index_count / 3);
  for (std::size_t t = 0; t < clusters.size(); ++t) {
    const std::size_t i = submesh.first_index + t * 3;
    const auto found = meshlet_of.find(TriangleKey(view.index(i), view.index(i + 1), view.index(i + 2)));
    clusters[t] = found == meshlet_of.end() ? kNone : found->second;
  }
  return clusters;
}

// Points and lines get the place among the submeshes that they have in the source. Every level of detail has them.
void add_points_and_lines(const hmesh::View& view, Compactor& compactor, Scene& scene) {
  const hmesh::PrimitivesView& primitives = *view.primitives();
  for (std::size_t i = 0; i < primitives.items().size(); ++i) {
    const hmesh::GpuPrimitive& from = primitives.items()[i];
    const std::span<const std::uint32_t> indices = primitives.indices_of(from);
    const auto has = [&](std::uint32_t flag) { return (from.flags & flag) != 0; };
    Primitive p = compactor.primitive(indices.size(), [&](std::size_t k) { return indices[k]; },
                                      {has(hmesh::GpuPrimitive::kHasNormals), has(hmesh::GpuPrimitive::kHasTangents),
                                       has(hmesh::GpuPrimitive::kHasTexcoords)});
    p.topology = static_cast<Topology>(from.topology);
    p.name = primitives.name(i);
    p.material = from.material_slot == hmesh::kNoMaterial ? kNone : from.material_slot;
    for (Mesh& mesh : scene.meshes) {
      const auto at = static_cast<std::ptrdiff_t>(from.submeshes_before + i);
      mesh.primitives.insert(mesh.primitives.begin() + at, p);
    }
  }
}

void add_meshes(const hmesh::View& view, Scene& scene) {
  Compactor compactor(view);
  std::vector<std::uint32_t> levels;
  for (std::uint32_t l = 0; l < view.lod_count(); ++l) {
    if (view.has_level(l)) levels.push_back(l);
  }
  scene.meshes.resize(1 + levels.size());
  for (std::size_t t = 0; view.morphs() && t < view.morphs()->targets().size(); ++t) {
    for (Mesh& mesh : scene.meshes) {
      mesh.morph_weights.push_back(view.morphs()->targets()[t].weight);
      mesh.morph_names.emplace_back(view.morphs()->name(t));
    }
  }
  for (std::size_t s = 0; s < view.submeshes().size(); ++s) {
    const hmesh::SubMesh& submesh = view.submeshes()[s];
    const std::string name = view.names() ? std::string(view.names()->submesh(s)) : std::string();
    const auto finish = [&](Primitive p, std::size_t level) {
      p.name = name;
      p.material = submesh.material_slot == hmesh::kNoMaterial ? kNone : submesh.material_slot;
      scene.meshes[level].primitives.push_back(std::move(p));
    };
    const Has has{.tangents = view.has_tangents()};
    Primitive full = compactor.primitive(
        submesh.index_count, [&](std::size_t i) { return view.index(submesh.first_index + i); }, has);
    full.clusters = clusters_of(view, submesh);
    finish(std::move(full), 0);
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const hmesh::MeshLod& lod = view.lod(s, levels[l]);
      if (lod.index_count == 0) {
        Primitive same = scene.meshes[l].primitives[s];
        same.clusters.clear();
        finish(std::move(same), l + 1);
      } else {
        finish(compactor.primitive(
                   lod.index_count, [&](std::size_t i) { return view.lod_indices()[lod.first_index + i]; }, has),
               l + 1);
      }
    }
  }
  if (view.primitives()) add_points_and_lines(view, compactor, scene);
}

void add_nodes(const hmesh::View& view, Scene& scene) {
  scene.nodes.resize(scene.meshes.size());
  for (std::uint32_t level = 0; level < scene.meshes.size(); ++level) {
    Node& node = scene.nodes[level];
    node.mesh = level;
    if (view.is_skinned()) node.skin = 0;
    if (level > 0) scene.nodes[kMeshNode].lods.push_back(level);
  }
  std::string name;
  if (view.names() && view.names()->node_count() == 1) name = view.names()->node(0);
  scene.nodes[kMeshNode].name = name;
  for (std::size_t level = 1; level < scene.meshes.size(); ++level)
    scene.nodes[level].name = (name.empty() ? "LOD" : name + "_LOD") + std::to_string(level);
  if (view.is_skinned()) {
    add_skeleton(
        view.joints(), [&](std::size_t j) { return view.names() ? view.names()->joint(j) : std::string_view(); },
        scene);
  }
}

// Converts a version 1 file to the layout of version 2. Version 1 has no submesh ranges, so there is one submesh.
Result<Bytes> upgraded(ByteSpan file) {
  ASSETC_TRY(const hmesh_v1::View view, hmesh_v1::View::open(file));
  hmesh::Model model;
  for (const hmesh_v1::GpuVertex& v : view.vertices()) {
    model.vertices.push_back({{v.position[0], v.position[1], v.position[2]},
                              {v.normal[0], v.normal[1]},
                              {v.tangent[0], v.tangent[1]},
                              {v.uv[0], v.uv[1]}});
    model.has_tangents = model.has_tangents || v.tangent[0] != 0 || v.tangent[1] != 0;
  }
  for (std::size_t i = 0; i < view.index_count(); ++i) model.indices.push_back(view.index(i));
  model.bounds = view.bounds();
  model.meshlets.assign(view.meshlets().begin(), view.meshlets().end());
  model.meshlet_vertices.assign(view.meshlet_vertices().begin(), view.meshlet_vertices().end());
  model.meshlet_triangles.assign(view.meshlet_triangles().begin(), view.meshlet_triangles().end());
  model.meshlet_bounds.assign(view.meshlet_bounds().begin(), view.meshlet_bounds().end());
  model.meshlet_max_vertices = hmesh_v1::kMeshletMaxVertices;
  for (const hmesh::Meshlet& m : model.meshlets) {
    model.meshlet_max_triangles = std::max(model.meshlet_max_triangles, m.triangle_count);
  }
  for (std::size_t m = 0; m < view.material_count(); ++m) model.materials.push_back(view.material(m));
  model.submeshes.push_back({0, static_cast<std::uint32_t>(model.indices.size()), 0,
                             static_cast<std::uint32_t>(model.meshlets.size()),
                             model.materials.empty() ? hmesh::kNoMaterial : 0, 0, model.bounds});
  ASSETC_TRY(ByteVector bytes, hmesh::write(model));
  return Bytes(std::move(bytes));
}

}  // namespace

Result<Scene> import_hmesh(const HmeshFiles& files) {
  const AlignedBytes given(files.mesh);
  Bytes mesh(nullptr, given.span());
  if (hmesh_v1::is_version_1(mesh)) {
    ASSETC_TRY(mesh, upgraded(mesh));
  }
  ASSETC_TRY(mesh, runtime::plain_mesh(mesh));
  const AlignedBytes bytes(mesh);
  ASSETC_TRY(const hmesh::View view, hmesh::View::open(bytes.span()));
  // Levels of detail may share their indices.
  std::uint64_t level_bytes = 0;
  for (std::size_t s = 0; s < view.submeshes().size(); ++s) {
    for (std::uint32_t l = 0; l < view.lod_count(); ++l) level_bytes += std::uint64_t{view.lod(s, l).index_count} * 4;
  }
  ASSETC_CHECK(check_decoded(level_bytes, mesh.size()));
  Scene scene;
  add_meshes(view, scene);
  add_nodes(view, scene);
  scene.materials.resize(view.desc().material_count);
  for (std::size_t m = 0; m < scene.materials.size() && view.names(); ++m)
    scene.materials[m].name = view.names()->material(m);
  ASSETC_CHECK(add_companions({files.materials, files.animation, files.textures}, scene));
  return scene;
}

}  // namespace assetc::importer
