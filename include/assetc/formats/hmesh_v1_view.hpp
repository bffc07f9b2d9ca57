// .hmesh version 1, for engines that still read it. Specification: docs/formats/hmesh-v1.md.
// This header reads files. hmesh_v1.hpp also writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "assetc/formats/hmesh_view.hpp"

namespace assetc::hmesh_v1 {

struct Model;  // hmesh_v1.hpp

inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kBufferAlignment = chunks::kBufferAlignment;
// The corners of a meshlet are 8-bit.
inline constexpr std::uint32_t kMeshletMaxVertices = 256;

using hmesh::MeshBounds;
using hmesh::Meshlet;
using hmesh::MeshletBounds;
using hmesh::MeshletTriangle;

struct GpuVertex {
  float position[3];
  std::int16_t normal[4];   // octahedral.hpp in the first two; the others are reserved, 0
  std::int16_t tangent[4];  // as normal; handedness in bit 0 of the first
  float uv[2];
  bool operator==(const GpuVertex&) const = default;
};
static_assert(sizeof(GpuVertex) == 36);

// Returns whether a .hmesh is marked as version 1, to choose the view. Does not check the rest of the file.
inline bool is_version_1(ByteSpan file) { return file.size() >= 8 && load<std::uint32_t>(file, 4) == kVersion; }

// A valid file of version 1, read in place. Errors, constraints and thread safety are those of hmesh::View.
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
  // Returns an index. Requires i < index_count().
  std::uint32_t index(std::size_t i) const {
    return index_width_bytes_ == 2 ? load<std::uint16_t>(index_bytes_, i * 2)
                                   : load<std::uint32_t>(index_bytes_, i * 4);
  }
  // The list lies at an odd multiple of 4 bytes. So its values are loaded and never accessed by a cast.
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

}  // namespace assetc::hmesh_v1
