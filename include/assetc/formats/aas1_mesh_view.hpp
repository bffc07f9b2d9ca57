// AAS1 meshes: one interleaved vertex stream, triangles, levels of detail. Specification: docs/formats/aas1.md.
// This header reads files. aas1_mesh.hpp also writes them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assetc/formats/aas1.hpp"

namespace assetc::aas1 {

inline constexpr std::uint32_t kMaxLevels = 16;
inline constexpr std::uint32_t kMaxAttributes = 64;
inline constexpr std::uint32_t kNoMaterial = hmesh::kNoMaterial;

inline constexpr std::uint32_t kMaterialsId = fourcc("MTRL");      // the UUID for each material slot
inline constexpr std::uint32_t kNamesId = fourcc("NAME");          // as in .hmesh
inline constexpr std::uint32_t kSubmeshBoundsId = fourcc("SBND");  // hmesh::MeshBounds for each submesh of level 0
inline constexpr std::uint32_t kPoseBoundsId = fourcc("PBND");     // as in .hmesh
inline constexpr std::uint32_t kMorphsId = fourcc("MRPH");         // as in .hmesh
inline constexpr std::uint32_t kPrimitivesId = fourcc("PRIM");     // as in .hmesh
inline constexpr std::uint32_t kCustomNamesId = fourcc("CNAM");    // names of the attributes of Semantic::kCustom

enum class Semantic : std::uint32_t {
  kPosition = 0,
  kNormal = 1,
  kTangent = 2,
  kTexcoord = 3,
  kColor = 4,
  kJoints = 5,
  kWeights = 6,
  kCustom = 16,  // an attribute of the application; MeshView::custom_name()
};
enum class VertexFormat : std::uint32_t {
  kR32F = 1,
  kRg32F = 2,
  kRgb32F = 3,
  kRgba32F = 4,
  kRg16Snorm = 16,  // octahedral.hpp
  kRg16Sint = 17,   // octahedral.hpp; handedness in bit 0 of the first component
  kRgba16Uint = 18,
  kRgba8Unorm = 19,
};
// Returns the size of one element, or 0 for an unknown number.
std::size_t size_bytes_of(VertexFormat format);

struct MeshDesc {
  static constexpr std::uint32_t kInterleaved = 1;
  static constexpr std::uint32_t kHasBounds = 2;

  std::uint32_t vertex_count;
  std::uint32_t index_count;
  std::uint32_t vertex_stride_bytes;
  std::uint32_t index_type;  // 0: u16, 1: u32
  std::uint32_t attribute_count;
  std::uint32_t submesh_count;
  std::uint32_t attributes_offset_bytes;
  std::uint32_t submeshes_offset_bytes;
  std::uint32_t vertex_data_offset_bytes;
  std::uint32_t index_data_offset_bytes;
  std::uint32_t vertex_data_size_bytes;
  std::uint32_t index_data_size_bytes;
  float bounds_min[3];
  float bounds_max[3];
  std::uint32_t flags;
};
static_assert(sizeof(MeshDesc) == 76);
// Follows MeshDesc if the Desc has 84 bytes.
struct MeshLodFields {
  std::uint32_t lod_count;
  std::uint32_t lod_table_offset_bytes;
};
static_assert(sizeof(MeshLodFields) == 8);

struct VertexAttribute {
  Semantic semantic;
  std::uint32_t semantic_index;
  VertexFormat format;
  std::uint32_t input_slot;
  std::uint32_t offset_bytes;
  std::uint32_t per_instance;
  std::uint32_t instance_step_rate;
  bool operator==(const VertexAttribute&) const = default;
};
static_assert(sizeof(VertexAttribute) == 28);

struct SubMesh {
  std::uint32_t first_index;
  std::uint32_t index_count;
  std::int32_t base_vertex;
  std::uint32_t material_slot;
  bool operator==(const SubMesh&) const = default;
};
static_assert(sizeof(SubMesh) == 16);

struct LodDesc {
  std::uint32_t vertex_count;
  std::uint32_t index_count;
  std::uint32_t vertex_data_offset_bytes;
  std::uint32_t index_data_offset_bytes;
  std::uint32_t vertex_data_size_bytes;
  std::uint32_t index_data_size_bytes;
  std::uint32_t submeshes_offset_bytes;
  std::uint32_t submesh_count;
  float screen_size;
  float bounds_min[3];
  float bounds_max[3];
};
static_assert(sizeof(LodDesc) == 60);

// A level of detail: a separate mesh with its own ranges of vertices and indices in the blob.
struct LevelView {
  ByteSpan vertices;  // vertex_count times the stride
  ByteSpan indices;
  std::uint32_t vertex_count = 0;
  std::uint32_t index_count = 0;
  std::span<const SubMesh> submeshes;  // in the order of their indices; do not overlap
  float screen_size = 1;               // draw this level from this size down, as a fraction of the screen height
};

class MeshView {
 public:
  static Result<MeshView> open(ByteSpan file);
  const Blob& blob() const { return blob_; }
  const MeshDesc& desc() const { return *desc_; }
  bool has_bounds() const { return (desc_->flags & MeshDesc::kHasBounds) != 0; }
  std::span<const VertexAttribute> attributes() const { return attributes_; }
  // Returns the attribute, or null if the vertices do not have it.
  const VertexAttribute* find(Semantic semantic, std::uint32_t index = 0) const;
  // Full detail first; at least one level.
  std::span<const LevelView> levels() const { return {levels_.data(), levels_.size()}; }
  // Returns an index of a level. Requires i < level.index_count.
  std::uint32_t index(const LevelView& level, std::size_t i) const {
    return desc_->index_type == 0 ? load<std::uint16_t>(level.indices, i * 2)
                                  : load<std::uint32_t>(level.indices, i * 4);
  }

  std::span<const Uuid> materials() const { return materials_; }  // for each slot
  Uuid skeleton() const { return skeleton_; }                     // nil for none
  // One for each submesh of level 0, or empty.
  std::span<const hmesh::MeshBounds> submesh_bounds() const { return submesh_bounds_; }
  std::span<const hmesh::MeshBounds> pose_bounds() const { return pose_bounds_; }
  const std::optional<hmesh::NamesView>& names() const { return names_; }
  // Morph targets of the vertices of level 0, which the levels that assetc writes share.
  const std::optional<hmesh::MorphsView>& morphs() const { return morphs_; }
  // Points and lines of the vertices of level 0, drawn at every level. Empty if the file has none.
  const std::optional<hmesh::PrimitivesView>& primitives() const { return primitives_; }
  // Returns false if the mesh has points and lines alone. Its one submesh is then one triangle without area, because
  // the format requires a submesh.
  bool has_triangles() const { return has_triangles_; }
  // Returns the name of the attributes of Semantic::kCustom with this semantic index, or "" if they have none. The
  // columns of a matrix are attributes of one name, with ascending indices.
  std::string_view custom_name(std::uint32_t semantic_index) const;

 private:
  friend class MeshOpener;
  Blob blob_;
  const MeshDesc* desc_ = nullptr;
  std::span<const VertexAttribute> attributes_;
  std::vector<LevelView> levels_;
  std::span<const Uuid> materials_;
  Uuid skeleton_;
  std::span<const hmesh::MeshBounds> submesh_bounds_, pose_bounds_;
  std::optional<hmesh::NamesView> names_;
  std::optional<hmesh::MorphsView> morphs_;
  std::optional<hmesh::PrimitivesView> primitives_;
  bool has_triangles_ = true;
  std::span<const std::uint32_t> custom_name_ends_;
  std::string_view custom_names_;
};

}  // namespace assetc::aas1
