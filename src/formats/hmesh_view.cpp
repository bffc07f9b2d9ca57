#include <algorithm>
#include <cmath>
#include <tuple>

#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/hmesh_encoded.hpp"
#include "base/plural.hpp"
#include "formats/mesh_rules.hpp"
#include "formats/reader.hpp"

namespace assetc::hmesh {

using namespace formats;

// Opens one file. Each step relies on the checks of the steps before it.
class Opener {
 public:
  explicit Opener(ByteSpan file) : file_(file), place(file) {}

  Result<View> open() {
    ASSETC_TRY(view_.table_, chunks::open_table(file_, kVersion));
    if (is_encoded(file_)) {
      return fail_at(ErrorCode::kUnsupported, byte_place(sizeof(chunks::FileHeader)),
                     "the file has encoded chunks, expected plain ones", "decode it first: hmesh::decode()");
    }
    ASSETC_CHECK(find_chunks());
    ASSETC_CHECK(open_desc());
    ASSETC_CHECK(open_arrays());
    ASSETC_CHECK(open_lods());
    ASSETC_CHECK(open_pose_bounds());
    ASSETC_CHECK(open_names());
    ASSETC_CHECK(open_further());
    ASSETC_CHECK(check_boxes());
    ASSETC_CHECK(open_primitives());
    ASSETC_CHECK(check_positions(place, view_.vertices_, *view_.bounds_));
    ASSETC_CHECK(check_indices());
    ASSETC_CHECK(check_submeshes());
    ASSETC_CHECK(check_meshlets(place, view_.meshlets_, view_.meshlet_vertices_.size(), view_.meshlet_triangles_,
                                view_.desc_->meshlet_max_vertices, view_.desc_->meshlet_max_triangles));
    ASSETC_CHECK(check_skin());
    ASSETC_CHECK(check_skeleton(place, view_.joints_));
    return std::move(view_);
  }

 private:
  static constexpr std::uint32_t kKnown[] = {kDescId,
                                             kBoundsId,
                                             kVerticesId,
                                             kIndicesId,
                                             kSubmeshesId,
                                             kMaterialsId,
                                             kMeshletsId,
                                             kMeshletVerticesId,
                                             kMeshletTrianglesId,
                                             kMeshletBoundsId,
                                             kSkinId,
                                             kSkeletonId,
                                             kLodIndicesId,
                                             kLodTableId,
                                             kPoseBoundsId,
                                             kNamesId,
                                             kFurtherAttributesId,
                                             kFurtherVerticesId,
                                             kFurtherSkinId,
                                             kMorphsId,
                                             kPrimitivesId};
  static constexpr std::uint32_t kRequired[] = {kDescId, kBoundsId, kVerticesId, kIndicesId, kSubmeshesId};

  Result<void> find_chunks() {
    for (const std::uint32_t id : kKnown) ASSETC_CHECK(chunks::find_chunk(file_, view_.table_, id));
    for (const std::uint32_t id : kRequired) {
      if (find(id) == nullptr) {
        return invalid(sizeof(chunks::FileHeader),
                       message("found no chunk ", fourcc_text(id), ", which every mesh has"));
      }
    }
    return {};
  }

  const chunks::ChunkEntry* find(std::uint32_t id) const {
    for (const chunks::ChunkEntry& entry : view_.table_) {
      if (entry.id == id) return &entry;
    }
    return nullptr;
  }

  // Reads a chunk as exactly count elements. An absent chunk has none.
  template <class T>
  Result<void> array(std::uint32_t id, std::uint64_t count, std::span<const T>& out) {
    const chunks::ChunkEntry* entry = find(id);
    const std::uint64_t size = entry == nullptr ? 0 : entry->size_bytes;
    // count is below 2^32 (or a checked product) and sizeof(T) is small: no overflow.
    if (size != count * sizeof(T)) {
      return invalid(entry == nullptr ? sizeof(chunks::FileHeader) : place(*entry),
                     message("found ", counted(size, "byte"), " of ", fourcc_text(id), ", expected ",
                             counted(count, "element"), " of ", sizeof(T)));
    }
    if (entry != nullptr) {
      out = {reinterpret_cast<const T*>(file_.data() + entry->offset_bytes), static_cast<std::size_t>(count)};
    }
    return {};
  }
  // Reads all elements of a chunk.
  template <class T>
  Result<void> whole_array(std::uint32_t id, std::span<const T>& out) {
    const chunks::ChunkEntry* entry = find(id);
    if (entry == nullptr) return {};
    if (entry->size_bytes % sizeof(T) != 0) {
      return invalid(place(*entry), message("found ", counted(entry->size_bytes, "byte"), " of ", fourcc_text(id),
                                            ", expected a multiple of ", sizeof(T)));
    }
    out = {reinterpret_cast<const T*>(file_.data() + entry->offset_bytes),
           static_cast<std::size_t>(entry->size_bytes / sizeof(T))};
    return {};
  }

  Result<void> open_desc() {
    std::span<const MeshDesc> desc;
    std::span<const MeshBounds> bounds;
    ASSETC_CHECK(array(kDescId, 1, desc));
    ASSETC_CHECK(array(kBoundsId, 1, bounds));
    view_.desc_ = desc.data();
    view_.bounds_ = bounds.data();
    const MeshDesc& d = desc[0];
    if (d.vertex_stride_bytes != sizeof(GpuVertex)) {
      return invalid(place(d.vertex_stride_bytes),
                     message("found a vertex stride of ", counted(d.vertex_stride_bytes, "byte"), ", expected ",
                             sizeof(GpuVertex)));
    }
    if (d.index_width_bytes != 2 && d.index_width_bytes != 4) {
      return invalid(place(d.index_width_bytes),
                     message("found indices of ", counted(int{d.index_width_bytes}, "byte"), ", expected 2 or 4"));
    }
    if (d.index_count % 3 != 0) {
      return invalid(place(d.index_count),
                     message("found ", counted(d.index_count, "index"), ", expected a multiple of 3"));
    }
    return {};
  }

  Result<void> open_arrays() {
    const MeshDesc& d = *view_.desc_;
    ASSETC_CHECK(array(kVerticesId, d.vertex_count, view_.vertices_));
    ASSETC_CHECK(array(kIndicesId, std::uint64_t{d.index_count} * d.index_width_bytes, view_.index_bytes_));
    ASSETC_CHECK(array(kSubmeshesId, d.submesh_count, view_.submeshes_));
    ASSETC_CHECK(array(kMaterialsId, d.material_count, view_.materials_));
    ASSETC_CHECK(array(kMeshletsId, d.meshlet_count, view_.meshlets_));
    ASSETC_CHECK(array(kMeshletBoundsId, d.meshlet_count, view_.meshlet_bounds_));
    ASSETC_CHECK(whole_array(kMeshletVerticesId, view_.meshlet_vertices_));
    ASSETC_CHECK(whole_array(kMeshletTrianglesId, view_.meshlet_triangles_));
    ASSETC_CHECK(whole_array(kSkeletonId, view_.joints_));
    if (find(kSkinId) != nullptr || !view_.joints_.empty()) {
      if (view_.joints_.empty()) {
        return invalid(place(*find(kSkinId)), "found SKIN without joints in SKEL, expected both or neither");
      }
      ASSETC_CHECK(array(kSkinId, d.vertex_count, view_.skin_));
    }
    return {};
  }

  Result<void> open_lods() {
    const chunks::ChunkEntry* table = find(kLodTableId);
    const chunks::ChunkEntry* indices = find(kLodIndicesId);
    if (table == nullptr) {
      if (indices == nullptr) return {};
      return invalid(place(*indices), "found LODI without LODT, expected both or neither");
    }
    const std::uint64_t offset = table->offset_bytes;
    if (table->size_bytes < sizeof(LodTableHeader)) {
      return invalid(place(*table), message("found ", counted(table->size_bytes, "byte"),
                                            " of LODT, expected at least ", sizeof(LodTableHeader)));
    }
    const auto header = load<LodTableHeader>(file_, offset);
    if (header.submesh_count != view_.desc_->submesh_count) {
      return invalid(offset + 4, message("found LODs of ", counted(header.submesh_count, "submesh"), ", expected ",
                                         view_.desc_->submesh_count));
    }
    const std::uint64_t count = std::uint64_t{header.lod_count} * header.submesh_count;  // no overflow
    const std::uint64_t rows_size = table->size_bytes - sizeof(LodTableHeader);
    if (rows_size % sizeof(MeshLod) != 0 || rows_size / sizeof(MeshLod) != count) {
      return invalid(place(*table),
                     message("found ", counted(rows_size, "byte"), " of LOD ranges, expected ", header.lod_count,
                             " times ", header.submesh_count, " of ", sizeof(MeshLod)));
    }
    view_.lod_count_ = header.lod_count;
    view_.lods_ = {reinterpret_cast<const MeshLod*>(file_.data() + offset + sizeof(LodTableHeader)),
                   static_cast<std::size_t>(count)};
    ASSETC_CHECK(whole_array(kLodIndicesId, view_.lod_indices_));
    for (const MeshLod& lod : view_.lods_) {
      if (!range_fits(lod.first_index, lod.index_count, view_.lod_indices_.size())) {
        return invalid(place(lod),
                       message("LOD range ", lod.first_index, " + ", lod.index_count, " does not fit in the ",
                               counted(view_.lod_indices_.size(), "index"), " of LODI"));
      }
      if (lod.index_count % 3 != 0) {
        return invalid(place(lod.index_count),
                       message("found ", counted(lod.index_count, "LOD index"), ", expected a multiple of 3"));
      }
    }
    return {};
  }

  Result<void> open_pose_bounds() {
    const chunks::ChunkEntry* entry = find(kPoseBoundsId);
    if (entry == nullptr) return {};
    if (view_.joints_.empty()) return invalid(place(*entry), "found PBND in a mesh without a skeleton");
    ASSETC_CHECK(whole_array(kPoseBoundsId, view_.pose_bounds_));
    if (view_.pose_bounds_.empty())
      return invalid(place(*entry), "found an empty PBND, expected bounds of the rest pose at least");
    for (const MeshBounds& bounds : view_.pose_bounds_) ASSETC_CHECK(check_bounds(place, bounds, "a pose's"));
    return {};
  }

  Result<void> open_names() {
    const chunks::ChunkEntry* entry = find(kNamesId);
    if (entry == nullptr) return {};
    const MeshDesc& d = *view_.desc_;
    ASSETC_TRY(view_.names_,
               NamesView::open(file_.subspan(entry->offset_bytes, entry->size_bytes), entry->offset_bytes,
                               {d.submesh_count, d.material_count, static_cast<std::uint32_t>(view_.joints_.size())}));
    return {};
  }

  ByteSpan bytes_of(const chunks::ChunkEntry& entry) const {
    return file_.subspan(static_cast<std::size_t>(entry.offset_bytes), static_cast<std::size_t>(entry.size_bytes));
  }

  Result<void> open_further() {
    const MeshDesc& d = *view_.desc_;
    if (const chunks::ChunkEntry* skin = find(kFurtherSkinId)) {
      if (view_.joints_.empty()) return invalid(place(*skin), "found SKN8 in a mesh without a skeleton");
      ASSETC_CHECK(array(kFurtherSkinId, d.vertex_count, view_.further_skin_));
    }
    const chunks::ChunkEntry* table = find(kFurtherAttributesId);
    const chunks::ChunkEntry* vertices = find(kFurtherVerticesId);
    if ((table == nullptr) != (vertices == nullptr)) {
      return invalid(place(table == nullptr ? *vertices : *table),
                     "found one of the chunks ATTR and VTX2, expected both or neither");
    }
    if (table != nullptr) {
      ASSETC_TRY(view_.further_attributes_, FurtherAttributesView::open(bytes_of(*table), bytes_of(*vertices),
                                                                        table->offset_bytes, d.vertex_count));
    }
    if (const chunks::ChunkEntry* morphs = find(kMorphsId)) {
      const auto nodes = static_cast<std::uint32_t>(view_.names_ ? view_.names_->node_count() : 0);
      ASSETC_TRY(view_.morphs_, MorphsView::open(bytes_of(*morphs), morphs->offset_bytes, d.vertex_count, nodes));
    }
    return {};
  }

  Result<void> open_primitives() {
    const chunks::ChunkEntry* entry = find(kPrimitivesId);
    if (entry == nullptr) return {};
    const MeshDesc& d = *view_.desc_;
    const auto nodes = static_cast<std::uint32_t>(view_.names_ ? view_.names_->node_count() : 0);
    ASSETC_TRY(view_.primitives_, PrimitivesView::open(bytes_of(*entry), entry->offset_bytes,
                                                       {d.vertex_count, d.submesh_count, d.material_count, nodes},
                                                       view_.bounds_->aabb_min, view_.bounds_->aabb_max));
    return {};
  }

  Result<void> check_boxes() {
    const MeshBounds& mesh = *view_.bounds_;
    ASSETC_CHECK(check_bounds(place, mesh, "the mesh's"));
    for (const SubMesh& submesh : view_.submeshes_) {
      const MeshBounds& b = submesh.bounds;
      ASSETC_CHECK(check_bounds(place, b, "a submesh's"));
      for (int axis = 0; axis < 3; ++axis) {
        if (b.aabb_min[axis] < mesh.aabb_min[axis] || b.aabb_max[axis] > mesh.aabb_max[axis]) {
          return invalid(
              place(b.aabb_min[axis]),
              message("a submesh's box runs from ", b.aabb_min[axis], " to ", b.aabb_max[axis], " on axis ", axis,
                      ", expected it inside the mesh's, ", mesh.aabb_min[axis], " to ", mesh.aabb_max[axis]));
        }
      }
    }
    return {};
  }

  Result<void> check_indices() {
    const std::uint32_t limit = view_.desc_->vertex_count;
    ASSETC_CHECK(check_below(place, view_.indices16(), limit, "index"));
    ASSETC_CHECK(check_below(place, view_.indices32(), limit, "index"));
    ASSETC_CHECK(check_below(place, view_.lod_indices_, limit, "LOD index"));
    return check_below(place, view_.meshlet_vertices_, limit, "meshlet vertex");
  }

  Result<void> check_submeshes() {
    const MeshDesc& d = *view_.desc_;
    std::uint64_t index_end = 0;
    std::uint64_t meshlet_end = 0;
    for (const SubMesh& s : view_.submeshes_) {
      if (s.first_index != index_end) {
        return invalid(place(s.first_index), message("a submesh begins at index ", s.first_index, ", expected ",
                                                     index_end, ", where the one before ends"));
      }
      if (s.first_meshlet != meshlet_end) {
        return invalid(place(s.first_meshlet), message("a submesh begins at meshlet ", s.first_meshlet, ", expected ",
                                                       meshlet_end, ", where the one before ends"));
      }
      if (s.index_count % 3 != 0) {
        return invalid(place(s.index_count),
                       message("a submesh has ", counted(s.index_count, "index"), ", expected a multiple of 3"));
      }
      if (s.material_slot != kNoMaterial && s.material_slot >= d.material_count) {
        return invalid(place(s.material_slot), message("a submesh has material slot ", s.material_slot,
                                                       ", expected less than ", d.material_count, " or none"));
      }
      if (s.base_vertex != 0) {
        return invalid(place(s.base_vertex),
                       message("a submesh has base vertex ", s.base_vertex, ", expected 0, as indices are global"));
      }
      index_end += s.index_count;
      meshlet_end += s.meshlet_count;
    }
    if (index_end != d.index_count) {
      return invalid(place(d.index_count),
                     message("the submeshes cover ", counted(index_end, "index"), ", expected all ", d.index_count));
    }
    if (meshlet_end != d.meshlet_count) {
      return invalid(place(d.meshlet_count), message("the submeshes cover ", counted(meshlet_end, "meshlet"),
                                                     ", expected all ", d.meshlet_count));
    }
    return {};
  }

  Result<void> check_joints(const GpuSkinVertex& v) const {
    const std::size_t joint_count = view_.joints_.size();
    for (const std::uint16_t& joint : v.joints) {
      if (joint >= joint_count) {
        return invalid(place(joint),
                       message("a vertex is bound to joint ", joint, ", expected less than ", joint_count));
      }
    }
    return {};
  }

  Result<void> check_skin() {
    for (const GpuSkinVertex& v : view_.further_skin_) {
      ASSETC_CHECK(check_joints(v));
      for (const float& weight : v.weights) {
        if (weight >= 0 && weight <= 1) continue;
        return invalid(place(weight), message("found a weight of ", weight, " in SKN8, expected 0 to 1"));
      }
    }
    for (const GpuSkinVertex& v : view_.skin_) {
      ASSETC_CHECK(check_joints(v));
      const float sum = v.weights[0] + v.weights[1] + v.weights[2] + v.weights[3];
      const bool in_range = v.weights[0] >= 0 && v.weights[1] >= 0 && v.weights[2] >= 0 && v.weights[3] >= 0;
      if (!in_range || !(std::fabs(sum - 1.0f) <= kWeightSumTolerance)) {
        return invalid(place(v.weights[0]),
                       message("the weights of a vertex sum to ", sum, ", expected four of at least 0 that sum to 1"));
      }
    }
    return {};
  }

  ByteSpan file_;
  Places place;  // called like a function
  View view_;
};

Result<View> View::open(ByteSpan file) { return Opener(file).open(); }

bool View::has_level(std::size_t lod) const {
  for (std::size_t i = lod; i < lods_.size(); i += lod_count_) {
    if (lods_[i].index_count != 0) return true;
  }
  return false;
}

std::span<const std::uint16_t> View::indices16() const {
  if (desc_->index_width_bytes != 2) return {};
  return {reinterpret_cast<const std::uint16_t*>(index_bytes_.data()), desc_->index_count};
}
std::span<const std::uint32_t> View::indices32() const {
  if (desc_->index_width_bytes != 4) return {};
  return {reinterpret_cast<const std::uint32_t*>(index_bytes_.data()), desc_->index_count};
}

}  // namespace assetc::hmesh
