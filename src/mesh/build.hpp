// Builds a mesh that an engine can draw from the triangles, lines and points of a source.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assetc/base/result.hpp"
#include "mesh/mesh.hpp"
#include "mesh/meshlets.hpp"
#include "mesh/stream.hpp"
#include "warnings/warnings.hpp"

namespace assetc::mesh {

// Limit of indices plus vertices of one mesh, all submeshes together, because they are numbered in 31 bits during the
// build.
inline constexpr std::uint64_t kMaxCorners = 0x7FFFFFFF;
inline constexpr std::uint32_t kMaxLods = 8;
// Beyond this, squares of distances exceed the range of a float.
inline constexpr float kMaxCoordinate = 1e18f;

struct MeshOptions {
  bool tangents = true;
  std::uint32_t lods = 2;  // below full resolution, at most kMaxLods
  double lod_ratio = 0.5;  // triangles of a level / triangles of the level before; 0 < ratio < 1
  MeshletLimits meshlets;
  // true, for containers that store floats: vertices whose authored normals or tangents differ are kept apart.
  // false: vertices are merged if their normals and tangents are equal at 16 bits a component (frames.hpp).
  bool exact_frames = false;
  // true, for containers that order and cut the triangles in their own way: triangles and vertices stay in source
  // order, and there are no meshlets and no levels of detail. Takes less time and memory.
  bool streams_alone = false;
  // If not 0: a power of two. Positions are rounded to multiples of it after normals and tangents are computed, and
  // before everything else, so that all bounds are those of the rounded positions. See quantize.hpp.
  float position_step = 0;
  // true: the triangles of each submesh are in the order of its meshlets, so that files need not store both orders.
  bool has_meshlet_order = false;
};

// The triangles, lines or points of one material: what a source draws once. Each stage changes it in place, from the
// primitive of the source to the welded vertices. Every non-empty attribute has positions.size() items.
struct SubmeshInput {
  std::string place;  // for errors: "/meshes/0/primitives/1"
  std::string name;
  std::uint32_t material_slot = hmesh::kNoMaterial;  // in the recipes, a material of the scene before it has a slot
  std::uint32_t node = scene::kNone;                 // of the scene, that the geometry comes from; for the recipes
  scene::Topology topology = scene::Topology::kTriangles;
  Stream<std::uint32_t> indices;
  Stream<scene::Vec3> positions;
  Stream<scene::Vec3> normals;             // empty: computed, for triangles
  Stream<scene::Vec4> tangents;            // empty: computed if there are texcoords
  Stream<scene::Vec2> texcoords;           // used to compute tangents; empty: no tangents are computed
  Stream<hmesh::GpuSkinVertex> skin;       // all submeshes have it, or none
  Stream<std::uint32_t> smoothing_groups;  // see normals.hpp; used only when normals are computed
  // The sets that the mesh keeps; an empty stream stands for a missing set. If texcoord_sets is empty, the mesh keeps
  // texcoords. If a set is the same stream as texcoords, it is repaired as texcoords is.
  std::vector<Stream<scene::Vec2>> texcoord_sets;
  std::vector<Stream<scene::Vec4>> color_sets;
  Stream<hmesh::GpuSkinVertex> further_skin;  // Mesh::further_skin
  // Attributes of one name have one type, normalization and shape in all submeshes.
  std::vector<const scene::CustomAttribute*> custom;
  // They become the targets [first_morph, first_morph + morphs.size()) of the mesh, which other submeshes may add to.
  // The caller sets their names, weights and ranges.
  Stream<scene::MorphTarget> morphs;
  std::uint32_t first_morph = 0;
  // Levels of detail from the source, finest first, of triangles. They replace the generated ones; at most kMaxLods are
  // used. The levels, name and slot of a level itself are ignored.
  std::vector<SubmeshInput> levels;

  bool is_of_triangles() const { return topology == scene::Topology::kTriangles; }
};

// A defect of the source that build_mesh repaired, for the caller to report.
struct Repair {
  std::string place;
  std::string what;  // "12 normals are not finite or have no length; computed them"
  WarningKind kind = WarningKind::kRepairedMesh;
};

struct BuiltMesh {
  // Without joints and node names, which the caller adds. The vertices of each submesh are a contiguous run. The
  // vertices of the source's own levels of detail follow all of these.
  Mesh mesh;
  std::vector<Repair> repairs;
};

// Computes missing normals and tangents, merges equal vertices, drops degenerate triangles, orders triangles and
// vertices, and builds meshlets, levels of detail and bounds. Lines and points are kept as they are: see
// primitives.hpp. Winding is kept, whether it is counter-clockwise or not.
// Pure; same bits on any number of threads.
// Errors:
// - kInvalidData, with the submesh's place: no triangles, lines or points, an index out of range, an attribute with a
// wrong count, a
//   position that is not finite.
// - kLimit: more corners than kMaxCorners, a position beyond kMaxCoordinate.
// - kUsage: options out of range.
Result<BuiltMesh> build_mesh(std::span<const SubmeshInput> submeshes, const MeshOptions& options = {});

}  // namespace assetc::mesh
