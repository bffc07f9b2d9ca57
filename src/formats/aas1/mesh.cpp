// Opens meshes of cooks. The GPU gets streams and indices as they are, without another look, so everything that it
// would read beyond the end is refused here: offsets of attributes, indices, ranges of levels and submeshes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "assetc/formats/aas1_mesh.hpp"
#include "formats/aas1/layout.hpp"
#include "formats/aas1/mesh_table.hpp"
#include "formats/hmesh/rules.hpp"

namespace assetc::aas1 {

using namespace formats;

std::size_t size_bytes_of(VertexFormat format) {
  switch (format) {
    case VertexFormat::kR32F:
    case VertexFormat::kRg16Snorm:
    case VertexFormat::kRg16Sint:
    case VertexFormat::kRgba8Unorm:
      return 4;
    case VertexFormat::kRg32F:
    case VertexFormat::kRgba16Uint:
      return 8;
    case VertexFormat::kRgb32F:
      return 12;
    case VertexFormat::kRgba32F:
      return 16;
  }
  return 0;
}

class MeshOpener {
 public:
  explicit MeshOpener(ByteSpan file) : place_(file), file_(file) {}

  Result<MeshView> run() {
    ASSETC_TRY(view_.blob_, Blob::open(file_, Type::kMesh, sizeof(MeshDesc)));
    view_.desc_ = reinterpret_cast<const MeshDesc*>(view_.blob_.desc().data());
    ASSETC_CHECK(check_desc());
    ASSETC_CHECK(read_attributes());
    ASSETC_CHECK(read_base_level());
    ASSETC_CHECK(read_levels());
    ASSETC_CHECK(read_extensions());
    return std::move(view_);
  }

 private:
  const MeshDesc& desc() const { return *view_.desc_; }
  std::size_t index_bytes() const { return desc().index_type == 0 ? 2 : 4; }

  Result<void> check_desc() const {
    ASSETC_CHECK(check_records(table::kMeshDesc, object_bytes(desc()), place_(desc()), {}));
    if ((desc().flags & MeshDesc::kInterleaved) != 0) return {};
    return invalid(place_(desc().flags),
                   message("found flags ", desc().flags, ", expected bit 0, one interleaved stream"));
  }

  Result<void> read_attributes() {
    const MeshDesc& d = desc();
    ASSETC_TRY(view_.attributes_, array_at<VertexAttribute>(view_.blob_, d.attributes_offset_bytes, d.attribute_count,
                                                            place_(d.attributes_offset_bytes), "attributes"));
    ASSETC_CHECK(
        check_records(table::kAttribute, std::as_bytes(view_.attributes_), place_(view_.attributes_.front()), {}));
    for (const VertexAttribute& a : view_.attributes_) {
      const std::size_t size = size_bytes_of(a.format);
      if (!range_fits(a.offset_bytes, size, d.vertex_stride_bytes)) {
        return invalid(place_(a.offset_bytes), message("an attribute of ", counted(size, "byte"), " lies at ",
                                                       a.offset_bytes, " of a vertex of ", d.vertex_stride_bytes));
      }
      if (view_.find(a.semantic, a.semantic_index) != &a) {
        return invalid(place_(a), message("found semantic ", static_cast<std::uint32_t>(a.semantic), " with index ",
                                          a.semantic_index, " twice"));
      }
    }
    const VertexAttribute* position = view_.find(Semantic::kPosition);
    if (position == nullptr || position->format != VertexFormat::kRgb32F)
      return invalid(place_(d.attribute_count), "found no positions of three floats");
    position_offset_ = position->offset_bytes;
    return {};
  }

  // Checks the seed's rules, which are the same for the mesh and for each level. The *_place arguments are the places
  // of the fields, for errors.
  Result<LevelView> read_level(const LodDesc& lod, std::uint64_t vertices_place, std::uint64_t indices_place,
                               std::uint64_t submeshes_place) {
    const MeshDesc& d = desc();
    if (lod.vertex_data_size_bytes != std::uint64_t{lod.vertex_count} * d.vertex_stride_bytes) {
      return invalid(vertices_place,
                     message("found ", counted(lod.vertex_data_size_bytes, "byte"), " of vertices, expected ",
                             std::uint64_t{lod.vertex_count} * d.vertex_stride_bytes, " for ", lod.vertex_count));
    }
    if (lod.index_data_size_bytes != lod.index_count * std::uint64_t{index_bytes()}) {
      return invalid(indices_place,
                     message("found ", counted(lod.index_data_size_bytes, "byte"), " of indices, expected ",
                             lod.index_count * std::uint64_t{index_bytes()}, " for ", lod.index_count));
    }
    if (lod.index_count % 3 != 0)
      return invalid(indices_place, message("found ", counted(lod.index_count, "index"), ", expected a multiple of 3"));
    LevelView level;
    level.vertex_count = lod.vertex_count;
    level.index_count = lod.index_count;
    level.screen_size = lod.screen_size;
    const auto part = [&](std::uint32_t offset, std::uint32_t size, std::size_t alignment, std::uint64_t place,
                          std::string_view what) -> Result<ByteSpan> {
      ASSETC_TRY(const ByteSpan bytes, bytes_at(view_.blob_, offset, size, place, what));
      if ((view_.blob_.data_place() + offset) % alignment != 0)
        return invalid(place, message(what, " lie at ", offset, ", expected a multiple of ", alignment));
      return bytes;
    };
    ASSETC_TRY(level.vertices,
               part(lod.vertex_data_offset_bytes, lod.vertex_data_size_bytes, 4, vertices_place, "bytes of vertices"));
    ASSETC_TRY(level.indices, part(lod.index_data_offset_bytes, lod.index_data_size_bytes, index_bytes(), indices_place,
                                   "bytes of indices"));
    ASSETC_TRY(level.submeshes, array_at<SubMesh>(view_.blob_, lod.submeshes_offset_bytes, lod.submesh_count,
                                                  submeshes_place, "submeshes"));
    ASSETC_CHECK(d.index_type == 0 ? check_submeshes<std::uint16_t>(level) : check_submeshes<std::uint32_t>(level));
    ASSETC_CHECK(check_bounds(level, lod, vertices_place));
    ASSETC_CHECK(check_weights(level));
    return level;
  }

  // Checks that submeshes are in order and do not overlap, so that every index is checked once.
  template <class Index>
  Result<void> check_submeshes(const LevelView& level) {
    const std::span all(reinterpret_cast<const Index*>(level.indices.data()), level.index_count);
    std::uint64_t end = 0;
    for (const SubMesh& s : level.submeshes) {
      if (s.first_index < end || !range_fits(s.first_index, s.index_count, all.size()) || s.index_count % 3 != 0) {
        return invalid(place_(s), message("a submesh has indices ", s.first_index, " + ", s.index_count,
                                          ", expected whole triangles from ", end, " to ", all.size()));
      }
      end = std::uint64_t{s.first_index} + s.index_count;
      if (s.index_count == 0) continue;
      const std::span<const Index> indices = all.subspan(s.first_index, s.index_count);
      const auto [low, high] = formats::range_of(indices);
      if (s.base_vertex + std::int64_t{low} < 0 || s.base_vertex + std::int64_t{high} >= level.vertex_count) {
        return invalid(place_(s),
                       message("a submesh draws vertices ", s.base_vertex + std::int64_t{low}, " to ",
                               s.base_vertex + std::int64_t{high}, ", expected less than ", level.vertex_count));
      }
    }
    return {};
  }

  // Weights of four floats: those of the first joints sum to 1, as in SKIN of .hmesh, and further ones are as in SKN8.
  Result<void> check_weights(const LevelView& level) const {
    // Levels share the vertices of the mesh, which need one check.
    if (!view_.levels_.empty() && view_.levels_.front().vertices.data() == level.vertices.data()) return {};
    for (const VertexAttribute& a : view_.attributes_) {
      if (a.semantic != Semantic::kWeights || a.format != VertexFormat::kRgba32F) continue;
      const ByteSpan first = level.vertices.subspan(a.offset_bytes);
      ASSETC_CHECK(check_records(a.semantic_index == 0 ? table::kWeightsRecord : table::kFurtherWeights, first,
                                 place_(first.front()), {}, 0, desc().vertex_stride_bytes));
    }
    return {};
  }

  Result<void> check_bounds(const LevelView& level, const LodDesc& lod, std::uint64_t place) const {
    if (!view_.has_bounds()) return {};
    for (int axis = 0; axis < 3; ++axis) {
      if (std::isfinite(lod.bounds_min[axis]) && std::isfinite(lod.bounds_max[axis]) &&
          lod.bounds_min[axis] <= lod.bounds_max[axis])
        continue;
      return invalid(place, message("the box runs from ", lod.bounds_min[axis], " to ", lod.bounds_max[axis],
                                    " on axis ", axis, ", expected finite numbers in order"));
    }
    // A level may use some of the mesh's vertices, so its bounds are those of the mesh.
    const float* const low = desc().bounds_min;
    const float* const high = desc().bounds_max;
    const std::size_t bad = first_position_outside(level.vertices.data() + position_offset_, desc().vertex_stride_bytes,
                                                   level.vertex_count, low, high);
    if (bad == level.vertex_count) return {};
    return invalid(view_.blob_.data_place() +
                       static_cast<std::uint64_t>(level.vertices.data() - view_.blob_.data().data()) +
                       bad * desc().vertex_stride_bytes,
                   message("vertex ", bad, " lies outside the box of the mesh"));
  }

  Result<void> read_base_level() {
    const MeshDesc& d = desc();
    LodDesc base{d.vertex_count,
                 d.index_count,
                 d.vertex_data_offset_bytes,
                 d.index_data_offset_bytes,
                 d.vertex_data_size_bytes,
                 d.index_data_size_bytes,
                 d.submeshes_offset_bytes,
                 d.submesh_count,
                 1,
                 {},
                 {}};
    std::ranges::copy(d.bounds_min, base.bounds_min);
    std::ranges::copy(d.bounds_max, base.bounds_max);
    ASSETC_TRY(LevelView level, read_level(base, place_(d.vertex_data_offset_bytes), place_(d.index_data_offset_bytes),
                                           place_(d.submeshes_offset_bytes)));
    view_.levels_.push_back(level);
    return {};
  }

  Result<void> read_levels() {
    if (view_.blob_.desc().size() < sizeof(MeshDesc) + sizeof(MeshLodFields)) return {};
    const auto& fields = *reinterpret_cast<const MeshLodFields*>(view_.blob_.desc().data() + sizeof(MeshDesc));
    ASSETC_CHECK(check_records(table::kLodFields, object_bytes(fields), place_(fields), {}));
    ASSETC_TRY(const auto lods, array_at<LodDesc>(view_.blob_, fields.lod_table_offset_bytes, fields.lod_count,
                                                  place_(fields.lod_table_offset_bytes), "levels of detail"));
    const LodDesc& full = lods.front();
    const MeshDesc& d = desc();
    if (full.vertex_data_offset_bytes != d.vertex_data_offset_bytes || full.vertex_count != d.vertex_count ||
        full.index_data_offset_bytes != d.index_data_offset_bytes || full.index_count != d.index_count ||
        full.submeshes_offset_bytes != d.submeshes_offset_bytes || full.submesh_count != d.submesh_count) {
      return invalid(place_(full), "level 0 is not the mesh of the Desc");
    }
    float above = 1;
    ASSETC_CHECK(check_records(table::kLevel, std::as_bytes(lods), place_(full), {}));
    for (std::size_t l = 0; l < lods.size(); ++l) {
      const LodDesc& lod = lods[l];
      if (!(lod.screen_size > 0 && lod.screen_size <= above)) {
        return invalid(place_(lod.screen_size), message("level ", l, " is drawn from a screen size of ",
                                                        lod.screen_size, ", expected more than 0, at most ", above));
      }
      above = lod.screen_size;
      ASSETC_TRY(LevelView level, read_level(lod, place_(lod.vertex_data_offset_bytes),
                                             place_(lod.index_data_offset_bytes), place_(lod.submeshes_offset_bytes)));
      if (l == 0) {
        view_.levels_.front() = level;
      } else {
        view_.levels_.push_back(level);
      }
    }
    return {};
  }

  Result<std::span<const hmesh::MeshBounds>> bounds_of(std::uint32_t id) const {
    const ByteSpan bytes = view_.blob_.extension(id);
    if (bytes.size() % sizeof(hmesh::MeshBounds) != 0)
      return invalid(place_(bytes.front()), message("extension ", fourcc_text(id), " is not a list of bounds"));
    const std::span all(reinterpret_cast<const hmesh::MeshBounds*>(bytes.data()),
                        bytes.size() / sizeof(hmesh::MeshBounds));
    ASSETC_CHECK(formats::check_bounds(place_, all));
    return all;
  }

  Result<void> read_extensions() {
    ASSETC_TRY(view_.materials_, uuids_of(view_.blob_, kMaterialsId));
    for (const LevelView& level : view_.levels_) {
      for (const SubMesh& s : level.submeshes) {
        if (view_.materials_.empty() || s.material_slot == kNoMaterial || s.material_slot < view_.materials_.size())
          continue;
        return invalid(place_(s.material_slot), message("a submesh has material slot ", s.material_slot,
                                                        ", expected none or less than ", view_.materials_.size()));
      }
    }
    ASSETC_TRY(const std::span<const Uuid> skeleton, uuids_of(view_.blob_, kSkeletonId));
    if (!skeleton.empty()) view_.skeleton_ = skeleton.front();
    ASSETC_TRY(view_.submesh_bounds_, bounds_of(kSubmeshBoundsId));
    if (!view_.submesh_bounds_.empty() && view_.submesh_bounds_.size() != desc().submesh_count) {
      return invalid(place_(view_.submesh_bounds_.front()),
                     message("found bounds of ", counted(view_.submesh_bounds_.size(), "submesh"), ", expected ",
                             desc().submesh_count));
    }
    ASSETC_TRY(view_.pose_bounds_, bounds_of(kPoseBoundsId));
    ASSETC_CHECK(read_custom_names());
    const ByteSpan names = view_.blob_.extension(kNamesId);
    if (!names.empty()) {
      const hmesh::NamesView::Counts counts{desc().submesh_count, static_cast<std::uint32_t>(view_.materials_.size()),
                                            0};
      ASSETC_TRY(view_.names_, hmesh::NamesView::open(names, place_(names.front()), counts));
    }
    const auto nodes = static_cast<std::uint32_t>(view_.names_ ? view_.names_->node_count() : 0);
    const ByteSpan morphs = view_.blob_.extension(kMorphsId);
    if (!morphs.empty()) {
      ASSETC_TRY(view_.morphs_, hmesh::MorphsView::open(morphs, place_(morphs.front()), desc().vertex_count, nodes));
    }
    return read_primitives(nodes);
  }

  Result<void> read_primitives(std::uint32_t nodes) {
    const ByteSpan bytes = view_.blob_.extension(kPrimitivesId);
    if (bytes.empty()) return {};
    const MeshDesc& d = desc();
    // A mesh without MTRL names its materials elsewhere.
    const std::uint32_t materials = view_.materials_.empty() ? std::numeric_limits<std::uint32_t>::max()
                                                             : static_cast<std::uint32_t>(view_.materials_.size());
    ASSETC_TRY(view_.primitives_, hmesh::PrimitivesView::open(bytes, place_(bytes.front()),
                                                              {d.vertex_count, d.submesh_count, materials, nodes},
                                                              d.bounds_min, d.bounds_max));
    const LevelView& full = view_.levels_.front();
    const bool is_placeholder = full.submeshes.size() == 1 && full.index_count == 3 && view_.index(full, 0) == 0 &&
                                view_.index(full, 1) == 0 && view_.index(full, 2) == 0;
    view_.has_triangles_ = !is_placeholder;
    return {};
  }

  Result<void> read_custom_names() {
    const ByteSpan bytes = view_.blob_.extension(kCustomNamesId);
    if (bytes.empty()) return {};
    Context context;
    ASSETC_TRY(const OpenPart part, open_part(table::kCustomNamesPart, bytes, place_(bytes.front()), context));
    view_.custom_name_ends_ = part.rows<std::uint32_t>(0);
    view_.custom_names_ = part.texts;
    return {};
  }

  Places place_;
  ByteSpan file_;
  MeshView view_;
  std::size_t position_offset_ = 0;
};

Result<MeshView> MeshView::open(ByteSpan file) { return MeshOpener(file).run(); }

std::string_view MeshView::custom_name(std::uint32_t semantic_index) const {
  if (semantic_index >= custom_name_ends_.size()) return {};
  const std::uint32_t begin = semantic_index == 0 ? 0 : custom_name_ends_[semantic_index - 1];
  return custom_names_.substr(begin, custom_name_ends_[semantic_index] - begin);
}

const VertexAttribute* MeshView::find(Semantic semantic, std::uint32_t index) const {
  const auto found = std::ranges::find_if(
      attributes_, [&](const VertexAttribute& a) { return a.semantic == semantic && a.semantic_index == index; });
  return found == attributes_.end() ? nullptr : &*found;
}

namespace {

// Arrays in the data, one after another, each at a multiple of 4.
class DataLayout {
 public:
  // Returns the offset of the array. If it does not fit the 32 bits of a Desc, write_blob refuses the file.
  std::uint32_t add(ByteSpan bytes) {
    const auto offset = static_cast<std::uint32_t>(size_);
    parts_.push_back(bytes);
    size_ += bytes.size();
    static constexpr std::byte kZeros[kBufferAlignment]{};
    const std::size_t padding = (kBufferAlignment - size_ % kBufferAlignment) % kBufferAlignment;
    parts_.push_back(ByteSpan(kZeros).first(padding));
    size_ += padding;
    return offset;
  }
  std::span<const ByteSpan> parts() const { return parts_; }

 private:
  std::vector<ByteSpan> parts_;
  std::uint64_t size_ = 0;
};

ByteVector index_data(std::span<const std::uint32_t> indices, bool narrow) {
  ByteVector bytes;
  bytes.reserve(indices.size() * (narrow ? 2 : 4));
  if (!narrow) {
    append_array(bytes, indices);
    return bytes;
  }
  for (const std::uint32_t i : indices) append(bytes, static_cast<std::uint16_t>(i));
  return bytes;
}

}  // namespace

Result<ByteVector> write(const Mesh& mesh) {
  constexpr std::size_t kMaxCount = std::numeric_limits<std::uint32_t>::max();
  const std::size_t stride = mesh.vertex_stride_bytes;
  if (mesh.levels.empty() || stride == 0 || mesh.vertices.size() % stride != 0)
    return fail(ErrorCode::kUsage, "found no level of detail or vertices that are not of their stride");
  const std::size_t vertex_count = mesh.vertices.size() / stride;
  const bool narrow = vertex_count <= hmesh::kMaxVerticesOf16BitIndices;
  for (const Mesh::Level& level : mesh.levels) {
    const std::size_t bad = first_not_below(std::span(level.indices), vertex_count);
    if (bad != level.indices.size()) {
      return fail(ErrorCode::kUsage,
                  message("index ", bad, " is ", level.indices[bad], ", expected less than ", vertex_count));
    }
    if (level.indices.size() * 4 > kMaxCount || mesh.vertices.size() > kMaxCount) {
      return fail(ErrorCode::kLimit,
                  message("found ", counted(mesh.vertices.size(), "byte"), " of vertices and ",
                          counted(level.indices.size(), "index"), ", expected less than 4 GiB of each"),
                  "split the mesh");
    }
  }
  const bool has_levels = mesh.levels.size() > 1;
  const Mesh::Level& full = mesh.levels.front();
  DataLayout data;
  MeshDesc desc{};
  desc.vertex_count = static_cast<std::uint32_t>(vertex_count);
  desc.index_count = static_cast<std::uint32_t>(full.indices.size());
  desc.vertex_stride_bytes = mesh.vertex_stride_bytes;
  desc.index_type = narrow ? 0 : 1;
  desc.attribute_count = static_cast<std::uint32_t>(mesh.attributes.size());
  desc.submesh_count = static_cast<std::uint32_t>(full.submeshes.size());
  desc.flags = MeshDesc::kInterleaved | MeshDesc::kHasBounds;
  std::ranges::copy(full.bounds_min, desc.bounds_min);
  std::ranges::copy(full.bounds_max, desc.bounds_max);
  desc.attributes_offset_bytes = data.add(std::as_bytes(std::span(mesh.attributes)));

  std::vector<LodDesc> lods(mesh.levels.size());
  for (std::size_t l = 0; l < lods.size(); ++l)
    lods[l].submeshes_offset_bytes = data.add(std::as_bytes(std::span(mesh.levels[l].submeshes)));
  MeshLodFields fields{static_cast<std::uint32_t>(lods.size()), 0};
  if (has_levels) fields.lod_table_offset_bytes = data.add(std::as_bytes(std::span(lods)));  // filled below
  desc.vertex_data_offset_bytes = data.add(mesh.vertices);
  desc.vertex_data_size_bytes = static_cast<std::uint32_t>(mesh.vertices.size());
  std::vector<ByteVector> indices;
  indices.reserve(mesh.levels.size());
  for (std::size_t l = 0; l < lods.size(); ++l) {
    const Mesh::Level& level = mesh.levels[l];
    indices.push_back(index_data(level.indices, narrow));
    LodDesc& lod = lods[l];
    lod.vertex_count = desc.vertex_count;
    lod.index_count = static_cast<std::uint32_t>(level.indices.size());
    lod.vertex_data_offset_bytes = desc.vertex_data_offset_bytes;
    lod.vertex_data_size_bytes = desc.vertex_data_size_bytes;
    lod.index_data_offset_bytes = data.add(indices.back());
    lod.index_data_size_bytes = static_cast<std::uint32_t>(indices.back().size());
    lod.submesh_count = static_cast<std::uint32_t>(level.submeshes.size());
    lod.screen_size = level.screen_size;
    std::ranges::copy(level.bounds_min, lod.bounds_min);
    std::ranges::copy(level.bounds_max, lod.bounds_max);
  }
  desc.submeshes_offset_bytes = lods.front().submeshes_offset_bytes;
  desc.index_data_offset_bytes = lods.front().index_data_offset_bytes;
  desc.index_data_size_bytes = lods.front().index_data_size_bytes;

  ByteVector desc_bytes;
  append(desc_bytes, desc);
  if (has_levels) append(desc_bytes, fields);
  ByteVector names;
  if (!mesh.names.empty()) {
    ASSETC_TRY(names, hmesh::write_names(mesh.names));
  }
  ByteVector custom_names;
  if (!mesh.custom_names.empty()) {
    std::string text;
    append(custom_names, static_cast<std::uint32_t>(mesh.custom_names.size()));
    for (const std::string& name : mesh.custom_names) {
      text += name;
      append(custom_names, static_cast<std::uint32_t>(text.size()));
    }
    append_bytes(custom_names, as_bytes(text));
  }
  ByteVector morphs;
  if (!mesh.morphs.empty()) {
    ASSETC_TRY(morphs, hmesh::write_morphs(mesh.morphs, desc.vertex_count));
  }
  ByteVector primitives;
  if (!mesh.primitives.empty()) {
    ASSETC_TRY(primitives, hmesh::write_primitives(mesh.primitives));
  }
  const Extension extensions[] = {
      {kMaterialsId, std::as_bytes(std::span(mesh.materials))},
      {kSkeletonId, mesh.skeleton.is_nil() ? ByteSpan() : object_bytes(mesh.skeleton)},
      {kSubmeshBoundsId, std::as_bytes(std::span(mesh.submesh_bounds))},
      {kPoseBoundsId, std::as_bytes(std::span(mesh.pose_bounds))},
      {kNamesId, names},
      {kCustomNamesId, custom_names},
      {kMorphsId, morphs},
      {kPrimitivesId, primitives},
  };
  ASSETC_TRY(ByteVector file, write_blob(Type::kMesh, 0, desc_bytes, data.parts(), extensions));
  // A file that the reader would refuse is never written.
  ASSETC_CHECK(MeshView::open(file));
  return file;
}

}  // namespace assetc::aas1
