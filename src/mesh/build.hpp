// From triangles as a source has them to a mesh as an engine draws it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assetc/base/result.hpp"
#include "mesh/mesh.hpp"
#include "mesh/meshlets.hpp"
#include "warnings/warnings.hpp"

namespace assetc::mesh {

// Of one mesh, all submeshes together: indices and vertices are numbered in 31 bits along the way.
inline constexpr std::uint64_t kMaxCorners = 0x7FFFFFFF;
inline constexpr std::uint32_t kMaxLods = 8;
// Beyond it the squares of distances leave the range of a float.
inline constexpr float kMaxCoordinate = 1e18f;

struct MeshOptions {
  bool tangents = true;
  std::uint32_t lods = 2;  // below full resolution, at most kMaxLods
  double lod_ratio = 0.5;  // triangles of a level against the level before; 0 < ratio < 1
  MeshletLimits meshlets;
  // For containers that store floats: vertices whose authored normals or tangents differ stay apart. Else those are one
  // whose normals and tangents are alike in 16 bits a component (frames.hpp).
  bool exact_frames = false;
};

// One material's triangles. Spans must outlive build_mesh; every non-empty attribute has positions.size() items.
struct SubmeshInput {
  std::string place;  // for errors: "/meshes/0/primitives/1"
  std::string name;
  std::uint32_t material_slot = kNoMaterial;
  std::span<const std::uint32_t> indices;
  std::span<const scene::Vec3> positions;
  std::span<const scene::Vec3> normals;             // empty: computed
  std::span<const scene::Vec4> tangents;            // empty: computed, where there are texcoords
  std::span<const scene::Vec2> texcoords;           // that tangents follow; empty: none are computed
  std::span<const SkinVertex> skin;                 // of all submeshes or of none
  std::span<const std::uint32_t> smoothing_groups;  // see normals.hpp; used where normals are computed
  // What the mesh keeps, set by set, an empty span for a set that is missing. Without sets of texture coordinates it
  // keeps texcoords. A set that is texcoords itself is repaired as those are.
  std::vector<std::span<const scene::Vec2>> texcoord_sets;
  std::vector<std::span<const scene::Vec4>> color_sets;
  // Levels of detail that the source brings, finest first, in the place of those that would be made; at most kMaxLods
  // count. Their own levels, names and slots mean nothing.
  std::vector<SubmeshInput> levels;
};

// Something that build_mesh put right, for the caller to report.
struct Repair {
  std::string place;
  std::string what;  // "12 normals are not finite or have no length; computed them"
  WarningKind kind = WarningKind::kRepairedMesh;
};

struct BuiltMesh {
  // Without joints and names of nodes, which the caller knows. The vertices of each submesh are a run; those of the
  // source's own levels come behind them all.
  Mesh mesh;
  std::vector<Repair> repairs;
};

// Normals and tangents where they are missing, equal vertices made one, degenerate triangles dropped, triangles and
// vertices ordered, meshlets, levels of detail, bounds.
// Errors: kInvalidData with the submesh's place: no triangles, an index out of range, a count that does not fit,
// a position that is not finite. kLimit: more corners than kMaxCorners, a position beyond kMaxCoordinate. kUsage:
// options out of range. Pure; same bits on any number of threads. Constraints: winding is kept, counter-clockwise or
// not.
Result<BuiltMesh> build_mesh(std::span<const SubmeshInput> submeshes, const MeshOptions& options = {});

}  // namespace assetc::mesh
