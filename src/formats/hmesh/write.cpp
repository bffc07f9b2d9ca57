#include "formats/hmesh/write.hpp"

#include <limits>
#include <tuple>

#include "base/plural.hpp"
#include "formats/hmesh/rules.hpp"
#include "formats/reader.hpp"

namespace assetc::hmesh {
namespace {

using namespace formats;

constexpr std::uint64_t kMaxCount = std::numeric_limits<std::uint32_t>::max();

Result<void> check_counts(const Model& model, std::size_t vertex_count) {
  const std::tuple<std::size_t, std::string_view> counts[] = {
      {vertex_count, "vertices"},
      {model.indices.size(), "indices"},
      {model.meshlets.size(), "meshlets"},
      {model.submeshes.size(), "submeshes"},
      {model.materials.size(), "materials"},
      {model.lod_indices.size(), "LOD indices"},
  };
  for (const auto& [count, what] : counts) {
    if (count > kMaxCount) {
      return fail(ErrorCode::kLimit, message("found ", count, " ", what, " in one mesh, expected at most ", kMaxCount),
                  "split the mesh");
    }
  }
  if (model.lods.size() != std::uint64_t{model.lod_count} * model.submeshes.size()) {
    return fail(ErrorCode::kUsage,
                message("found ", counted(model.lods.size(), "LOD range"), ", expected ", model.lod_count,
                        " for each of ", counted(model.submeshes.size(), "submesh")));
  }
  return {};
}

// large: makes the chunk of an array of the model that grows with the number of vertices or triangles.
template <class AnyModel, class Large>
Result<ByteVector> write(AnyModel& model, const chunks::Producer& vertices, const chunks::Producer& further_vertices,
                         const Large& large) {
  const std::size_t vertex_count = vertices.size_bytes / sizeof(GpuVertex);
  ASSETC_CHECK(check_counts(model, vertex_count));
  const bool narrow = vertex_count <= kMaxVerticesOf16BitIndices;
  const MeshDesc desc{static_cast<std::uint32_t>(vertex_count),
                      static_cast<std::uint32_t>(model.indices.size()),
                      static_cast<std::uint32_t>(model.meshlets.size()),
                      static_cast<std::uint32_t>(model.submeshes.size()),
                      static_cast<std::uint32_t>(model.materials.size()),
                      sizeof(GpuVertex),
                      static_cast<std::uint8_t>(narrow ? 2 : 4),
                      model.has_tangents ? MeshDesc::kTangentsValid : std::uint8_t{0},
                      model.meshlet_max_vertices,
                      model.meshlet_max_triangles};
  ASSETC_TRY(chunks::Chunk narrow_indices, index_chunk(model.indices, vertex_count));
  ByteVector lod_table;
  // If no level has triangles, no LODT is written: LODT and LODI must occur together.
  if (std::ranges::any_of(model.lods, [](const MeshLod& lod) { return lod.index_count != 0; })) {
    append(lod_table, LodTableHeader{model.lod_count, desc.submesh_count});
    append_array(lod_table, std::span<const MeshLod>(model.lods));
  }
  ByteVector names, attributes, morphs, primitives;
  if (!model.names.empty()) {
    ASSETC_TRY(names, write_names(model.names));
  }
  if (!model.further_attributes.empty()) {
    ASSETC_TRY(attributes, write_further_attributes(model.further_attributes));
  }
  if (!model.morphs.empty()) {
    ASSETC_TRY(morphs, write_morphs(model.morphs, desc.vertex_count));
  }
  if (!model.primitives.empty()) {
    ASSETC_TRY(primitives, write_primitives(model.primitives));
  }

  const auto made = [](std::uint32_t id, const chunks::Producer& array) { return chunks::Chunk{id, {}, {}, array}; };
  std::vector<chunks::Chunk> list = {
      {kDescId, object_bytes(desc)},
      {kBoundsId, object_bytes(model.bounds)},
      made(kSubmeshesId, as_it_is(model.submeshes)),
      made(kVerticesId, vertices),
      narrow ? std::move(narrow_indices) : made(kIndicesId, large(model.indices)),
  };
  const chunks::Chunk optional[] = {
      made(kMaterialsId, as_it_is(model.materials)),
      made(kMeshletsId, as_it_is(model.meshlets)),
      made(kMeshletVerticesId, large(model.meshlet_vertices)),
      made(kMeshletTrianglesId, large(model.meshlet_triangles)),
      made(kMeshletBoundsId, as_it_is(model.meshlet_bounds)),
      made(kSkinId, large(model.skin)),
      made(kSkeletonId, as_it_is(model.joints)),
      made(kLodIndicesId, large(model.lod_indices)),
      {kLodTableId, lod_table},
      made(kPoseBoundsId, as_it_is(model.pose_bounds)),
      {kNamesId, names},
      {kFurtherAttributesId, attributes},
      made(kFurtherVerticesId, attributes.empty() ? chunks::Producer() : further_vertices),
      made(kFurtherSkinId, large(model.further_skin)),
      {kMorphsId, morphs},
      {kPrimitivesId, primitives},
  };
  for (const chunks::Chunk& chunk : optional) {
    if (chunk.size_bytes() != 0) list.push_back(chunk);
  }
  ByteVector file = chunks::write_file(kVersion, list);
  // A file that the reader would refuse is never written.
  ASSETC_CHECK(View::open(file));
  return file;
}

}  // namespace

Result<ByteVector> write(const Model& model) {
  return write(model, as_it_is(model.vertices), as_it_is(model.further_attributes.vertices),
               [](const auto& values) { return as_it_is(values); });
}

Result<ByteVector> write_spent(Model& model, const chunks::Producer& vertices,
                               const chunks::Producer& further_vertices) {
  return write(model, vertices, further_vertices, [](auto& values) { return spent(values); });
}

Model View::to_model() const {
  Model model;
  const auto copy = [](auto& to, const auto& from) { to.assign(from.begin(), from.end()); };
  copy(model.vertices, vertices_);
  if (desc_->index_width_bytes == 2) {
    copy(model.indices, indices16());
  } else {
    copy(model.indices, indices32());
  }
  model.has_tangents = has_tangents();
  model.bounds = *bounds_;
  copy(model.submeshes, submeshes_);
  copy(model.materials, materials_);
  model.meshlet_max_vertices = desc_->meshlet_max_vertices;
  model.meshlet_max_triangles = desc_->meshlet_max_triangles;
  copy(model.meshlets, meshlets_);
  copy(model.meshlet_vertices, meshlet_vertices_);
  copy(model.meshlet_triangles, meshlet_triangles_);
  copy(model.meshlet_bounds, meshlet_bounds_);
  copy(model.skin, skin_);
  copy(model.joints, joints_);
  model.lod_count = lod_count_;
  copy(model.lods, lods_);
  copy(model.lod_indices, lod_indices_);
  copy(model.pose_bounds, pose_bounds_);
  if (names_) model.names = names_->to_names();
  copy(model.further_skin, further_skin_);
  if (further_attributes_) model.further_attributes = further_attributes_->to_attributes();
  if (morphs_) model.morphs = morphs_->to_morphs();
  if (primitives_) model.primitives = primitives_->to_primitives();
  return model;
}

}  // namespace assetc::hmesh
