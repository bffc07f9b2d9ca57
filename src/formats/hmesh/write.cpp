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

template <class T>
std::size_t count_of(const chunks::Producer& array) {
  return array.size_bytes / sizeof(T);
}

Result<void> check_counts(const Source& source) {
  const std::size_t submesh_count = count_of<SubMesh>(source.submeshes);
  const std::tuple<std::size_t, std::string_view> counts[] = {
      {count_of<GpuVertex>(source.vertices), "vertices"},
      {source.indices.size(), "indices"},
      {count_of<Meshlet>(source.meshlets), "meshlets"},
      {submesh_count, "submeshes"},
      {count_of<std::uint64_t>(source.materials), "materials"},
      {count_of<std::uint32_t>(source.lod_indices), "LOD indices"},
  };
  for (const auto& [count, what] : counts) {
    if (count > kMaxCount) {
      return fail(ErrorCode::kLimit, message("found ", count, " ", what, " in one mesh, expected at most ", kMaxCount),
                  "split the mesh");
    }
  }
  if (source.lods.size() != std::uint64_t{source.lod_count} * submesh_count) {
    return fail(ErrorCode::kUsage, message("found ", counted(source.lods.size(), "LOD range"), ", expected ",
                                           source.lod_count, " for each of ", counted(submesh_count, "submesh")));
  }
  return {};
}

}  // namespace

Result<ByteVector> write(const Source& source) {
  ASSETC_CHECK(check_counts(source));
  const std::size_t vertex_count = count_of<GpuVertex>(source.vertices);
  const bool narrow = vertex_count <= kMaxVerticesOf16BitIndices;
  const MeshDesc desc{static_cast<std::uint32_t>(vertex_count),
                      static_cast<std::uint32_t>(source.indices.size()),
                      static_cast<std::uint32_t>(count_of<Meshlet>(source.meshlets)),
                      static_cast<std::uint32_t>(count_of<SubMesh>(source.submeshes)),
                      static_cast<std::uint32_t>(count_of<std::uint64_t>(source.materials)),
                      sizeof(GpuVertex),
                      static_cast<std::uint8_t>(narrow ? 2 : 4),
                      source.has_tangents ? MeshDesc::kTangentsValid : std::uint8_t{0},
                      source.meshlet_max_vertices,
                      source.meshlet_max_triangles};
  ASSETC_TRY(chunks::Chunk narrow_indices, index_chunk(source.indices, vertex_count));
  ByteVector lod_table;
  // If no level has triangles, no LODT is written: LODT and LODI must occur together.
  if (std::ranges::any_of(source.lods, [](const MeshLod& lod) { return lod.index_count != 0; })) {
    append(lod_table, LodTableHeader{source.lod_count, desc.submesh_count});
    append_array(lod_table, source.lods);
  }
  ByteVector names;
  if (source.names != nullptr && !source.names->empty()) {
    ASSETC_TRY(names, write_names(*source.names));
  }
  ByteVector attributes;
  chunks::Producer further_vertices = source.further_vertices;
  if (source.further_attributes != nullptr && !source.further_attributes->empty()) {
    ASSETC_TRY(attributes, write_further_attributes(*source.further_attributes));
    if (!source.further_attributes->vertices.empty()) further_vertices = as_it_is(source.further_attributes->vertices);
  }
  ByteVector morphs;
  if (source.morphs != nullptr && !source.morphs->empty()) {
    ASSETC_TRY(morphs, write_morphs(*source.morphs, desc.vertex_count));
  }
  ByteVector primitives;
  if (source.primitives != nullptr && !source.primitives->empty()) {
    ASSETC_TRY(primitives, write_primitives(*source.primitives));
  }

  const auto made = [](std::uint32_t id, const chunks::Producer& array) { return chunks::Chunk{id, {}, {}, array}; };
  std::vector<chunks::Chunk> list = {
      {kDescId, object_bytes(desc)},
      {kBoundsId, object_bytes(source.bounds)},
      made(kSubmeshesId, source.submeshes),
      made(kVerticesId, source.vertices),
      narrow ? std::move(narrow_indices) : made(kIndicesId, source.wide_indices),
  };
  const chunks::Chunk optional[] = {
      made(kMaterialsId, source.materials),
      made(kMeshletsId, source.meshlets),
      made(kMeshletVerticesId, source.meshlet_vertices),
      made(kMeshletTrianglesId, source.meshlet_triangles),
      made(kMeshletBoundsId, source.meshlet_bounds),
      made(kSkinId, source.skin),
      made(kSkeletonId, source.joints),
      made(kLodIndicesId, source.lod_indices),
      {kLodTableId, lod_table},
      made(kPoseBoundsId, source.pose_bounds),
      {kNamesId, names},
      {kFurtherAttributesId, attributes},
      made(kFurtherVerticesId, attributes.empty() ? chunks::Producer() : further_vertices),
      made(kFurtherSkinId, source.further_skin),
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

Result<ByteVector> write(const Model& model) {
  Source source;
  source.vertices = as_it_is(model.vertices);
  source.submeshes = as_it_is(model.submeshes);
  source.materials = as_it_is(model.materials);
  source.meshlets = as_it_is(model.meshlets);
  source.meshlet_vertices = as_it_is(model.meshlet_vertices);
  source.meshlet_triangles = as_it_is(model.meshlet_triangles);
  source.meshlet_bounds = as_it_is(model.meshlet_bounds);
  source.skin = as_it_is(model.skin);
  source.joints = as_it_is(model.joints);
  source.lod_indices = as_it_is(model.lod_indices);
  source.pose_bounds = as_it_is(model.pose_bounds);
  source.indices = model.indices;
  source.wide_indices = as_it_is(model.indices);
  source.has_tangents = model.has_tangents;
  source.bounds = model.bounds;
  source.meshlet_max_vertices = model.meshlet_max_vertices;
  source.meshlet_max_triangles = model.meshlet_max_triangles;
  source.lod_count = model.lod_count;
  source.lods = model.lods;
  source.names = &model.names;
  source.further_skin = as_it_is(model.further_skin);
  source.further_attributes = &model.further_attributes;
  source.morphs = &model.morphs;
  source.primitives = &model.primitives;
  return write(source);
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
