#include <limits>

#include "assetc/formats/hmesh_v1.hpp"
#include "base/plural.hpp"
#include "formats/hmesh/rules.hpp"
#include "formats/hmesh/v1_table.hpp"
#include "formats/hmesh/write.hpp"

namespace assetc::hmesh_v1 {

using namespace formats;

namespace {

// The prefix of the elements in VTXS and IDXS.
struct ArrayPrelude {
  std::uint32_t count;
  std::uint32_t stride_bytes;
};

}  // namespace

// Opens one file. Each step relies on the checks of the steps before it. The table has the rules of single records.
class Opener {
 public:
  explicit Opener(ByteSpan file) : file_(file), place_(file) {}

  Result<View> open() {
    ASSETC_TRY(view_.table_, chunks::open_table(file_, kVersion));
    ASSETC_TRY(chunks_, open_chunks(table::kChunks, file_, view_.table_, context_.counts));
    view_.bounds_ = chunks_.rows<MeshBounds>(table::kBoundsChunk).data();
    view_.meshlets_ = chunks_.rows<Meshlet>(table::kMeshletChunk);
    view_.meshlet_vertices_ = chunks_.rows<std::uint32_t>(table::kMeshletVertexChunk);
    view_.meshlet_triangles_ = chunks_.rows<MeshletTriangle>(table::kMeshletTriangleChunk);
    view_.meshlet_bounds_ = chunks_.rows<MeshletBounds>(table::kMeshletBoundsChunk);
    context_.box = chunks_.rows<float>(table::kBoundsChunk).data();
    context_.box_name = "the mesh's";
    ASSETC_TRY(const OpenPart vertices, open_part(table::kVertexChunk));
    view_.vertices_ = vertices.rows<GpuVertex>(0);
    ASSETC_CHECK(open_indices());
    ASSETC_CHECK(open_materials());
    ASSETC_CHECK(check_chunks(table::kChunks, chunks_, context_));
    ASSETC_CHECK(check_meshlets(place_, view_.meshlets_, view_.meshlet_vertices_.size(), view_.meshlet_triangles_,
                                kMeshletMaxVertices, std::numeric_limits<std::uint32_t>::max()));
    return std::move(view_);
  }

 private:
  Result<OpenPart> open_part(table::Chunk chunk) {
    return formats::open_part(*table::kChunks[chunk].part, chunks_.payloads[chunk], chunks_.place(chunk), context_);
  }

  Result<void> open_indices() {
    ASSETC_TRY(const OpenPart part, open_part(table::kIndexChunk));
    const auto prelude = part.head<ArrayPrelude>();
    const std::uint64_t size = std::uint64_t{prelude.count} * prelude.stride_bytes;
    if (part.more.size() != size) {
      return invalid(chunks_.place(table::kIndexChunk),
                     message("found ", counted(part.more.size(), "byte"), " of IDXS elements, expected ", prelude.count,
                             " of ", prelude.stride_bytes));
    }
    view_.index_width_bytes_ = prelude.stride_bytes;
    view_.index_bytes_ = part.more;
    return check_records(prelude.stride_bytes == 2 ? hmesh::table::kIndex16 : hmesh::table::kIndex32, part.more,
                         chunks_.place(table::kIndexChunk) + sizeof prelude, context_);
  }

  // Chunks that are empty are like absent ones.
  Result<void> open_materials() {
    if (!chunks_.payloads[table::kMaterialChunk].empty()) {
      ASSETC_TRY(const OpenPart part, open_part(table::kMaterialChunk));
      view_.material_bytes_ = part.sections[0];
    }
    if (const ByteSpan names = chunks_.payloads[table::kNameChunk]; !names.empty()) {
      ASSETC_TRY(view_.names_, hmesh::NamesView::open(names, chunks_.place(table::kNameChunk),
                                                      {0, static_cast<std::uint32_t>(view_.material_count()), 0}));
    }
    return {};
  }

  ByteSpan file_;
  Places place_;
  OpenChunks chunks_;
  Context context_;
  View view_;
};

Result<View> View::open(ByteSpan file) { return Opener(file).open(); }

std::span<const std::uint16_t> View::indices16() const {
  if (index_width_bytes_ != 2) return {};
  return {reinterpret_cast<const std::uint16_t*>(index_bytes_.data()), index_count()};
}
std::span<const std::uint32_t> View::indices32() const {
  if (index_width_bytes_ != 4) return {};
  return {reinterpret_cast<const std::uint32_t*>(index_bytes_.data()), index_count()};
}

Model View::to_model() const {
  Model model;
  const auto copy = [](auto& to, const auto& from) { to.assign(from.begin(), from.end()); };
  copy(model.vertices, vertices_);
  if (index_width_bytes_ == 2) {
    copy(model.indices, indices16());
  } else {
    copy(model.indices, indices32());
  }
  model.bounds = *bounds_;
  for (std::size_t i = 0; i < material_count(); ++i) model.materials.push_back(material(i));
  copy(model.meshlets, meshlets_);
  copy(model.meshlet_vertices, meshlet_vertices_);
  copy(model.meshlet_triangles, meshlet_triangles_);
  copy(model.meshlet_bounds, meshlet_bounds_);
  if (names_) model.material_names = names_->to_names().materials;
  return model;
}

namespace {

GpuVertex vertex_of(const hmesh::GpuVertex& v) {
  return {{v.position[0], v.position[1], v.position[2]},
          {v.normal[0], v.normal[1], 0, 0},
          {v.tangent[0], v.tangent[1], 0, 0},
          {v.uv[0], v.uv[1]}};
}

}  // namespace

Model from_hmesh(const hmesh::Model& mesh, std::vector<std::uint64_t> materials) {
  Model model;
  model.vertices.reserve(mesh.vertices.size());
  for (const hmesh::GpuVertex& v : mesh.vertices) model.vertices.push_back(vertex_of(v));
  model.indices = mesh.indices;
  model.bounds = mesh.bounds;
  model.materials = std::move(materials);
  model.meshlets = mesh.meshlets;
  model.meshlet_vertices = mesh.meshlet_vertices;
  model.meshlet_triangles = mesh.meshlet_triangles;
  model.meshlet_bounds = mesh.meshlet_bounds;
  return model;
}

namespace {

// model: of version 1 or 2.
template <class AnyModel>
Result<ByteVector> write_arrays(const AnyModel& model, const chunks::Producer& vertices,
                                std::span<const std::uint64_t> materials, std::span<const std::string> material_names) {
  constexpr std::size_t kMaxCount = std::numeric_limits<std::uint32_t>::max();
  const std::size_t vertex_count = vertices.size_bytes / sizeof(GpuVertex);
  for (const std::size_t count : {vertex_count, model.indices.size(), materials.size()}) {
    if (count > kMaxCount)
      return fail(ErrorCode::kLimit,
                  message("found ", counted(count, "element"), " in one mesh, expected at most ", kMaxCount),
                  "split the mesh");
  }
  ASSETC_TRY(chunks::Chunk indices, index_chunk(model.indices, vertex_count));
  const ArrayPrelude vertex_prelude{static_cast<std::uint32_t>(vertex_count), sizeof(GpuVertex)};
  const bool narrow = vertex_count <= hmesh::kMaxVerticesOf16BitIndices;
  const ArrayPrelude index_prelude{static_cast<std::uint32_t>(model.indices.size()), narrow ? 2u : 4u};
  indices.prelude = object_bytes(index_prelude);
  const auto material_count = static_cast<std::uint32_t>(materials.size());
  ByteVector names;
  if (!material_names.empty()) {
    hmesh::Names all;
    all.materials.assign(material_names.begin(), material_names.end());
    ASSETC_TRY(names, hmesh::write_names(all));
  }
  std::vector<chunks::Chunk> list = {
      {hmesh::kBoundsId, object_bytes(model.bounds)},
      {hmesh::kVerticesId, {}, object_bytes(vertex_prelude), vertices},
      std::move(indices),
      {hmesh::kMeshletsId, {}, {}, hmesh::as_it_is(model.meshlets)},
      {hmesh::kMeshletVerticesId, {}, {}, hmesh::as_it_is(model.meshlet_vertices)},
      {hmesh::kMeshletTrianglesId, {}, {}, hmesh::as_it_is(model.meshlet_triangles)},
      {hmesh::kMeshletBoundsId, {}, {}, hmesh::as_it_is(model.meshlet_bounds)},
      {hmesh::kMaterialsId, std::as_bytes(materials), object_bytes(material_count)},
  };
  if (!names.empty()) list.push_back({hmesh::kNamesId, names});
  ByteVector file = chunks::write_file(kVersion, list);
  // A file that the reader would refuse is never written.
  ASSETC_CHECK(View::open(file));
  return file;
}

}  // namespace

Result<ByteVector> write(const hmesh::Model& model, const chunks::Producer& vertices,
                         std::span<const std::uint64_t> materials, std::span<const std::string> material_names) {
  return write_arrays(model, vertices, materials, material_names);
}

Result<ByteVector> write(const Model& model) {
  return write_arrays(model, hmesh::as_it_is(model.vertices), model.materials, model.material_names);
}

}  // namespace assetc::hmesh_v1
