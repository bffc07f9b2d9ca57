// .hcluster version 1: clusters of triangles with levels of detail, in pages. Specification: docs/formats/hcluster.md.
// This header reads files. hcluster.hpp also writes them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/cluster_codec.hpp"
#include "assetc/formats/cluster_offsets.hpp"
#include "assetc/formats/fourcc.hpp"
#include "assetc/formats/hmesh_view.hpp"
#include "assetc/formats/mesh_names.hpp"

namespace assetc::hcluster {

inline constexpr std::uint32_t kMagic = fourcc("HCLU");
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint32_t kNone = 0xFFFFFFFF;
inline constexpr std::uint32_t kMaxPageBytes = 128u << 10;
inline constexpr std::uint32_t kMaxMorphPageBytes = 1u << 20;  // of one group, in a file with morph targets
inline constexpr std::uint32_t kMaxNodeChildren = 8;
inline constexpr std::uint32_t kBoxBits = 16;  // of a corner of a box
inline constexpr std::uint32_t kMaxBoxShift = kMaxComponentBits - kBoxBits;
inline constexpr std::uint16_t kSeveralMaterials = 0xFFFF;
inline constexpr std::uint16_t kNoMaterial = 0xFFFE;
inline constexpr std::uint32_t kMaxJointBits = 16;

struct Desc {
  std::uint64_t source_triangle_count;
  std::uint64_t triangle_count;  // of all clusters
  std::uint32_t cluster_count;
  std::uint32_t level_count;
  std::uint32_t box_shift;
  std::uint32_t reserved_1;
  float normal_weight, texcoord_weight, color_weight;  // one unit as a distance, in errors
  float position_error;                                // largest distance of a stored position from the source
  float skin_weight;                                   // a difference of 1 of the weights of joints, in errors
  std::uint32_t reserved_2[3];
};
static_assert(sizeof(Desc) == 64);

enum class Semantic : std::uint16_t {
  kPosition = 0,
  kNormal = 1,
  kTangent = 2,
  kTexcoord = 3,
  kColor = 4,
  kJoints = 5,
  kWeights = 6,
};

struct Channel {
  Semantic semantic;
  std::uint16_t set;
  std::uint8_t components;
  std::uint8_t bits;
  Predictor predictor;
  std::uint8_t reserved;
  float minimum[4];
  float step;
  float error;  // largest, of a component

  float value(std::size_t component, std::uint32_t integer) const {
    return minimum[component] + step * static_cast<float>(integer);
  }
};
static_assert(sizeof(Channel) == 32);

// What the codec needs to know of the channels.
std::vector<ChannelBits> bits_of(std::span<const Channel> channels);

// The directions that the angle of a tangent counts from and towards. Both are perpendicular to the unit normal.
// Source: Duff et al., "Building an Orthonormal Basis, Revisited", JCGT 6(1), 2017.
struct TangentBasis {
  std::array<float, 3> x, y;
};
inline TangentBasis tangent_basis(const std::array<float, 3>& normal) {
  const auto [nx, ny, nz] = normal;
  const float s = nz >= 0 ? 1.0f : -1.0f, k = -1 / (s + nz);
  return {{1 + s * nx * nx * k, s * nx * ny * k, -s * nx}, {nx * ny * k, s + ny * ny * k, -ny}};
}

struct Group {
  float center[3], radius;
  float error;  // infinity: nothing replaces it
  std::uint32_t level;
  std::uint32_t page;
  std::uint16_t first_cluster, cluster_count;  // in the page
};
static_assert(sizeof(Group) == 32);

struct Node {
  float center[3], radius;
  float error;  // the largest below
  std::uint32_t first_child, child_count;
  std::uint32_t has_groups;  // 1: children are groups, 0: nodes
};
static_assert(sizeof(Node) == 32);

struct Page {
  std::uint64_t offset_bytes;  // in DATA
  std::uint32_t size_bytes;
  std::uint32_t first_group, group_count;
  std::uint32_t dependency_end;  // of its dependencies, which begin where those of the page before end
  std::uint64_t hash;            // XXH3-64
};
static_assert(sizeof(Page) == 32);

struct ClusterRecord {
  std::uint16_t refined_group[2];
  std::uint16_t box_low[3], box_high[3];
  std::int8_t cone_axis[3], cone_cutoff;
  std::uint16_t material;
  std::uint16_t data_bytes;
  std::uint8_t last_vertex, last_triangle;

  // The box of the vertices in integers of channel 0.
  std::uint32_t low(std::size_t axis, std::uint32_t box_shift) const {
    return std::uint32_t{box_low[axis]} << box_shift;
  }
  std::uint32_t high(std::size_t axis, std::uint32_t box_shift) const {
    return ((box_high[axis] + 1u) << box_shift) - 1;
  }
  std::uint32_t refined() const { return refined_group[0] | std::uint32_t{refined_group[1]} << 16; }
  std::uint32_t vertex_count() const { return last_vertex + 1u; }
  std::uint32_t triangle_count() const { return last_triangle + 1u; }
};
static_assert(sizeof(ClusterRecord) == 26 && alignof(ClusterRecord) == 2);

// A file, checked except for the contents of pages. Spans point into the file.
class View {
 public:
  // file: aligned to chunks::kBufferAlignment; must outlive the view.
  static Result<View> open(ByteSpan file);
  // Opens the first bytes of a file of file_bytes: all chunks but DATA, which must come last. page() must not be called
  // then. Returns kTruncated if a chunk ends after these bytes, and kUnsupported if DATA is not the last chunk.
  static Result<View> open_head(ByteSpan head, std::uint64_t file_bytes);

  std::uint64_t file_bytes() const { return file_bytes_; }
  const Desc& desc() const { return *desc_; }
  const hmesh::MeshBounds& bounds() const { return *bounds_; }
  std::span<const Channel> channels() const { return channels_; }
  std::span<const Group> groups() const { return groups_; }
  std::span<const Node> nodes() const { return nodes_; }
  std::span<const Page> pages() const { return pages_; }
  // The pages with groups whose clusters replace groups of this page: ascending, all before it. A group may only be
  // drawn instead of its replacement if these pages are loaded, their own dependencies included.
  std::span<const std::uint32_t> dependencies(std::size_t page) const {
    const std::uint32_t first = page == 0 ? 0 : pages_[page - 1].dependency_end;
    return dependencies_.subspan(first, pages_[page].dependency_end - first);
  }
  std::span<const std::uint64_t> materials() const { return materials_; }
  // joints() is empty for a static mesh. Otherwise there are channels of joints and weights, and a PageDecoder refuses
  // vertices with other joints.
  bool is_skinned() const { return !joints_.empty(); }
  std::span<const hmesh::GpuJoint> joints() const { return joints_; }
  // As hmesh::View::pose_bounds().
  std::span<const hmesh::MeshBounds> pose_bounds() const { return pose_bounds_; }
  // Of joints alone; null if the file has none.
  const hmesh::NamesView* names() const { return names_ ? &*names_ : nullptr; }
  // The morph targets; empty if the file has none. They have no moves: a PageDecoder returns the offsets of clusters.
  const std::optional<hmesh::MorphsView>& morphs() const { return morphs_; }
  // For each target, the largest length of an offset of a position. runtime::morph_reach() adds them up.
  std::span<const float> morph_radii() const { return morph_radii_; }
  // What the integer 1 of a track stands for. Requires a track that a PageDecoder returned.
  float offset_step(const OffsetTrack& track) const;
  // The place of a page in the file.
  std::uint64_t page_offset_bytes(std::size_t page) const { return data_offset_bytes_ + pages_[page].offset_bytes; }
  // The bytes of a page. Not after open_head().
  ByteSpan page(std::size_t page) const {
    return data_.subspan(static_cast<std::size_t>(pages_[page].offset_bytes), pages_[page].size_bytes);
  }
  // The channel with a semantic and set; null if there is none.
  const Channel* find(Semantic semantic, std::uint16_t set = 0) const;

 private:
  friend class Opener;
  std::uint64_t file_bytes_ = 0, data_offset_bytes_ = 0;
  const Desc* desc_ = nullptr;
  const hmesh::MeshBounds* bounds_ = nullptr;
  std::span<const Channel> channels_;
  std::span<const Group> groups_;
  std::span<const Node> nodes_;
  std::span<const Page> pages_;
  std::span<const std::uint32_t> dependencies_;
  std::span<const std::uint64_t> materials_;
  std::span<const hmesh::GpuJoint> joints_;
  std::span<const hmesh::MeshBounds> pose_bounds_;
  std::optional<hmesh::NamesView> names_;
  std::optional<hmesh::MorphsView> morphs_;
  std::span<const float> morph_radii_;
  ByteSpan data_;
};

// Checks the bytes of a page, except for the data of its clusters: the hash, the number of clusters, and that every
// group that is replaced exists and comes after the group of its cluster. Returns the clusters, in the page.
// bytes: aligned to 2; must outlive the result. Returns kInvalidData.
Result<std::span<const ClusterRecord>> open_page(const View& view, std::uint32_t page, ByteSpan bytes);

struct MaterialRange {
  std::uint32_t material;  // of View::materials(); kNone: none
  std::uint32_t end;       // triangles before this one
};

// A cluster in integers; Channel::value() makes numbers of them.
struct DecodedCluster {
  std::uint32_t group = 0;
  std::uint32_t refined = kNone;
  std::uint32_t vertex_count = 0, triangle_count = 0;
  ClusterVertices vertices;
  ClusterTriangles triangles;
  std::array<MaterialRange, kMaxClusterTriangles> materials;
  std::uint32_t material_count = 0;  // of ranges
};

// Decodes pages. Keeps its buffers; not thread-safe, use one for each thread.
class PageDecoder {
 public:
  // view: must outlive the decoder, but only its tables are read.
  explicit PageDecoder(const View& view);
  PageDecoder(const PageDecoder&) = delete;
  PageDecoder& operator=(const PageDecoder&) = delete;

  // Begins a page. bytes: aligned to 2; must outlive the calls of next.
  // Returns kInvalidData if the bytes are not those that the table of pages describes.
  Result<void> open(std::uint32_t page, ByteSpan bytes);

  // The next cluster of the page; false after the last one. No allocation. Joints of vertices are numbers of joints of
  // the view, and weights sum to 1.
  // Returns kInvalidData if the page is damaged.
  Result<bool> next(DecodedCluster& out);

  // The offsets that morph targets add to the vertices of the cluster that next() returned last. Each track has a step
  // above 0. Allocates only where `out` must grow. Empty without morph targets.
  // Returns kInvalidData if the page is damaged.
  Result<void> offsets(ClusterOffsets& out) const;

  std::span<const ClusterRecord> records() const { return records_; }

 private:
  // Finds the offsets of the clusters of the page.
  Result<void> open_offsets();
  // The channels of joints and weights of one set: their first components.
  struct Influences {
    std::uint32_t joints, weights;
    bool sums_to_one;
  };
  bool has_skin(const DecodedCluster& cluster, const Influences& set) const;

  const View* view_;
  std::vector<ChannelBits> channels_;
  std::vector<Influences> influences_;
  GroupDecoder decoder_;
  ByteSpan bytes_;
  std::span<const ClusterRecord> records_;
  std::uint32_t cluster_ = 0, group_ = 0;
  std::size_t at_ = 0;  // in the page
  // With morph targets: where the offsets of each cluster end, as four bytes each, and the offsets.
  ByteSpan offset_ends_, offset_data_;
};

}  // namespace assetc::hcluster
