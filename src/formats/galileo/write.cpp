#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "assetc/base/hash.hpp"
#include "base/plural.hpp"
#include "formats/galileo/layout.hpp"
#include "formats/galileo/source.hpp"
#include "formats/reader.hpp"

namespace assetc::galileo {
namespace {

using namespace formats;

// The size of a column piece that one call fills: large enough for a thread.
constexpr std::size_t kPieceBytes = 128 << 10;
// The number of texture coordinates that are converted to unorm at a time. They stay in the first-level cache.
constexpr std::size_t kUnormBlock = 1024;

struct ExtensionOut {
  std::string_view name;
  std::uint32_t version = 1;
  std::uint64_t begin_bytes = 0;
  std::uint32_t next = 0;
};

// An assetc extension: its size, then the payload.
Extension sized(std::string_view name, const ByteVector& payload) {
  Extension e{std::string(name), 1, {}};
  append(e.data, static_cast<std::uint32_t>(payload.size()));
  append_bytes(e.data, payload);
  return e;
}

// Returns the smallest box for which the float test |p - center| <= half holds for every p between low and high.
// Rounding is monotonic, so it holds for all if it holds for both ends.
Box box_between(const Float3& low, const Float3& high) {
  Box box;
  for (std::size_t a = 0; a < 3; ++a) {
    box.center[a] = low[a] * 0.5f + high[a] * 0.5f;
    box.half_extent[a] = std::max(high[a] - box.center[a], box.center[a] - low[a]);
  }
  return box;
}

Box box_of(std::span<const GroupSource> groups) {
  Float3 low = groups[0].low, high = groups[0].high;
  for (const GroupSource& g : groups) {
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], g.low[a]);
      high[a] = std::max(high[a], g.high[a]);
    }
  }
  return box_between(low, high);
}

// Clamps to [0, 1] and rounds to the nearest of 65536 steps. NaN becomes 0. Floats of the same sign order like their
// bits. Compilers vectorize integer comparisons, but not float comparisons, which may trap.
std::uint16_t to_unorm(float value) {
  constexpr auto kOne = std::bit_cast<std::int32_t>(1.0f);
  constexpr auto kInfinity = std::bit_cast<std::int32_t>(std::numeric_limits<float>::infinity());
  auto bits = std::bit_cast<std::int32_t>(value);
  bits = bits < 0 || bits > kInfinity ? 0 : bits;
  bits = bits > kOne ? kOne : bits;
  return static_cast<std::uint16_t>(static_cast<std::int32_t>(std::bit_cast<float>(bits) * 65535.0f + 0.5f));
}
void to_unorm(const float* values, std::uint16_t* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = to_unorm(values[i]);
}

Result<void> check_group(const GroupSource& g, std::size_t i) {
  const auto place = [&](std::string_view what) { return message("vertex group ", i, ": ", what); };
  if (g.joints.size() != g.weights.size()) {
    return fail_at(ErrorCode::kUsage, place("joints"),
                   message("found ", counted(g.joints.size(), "channel"), " of joints and ", g.weights.size(),
                           " of weights, expected the same number"));
  }
  for (const AttributeExtension& e : g.extensions) {
    if (e.stride_bytes % 4 != 0 || e.stride_bytes == 0 || e.data.size() != e.stride_bytes * g.vertex_count) {
      return fail_at(ErrorCode::kUsage, place(e.name),
                     message("found ", counted(e.data.size(), "byte"), " of stride ", e.stride_bytes,
                             ", expected a stride of a multiple of 4 for each vertex"));
    }
  }
  const std::size_t largest =
      std::max({g.texcoords.size(), g.colors.size(), g.joints.size(), g.extensions.size() + g.texcoords.size()});
  if (largest > kMaxChannels) {
    return fail_at(ErrorCode::kLimit, place("channels"),
                   message("found ", counted(largest, "channel"), " of one kind, expected at most ", kMaxChannels));
  }
  return {};
}

// In the slice of points or lines is one triangle without area, which draws nothing.
constexpr std::uint32_t kPlaceholderIndices = 3;
bool is_of_triangles(const GroupSource& g) { return g.topology == hmesh::Topology::kTriangles; }

ByteVector topology_of(std::span<const GroupSource> groups) {
  ByteVector rows;
  std::vector<std::uint32_t> indices;
  for (const GroupSource& g : groups) {
    const std::uint32_t count = is_of_triangles(g) ? 0 : g.index_count;
    append(rows, GroupTopology{g.topology, is_of_triangles(g) ? 0 : g.flags, static_cast<std::uint32_t>(indices.size()),
                               count});
    indices.resize(indices.size() + count);
    if (count != 0) g.indices(0, std::span(indices).last(count));
  }
  append_array(rows, std::span<const std::uint32_t>(indices));
  return rows;
}

Result<std::vector<Extension>> extensions_of_ours(const Source& source) {
  std::vector<Extension> out;
  const bool has_slots = std::any_of(source.groups.begin(), source.groups.end(),
                                     [](const GroupSource& g) { return g.material_slot != hmesh::kNoMaterial; });
  if (has_slots || !source.materials.empty()) {
    ByteVector payload;
    for (const GroupSource& g : source.groups) append(payload, g.material_slot);
    append_array(payload, source.materials);
    out.push_back(sized(kMaterialsExtension, payload));
  }
  if (!source.joints.empty()) {
    ByteVector payload;
    append_array(payload, source.joints);
    out.push_back(sized(kSkeletonExtension, payload));
  }
  if (source.names != nullptr && !source.names->empty()) {
    ASSETC_TRY(const ByteVector payload, hmesh::write_names(*source.names));
    out.push_back(sized(kNamesExtension, payload));
  }
  if (source.morphs != nullptr && !source.morphs->empty()) {
    std::uint64_t vertex_count = 0;
    for (const GroupSource& g : source.groups) vertex_count += g.vertex_count;
    if (vertex_count > std::numeric_limits<std::uint32_t>::max())
      return fail(ErrorCode::kLimit, "found morph targets of more than 4294967295 vertices", "split the mesh");
    ASSETC_TRY(const ByteVector payload, hmesh::write_morphs(*source.morphs, static_cast<std::uint32_t>(vertex_count)));
    out.push_back(sized(kMorphsExtension, payload));
  }
  if (!std::ranges::all_of(source.groups, is_of_triangles))
    out.push_back(sized(kTopologyExtension, topology_of(source.groups)));
  return out;
}

// The place of everything in the file. It is known before writing, because the checksum starts with the tables.
class Layout {
 public:
  Result<void> plan(const Source& source) {
    for (std::size_t i = 0; i < source.groups.size(); ++i) {
      ASSETC_CHECK(check_group(source.groups[i], i));
      add_group(source.groups[i]);
    }
    ASSETC_TRY(ours_, extensions_of_ours(source));
    for (const Extension& e : ours_) of_mesh_.push_back(&e);
    for (const Extension& e : source.extensions) of_mesh_.push_back(&e);
    first_mesh_extension_ = extensions_.size();
    for (const Extension* e : of_mesh_) {
      end_ = (end_ + kExtensionAlignment - 1) / kExtensionAlignment * kExtensionAlignment;
      add_extension(e->name, e->version, e->data.size());
    }
    if (!of_mesh_.empty()) extensions_.back().next = 0;
    manifest_.box = box_of(source.groups);
    manifest_.vertex_group_count = static_cast<std::uint32_t>(infos_.size());
    manifest_.extension_count = static_cast<std::uint32_t>(extensions_.size());
    manifest_.buffer_size_bytes = end_;
    manifest_.next_mesh_extension = of_mesh_.empty() ? 0 : static_cast<std::uint32_t>(first_mesh_extension_ + 1);
    for (const ExtensionOut& e : extensions_) {
      if (e.name.empty() || e.name.size() > kMaxExtensionName) {
        return fail(ErrorCode::kUsage, message("found an extension named ", quote(e.name), ", expected 1 to ",
                                               kMaxExtensionName, " bytes"));
      }
    }
    return {};
  }

  // Returns the bytes between the file header and the buffer.
  ByteVector tables() const {
    ByteVector out;
    append(out, manifest_);
    append_array(out, std::span<const VertexGroupInfo>(infos_));
    for (const ExtensionOut& e : extensions_) {
      ExtensionInfo info{};
      std::copy(e.name.begin(), e.name.end(), info.name);
      info.version = e.version;
      info.data_begin_bytes = e.begin_bytes;
      info.next_extension = e.next;
      append(out, info);
    }
    return out;
  }
  std::uint64_t buffer_size_bytes() const { return end_; }
  std::span<const Extension* const> mesh_extensions() const { return of_mesh_; }
  std::uint64_t mesh_extension_begin_bytes(std::size_t i) const {
    return extensions_[first_mesh_extension_ + i].begin_bytes;
  }

 private:
  void add_extension(std::string_view name, std::uint32_t version, std::uint64_t size_bytes) {
    extensions_.push_back({name, version, end_, static_cast<std::uint32_t>(extensions_.size() + 2)});
    end_ += size_bytes;
  }

  // Exact texture coordinates come before the extensions of the caller.
  void add_group(const GroupSource& g) {
    VertexGroupInfo info{};
    info.box = box_between(g.low, g.high);
    info.slice_begin_bytes = end_;
    info.index_count = is_of_triangles(g) ? g.index_count : kPlaceholderIndices;
    info.vertex_count = g.vertex_count;
    info.texcoord_channel_count = static_cast<std::uint8_t>(g.texcoords.size());
    info.color_channel_count = static_cast<std::uint8_t>(g.colors.size());
    info.joint_weight_channel_count = static_cast<std::uint8_t>(g.joints.size());
    end_ += fixed_slice_bytes(info);
    const std::size_t first = extensions_.size();
    for (std::size_t c = 0; c < g.texcoords.size(); ++c) {
      if (!g.texcoords[c].exact) continue;
      add_extension(names_.emplace_back(exact_texcoord_extension(c)), 1,
                    sizeof(Float2) * std::uint64_t{g.vertex_count});
    }
    for (const AttributeExtension& e : g.extensions) add_extension(e.name, e.version, e.data.size());
    info.extension_channel_count = static_cast<std::uint8_t>(extensions_.size() - first);
    if (extensions_.size() > first) {
      info.next_attribute_extension = static_cast<std::uint32_t>(first + 1);
      extensions_.back().next = 0;
    }
    info.slice_size_bytes = end_ - info.slice_begin_bytes;
    infos_.push_back(info);
  }

  MeshManifest manifest_{};
  std::vector<VertexGroupInfo> infos_;
  std::vector<ExtensionOut> extensions_;
  std::deque<std::string> names_;  // of exact texture coordinates; addresses are stable
  std::vector<Extension> ours_;
  std::vector<const Extension*> of_mesh_;
  std::size_t first_mesh_extension_ = 0;
  std::uint64_t end_ = 0;  // size of the buffer so far
};

// A file in memory. Every array has its place, so pieces are filled in any order, on any thread.
class Filler {
 public:
  explicit Filler(std::span<std::byte> file) : file_(file) {}

  // Small, so copied immediately.
  void bytes(ByteSpan part) {
    std::copy(part.begin(), part.end(), file_.begin() + static_cast<std::ptrdiff_t>(end_));
    end_ += part.size();
  }
  void pad_to(std::uint64_t size_bytes) {
    std::fill(file_.begin() + static_cast<std::ptrdiff_t>(end_),
              file_.begin() + static_cast<std::ptrdiff_t>(size_bytes), std::byte{});
    end_ = size_bytes;
  }
  template <class T>
  void column(std::size_t count, const Fill<T>& fill) {
    pieces<T>(count, [&fill](std::size_t first, std::span<T> out) { fill(first, out); });
  }
  void unorm_column(std::size_t count, const Fill<Float2>& fill) {
    pieces<Unorm2>(count, [&fill](std::size_t first, std::span<Unorm2> out) {
      std::array<Float2, kUnormBlock> exact;
      for (std::size_t begin = 0; begin < out.size(); begin += exact.size()) {
        const std::size_t part = std::min(exact.size(), out.size() - begin);
        fill(first + begin, std::span(exact).first(part));
        to_unorm(exact[0].data(), out[begin].data(), 2 * part);
      }
    });
  }
  // Fills every column.
  void run(const ForEach& for_each) const {
    for_each(pieces_.size(), [&](std::size_t i) { pieces_[i](); });
  }

 private:
  template <class T, class FillPiece>
  void pieces(std::size_t count, const FillPiece& fill) {
    constexpr std::size_t kPiece = kPieceBytes / sizeof(T);
    T* const out = reinterpret_cast<T*>(file_.data() + end_);
    for (std::size_t first = 0; first < count; first += kPiece) {
      const std::size_t size = std::min(kPiece, count - first);
      pieces_.push_back([=] { fill(first, std::span(out + first, size)); });
    }
    end_ += count * sizeof(T);
  }

  std::span<std::byte> file_;
  std::uint64_t end_ = 0;  // end of the placed data
  std::vector<std::function<void()>> pieces_;
};

void add_group(Filler& out, const GroupSource& g) {
  static const Fill<std::uint32_t> kPlaceholder = [](std::size_t, std::span<std::uint32_t> indices) {
    std::ranges::fill(indices, 0u);
  };
  if (is_of_triangles(g)) {
    out.column(g.index_count, g.indices);
  } else {
    out.column(kPlaceholderIndices, kPlaceholder);
  }
  out.column(g.vertex_count, g.positions);
  out.column(g.vertex_count, g.normals);
  out.column(g.vertex_count, g.tangents);
  for (const TexcoordSource& t : g.texcoords) out.unorm_column(g.vertex_count, t.values);
  for (const auto& channel : g.colors) out.column(g.vertex_count, channel);
  for (const auto& channel : g.joints) out.column(g.vertex_count, channel);
  for (const auto& channel : g.weights) out.column(g.vertex_count, channel);
  for (const TexcoordSource& t : g.texcoords) {
    if (t.exact) out.column(g.vertex_count, t.values);
  }
  for (const AttributeExtension& e : g.extensions) out.bytes(e.data);
}

}  // namespace

bool leaves_unit_square(std::size_t count, const Fill<Float2>& values) {
  std::array<Float2, kUnormBlock> block;
  for (std::size_t first = 0; first < count; first += block.size()) {
    const std::size_t part = std::min(block.size(), count - first);
    values(first, std::span(block).first(part));
    unsigned inside = 1;  // a comparison with NaN is false
    for (std::size_t i = 0; i < part; ++i) {
      const Float2& uv = block[i];
      inside &= static_cast<unsigned>(uv[0] >= 0) & static_cast<unsigned>(uv[0] <= 1) &
                static_cast<unsigned>(uv[1] >= 0) & static_cast<unsigned>(uv[1] <= 1);
    }
    if (inside == 0) return true;
  }
  return false;
}

void in_order(std::size_t count, const std::function<void(std::size_t)>& body) {
  for (std::size_t i = 0; i < count; ++i) body(i);
}

Result<void> check_addressable(std::uint64_t size_bytes, std::uint64_t most) {
  if (size_bytes <= most) return {};
  return fail(
      ErrorCode::kLimit,
      message("found a mesh of ", counted(size_bytes, "byte"), ", expected at most ", most, ", which memory can hold"),
      "split the mesh, or write it with a 64-bit assetc");
}

Result<void> write_to(const Source& source, const std::function<std::span<std::byte>(std::uint64_t)>& allocate,
                      const ForEach& for_each) {
  if (source.groups.empty()) return fail(ErrorCode::kUsage, "found no vertex groups, expected one or more");
  Layout layout;
  ASSETC_CHECK(layout.plan(source));
  const ByteVector tables = layout.tables();
  const std::uint64_t buffer = kFileHeaderBytes + tables.size();
  const std::uint64_t size_bytes = buffer + layout.buffer_size_bytes();
  ASSETC_CHECK(check_addressable(size_bytes));
  const std::span<std::byte> file = allocate(size_bytes);
  Filler out(file);
  out.bytes(
      object_bytes(FileHeader{kMagic, kVersionMajor, kVersionMinor, kVersionPatch, source.uuid, kMeshAssetType, 0}));
  out.bytes(tables);
  for (const GroupSource& g : source.groups) add_group(out, g);
  for (std::size_t i = 0; i < layout.mesh_extensions().size(); ++i) {
    out.pad_to(buffer + layout.mesh_extension_begin_bytes(i));
    out.bytes(layout.mesh_extensions()[i]->data);
  }
  out.run(for_each);
  // A file that the reader would refuse is never written. The two tasks read every byte and are independent.
  std::uint64_t checksum = 0;
  Result<void> opened;
  for_each(2, [&](std::size_t i) {
    if (i == 0) {
      checksum = xxh3_64(file.subspan(kFileHeaderBytes));
    } else if (auto view = open_unsummed(file); !view) {
      opened = std::unexpected(std::move(view).error());
    }
  });
  std::memcpy(file.data() + kFileHeaderBytes - sizeof checksum, &checksum, sizeof checksum);
  return opened;
}

Result<Bytes> write(const Source& source, const ForEach& for_each) {
  std::shared_ptr<std::byte[]> owner;
  std::span<std::byte> file;
  ASSETC_CHECK(write_to(
      source,
      [&](std::uint64_t size_bytes) {
        owner = std::make_unique_for_overwrite<std::byte[]>(size_bytes);  // every byte is filled
        return file = {owner.get(), static_cast<std::size_t>(size_bytes)};
      },
      for_each));
  return Bytes(std::move(owner), file);
}

}  // namespace assetc::galileo
