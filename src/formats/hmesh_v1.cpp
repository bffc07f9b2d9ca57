#include "assetc/formats/hmesh_v1.hpp"

#include <limits>

#include "base/plural.hpp"
#include "formats/hmesh_write.hpp"
#include "formats/mesh_rules.hpp"
#include "formats/reader.hpp"

namespace assetc::hmesh_v1 {

using namespace formats;

namespace {

// The prefix of the elements in VTXS and IDXS.
struct ArrayPrelude {
  std::uint32_t count;
  std::uint32_t stride_bytes;
};

}  // namespace

class Opener {
 public:
  explicit Opener(ByteSpan file) : file_(file), place(file) {}

  Result<View> open() {
    ASSETC_TRY(view_.table_, chunks::open_table(file_, kVersion));
    ASSETC_CHECK(open_arrays());
    ASSETC_CHECK(open_materials());
    ASSETC_CHECK(open_meshlets());
    ASSETC_CHECK(check_bounds(place, {view_.bounds_, 1}));
    ASSETC_CHECK(check_positions(place, view_.vertices_, *view_.bounds_));
    const std::size_t limit = view_.vertices_.size();
    ASSETC_CHECK(check_below(place, view_.indices16(), limit, "index"));
    ASSETC_CHECK(check_below(place, view_.indices32(), limit, "index"));
    ASSETC_CHECK(check_below(place, view_.meshlet_vertices_, limit, "meshlet vertex"));
    ASSETC_CHECK(check_meshlets(place, view_.meshlets_, view_.meshlet_vertices_.size(), view_.meshlet_triangles_,
                                kMeshletMaxVertices, std::numeric_limits<std::uint32_t>::max()));
    return std::move(view_);
  }

 private:
  // Returns the payload of a chunk. Empty if the chunk is optional and absent.
  Result<ByteSpan> payload(std::uint32_t id, bool required) {
    ASSETC_TRY(const chunks::ChunkEntry* const entry, chunks::find_chunk(file_, view_.table_, id));
    if (entry != nullptr) return file_.subspan(entry->offset_bytes, entry->size_bytes);
    if (!required) return ByteSpan{};
    return invalid(sizeof(chunks::FileHeader), message("found no chunk ", fourcc_text(id), ", which every mesh has"));
  }

  // Reads count and stride, and checks that exactly this many elements follow.
  Result<ArrayPrelude> open_prelude(std::uint32_t id, ByteSpan& elements) {
    ASSETC_TRY(const ByteSpan bytes, payload(id, true));
    const auto offset = static_cast<std::uint64_t>(bytes.data() - file_.data());
    if (bytes.size() < sizeof(ArrayPrelude)) {
      return fail_at(
          ErrorCode::kTruncated, byte_place(offset),
          message("found ", counted(bytes.size(), "byte"), " of ", fourcc_text(id), ", expected a count and a stride"),
          kDamagedHint);
    }
    const auto prelude = load<ArrayPrelude>(bytes);
    elements = bytes.subspan(sizeof(ArrayPrelude));
    const std::uint64_t expected = std::uint64_t{prelude.count} * prelude.stride_bytes;
    if (elements.size() != expected) {
      return invalid(offset, message("found ", counted(elements.size(), "byte"), " of ", fourcc_text(id),
                                     " elements, expected ", prelude.count, " of ", prelude.stride_bytes));
    }
    return prelude;
  }

  template <class T>
  Result<void> array(std::uint32_t id, std::span<const T>& out) {
    ASSETC_TRY(const ByteSpan bytes, payload(id, false));
    if (bytes.size() % sizeof(T) != 0) {
      return invalid(static_cast<std::uint64_t>(bytes.data() - file_.data()),
                     message("found ", counted(bytes.size(), "byte"), " of ", fourcc_text(id),
                             ", expected a multiple of ", sizeof(T)));
    }
    out = {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
    return {};
  }

  Result<void> open_arrays() {
    ASSETC_TRY(const ByteSpan bounds, payload(hmesh::kBoundsId, true));
    if (bounds.size() != sizeof(MeshBounds)) {
      return invalid(static_cast<std::uint64_t>(bounds.data() - file_.data()),
                     message("found ", counted(bounds.size(), "byte"), " of BNDS, expected ", sizeof(MeshBounds)));
    }
    view_.bounds_ = reinterpret_cast<const MeshBounds*>(bounds.data());
    ByteSpan elements;
    ASSETC_TRY(const ArrayPrelude vertices, open_prelude(hmesh::kVerticesId, elements));
    if (vertices.stride_bytes != sizeof(GpuVertex)) {
      return invalid(static_cast<std::uint64_t>(elements.data() - file_.data()) - 4,
                     message("found a vertex stride of ", counted(vertices.stride_bytes, "byte"), ", expected ",
                             sizeof(GpuVertex)));
    }
    view_.vertices_ = {reinterpret_cast<const GpuVertex*>(elements.data()), vertices.count};
    ASSETC_TRY(const ArrayPrelude indices, open_prelude(hmesh::kIndicesId, elements));
    const auto prelude_place = static_cast<std::uint64_t>(elements.data() - file_.data()) - sizeof(ArrayPrelude);
    if (indices.stride_bytes != 2 && indices.stride_bytes != 4) {
      return invalid(prelude_place + 4,
                     message("found indices of ", counted(indices.stride_bytes, "byte"), ", expected 2 or 4"));
    }
    if (indices.count % 3 != 0)
      return invalid(prelude_place, message("found ", counted(indices.count, "index"), ", expected a multiple of 3"));
    view_.index_width_bytes_ = indices.stride_bytes;
    view_.index_bytes_ = elements;
    return {};
  }

  Result<void> open_materials() {
    ASSETC_TRY(const ByteSpan bytes, payload(hmesh::kMaterialsId, false));
    if (!bytes.empty()) {
      const auto offset = static_cast<std::uint64_t>(bytes.data() - file_.data());
      if (bytes.size() < 4)
        return fail_at(ErrorCode::kTruncated, byte_place(offset),
                       message("found ", counted(bytes.size(), "byte"), " of MTRL, expected a count"), kDamagedHint);
      const auto count = load<std::uint32_t>(bytes);
      if (bytes.size() - 4 != std::uint64_t{count} * 8) {
        return invalid(offset, message("found ", counted(bytes.size() - 4, "byte"), " of material refs, expected ",
                                       count, " of 8"));
      }
      view_.material_bytes_ = bytes.subspan(4);
    }
    ASSETC_TRY(const ByteSpan names, payload(hmesh::kNamesId, false));
    if (!names.empty()) {
      ASSETC_TRY(view_.names_, hmesh::NamesView::open(names, static_cast<std::uint64_t>(names.data() - file_.data()),
                                                      {0, static_cast<std::uint32_t>(view_.material_count()), 0}));
    }
    return {};
  }

  Result<void> open_meshlets() {
    ASSETC_CHECK(array(hmesh::kMeshletsId, view_.meshlets_));
    ASSETC_CHECK(array(hmesh::kMeshletVerticesId, view_.meshlet_vertices_));
    ASSETC_CHECK(array(hmesh::kMeshletTrianglesId, view_.meshlet_triangles_));
    ASSETC_CHECK(array(hmesh::kMeshletBoundsId, view_.meshlet_bounds_));
    if (view_.meshlet_bounds_.size() != view_.meshlets_.size()) {
      return invalid(sizeof(chunks::FileHeader),
                     message("found bounds of ", counted(view_.meshlet_bounds_.size(), "meshlet"), ", expected ",
                             view_.meshlets_.size()));
    }
    return {};
  }

  ByteSpan file_;
  Places place;  // called like a function
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

Result<ByteVector> write(const Source& source) {
  constexpr std::size_t kMaxCount = std::numeric_limits<std::uint32_t>::max();
  const std::size_t vertex_count = source.vertices.size_bytes / sizeof(GpuVertex);
  for (const std::size_t count : {vertex_count, source.indices.size(), source.materials.size()}) {
    if (count > kMaxCount)
      return fail(ErrorCode::kLimit,
                  message("found ", counted(count, "element"), " in one mesh, expected at most ", kMaxCount),
                  "split the mesh");
  }
  ASSETC_TRY(chunks::Chunk indices, index_chunk(source.indices, vertex_count));
  const ArrayPrelude vertex_prelude{static_cast<std::uint32_t>(vertex_count), sizeof(GpuVertex)};
  const bool narrow = vertex_count <= hmesh::kMaxVerticesOf16BitIndices;
  const ArrayPrelude index_prelude{static_cast<std::uint32_t>(source.indices.size()), narrow ? 2u : 4u};
  indices.prelude = object_bytes(index_prelude);
  const auto material_count = static_cast<std::uint32_t>(source.materials.size());
  ByteVector names;
  if (!source.material_names.empty()) {
    hmesh::Names all;
    all.materials.assign(source.material_names.begin(), source.material_names.end());
    ASSETC_TRY(names, hmesh::write_names(all));
  }
  std::vector<chunks::Chunk> list = {
      {hmesh::kBoundsId, object_bytes(source.bounds)},
      {hmesh::kVerticesId, {}, object_bytes(vertex_prelude), source.vertices},
      std::move(indices),
      {hmesh::kMeshletsId, {}, {}, source.meshlets},
      {hmesh::kMeshletVerticesId, {}, {}, source.meshlet_vertices},
      {hmesh::kMeshletTrianglesId, {}, {}, source.meshlet_triangles},
      {hmesh::kMeshletBoundsId, {}, {}, source.meshlet_bounds},
      {hmesh::kMaterialsId, std::as_bytes(source.materials), object_bytes(material_count)},
  };
  if (!names.empty()) list.push_back({hmesh::kNamesId, names});
  ByteVector file = chunks::write_file(kVersion, list);
  // A file that the reader would refuse is never written.
  ASSETC_CHECK(View::open(file));
  return file;
}

Result<ByteVector> write(const Model& model) {
  Source source;
  source.vertices = hmesh::as_it_is(model.vertices);
  source.meshlets = hmesh::as_it_is(model.meshlets);
  source.meshlet_vertices = hmesh::as_it_is(model.meshlet_vertices);
  source.meshlet_triangles = hmesh::as_it_is(model.meshlet_triangles);
  source.meshlet_bounds = hmesh::as_it_is(model.meshlet_bounds);
  source.indices = model.indices;
  source.bounds = model.bounds;
  source.materials = model.materials;
  source.material_names = model.material_names;
  return write(source);
}

}  // namespace assetc::hmesh_v1
