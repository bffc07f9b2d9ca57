#include <algorithm>
#include <cmath>
#include <limits>

#include "assetc/base/hash.hpp"
#include "formats/galileo/table.hpp"
#include "formats/hmesh/rules.hpp"
#include "formats/text.hpp"

namespace assetc::galileo {

using namespace formats;

namespace {

// Returns the first position outside the box by more than the tolerance, or positions.size(). NaN counts as outside. A
// batch has no branches. A comparison with NaN is false, so the code tests for being inside.
std::size_t first_position_beyond(std::span<const Float3> positions, const Box& box) {
  const Float3 center = box.center;
  Float3 reach;
  for (std::size_t a = 0; a < 3; ++a)
    reach[a] = box.half_extent[a] + kBoxTolerance * (std::fabs(center[a]) + box.half_extent[a]);
  const auto inside = [&](const Float3& p) {
    return static_cast<unsigned>(std::fabs(p[0] - center[0]) <= reach[0]) &
           static_cast<unsigned>(std::fabs(p[1] - center[1]) <= reach[1]) &
           static_cast<unsigned>(std::fabs(p[2] - center[2]) <= reach[2]);
  };
  constexpr std::size_t kBatch = 256;
  for (std::size_t begin = 0; begin < positions.size(); begin += kBatch) {
    const std::size_t end = std::min(begin + kBatch, positions.size());
    unsigned all_inside = 1;
    for (std::size_t i = begin; i < end; ++i) all_inside &= inside(positions[i]);
    if (all_inside != 0) continue;
    for (std::size_t i = begin; i < end; ++i) {
      if (inside(positions[i]) == 0) return i;
    }
  }
  return positions.size();
}

bool lies_inside(const Box& inner, const Box& outer) {
  for (std::size_t a = 0; a < 3; ++a) {
    if (std::fabs(inner.center[a] - outer.center[a]) + inner.half_extent[a] > outer.half_extent[a]) return false;
  }
  return true;
}

}  // namespace

// Opens one file. Each step relies on the checks of the steps before it. The table has the rules of single records.
class Opener {
 public:
  explicit Opener(ByteSpan file, bool sums = true) : file_(file), place_(file), sums_(sums) {}

  Result<View> open() {
    ASSETC_CHECK(open_header());
    ASSETC_CHECK(open_tables());
    ASSETC_CHECK(
        check_records(table::kManifest, file_.subspan(kFileHeaderBytes, kManifestBytes), manifest_place(), {}));
    const ByteSpan groups = file_.subspan(group_place(0), group_count_ * kGroupInfoBytes);
    ASSETC_CHECK(check_records(table::kGroup, groups, group_place(0), {}));
    ASSETC_CHECK(check_slices());
    ASSETC_CHECK(check_extension_infos());
    for (std::size_t i = 0; i < group_count_; ++i) ASSETC_CHECK(open_group(i));
    ASSETC_CHECK(open_mesh_extensions());
    ASSETC_CHECK(open_topology());
    ASSETC_CHECK(open_materials());
    ASSETC_CHECK(open_skeleton());
    ASSETC_CHECK(open_names());
    ASSETC_CHECK(open_morphs());
    return std::move(view_);
  }

 private:
  std::uint64_t manifest_place() const { return kFileHeaderBytes; }
  std::uint64_t group_place(std::size_t i) const { return kFileHeaderBytes + kManifestBytes + i * kGroupInfoBytes; }
  std::uint64_t extension_place(std::size_t i) const { return group_place(group_count_) + i * kExtensionInfoBytes; }
  VertexGroupInfo group(std::size_t i) const { return load<VertexGroupInfo>(file_, group_place(i)); }
  ExtensionInfo extension(std::size_t i) const { return load<ExtensionInfo>(file_, extension_place(i)); }

  Result<void> open_header() {
    ASSETC_CHECK(check_alignment(file_, kBufferAlignment));
    Reader reader(file_);
    ASSETC_TRY(const auto magic, reader.read<std::uint32_t>("the magic of a Galileo asset"));
    if (magic != kMagic)
      return invalid(0, message("found magic ", fourcc_text(magic), ", expected GALI"),
                     "check that this is a Galileo asset");
    if (file_.size() < kFileHeaderBytes) {
      return fail_at(ErrorCode::kTruncated, byte_place(4),
                     message("found ", counted(file_.size(), "byte"), ", expected a header of ", kFileHeaderBytes),
                     kDamagedHint);
    }
    const auto header = load<FileHeader>(file_);
    if (header.version_major != kVersionMajor || header.version_minor > kVersionMinor) {
      return fail_at(ErrorCode::kVersion, byte_place(4),
                     message("found Galileo version ", int{header.version_major}, ".", int{header.version_minor},
                             ", expected 0.", int{kVersionMinor}, " at most"),
                     "read it with a newer assetc, or write it again with this one");
    }
    if (header.asset_type != kMeshAssetType) {
      return fail_at(ErrorCode::kUnsupported, byte_place(24),
                     message("found asset type ", std::uint32_t{header.asset_type}, ", expected 1, a mesh"),
                     "only Galileo meshes are read");
    }
    if (file_.size() < kFileHeaderBytes + kManifestBytes) {
      return fail_at(ErrorCode::kTruncated, byte_place(kFileHeaderBytes),
                     message("found ", counted(file_.size() - kFileHeaderBytes, "byte"), ", expected a manifest of ",
                             kManifestBytes),
                     kDamagedHint);
    }
    view_.uuid_ = header.uuid;
    checksum_ = header.checksum;
    return {};
  }

  Result<void> open_tables() {
    manifest_ = load<MeshManifest>(file_, kFileHeaderBytes);
    group_count_ = manifest_.vertex_group_count;
    extension_count_ = manifest_.extension_count;
    if (group_count_ == 0) return invalid(manifest_place() + 24, "found no vertex groups, expected one or more");
    // Each is below 2^39: no overflow before the buffer's size is added.
    const std::uint64_t tables_end = extension_place(extension_count_);
    const auto end = checked_add(tables_end, manifest_.buffer_size_bytes);
    if (!end || *end > file_.size()) {
      return fail_at(ErrorCode::kTruncated, byte_place(manifest_place() + 24),
                     message("found ", counted(file_.size(), "byte"), ", expected ",
                             counted(group_count_, "vertex group"), ", ", counted(extension_count_, "extension"),
                             " and a buffer of ", counted(std::uint64_t{manifest_.buffer_size_bytes}, "byte")),
                     kDamagedHint);
    }
    ASSETC_CHECK(expect_end(*end, file_.size()));
    if (sums_ && xxh3_64(file_.subspan(kFileHeaderBytes)) != checksum_)
      return invalid(28, "found a checksum that is not that of the contents");
    buffer_place_ = tables_end;
    buffer_ = file_.subspan(tables_end);
    view_.box_ = manifest_.box;
    return {};
  }

  Result<void> check_slices() {
    std::vector<std::size_t> by_begin(group_count_);
    for (std::size_t i = 0; i < group_count_; ++i) {
      by_begin[i] = i;
      const VertexGroupInfo g = group(i);
      const std::uint64_t begin = g.slice_begin_bytes;
      const std::uint64_t size = g.slice_size_bytes;
      if (!range_fits(begin, size, buffer_.size())) {
        return invalid(group_place(i) + 24,
                       message("vertex group ", i, " at ", begin, " + ", size, " does not fit in the buffer of ",
                               counted(buffer_.size(), "byte")));
      }
      const std::uint64_t fixed = fixed_slice_bytes(g);
      if (g.extension_channel_count == 0 ? size != fixed : size < fixed) {
        return invalid(group_place(i) + 32,
                       message("vertex group ", i, " takes ", counted(size, "byte"), ", expected ",
                               g.extension_channel_count == 0 ? "" : "at least ", fixed, " for its counts"));
      }
    }
    std::sort(by_begin.begin(), by_begin.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(std::uint64_t{group(a).slice_begin_bytes}, a) <
             std::pair(std::uint64_t{group(b).slice_begin_bytes}, b);
    });
    for (std::size_t i = 1; i < by_begin.size(); ++i) {
      const VertexGroupInfo before = group(by_begin[i - 1]);
      if (group(by_begin[i]).slice_begin_bytes < before.slice_begin_bytes + before.slice_size_bytes) {
        return invalid(group_place(by_begin[i]) + 24,
                       message("vertex groups ", by_begin[i - 1], " and ", by_begin[i], " overlap in the buffer"));
      }
    }
    return {};
  }

  Result<void> check_extension_infos() {
    // The places where the data of an extension may end: the start of a group or another extension, or the end of the
    // buffer.
    boundaries_.push_back(buffer_.size());
    for (std::size_t i = 0; i < group_count_; ++i) boundaries_.push_back(group(i).slice_begin_bytes);
    for (std::size_t i = 0; i < extension_count_; ++i) {
      const ExtensionInfo e = extension(i);
      const std::uint64_t place = extension_place(i);
      if (e.data_begin_bytes > buffer_.size()) {
        return invalid(place + 20, message("extension ", i, " begins at ", std::uint64_t{e.data_begin_bytes},
                                           ", expected at most ", buffer_.size(), ", the size of the buffer"));
      }
      const std::string_view name = name_of(i);
      if (name.empty() || !is_utf8(name) ||
          !all_zero(file_.subspan(place + name.size(), kMaxExtensionName - name.size()))) {
        return invalid(place, message("extension ", i, " is named ", quote(name),
                                      ", expected 1 to 16 bytes of UTF-8, then zeros"));
      }
      boundaries_.push_back(e.data_begin_bytes);
    }
    std::sort(boundaries_.begin(), boundaries_.end());
    return {};
  }

  std::string_view name_of(std::size_t i) const {
    const std::string_view field = as_text(file_.subspan(extension_place(i), kMaxExtensionName));
    return field.substr(0, field.find('\0'));
  }

  // Returns the extensions of a chain, first to last. link: index + 1 of the first; link_place: the place of the link.
  // No chain needs more than limit. This prevents a malicious file from making every group walk all extensions.
  Result<std::vector<std::size_t>> chain(std::uint32_t link, std::uint64_t link_place, std::size_t limit,
                                         std::string_view whose) {
    std::vector<std::size_t> indices;
    while (link != 0) {
      if (link > extension_count_) {
        return invalid(link_place, message("the extension chain of ", whose, " points at extension ", link - 1,
                                           ", expected less than ", extension_count_));
      }
      // A chain longer than the number of extensions visits one of them twice.
      if (indices.size() == extension_count_)
        return invalid(link_place, message("the extension chain of ", whose, " loops"));
      if (indices.size() == limit)
        return invalid(link_place, message("the extension chain of ", whose, " loops or is longer than ", limit));
      const std::size_t i = link - 1;
      indices.push_back(i);
      link_place = extension_place(i) + 28;
      link = extension(i).next_extension;
    }
    return indices;
  }

  // Returns the next count elements of a slice.
  template <class T>
  std::span<const T> next(std::uint64_t& offset, std::size_t count) {
    const std::span<const T> part(reinterpret_cast<const T*>(buffer_.data() + offset), count);
    offset += part.size_bytes();
    return part;
  }

  Result<void> open_group(std::size_t i) {
    const VertexGroupInfo g = group(i);
    GroupView out;
    out.box = g.box;
    std::uint64_t offset = g.slice_begin_bytes;
    out.indices = next<std::uint32_t>(offset, g.index_count);
    out.positions = next<Float3>(offset, g.vertex_count);
    out.normals = next<Float3>(offset, g.vertex_count);
    out.tangents = next<Float4>(offset, g.vertex_count);
    for (int c = 0; c < g.texcoord_channel_count; ++c) out.texcoords.push_back(next<Unorm2>(offset, g.vertex_count));
    for (int c = 0; c < g.color_channel_count; ++c) out.colors.push_back(next<Byte4>(offset, g.vertex_count));
    for (int c = 0; c < g.joint_weight_channel_count; ++c) out.joints.push_back(next<Short4>(offset, g.vertex_count));
    for (int c = 0; c < g.joint_weight_channel_count; ++c) out.weights.push_back(next<Short4>(offset, g.vertex_count));
    ASSETC_CHECK(check_below(place_, out.indices, g.vertex_count, message("index of vertex group ", i, ",")));
    ASSETC_CHECK(check_positions(out, i));
    ASSETC_CHECK(open_attribute_extensions(g, i, offset, out));
    view_.groups_.push_back(std::move(out));
    return {};
  }

  Result<void> check_positions(const GroupView& g, std::size_t i) {
    ASSETC_CHECK(check_positions_in(g.box, g, i, "its box"));
    // If the group's box is inside the mesh's box, so are its positions.
    return lies_inside(g.box, view_.box_) ? Result<void>() : check_positions_in(view_.box_, g, i, "the mesh's box");
  }
  Result<void> check_positions_in(const Box& box, const GroupView& g, std::size_t i, std::string_view whose) {
    const std::size_t bad = first_position_beyond(g.positions, box);
    if (bad == g.positions.size()) return {};
    const Float3& p = g.positions[bad];
    return invalid(place_(p), message("vertex ", bad, " of vertex group ", i, " at (", p[0], ", ", p[1], ", ", p[2],
                                      ") lies outside ", whose));
  }

  // Opens one extension of the chain for each channel, in the order of their data after the other attributes.
  Result<void> open_attribute_extensions(const VertexGroupInfo& g, std::size_t i, std::uint64_t offset,
                                         GroupView& out) {
    ASSETC_TRY(const auto indices,
               chain(g.next_attribute_extension, group_place(i) + 52, kMaxChannels, message("vertex group ", i)));
    if (indices.size() != g.extension_channel_count) {
      return invalid(group_place(i) + 51,
                     message("vertex group ", i, " has ", counted(int{g.extension_channel_count}, "extension channel"),
                             ", expected one for each of the ", counted(indices.size(), "extension"), " of its chain"));
    }
    const std::uint64_t end = g.slice_begin_bytes + g.slice_size_bytes;
    for (std::size_t k = 0; k < indices.size(); ++k) {
      const ExtensionInfo e = extension(indices[k]);
      const std::uint64_t begin = e.data_begin_bytes;
      const std::uint64_t data_end =
          k + 1 < indices.size() ? std::uint64_t{extension(indices[k + 1]).data_begin_bytes} : end;
      if (begin != offset || data_end < begin || data_end > end) {
        return invalid(extension_place(indices[k]) + 20,
                       message("the data of extension ", indices[k], " begins at ", begin, ", expected ", offset,
                               ", after the attributes of vertex group ", i, " and before ", end));
      }
      const std::uint64_t size = data_end - begin;
      // vertex_count is not 0, because some index is below it.
      if (size % g.vertex_count != 0) {
        return invalid(extension_place(indices[k]) + 20,
                       message("extension ", indices[k], " has ", counted(size, "byte"), " for ",
                               counted(std::uint32_t{g.vertex_count}, "vertex"), ", expected the same size for each"));
      }
      const std::size_t stride = size / g.vertex_count;
      if (name_of(indices[k]).starts_with("assetc.uv") && (stride != sizeof(Float2) || begin % 4 != 0)) {
        return invalid(extension_place(indices[k]) + 20,
                       message("exact texcoords take ", counted(stride, "byte"), " per vertex, expected ",
                               sizeof(Float2), " at a multiple of 4"));
      }
      out.extensions.push_back({name_of(indices[k]), e.version, buffer_.subspan(begin, size), stride});
      offset = data_end;
    }
    return {};
  }

  Result<void> open_mesh_extensions() {
    ASSETC_TRY(const auto indices,
               chain(manifest_.next_mesh_extension, manifest_place() + 40, extension_count_, "the mesh"));
    std::vector<std::pair<std::uint64_t, std::uint64_t>> slices;
    slices.reserve(group_count_);
    for (std::size_t i = 0; i < group_count_; ++i)
      slices.emplace_back(group(i).slice_begin_bytes, group(i).slice_begin_bytes + group(i).slice_size_bytes);
    std::sort(slices.begin(), slices.end());
    for (const std::size_t i : indices) {
      const ExtensionInfo e = extension(i);
      const std::uint64_t begin = e.data_begin_bytes;
      // Slices do not overlap, so only the last slice that begins at or before the data can contain it.
      const auto after = std::upper_bound(slices.begin(), slices.end(), std::pair(begin, ~std::uint64_t{0}));
      if (after != slices.begin() && begin < std::prev(after)->second) {
        return invalid(extension_place(i) + 20,
                       message("the data of extension ", i, " begins at ", begin, ", inside a vertex group"));
      }
      // begin is one of the boundaries. So is the start of an extension without data.
      const auto end = std::upper_bound(boundaries_.begin(), boundaries_.end(), begin);
      const std::uint64_t size = end == boundaries_.end() ? 0 : *end - begin;
      view_.extensions_.push_back({name_of(i), e.version, buffer_.subspan(begin, size)});
    }
    return {};
  }

  // Returns the payload of an assetc extension without its size, or nothing if the file lacks it.
  Result<std::optional<ByteSpan>> sized_payload(std::string_view name) {
    const ExtensionView* e = view_.find_extension(name);
    if (e == nullptr) return std::optional<ByteSpan>();
    const auto offset = static_cast<std::uint64_t>(e->data.data() - file_.data());
    if (e->version != 1) {
      return fail_at(ErrorCode::kVersion, byte_place(offset),
                     message("found version ", e->version, " of extension ", name, ", expected 1"),
                     "read it with a newer assetc");
    }
    if (e->data.size() < 4 || load<std::uint32_t>(e->data) > e->data.size() - 4) {
      return fail_at(
          ErrorCode::kTruncated, byte_place(offset),
          message("found ", counted(e->data.size(), "byte"), " of ", name, ", expected a size and that many bytes"),
          kDamagedHint);
    }
    if (offset % 4 != 0) return invalid(offset, message(name, " begins at ", offset, ", expected a multiple of 4"));
    return std::optional(e->data.subspan(4, load<std::uint32_t>(e->data)));
  }

  // The indices of points and lines replace the placeholder in the slice of their group.
  Result<void> open_topology() {
    ASSETC_TRY(const auto payload, sized_payload(kTopologyExtension));
    if (!payload) return {};
    const auto offset = static_cast<std::uint64_t>(payload->data() - file_.data());
    const std::uint64_t rows_size = sizeof(GroupTopology) * std::uint64_t{group_count_};
    if (payload->size() < rows_size || (payload->size() - rows_size) % 4 != 0) {
      return invalid(offset, message("found ", counted(payload->size(), "byte"),
                                     " of topologies and indices, expected ", rows_size, " and a multiple of 4"));
    }
    const std::span rows(reinterpret_cast<const GroupTopology*>(payload->data()), group_count_);
    const std::span all(reinterpret_cast<const std::uint32_t*>(payload->data() + rows_size),
                        (payload->size() - rows_size) / 4);
    Context context;
    context.counts[table::kTopologyIndices] = all.size();
    ASSETC_CHECK(check_records(table::kTopology, std::as_bytes(rows), offset, context));
    for (std::size_t i = 0; i < group_count_; ++i) {
      const GroupTopology& row = rows[i];
      GroupView& g = view_.groups_[i];
      const bool is_of_triangles = row.topology == hmesh::Topology::kTriangles;
      if ((row.index_count == 0) != is_of_triangles || row.index_count % hmesh::corner_count_of(row.topology) != 0) {
        return invalid(
            place_(row),
            message("vertex group ", i, " has topology ", static_cast<std::uint32_t>(row.topology), " and ",
                    counted(row.index_count, "index"), ", expected whole lines or points, and none of triangles"));
      }
      if (is_of_triangles) continue;
      g.topology = row.topology;
      g.flags = row.flags;
      g.indices = all.subspan(row.first_index, row.index_count);
      ASSETC_CHECK(check_below(place_, g.indices, g.vertex_count(), message("index of vertex group ", i, ",")));
    }
    return {};
  }

  Result<void> open_materials() {
    ASSETC_TRY(const auto payload, sized_payload(kMaterialsExtension));
    if (!payload) return {};
    const auto offset = static_cast<std::uint64_t>(payload->data() - file_.data());
    const std::uint64_t slots_size = std::uint64_t{4} * group_count_;
    if (payload->size() < slots_size || (payload->size() - slots_size) % 8 != 0) {
      return invalid(offset, message("found ", counted(payload->size(), "byte"),
                                     " of material slots and refs, expected ", slots_size, " and a multiple of 8"));
    }
    const std::size_t count = (payload->size() - slots_size) / 8;
    for (std::size_t i = 0; i < count; ++i)
      view_.materials_.push_back(load<std::uint64_t>(*payload, slots_size + 8 * i));
    Context context;
    context.counts[table::kMaterials] = count;
    const ByteSpan slots = payload->first(static_cast<std::size_t>(slots_size));
    ASSETC_CHECK(check_records(table::kSlot, slots, offset, context));
    for (std::size_t i = 0; i < group_count_; ++i) view_.groups_[i].material_slot = load<std::uint32_t>(slots, 4 * i);
    return {};
  }

  Result<void> open_skeleton() {
    ASSETC_TRY(const auto payload, sized_payload(kSkeletonExtension));
    if (!payload) return {};
    if (payload->size() % sizeof(hmesh::GpuJoint) != 0) {
      return invalid(static_cast<std::uint64_t>(payload->data() - file_.data()),
                     message("found ", counted(payload->size(), "byte"), " of joints, expected a multiple of ",
                             sizeof(hmesh::GpuJoint)));
    }
    view_.joints_ = {reinterpret_cast<const hmesh::GpuJoint*>(payload->data()),
                     payload->size() / sizeof(hmesh::GpuJoint)};
    ASSETC_CHECK(check_skeleton(place_, view_.joints_));
    for (const GroupView& g : view_.groups_) {
      for (const auto& channel : g.joints) {
        const std::span all(reinterpret_cast<const std::uint16_t*>(channel.data()), channel.size() * 4);
        ASSETC_CHECK(check_below(place_, all, view_.joints_.size(), "joint of a vertex,"));
      }
    }
    return {};
  }

  Result<void> open_names() {
    ASSETC_TRY(const auto payload, sized_payload(kNamesExtension));
    if (!payload) return {};
    ASSETC_TRY(view_.names_,
               hmesh::NamesView::open(
                   *payload, static_cast<std::uint64_t>(payload->data() - file_.data()),
                   {static_cast<std::uint32_t>(group_count_), static_cast<std::uint32_t>(view_.materials_.size()),
                    static_cast<std::uint32_t>(view_.joints_.size())}));
    return {};
  }

  Result<void> open_morphs() {
    ASSETC_TRY(const auto payload, sized_payload(kMorphsExtension));
    if (!payload) return {};
    const auto offset = static_cast<std::uint64_t>(payload->data() - file_.data());
    std::uint64_t vertex_count = 0;
    for (const GroupView& g : view_.groups_) vertex_count += g.vertex_count();
    if (vertex_count > std::numeric_limits<std::uint32_t>::max())
      return invalid(offset, message("found morph targets of ", counted(vertex_count, "vertex")));
    const auto nodes = static_cast<std::uint32_t>(view_.names_ ? view_.names_->node_count() : 0);
    ASSETC_TRY(view_.morphs_,
               hmesh::MorphsView::open(*payload, offset, static_cast<std::uint32_t>(vertex_count), nodes));
    return {};
  }

  ByteSpan file_;
  Places place_;
  bool sums_;
  MeshManifest manifest_{};
  std::uint64_t checksum_ = 0;
  std::size_t group_count_ = 0;
  std::size_t extension_count_ = 0;
  std::uint64_t buffer_place_ = 0;
  ByteSpan buffer_;
  std::vector<std::uint64_t> boundaries_;
  View view_;
};

Result<View> View::open(ByteSpan file) { return Opener(file).open(); }

Result<View> open_unsummed(ByteSpan file) { return Opener(file, false).open(); }

const ExtensionView* View::find_extension(std::string_view name) const {
  for (const ExtensionView& e : extensions_) {
    if (e.name == name) return &e;
  }
  return nullptr;
}

std::optional<std::span<const Float2>> GroupView::exact_texcoords(std::size_t channel) const {
  const std::string name = exact_texcoord_extension(channel);
  for (const AttributeExtensionView& e : extensions) {
    if (e.name == name)
      return std::span(reinterpret_cast<const Float2*>(e.data.data()), e.data.size() / sizeof(Float2));
  }
  return std::nullopt;
}

Model View::to_model() const {
  Model model;
  model.uuid = uuid_;
  model.materials.assign(materials_.begin(), materials_.end());
  model.joints.assign(joints_.begin(), joints_.end());
  if (names_) model.names = names_->to_names();
  if (morphs_) model.morphs = morphs_->to_morphs();
  for (const GroupView& g : groups_) {
    VertexGroup out;
    const auto copy = [](auto& to, const auto& from) { to.assign(from.begin(), from.end()); };
    out.topology = g.topology;
    out.flags = g.flags;
    copy(out.indices, g.indices);
    copy(out.positions, g.positions);
    copy(out.normals, g.normals);
    copy(out.tangents, g.tangents);
    for (std::size_t c = 0; c < g.texcoords.size(); ++c) {
      std::vector<Float2>& channel = out.texcoords.emplace_back();
      if (const auto exact = g.exact_texcoords(c)) {
        copy(channel, *exact);
        continue;
      }
      channel.reserve(g.texcoords[c].size());
      for (const Unorm2& uv : g.texcoords[c])
        channel.push_back({static_cast<float>(uv[0]) / 65535.0f, static_cast<float>(uv[1]) / 65535.0f});
    }
    for (const auto& c : g.colors) out.colors.emplace_back(c.begin(), c.end());
    for (const auto& c : g.joints) out.joints.emplace_back(c.begin(), c.end());
    for (const auto& c : g.weights) out.weights.emplace_back(c.begin(), c.end());
    for (const AttributeExtensionView& e : g.extensions) {
      if (e.name.starts_with("assetc.uv")) continue;
      out.extensions.push_back(
          {std::string(e.name), e.version, e.stride_bytes, ByteVector(e.data.begin(), e.data.end())});
    }
    out.material_slot = g.material_slot;
    model.groups.push_back(std::move(out));
  }
  for (const ExtensionView& e : extensions_) {
    if (e.name == kMaterialsExtension || e.name == kSkeletonExtension || e.name == kNamesExtension ||
        e.name == kMorphsExtension || e.name == kTopologyExtension)
      continue;
    model.extensions.push_back({std::string(e.name), e.version, ByteVector(e.data.begin(), e.data.end())});
  }
  return model;
}

}  // namespace assetc::galileo
