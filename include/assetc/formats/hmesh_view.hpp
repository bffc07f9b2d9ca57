// .hmesh version 2: geometry that an engine maps and draws. Specification: docs/formats/hmesh.md.
// This header reads files. hmesh.hpp also writes them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/chunks.hpp"
#include "assetc/formats/mesh_model.hpp"

namespace assetc::hmesh {

inline constexpr std::uint32_t kVersion = 2;
inline constexpr std::size_t kBufferAlignment = chunks::kBufferAlignment;
// Up to this number of vertices, the writer stores 16-bit indices. The value 0xffff is never an index.
inline constexpr std::uint32_t kMaxVerticesOf16BitIndices = 65535;
// The largest allowed difference of the sum of a vertex's four weights from 1.
inline constexpr float kWeightSumTolerance = 1e-3f;

inline constexpr std::uint32_t kDescId = fourcc("DESC");
inline constexpr std::uint32_t kBoundsId = fourcc("BNDS");
inline constexpr std::uint32_t kVerticesId = fourcc("VTXS");
inline constexpr std::uint32_t kIndicesId = fourcc("IDXS");
inline constexpr std::uint32_t kMeshletsId = fourcc("MLET");
inline constexpr std::uint32_t kMeshletVerticesId = fourcc("MLVR");
inline constexpr std::uint32_t kMeshletTrianglesId = fourcc("MLTR");
inline constexpr std::uint32_t kMeshletBoundsId = fourcc("MLBN");
inline constexpr std::uint32_t kMaterialsId = fourcc("MTRL");
inline constexpr std::uint32_t kSubmeshesId = fourcc("SUBM");
inline constexpr std::uint32_t kSkinId = fourcc("SKIN");
inline constexpr std::uint32_t kSkeletonId = fourcc("SKEL");
inline constexpr std::uint32_t kLodIndicesId = fourcc("LODI");
inline constexpr std::uint32_t kLodTableId = fourcc("LODT");
inline constexpr std::uint32_t kPoseBoundsId = fourcc("PBND");
inline constexpr std::uint32_t kNamesId = fourcc("NAME");
inline constexpr std::uint32_t kFurtherAttributesId = fourcc("ATTR");
inline constexpr std::uint32_t kFurtherVerticesId = fourcc("VTX2");
inline constexpr std::uint32_t kFurtherSkinId = fourcc("SKN8");
inline constexpr std::uint32_t kMorphsId = fourcc("MRPH");
inline constexpr std::uint32_t kPrimitivesId = fourcc("PRIM");

struct MeshDesc {
  static constexpr std::uint8_t kTangentsValid = 1;

  std::uint32_t vertex_count;
  std::uint32_t index_count;
  std::uint32_t meshlet_count;
  std::uint32_t submesh_count;
  std::uint32_t material_count;
  std::uint16_t vertex_stride_bytes;  // sizeof(GpuVertex)
  std::uint8_t index_width_bytes;     // 2 or 4
  std::uint8_t flags;                 // kTangentsValid
  std::uint32_t meshlet_max_vertices;
  std::uint32_t meshlet_max_triangles;
  bool operator==(const MeshDesc&) const = default;
};
static_assert(sizeof(MeshDesc) == 32);

struct LodTableHeader {
  std::uint32_t lod_count;  // levels below full resolution
  std::uint32_t submesh_count;
};
static_assert(sizeof(LodTableHeader) == 8);

// A valid .hmesh, read in place.
// open() checks every rule of the specification once, in one pass over the bytes. After that no accessor can fail or
// read outside the buffer.
// Errors, each with its byte offset: kTruncated, kInvalidData, kVersion, kUnsupported (a compressed chunk), kLimit,
// kUsage (a misaligned buffer).
// Constraints: file starts at a multiple of kBufferAlignment and outlives the view and its spans.
// Thread safety: const, so any number of threads may read one view.
class View {
 public:
  static Result<View> open(ByteSpan file);

  const MeshDesc& desc() const { return *desc_; }
  const MeshBounds& bounds() const { return *bounds_; }
  bool has_tangents() const { return (desc_->flags & MeshDesc::kTangentsValid) != 0; }
  std::size_t triangle_count() const { return desc_->index_count / 3; }

  std::span<const GpuVertex> vertices() const { return vertices_; }
  // The index buffer as it is uploaded, desc().index_width_bytes for each index.
  ByteSpan index_bytes() const { return index_bytes_; }
  // One of these two holds the indices. The other is empty.
  std::span<const std::uint16_t> indices16() const;
  std::span<const std::uint32_t> indices32() const;
  // Returns an index. Requires i < desc().index_count.
  std::uint32_t index(std::size_t i) const {
    return desc_->index_width_bytes == 2 ? load<std::uint16_t>(index_bytes_, i * 2)
                                         : load<std::uint32_t>(index_bytes_, i * 4);
  }

  std::span<const SubMesh> submeshes() const { return submeshes_; }
  std::span<const std::uint64_t> materials() const { return materials_; }

  std::span<const Meshlet> meshlets() const { return meshlets_; }
  std::span<const std::uint32_t> meshlet_vertices() const { return meshlet_vertices_; }
  std::span<const MeshletTriangle> meshlet_triangles() const { return meshlet_triangles_; }
  std::span<const MeshletBounds> meshlet_bounds() const { return meshlet_bounds_; }

  // skin() and joints() are empty for a static mesh. Otherwise skin() is parallel to vertices().
  bool is_skinned() const { return !joints_.empty(); }
  std::span<const GpuSkinVertex> skin() const { return skin_; }
  std::span<const GpuJoint> joints() const { return joints_; }
  // The fifth to eighth influence of each vertex, parallel to skin(), or empty. Their weights are relative to those of
  // skin(): a renderer that uses all eight divides each weight by the sum of the eight.
  std::span<const GpuSkinVertex> further_skin() const { return further_skin_; }

  // Texture coordinate sets, colors and custom attributes beyond vertices(). Empty if the file has none.
  const std::optional<FurtherAttributesView>& further_attributes() const { return further_attributes_; }
  // Empty if the file has no morph targets.
  const std::optional<MorphsView>& morphs() const { return morphs_; }
  // Points and lines, which are drawn at every level of detail. Empty if the file has none. A file may have no
  // submeshes if it has these.
  const std::optional<PrimitivesView>& primitives() const { return primitives_; }

  // Returns the number of levels below full resolution in the table, or 0 without LODs.
  std::uint32_t lod_count() const { return lod_count_; }
  // Returns whether at least one submesh has its own triangles at a level. Files of other compilers may have levels
  // without any. Requires lod < lod_count().
  bool has_level(std::size_t lod) const;
  // Requires submesh < submeshes().size() and lod < lod_count(). lod 0 is LOD1.
  const MeshLod& lod(std::size_t submesh, std::size_t lod) const { return lods_[submesh * lod_count_ + lod]; }
  std::span<const MeshLod> lods() const { return lods_; }
  std::span<const std::uint32_t> lod_indices() const { return lod_indices_; }

  // The bounds of a skinned mesh as its skeleton moves it (bounds() ignores the skeleton): of the rest pose, then of
  // each clip of the sibling .hanim, in its order. Empty if the file has none.
  std::span<const MeshBounds> pose_bounds() const { return pose_bounds_; }

  const std::optional<NamesView>& names() const { return names_; }

  // Every chunk of the file, known or unknown, in table order.
  std::span<const chunks::ChunkEntry> chunk_table() const { return table_; }

  Model to_model() const;

 private:
  friend class Opener;
  View() = default;

  std::span<const chunks::ChunkEntry> table_;
  const MeshDesc* desc_ = nullptr;
  const MeshBounds* bounds_ = nullptr;
  std::span<const GpuVertex> vertices_;
  ByteSpan index_bytes_;
  std::span<const SubMesh> submeshes_;
  std::span<const std::uint64_t> materials_;
  std::span<const Meshlet> meshlets_;
  std::span<const std::uint32_t> meshlet_vertices_;
  std::span<const MeshletTriangle> meshlet_triangles_;
  std::span<const MeshletBounds> meshlet_bounds_;
  std::span<const GpuSkinVertex> skin_;
  std::span<const GpuJoint> joints_;
  std::uint32_t lod_count_ = 0;
  std::span<const MeshLod> lods_;
  std::span<const std::uint32_t> lod_indices_;
  std::span<const MeshBounds> pose_bounds_;
  std::optional<NamesView> names_;
  std::span<const GpuSkinVertex> further_skin_;
  std::optional<FurtherAttributesView> further_attributes_;
  std::optional<MorphsView> morphs_;
  std::optional<PrimitivesView> primitives_;
};

}  // namespace assetc::hmesh
