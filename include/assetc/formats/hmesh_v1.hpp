// .hmesh version 1, for engines that still read it. Specification: docs/formats/hmesh-v1.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assetc/formats/hmesh.hpp"

namespace assetc::hmesh_v1 {

inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kBufferAlignment = chunks::kBufferAlignment;
// Corners of a meshlet are 8-bit.
inline constexpr std::uint32_t kMeshletMaxVertices = 256;

using hmesh::MeshBounds;
using hmesh::Meshlet;
using hmesh::MeshletBounds;
using hmesh::MeshletTriangle;

struct GpuVertex {
  float position[3];
  std::int16_t normal[4];   // octahedral.hpp in the first two; the others reserved, 0
  std::int16_t tangent[4];  // as normal, handedness in bit 0 of the first
  float uv[2];
  bool operator==(const GpuVertex&) const = default;
};
static_assert(sizeof(GpuVertex) == 36);

struct Model {
  std::vector<GpuVertex> vertices;
  std::vector<std::uint32_t> indices;
  MeshBounds bounds{};
  std::vector<std::uint64_t> materials;  // every material of the source, in source order
  std::vector<Meshlet> meshlets;
  std::vector<std::uint32_t> meshlet_vertices;
  std::vector<MeshletTriangle> meshlet_triangles;
  std::vector<MeshletBounds> meshlet_bounds;
  std::vector<std::string> material_names;  // as many as materials, or none; kept in NAME

  bool operator==(const Model&) const = default;
};

// The geometry of a version 2 mesh. Submeshes, slots, skin and LODs have no place in version 1; the caller, who
// knows them, says what is lost. materials: by version 1's own rule.
Model from_hmesh(const hmesh::Model& mesh, std::vector<std::uint64_t> materials);

// Whether a .hmesh says that it is of version 1: which view to open it with. Says nothing of the rest.
inline bool is_version_1(ByteSpan file) { return file.size() >= 8 && load<std::uint32_t>(file, 4) == kVersion; }

// A valid file of version 1, read in place. As hmesh::View, but for what the version lacks.
class View {
 public:
  static Result<View> open(ByteSpan file);

  const MeshBounds& bounds() const { return *bounds_; }
  std::span<const GpuVertex> vertices() const { return vertices_; }
  std::size_t index_count() const { return index_bytes_.size() / index_width_bytes_; }
  std::uint32_t index_width_bytes() const { return index_width_bytes_; }  // 2 or 4
  ByteSpan index_bytes() const { return index_bytes_; }
  std::span<const std::uint16_t> indices16() const;
  std::span<const std::uint32_t> indices32() const;
  // Requires i < index_count().
  std::uint32_t index(std::size_t i) const {
    return index_width_bytes_ == 2 ? load<std::uint16_t>(index_bytes_, i * 2)
                                   : load<std::uint32_t>(index_bytes_, i * 4);
  }
  // The list lies at an odd multiple of 4 bytes, so it is loaded and never cast.
  std::size_t material_count() const { return material_bytes_.size() / 8; }
  std::uint64_t material(std::size_t i) const { return load<std::uint64_t>(material_bytes_, i * 8); }

  std::span<const Meshlet> meshlets() const { return meshlets_; }
  std::span<const std::uint32_t> meshlet_vertices() const { return meshlet_vertices_; }
  std::span<const MeshletTriangle> meshlet_triangles() const { return meshlet_triangles_; }
  std::span<const MeshletBounds> meshlet_bounds() const { return meshlet_bounds_; }
  const std::optional<hmesh::NamesView>& names() const { return names_; }
  std::span<const chunks::ChunkEntry> chunk_table() const { return table_; }

  Model to_model() const;

 private:
  friend class Opener;
  View() = default;

  std::span<const chunks::ChunkEntry> table_;
  const MeshBounds* bounds_ = nullptr;
  std::span<const GpuVertex> vertices_;
  std::uint32_t index_width_bytes_ = 2;
  ByteSpan index_bytes_;
  ByteSpan material_bytes_;
  std::span<const Meshlet> meshlets_;
  std::span<const std::uint32_t> meshlet_vertices_;
  std::span<const MeshletTriangle> meshlet_triangles_;
  std::span<const MeshletBounds> meshlet_bounds_;
  std::optional<hmesh::NamesView> names_;
};

// The bytes of a file that View::open accepts, or its error about the model. Deterministic.
Result<ByteVector> write(const Model& model);

}  // namespace assetc::hmesh_v1
