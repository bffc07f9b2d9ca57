#include "formats/hmesh_write.hpp"

#include <limits>
#include <tuple>
#include <type_traits>

#include "base/plural.hpp"
#include "base/release.hpp"
#include "formats/mesh_rules.hpp"
#include "formats/reader.hpp"
#include "os/pages.hpp"

namespace assetc::hmesh {
namespace {

using namespace formats;

constexpr std::uint64_t kMaxCount = std::numeric_limits<std::uint32_t>::max();

// Appends the bytes of an array, whose memory goes as they come.
template <class T>
void append_spent(ByteVector& file, std::vector<T>& values) {
  constexpr std::size_t kPieceBytes = 4u << 20;
  std::span<std::byte> left = std::as_writable_bytes(std::span(values));
  while (!left.empty()) {
    const std::span<std::byte> piece = left.first(std::min(left.size(), kPieceBytes));
    append_bytes(file, piece);
    if (piece.size() == kPieceBytes) os::release_pages(piece);
    left = left.subspan(piece.size());
  }
  release(values);
}

// From is Model, whose arrays go as they are written, or const Model.
template <class From>
struct Arrays {
  template <class T>
  static chunks::Chunk chunk(std::uint32_t id, T& values) {
    const ByteSpan bytes = std::as_bytes(std::span(values));
    if constexpr (std::is_const_v<From>) {
      return {id, bytes};
    } else {
      return {id, {}, {}, {bytes.size(), [&values](ByteVector& file) { append_spent(file, values); }}};
    }
  }
};

Result<void> check_counts(const Model& model) {
  const std::tuple<std::size_t, std::string_view> counts[] = {
      {model.vertices.size(), "vertices"},   {model.indices.size(), "indices"},
      {model.meshlets.size(), "meshlets"},   {model.submeshes.size(), "submeshes"},
      {model.materials.size(), "materials"}, {model.lod_indices.size(), "LOD indices"},
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

template <class From>
Result<ByteVector> write_from(From& model) {
  const auto array = []<class T>(std::uint32_t id, T& values) { return Arrays<From>::chunk(id, values); };
  ASSETC_CHECK(check_counts(model));
  const bool narrow = model.vertices.size() <= kMaxVerticesOf16BitIndices;
  const MeshDesc desc{static_cast<std::uint32_t>(model.vertices.size()),
                      static_cast<std::uint32_t>(model.indices.size()),
                      static_cast<std::uint32_t>(model.meshlets.size()),
                      static_cast<std::uint32_t>(model.submeshes.size()),
                      static_cast<std::uint32_t>(model.materials.size()),
                      sizeof(GpuVertex),
                      static_cast<std::uint8_t>(narrow ? 2 : 4),
                      model.has_tangents ? MeshDesc::kTangentsValid : std::uint8_t{0},
                      model.meshlet_max_vertices,
                      model.meshlet_max_triangles};
  ASSETC_TRY(chunks::Chunk narrow_indices, index_chunk(model.indices, model.vertices.size()));
  ByteVector lod_table;
  // Where no level has triangles there is none: LODT is with LODI or not at all.
  if (std::ranges::any_of(model.lods, [](const MeshLod& lod) { return lod.index_count != 0; })) {
    append(lod_table, LodTableHeader{model.lod_count, desc.submesh_count});
    append_array(lod_table, std::span<const MeshLod>(model.lods));
  }
  ByteVector names;
  if (!model.names.empty()) {
    ASSETC_TRY(names, write_names(model.names));
  }

  std::vector<chunks::Chunk> list = {
      {kDescId, object_bytes(desc)},
      {kBoundsId, object_bytes(model.bounds)},
      array(kSubmeshesId, model.submeshes),
      array(kVerticesId, model.vertices),
      narrow ? std::move(narrow_indices) : array(kIndicesId, model.indices),
  };
  const chunks::Chunk optional[] = {
      array(kMaterialsId, model.materials),
      array(kMeshletsId, model.meshlets),
      array(kMeshletVerticesId, model.meshlet_vertices),
      array(kMeshletTrianglesId, model.meshlet_triangles),
      array(kMeshletBoundsId, model.meshlet_bounds),
      array(kSkinId, model.skin),
      array(kSkeletonId, model.joints),
      array(kLodIndicesId, model.lod_indices),
      {kLodTableId, lod_table},
      array(kPoseBoundsId, model.pose_bounds),
      {kNamesId, names},
  };
  for (const chunks::Chunk& chunk : optional) {
    if (chunk.size_bytes() != 0) list.push_back(chunk);
  }
  ByteVector file = chunks::write_file(kVersion, list);
  // What the reader would refuse is never written.
  ASSETC_CHECK(View::open(file));
  return file;
}

}  // namespace

Result<ByteVector> write(const Model& model) { return write_from(model); }
Result<ByteVector> write_spent(Model& model) { return write_from(model); }

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
  return model;
}

}  // namespace assetc::hmesh
