#include <algorithm>
#include <array>

#include "assetc/formats/hmesh_encoded.hpp"
#include "formats/hmesh/rules.hpp"
#include "formats/hmesh/table.hpp"

namespace assetc::hmesh {

using namespace formats;

// Opens one file. Each step relies on the checks of the steps before it. The table has the rules of single records.
class Opener {
 public:
  explicit Opener(ByteSpan file) : file_(file), place(file) {}

  Result<View> open() {
    ASSETC_TRY(view_.table_, chunks::open_table(file_, kVersion));
    if (is_encoded(file_)) {
      return fail_at(ErrorCode::kUnsupported, byte_place(sizeof(chunks::FileHeader)),
                     "the file has encoded chunks, expected plain ones", "decode it first: hmesh::decode()");
    }
    ASSETC_TRY(chunks_, open_chunks(table::kChunks, file_, view_.table_, context_.counts));
    fill_view();
    std::ranges::copy(std::span(view_.bounds_->aabb_max),
                      std::ranges::copy(std::span(view_.bounds_->aabb_min), box_.begin()).out);
    context_.box = box_.data();
    context_.box_name = "the mesh's";
    ASSETC_CHECK(check_presence());
    ASSETC_CHECK(
        check_records(table::kDesc, chunks_.payloads[table::kDescChunk], chunks_.place(table::kDescChunk), context_));
    ASSETC_CHECK(check_index_size());
    ASSETC_CHECK(check_chunks(table::kChunks, chunks_, context_));
    ASSETC_CHECK(check_records(view_.desc_->index_width_bytes == 2 ? table::kIndex16 : table::kIndex32,
                               view_.index_bytes_, chunks_.place(table::kIndexChunk), context_));
    ASSETC_CHECK(open_lods());
    ASSETC_CHECK(open_names());
    ASSETC_CHECK(open_further());
    ASSETC_CHECK(check_meshlets(place, view_.meshlets_, view_.meshlet_vertices_.size(), view_.meshlet_triangles_,
                                view_.desc_->meshlet_max_vertices, view_.desc_->meshlet_max_triangles));
    ASSETC_CHECK(check_joint_loops(place, view_.joints_));
    return std::move(view_);
  }

 private:
  void fill_view() {
    view_.desc_ = chunks_.rows<MeshDesc>(table::kDescChunk).data();
    view_.bounds_ = chunks_.rows<MeshBounds>(table::kBoundsChunk).data();
    view_.vertices_ = chunks_.rows<GpuVertex>(table::kVertexChunk);
    view_.index_bytes_ = chunks_.payloads[table::kIndexChunk];
    view_.submeshes_ = chunks_.rows<SubMesh>(table::kSubmeshChunk);
    view_.materials_ = chunks_.rows<std::uint64_t>(table::kMaterialChunk);
    view_.meshlets_ = chunks_.rows<Meshlet>(table::kMeshletChunk);
    view_.meshlet_bounds_ = chunks_.rows<MeshletBounds>(table::kMeshletBoundsChunk);
    view_.meshlet_vertices_ = chunks_.rows<std::uint32_t>(table::kMeshletVertexChunk);
    view_.meshlet_triangles_ = chunks_.rows<MeshletTriangle>(table::kMeshletTriangleChunk);
    view_.joints_ = chunks_.rows<GpuJoint>(table::kJointChunk);
    view_.skin_ = chunks_.rows<GpuSkinVertex>(table::kSkinChunk);
    view_.further_skin_ = chunks_.rows<GpuSkinVertex>(table::kFurtherSkinChunk);
    view_.lod_indices_ = chunks_.rows<std::uint32_t>(table::kLodIndexChunk);
    view_.pose_bounds_ = chunks_.rows<MeshBounds>(table::kPoseChunk);
  }

  bool has(table::Chunk chunk) const { return chunks_.is_present[chunk]; }

  // Which chunks need others.
  Result<void> check_presence() const {
    for (const table::Chunk chunk : {table::kSkinChunk, table::kFurtherSkinChunk, table::kPoseChunk}) {
      if (has(chunk) && view_.joints_.empty()) {
        return invalid(chunks_.place(chunk), message("found ", fourcc_text(table::kChunks[chunk].id),
                                                     " in a mesh without joints in SKEL, expected both or neither"));
      }
    }
    const std::uint32_t vertex_count = view_.desc_->vertex_count;
    ASSETC_CHECK(check_skin_size(table::kSkinChunk, view_.joints_.empty() ? 0 : vertex_count));
    if (has(table::kFurtherSkinChunk)) ASSETC_CHECK(check_skin_size(table::kFurtherSkinChunk, vertex_count));
    if (has(table::kPoseChunk) && view_.pose_bounds_.empty()) {
      return invalid(chunks_.place(table::kPoseChunk),
                     "found an empty PBND, expected bounds of the rest pose at least");
    }
    if (has(table::kLodIndexChunk) && !has(table::kLodChunk)) {
      return invalid(chunks_.place(table::kLodIndexChunk), "found LODI without LODT, expected both or neither");
    }
    if (has(table::kAttributeChunk) != has(table::kFurtherVertexChunk)) {
      return invalid(chunks_.place(has(table::kAttributeChunk) ? table::kAttributeChunk : table::kFurtherVertexChunk),
                     "found one of the chunks ATTR and VTX2, expected both or neither");
    }
    return {};
  }

  Result<void> check_skin_size(table::Chunk chunk, std::size_t expected) const {
    const std::size_t found = chunks_.rows<GpuSkinVertex>(chunk).size();
    if (found == expected) return {};
    return invalid(chunks_.place(chunk), message("found ", counted(found, "vertex"), " of ",
                                                 fourcc_text(table::kChunks[chunk].id), ", expected ", expected));
  }

  Result<void> check_index_size() const {
    const MeshDesc& d = *view_.desc_;
    const std::uint64_t size = std::uint64_t{d.index_count} * d.index_width_bytes;
    if (view_.index_bytes_.size() == size) return {};
    return invalid(chunks_.place(table::kIndexChunk),
                   message("found ", counted(view_.index_bytes_.size(), "byte"), " of IDXS, expected ", size, " for ",
                           counted(d.index_count, "index")));
  }

  Result<void> open_lods() {
    if (!has(table::kLodChunk)) return {};
    ASSETC_TRY(const OpenPart part, open_part(table::kLodPart, chunks_.payloads[table::kLodChunk],
                                              chunks_.place(table::kLodChunk), context_));
    view_.lod_count_ = part.head<LodTableHeader>().lod_count;
    view_.lods_ = part.rows<MeshLod>(0);
    return {};
  }

  Result<void> open_names() {
    if (!has(table::kNameChunk)) return {};
    const MeshDesc& d = *view_.desc_;
    ASSETC_TRY(view_.names_,
               NamesView::open(chunks_.payloads[table::kNameChunk], chunks_.place(table::kNameChunk),
                               {d.submesh_count, d.material_count, static_cast<std::uint32_t>(view_.joints_.size())}));
    return {};
  }

  Result<void> open_further() {
    const MeshDesc& d = *view_.desc_;
    const auto nodes = static_cast<std::uint32_t>(view_.names_ ? view_.names_->node_count() : 0);
    if (has(table::kAttributeChunk)) {
      ASSETC_TRY(view_.further_attributes_,
                 FurtherAttributesView::open(chunks_.payloads[table::kAttributeChunk],
                                             chunks_.payloads[table::kFurtherVertexChunk],
                                             chunks_.place(table::kAttributeChunk), d.vertex_count));
    }
    if (has(table::kMorphChunk)) {
      ASSETC_TRY(view_.morphs_, MorphsView::open(chunks_.payloads[table::kMorphChunk],
                                                 chunks_.place(table::kMorphChunk), d.vertex_count, nodes));
    }
    if (has(table::kPrimitiveChunk)) {
      ASSETC_TRY(view_.primitives_,
                 PrimitivesView::open(chunks_.payloads[table::kPrimitiveChunk], chunks_.place(table::kPrimitiveChunk),
                                      {d.vertex_count, d.submesh_count, d.material_count, nodes},
                                      view_.bounds_->aabb_min, view_.bounds_->aabb_max));
    }
    return {};
  }

  ByteSpan file_;
  Places place;  // called like a function
  OpenChunks chunks_;
  Context context_;
  std::array<float, 6> box_{};
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
