// One way to draw a mesh from any container: vertex buffers and their formats, index buffers, and draw ranges.
//
//   const MeshLayout layout = layout_of(*mesh.get());
//   for (const MeshDraw& draw : layout.levels[level].draws) {
//     bind(layout.vertices[draw.vertices], layout.indices[draw.indices]);
//     draw_indexed(draw.index_count, draw.first_index, draw.base_vertex);
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "assetc/formats/hmesh.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/gpu.hpp"

namespace assetc::runtime {

// Texture coordinates of a .hmesh:
// - In a mesh of a scene, texcoord n is set n of the source. hscene::Texture has the set and transform of a texture.
// - In another mesh, texcoord 0 is the set that its materials use, with their transform. Texcoord n is set n of the
//   source. If the file also stores set 0 as it is in the source, that set is texcoord kTexcoordOfSet0.
inline constexpr std::uint32_t kTexcoordOfSet0 = 8;

// A vertex attribute.
// - Normals of kRg16Snorm are octahedral (octahedral.hpp).
// - Tangents of kRg16Sint are octahedral, with the handedness in bit 0 of the first component.
// - Tangents of four floats have the handedness in w.
struct VertexStream {
  aas1::Semantic semantic = aas1::Semantic::kPosition;
  std::uint32_t semantic_index = 0;  // the set of texture coordinates, colors, joints or weights
  gpu::VertexFormat format = gpu::VertexFormat::kRgb32F;
  std::uint32_t buffer = 0;  // index into VertexLayout::buffers
  std::uint32_t offset_bytes = 0;
  // Of Semantic::kCustom: its name in the source. The columns of a matrix are streams of one name.
  std::string_view name{};
  bool operator==(const VertexStream&) const = default;
};

struct VertexBuffer {
  ByteSpan bytes;  // vertex_count times the stride
  std::uint32_t stride_bytes = 0;
};

// A set of vertices that indices refer to.
struct VertexLayout {
  std::uint32_t vertex_count = 0;
  std::vector<VertexBuffer> buffers;
  std::vector<VertexStream> streams;
  // Returns the stream, or null if the vertices do not have it.
  const VertexStream* find(aas1::Semantic semantic, std::uint32_t index = 0) const;
};

struct IndexBuffer {
  ByteSpan bytes;
  std::uint32_t width_bytes = 2;  // 2 or 4: gpu::index_format()
};

// One draw: triangles, lines or points of one material.
struct MeshDraw {
  std::uint32_t vertices = 0;  // index into MeshLayout::vertices
  std::uint32_t indices = 0;   // index into MeshLayout::indices
  std::uint32_t first_index = 0, index_count = 0;
  std::int32_t base_vertex = 0;  // to be added to each index
  std::uint32_t material_slot = hmesh::kNoMaterial;
  std::uint32_t first_meshlet = 0, meshlet_count = 0;      // at full detail, if the mesh has meshlets
  hmesh::MeshBounds bounds{};                              // of the draw, or of the mesh if the container has no others
  hmesh::Topology topology = hmesh::Topology::kTriangles;  // gpu::topology()
};

struct MeshLevel {
  std::vector<MeshDraw> draws;  // of triangles; empty draws are left out
};

// The buffers and draws of a mesh.
// Lifetime: points into the mesh, which must outlive it.
// Thread safety: const.
struct MeshLayout {
  std::vector<VertexLayout> vertices;  // at least one
  std::vector<IndexBuffer> indices;
  std::vector<MeshLevel> levels;  // full detail first; at least one
  // Points and lines, to be drawn at every level. The variants of a scene number them after the submeshes.
  std::vector<MeshDraw> primitives;
  hmesh::MeshBounds bounds{};
  bool has_tangents = false;  // of triangles
  // Meshlets of full detail, only for .hmesh. Their indices refer to vertices[0].
  std::span<const hmesh::Meshlet> meshlets;
  std::span<const std::uint32_t> meshlet_vertices;
  std::span<const hmesh::MeshletTriangle> meshlet_triangles;
  std::span<const hmesh::MeshletBounds> meshlet_bounds;
  // Joints of skinned .hmesh and Galileo meshes. AAS1 meshes have a separate skeleton asset.
  std::span<const hmesh::GpuJoint> joints;
  std::span<const hmesh::MeshBounds> pose_bounds;  // of the rest pose, then of each clip; or empty
  // Null without morph targets. Vertices are numbered over all of `vertices`: those of vertices[1] follow those of
  // vertices[0]. Of an AAS1 mesh, only vertices[0] has targets.
  const hmesh::MorphsView* morphs = nullptr;
};

MeshLayout layout_of(const MeshData& mesh);

// Returns how many joint matrices the vertices of a mesh refer to: the largest joint number plus 1, or 0 if no vertex
// has joints. At least this many matrices must be bound when the mesh is drawn, even if its skeleton is damaged or
// belongs to another mesh. Reads every vertex: call it once for each mesh, for example in finalize.
std::uint32_t joint_count_of(const MeshLayout& layout);

}  // namespace assetc::runtime
