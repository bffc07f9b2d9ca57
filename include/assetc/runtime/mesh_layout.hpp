// One way to draw a mesh, whatever container it came in: vertex buffers and their formats, index buffers, and ranges.
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
#include <vector>

#include "assetc/formats/hmesh.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/gpu.hpp"

namespace assetc::runtime {

// An attribute of a vertex. Normals of kRg16Snorm are octahedral; tangents of kRg16Sint are too, with the handedness in
// bit 0 of the first (octahedral.hpp). Tangents of four floats have the handedness in w.
struct VertexStream {
  aas1::Semantic semantic = aas1::Semantic::kPosition;
  std::uint32_t semantic_index = 0;  // of several sets of texture coordinates, colors, joints or weights
  gpu::VertexFormat format = gpu::VertexFormat::kRgb32F;
  std::uint32_t buffer = 0;  // of VertexLayout::buffers
  std::uint32_t offset_bytes = 0;
  bool operator==(const VertexStream&) const = default;
};

struct VertexBuffer {
  ByteSpan bytes;  // vertex_count times the stride
  std::uint32_t stride_bytes = 0;
};

// Vertices that indices count in.
struct VertexLayout {
  std::uint32_t vertex_count = 0;
  std::vector<VertexBuffer> buffers;
  std::vector<VertexStream> streams;
  // Null where the vertices have none.
  const VertexStream* find(aas1::Semantic semantic, std::uint32_t index = 0) const;
};

struct IndexBuffer {
  ByteSpan bytes;
  std::uint32_t width_bytes = 2;  // 2 or 4: gpu::index_format()
};

// One draw: triangles of one material.
struct MeshDraw {
  std::uint32_t vertices = 0;  // of MeshLayout::vertices
  std::uint32_t indices = 0;   // of MeshLayout::indices
  std::uint32_t first_index = 0, index_count = 0;
  std::int32_t base_vertex = 0;  // to be added to each index
  std::uint32_t material_slot = hmesh::kNoMaterial;
  std::uint32_t first_meshlet = 0, meshlet_count = 0;  // of full detail, where the mesh has meshlets
  hmesh::MeshBounds bounds{};                          // of the draw, or of the mesh where the container has no others
};

struct MeshLevel {
  std::vector<MeshDraw> draws;  // without empty ones
};

// Points into the mesh, which outlives it. Thread safety: const.
struct MeshLayout {
  std::vector<VertexLayout> vertices;  // at least one
  std::vector<IndexBuffer> indices;
  std::vector<MeshLevel> levels;  // full detail first; at least one
  hmesh::MeshBounds bounds{};
  bool has_tangents = false;
  // Of full detail; of .hmesh alone. Indices of meshlets count in vertices[0].
  std::span<const hmesh::Meshlet> meshlets;
  std::span<const std::uint32_t> meshlet_vertices;
  std::span<const hmesh::MeshletTriangle> meshlet_triangles;
  std::span<const hmesh::MeshletBounds> meshlet_bounds;
  // Of skinned .hmesh and Galileo meshes. Those of AAS1 meshes are in a skeleton of its own.
  std::span<const hmesh::GpuJoint> joints;
  std::span<const hmesh::MeshBounds> pose_bounds;  // of the rest pose, then of each clip; or empty
};

MeshLayout layout_of(const MeshData& mesh);

}  // namespace assetc::runtime
