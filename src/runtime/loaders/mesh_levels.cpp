#include "runtime/loaders/mesh_levels.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace assetc::runtime {
namespace {

constexpr std::uint32_t kMostLevels = 64;
// With larger lists, loading a mesh in parts is not worth it.
constexpr std::uint64_t kMaxTailBytes = 16u << 20;

template <class T>
std::vector<T> copy_of(ByteSpan bytes) {
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}

ByteSpan part_of(ByteSpan content, const ContentRange& range) {
  return content.subspan(static_cast<std::size_t>(range.offset_bytes), static_cast<std::size_t>(range.size_bytes));
}

template <class Index>
void append_indices(ByteSpan bytes, std::vector<std::uint32_t>& out) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(Index)) out.push_back(load<Index>(bytes, i));
}
void append_indices(ByteSpan bytes, std::uint32_t width_bytes, std::vector<std::uint32_t>& out) {
  return width_bytes == 2 ? append_indices<std::uint16_t>(bytes, out) : append_indices<std::uint32_t>(bytes, out);
}

// Chunks with data of full detail or of levels.
bool is_of_levels(std::uint32_t id) {
  return id == hmesh::kIndicesId || id == hmesh::kLodIndicesId || id == hmesh::kMeshletsId ||
         id == hmesh::kMeshletVerticesId || id == hmesh::kMeshletTrianglesId || id == hmesh::kMeshletBoundsId;
}

}  // namespace

// ---- .hmesh ----

std::optional<std::vector<ContentRange>> HmeshLevels::plan(ByteSpan first, std::uint64_t content_bytes) {
  if (first.size() < sizeof(chunks::FileHeader)) return std::nullopt;
  const auto header = load<chunks::FileHeader>(first);
  const std::uint64_t table_end = sizeof header + std::uint64_t{header.chunk_count} * sizeof(chunks::ChunkEntry);
  if (header.magic != chunks::kMagic || header.version != hmesh::kVersion || table_end > first.size())
    return std::nullopt;
  std::vector<ContentRange> needed{{0, table_end}};
  std::uint64_t end = table_end;
  bool has_levels = false;
  for (std::uint64_t at = sizeof header; at < table_end; at += sizeof(chunks::ChunkEntry)) {
    const auto entry = load<chunks::ChunkEntry>(first, static_cast<std::size_t>(at));
    if (!range_fits(entry.offset_bytes, entry.size_bytes, content_bytes)) return std::nullopt;
    end = std::max(end, entry.offset_bytes + entry.size_bytes);
    has_levels = has_levels || entry.id == hmesh::kLodTableId;
    if (!is_of_levels(entry.id)) needed.push_back({entry.offset_bytes, entry.size_bytes});
  }
  if (!has_levels || content_bytes - end >= chunks::kPayloadAlignment) return std::nullopt;
  needed.push_back({end, content_bytes - end});  // padding, which is subject to rules of the table
  return needed;
}

ContentRange HmeshLevels::chunk(std::uint32_t id) const {
  const auto found = std::ranges::find(table_, id, &chunks::ChunkEntry::id);
  return found == table_.end() ? ContentRange{} : ContentRange{found->offset_bytes, found->size_bytes};
}

template <class T>
std::span<const T> HmeshLevels::array(std::uint32_t id) const {
  const ByteSpan bytes = part_of(content_, chunk(id));
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

std::optional<HmeshLevels> HmeshLevels::open(ByteSpan content) {
  HmeshLevels out;
  out.content_ = content;
  const auto table = chunks::open_table(content, hmesh::kVersion);
  if (!table) return std::nullopt;
  out.table_ = *table;
  for (const chunks::ChunkEntry& entry : out.table_) {
    if (!chunks::find_chunk(content, out.table_, entry.id)) return std::nullopt;
  }
  const std::span<const hmesh::MeshDesc> desc = out.array<hmesh::MeshDesc>(hmesh::kDescId);
  const std::span<const hmesh::MeshBounds> bounds = out.array<hmesh::MeshBounds>(hmesh::kBoundsId);
  if (desc.size() != 1 || bounds.size() != 1) return std::nullopt;
  const hmesh::MeshDesc& d = out.desc_ = desc[0];
  const bool widths_hold =
      d.vertex_stride_bytes == sizeof(hmesh::GpuVertex) && (d.index_width_bytes == 2 || d.index_width_bytes == 4);
  const std::uint64_t index_bytes = std::uint64_t{d.index_count} * d.index_width_bytes;
  out.submeshes_ = out.array<hmesh::SubMesh>(hmesh::kSubmeshesId);
  if (!widths_hold || out.chunk(hmesh::kIndicesId).size_bytes != index_bytes ||
      out.submeshes_.size() != d.submesh_count)
    return std::nullopt;
  const ByteSpan lods = part_of(content, out.chunk(hmesh::kLodTableId));
  if (lods.size() < sizeof(hmesh::LodTableHeader)) return std::nullopt;
  const auto header = load<hmesh::LodTableHeader>(lods);
  const std::uint64_t count = std::uint64_t{header.lod_count} * header.submesh_count;
  if (header.lod_count == 0 || header.lod_count >= kMostLevels || header.submesh_count != d.submesh_count ||
      lods.size() != sizeof header + count * sizeof(hmesh::MeshLod))
    return std::nullopt;
  out.lods_ = {reinterpret_cast<const hmesh::MeshLod*>(lods.data() + sizeof header), static_cast<std::size_t>(count)};
  out.lod_count_ = header.lod_count + 1;
  const std::uint64_t lod_indices = out.chunk(hmesh::kLodIndicesId).size_bytes / sizeof(std::uint32_t);
  const bool lods_hold = std::ranges::all_of(
      out.lods_, [&](const hmesh::MeshLod& lod) { return range_fits(lod.first_index, lod.index_count, lod_indices); });
  const bool submeshes_hold = std::ranges::all_of(out.submeshes_, [&](const hmesh::SubMesh& submesh) {
    return range_fits(submesh.first_index, submesh.index_count, d.index_count);
  });
  if (!lods_hold || !submeshes_hold) return std::nullopt;
  // Forged ranges may overlap. A level has no more indices than the file.
  for (std::uint32_t lod = 1; lod < out.lod_count_; ++lod) {
    std::uint64_t bytes = 0;
    for (const ContentRange& range : out.ranges(lod)) bytes += range.size_bytes;
    if (bytes > content.size()) return std::nullopt;
  }
  return out;
}

HmeshLevels::Indices HmeshLevels::indices(std::size_t submesh, std::uint32_t lod) const {
  const std::size_t levels = lod_count_ - 1;
  // If simplification stalled at a level, the level before it is used.
  for (; lod > 0; --lod) {
    const hmesh::MeshLod& level = lods_[submesh * levels + lod - 1];
    if (level.index_count == 0) continue;
    constexpr std::uint32_t kWidth = sizeof(std::uint32_t);
    const std::uint64_t at = chunk(hmesh::kLodIndicesId).offset_bytes;
    return {{at + std::uint64_t{level.first_index} * kWidth, std::uint64_t{level.index_count} * kWidth}, kWidth};
  }
  const hmesh::SubMesh& full = submeshes_[submesh];
  const std::uint64_t at = chunk(hmesh::kIndicesId).offset_bytes, width = desc_.index_width_bytes;
  return {{at + full.first_index * width, full.index_count * width}, desc_.index_width_bytes};
}

std::vector<ContentRange> HmeshLevels::ranges(std::uint32_t lod) const {
  std::vector<ContentRange> out;
  out.reserve(submeshes_.size());
  for (std::size_t i = 0; i < submeshes_.size(); ++i) out.push_back(indices(i, lod).range);
  return out;
}

Result<Bytes> HmeshLevels::build(std::uint32_t lod) const {
  hmesh::Model model;
  const auto take = [&]<class T>(std::uint32_t id, std::vector<T>& to) {
    const std::span<const T> from = array<T>(id);
    to.assign(from.begin(), from.end());
  };
  take(hmesh::kVerticesId, model.vertices);
  take(hmesh::kSubmeshesId, model.submeshes);
  take(hmesh::kMaterialsId, model.materials);
  take(hmesh::kSkinId, model.skin);
  take(hmesh::kSkeletonId, model.joints);
  take(hmesh::kPoseBoundsId, model.pose_bounds);
  model.has_tangents = (desc_.flags & hmesh::MeshDesc::kTangentsValid) != 0;
  model.bounds = array<hmesh::MeshBounds>(hmesh::kBoundsId)[0];
  for (std::size_t i = 0; i < model.submeshes.size(); ++i) {
    hmesh::SubMesh& submesh = model.submeshes[i];
    const Indices from = indices(i, lod);
    submesh.first_index = static_cast<std::uint32_t>(model.indices.size());
    append_indices(part_of(content_, from.range), from.width_bytes, model.indices);
    submesh.index_count = static_cast<std::uint32_t>(model.indices.size()) - submesh.first_index;
    submesh.first_meshlet = submesh.meshlet_count = 0;
  }
  if (const ContentRange at = chunk(hmesh::kPrimitivesId); at.size_bytes != 0) {
    constexpr std::uint32_t kAnyNode = hmesh::kNoNode;
    ASSETC_TRY(const auto view,
               hmesh::PrimitivesView::open(part_of(content_, at), at.offset_bytes,
                                           {desc_.vertex_count, desc_.submesh_count, desc_.material_count, kAnyNode},
                                           model.bounds.aabb_min, model.bounds.aabb_max));
    model.primitives = view.to_primitives();
    for (hmesh::GpuPrimitive& p : model.primitives.items) p.node = hmesh::kNoNode;  // the level has no names
  }
  ASSETC_TRY(ByteVector file, hmesh::write(model));
  return Bytes(std::move(file));
}

// ---- AAS1 ----

std::optional<std::vector<ContentRange>> Aas1Levels::plan(ByteSpan first, std::uint64_t content_bytes) {
  constexpr std::size_t kDescBytes = sizeof(aas1::MeshDesc) + sizeof(aas1::MeshLodFields);
  if (first.size() < sizeof(aas1::BlobHeader) + kDescBytes) return std::nullopt;
  const auto header = load<aas1::BlobHeader>(first);
  const std::uint64_t data = sizeof header + std::uint64_t{header.desc_size_bytes};
  const std::uint64_t end = data + header.data_size_bytes;
  if (header.magic != aas1::kMagic || header.desc_size_bytes < kDescBytes || data > first.size() ||
      end > content_bytes || content_bytes - end > kMaxTailBytes)
    return std::nullopt;
  const auto desc = load<aas1::MeshDesc>(first, sizeof header);
  const auto fields = load<aas1::MeshLodFields>(first, sizeof header + sizeof desc);
  const std::uint64_t attributes = std::uint64_t{desc.attribute_count} * sizeof(aas1::VertexAttribute);
  const std::uint64_t lods = std::uint64_t{fields.lod_count} * sizeof(aas1::LodDesc);
  if (fields.lod_count < 2 || fields.lod_count > aas1::kMaxLevels || desc.attribute_count > aas1::kMaxAttributes ||
      !range_fits(desc.attributes_offset_bytes, attributes, header.data_size_bytes) ||
      !range_fits(fields.lod_table_offset_bytes, lods, header.data_size_bytes))
    return std::nullopt;
  return std::vector<ContentRange>{{0, data},
                                   {data + desc.attributes_offset_bytes, attributes},
                                   {data + fields.lod_table_offset_bytes, lods},
                                   {end, content_bytes - end}};
}

ContentRange Aas1Levels::in_data(std::uint32_t offset_bytes, std::uint64_t size_bytes) const {
  return {data_place_ + offset_bytes, size_bytes};
}

std::optional<Aas1Levels> Aas1Levels::open(ByteSpan content) {
  Aas1Levels out;
  out.content_ = content;
  const auto header = load<aas1::BlobHeader>(content);
  out.data_place_ = sizeof header + std::uint64_t{header.desc_size_bytes};
  auto blob = aas1::without_data(content.first(static_cast<std::size_t>(out.data_place_)),
                                 content.subspan(static_cast<std::size_t>(out.data_place_ + header.data_size_bytes)));
  if (!blob) return std::nullopt;
  out.blob_ = Bytes(std::move(*blob));
  out.desc_ = load<aas1::MeshDesc>(content, sizeof header);
  const auto fields = load<aas1::MeshLodFields>(content, sizeof header + sizeof out.desc_);
  const auto take = [&]<class T>(std::uint32_t offset, std::uint32_t count, std::vector<T>& to) {
    to = copy_of<T>(part_of(content, out.in_data(offset, std::uint64_t{count} * sizeof(T))));
  };
  take(out.desc_.attributes_offset_bytes, out.desc_.attribute_count, out.attributes_);
  take(fields.lod_table_offset_bytes, fields.lod_count, out.lods_);
  const bool hold = std::ranges::all_of(out.lods_, [&](const aas1::LodDesc& lod) {
    const std::uint64_t size = header.data_size_bytes;
    return range_fits(lod.vertex_data_offset_bytes, lod.vertex_data_size_bytes, size) &&
           range_fits(lod.index_data_offset_bytes, lod.index_data_size_bytes, size) &&
           lod.index_data_size_bytes == std::uint64_t{lod.index_count} * (out.desc_.index_type == 0 ? 2 : 4) &&
           range_fits(lod.submeshes_offset_bytes, std::uint64_t{lod.submesh_count} * sizeof(aas1::SubMesh), size);
  });
  // Without bounds of the mesh, those of a level would have to be computed.
  if (!hold || out.desc_.index_type > 1 || (out.desc_.flags & aas1::MeshDesc::kHasBounds) == 0) return std::nullopt;
  return out;
}

std::vector<ContentRange> Aas1Levels::ranges(std::uint32_t lod) const {
  const aas1::LodDesc& level = lods_[lod];
  return {in_data(level.vertex_data_offset_bytes, level.vertex_data_size_bytes),
          in_data(level.index_data_offset_bytes, level.index_data_size_bytes),
          in_data(level.submeshes_offset_bytes, std::uint64_t{level.submesh_count} * sizeof(aas1::SubMesh))};
}

Result<Bytes> Aas1Levels::build(std::uint32_t lod) const {
  const std::vector<ContentRange> at = ranges(lod);
  aas1::Mesh mesh;
  mesh.vertex_stride_bytes = desc_.vertex_stride_bytes;
  mesh.attributes = attributes_;
  mesh.vertices = copy_of<std::byte>(part_of(content_, at[0]));
  aas1::Mesh::Level& level = mesh.levels.emplace_back();
  append_indices(part_of(content_, at[1]), desc_.index_type == 0 ? 2 : 4, level.indices);
  level.submeshes = copy_of<aas1::SubMesh>(part_of(content_, at[2]));
  // A level may use the vertices of the mesh, so it also uses its bounds.
  std::ranges::copy(desc_.bounds_min, level.bounds_min.begin());
  std::ranges::copy(desc_.bounds_max, level.bounds_max.begin());
  ASSETC_TRY(const aas1::Blob blob, aas1::Blob::open(blob_, aas1::Type::kMesh, sizeof(aas1::MeshDesc)));
  ASSETC_TRY(const std::span<const Uuid> materials, aas1::uuids_of(blob, aas1::kMaterialsId));
  mesh.materials.assign(materials.begin(), materials.end());
  ASSETC_TRY(const std::span<const Uuid> skeleton, aas1::uuids_of(blob, aas1::kSkeletonId));
  if (!skeleton.empty()) mesh.skeleton = skeleton.front();
  mesh.pose_bounds = copy_of<hmesh::MeshBounds>(blob.extension(aas1::kPoseBoundsId));
  const ByteSpan primitives = blob.extension(aas1::kPrimitivesId);
  const aas1::LodDesc& full = lods_.front();
  const aas1::LodDesc& part = lods_[lod];
  const bool has_full_vertices = full.vertex_data_offset_bytes == part.vertex_data_offset_bytes &&
                                 full.vertex_count == part.vertex_count && full.submesh_count == part.submesh_count;
  if (!primitives.empty() && has_full_vertices) {
    const std::uint32_t slot_count =
        mesh.materials.empty() ? aas1::kNoMaterial : static_cast<std::uint32_t>(mesh.materials.size());
    ASSETC_TRY(const auto view, hmesh::PrimitivesView::open(
                                    primitives, 0, {part.vertex_count, part.submesh_count, slot_count, hmesh::kNoNode},
                                    desc_.bounds_min, desc_.bounds_max));
    mesh.primitives = view.to_primitives();
    for (hmesh::GpuPrimitive& p : mesh.primitives.items) p.node = hmesh::kNoNode;
  }
  ASSETC_TRY(ByteVector file, aas1::write(mesh));
  return Bytes(std::move(file));
}

}  // namespace assetc::runtime
