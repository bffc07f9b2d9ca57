// Galileo mesh assets (.gali). Specification, with the contradictions in the original document:
// docs/formats/galileo.md.
// This header reads files. galileo.hpp also writes them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"
#include "assetc/formats/fourcc.hpp"
#include "assetc/formats/hmesh_view.hpp"

namespace assetc::galileo {

struct Model;  // galileo.hpp

inline constexpr std::uint32_t kMagic = fourcc("GALI");
inline constexpr std::uint8_t kVersionMajor = 0;
inline constexpr std::uint8_t kVersionMinor = 1;
inline constexpr std::uint16_t kVersionPatch = 0;
inline constexpr std::uint32_t kMeshAssetType = 1;
inline constexpr std::size_t kBufferAlignment = 4;
inline constexpr std::size_t kFileHeaderBytes = 36;
inline constexpr std::size_t kManifestBytes = 44;
inline constexpr std::size_t kGroupInfoBytes = 56;
inline constexpr std::size_t kExtensionInfoBytes = 32;
inline constexpr std::size_t kMaxExtensionName = 16;
// How far a position may lie outside its group's box, relative to the box's position and size. Other writers round
// differently.
inline constexpr float kBoxTolerance = 1e-5f;

// The extensions of assetc. The data of each mesh extension begins with a u32: the size of the rest.
inline constexpr std::string_view kMaterialsExtension = "assetc.materials";  // slot of each group, hash of each slot
inline constexpr std::string_view kSkeletonExtension = "assetc.skeleton";    // hmesh::GpuJoint[]
inline constexpr std::string_view kNamesExtension = "assetc.names";          // the payload of a NAME chunk
inline constexpr std::string_view kMorphsExtension = "assetc.morphs";        // the payload of an MRPH chunk
// For each group its topology, flags and range of indices; the indices.
inline constexpr std::string_view kTopologyExtension = "assetc.topology";
// Returns the name of the attribute extension with the exact f32x2 texture coordinates of a channel: "assetc.uv0.f32".
std::string exact_texcoord_extension(std::size_t channel);

using Float2 = std::array<float, 2>;
using Float3 = std::array<float, 3>;
using Float4 = std::array<float, 4>;
using Unorm2 = std::array<std::uint16_t, 2>;
using Byte4 = std::array<std::uint8_t, 4>;
using Short4 = std::array<std::uint16_t, 4>;

struct Box {
  Float3 center{};
  Float3 half_extent{};
  bool operator==(const Box&) const = default;
};

struct AttributeExtensionView {
  std::string_view name;
  std::uint32_t version = 0;
  ByteSpan data;  // stride_bytes for each vertex
  std::size_t stride_bytes = 0;
};

struct ExtensionView {
  std::string_view name;
  std::uint32_t version = 0;
  ByteSpan data;  // up to the next object in the buffer: may end with padding
};

// The row of a group in kTopologyExtension.
struct GroupTopology {
  hmesh::Topology topology;
  std::uint32_t flags;  // hmesh::GpuPrimitive::kHasNormals and kHasTangents; 0 for triangles
  std::uint32_t first_index;
  std::uint32_t index_count;  // 0 for triangles, whose indices are in the slice
};
static_assert(sizeof(GroupTopology) == 16);

// One draw. Indices are relative to the first vertex of the group. Each attribute has vertex_count() elements.
struct GroupView {
  Box box;
  hmesh::Topology topology = hmesh::Topology::kTriangles;  // how indices are read
  std::uint32_t flags = 0;                                 // of points and lines: GroupTopology::flags
  std::span<const std::uint32_t> indices;
  std::span<const Float3> positions;
  std::span<const Float3> normals;
  std::span<const Float4> tangents;  // w: handedness
  std::vector<std::span<const Unorm2>> texcoords;
  std::vector<std::span<const Byte4>> colors;
  std::vector<std::span<const Short4>> joints;
  std::vector<std::span<const Short4>> weights;  // unorm; as many channels as joints
  std::vector<AttributeExtensionView> extensions;
  std::uint32_t material_slot = hmesh::kNoMaterial;

  std::size_t vertex_count() const { return positions.size(); }
  // Returns the exact texture coordinates of a channel, if the file has them in addition to the unorm ones.
  std::optional<std::span<const Float2>> exact_texcoords(std::size_t channel) const;
};

// A valid .gali, read in place.
// Errors of open(): kTruncated, kInvalidData (a wrong checksum, overlapping groups, a chain with a cycle ...),
// kVersion, kUnsupported (an asset that is not a mesh), kUsage (a misaligned buffer).
// Constraints: file starts at a multiple of kBufferAlignment and outlives the view.
// Thread safety: const.
class View {
 public:
  static Result<View> open(ByteSpan file);

  const Uuid& uuid() const { return uuid_; }
  const Box& box() const { return box_; }
  std::span<const GroupView> groups() const { return {groups_.data(), groups_.size()}; }
  std::span<const ExtensionView> extensions() const { return {extensions_.data(), extensions_.size()}; }
  const ExtensionView* find_extension(std::string_view name) const;

  // The content of assetc's extensions, or empty if the file does not have them.
  std::span<const std::uint64_t> materials() const { return {materials_.data(), materials_.size()}; }
  std::span<const hmesh::GpuJoint> joints() const { return joints_; }
  const std::optional<hmesh::NamesView>& names() const { return names_; }
  // The vertices of all groups are numbered in the order of groups.
  const std::optional<hmesh::MorphsView>& morphs() const { return morphs_; }

  Model to_model() const;

 private:
  friend class Opener;
  View() = default;

  Uuid uuid_{};
  Box box_;
  std::vector<GroupView> groups_;
  std::vector<ExtensionView> extensions_;
  std::vector<std::uint64_t> materials_;
  std::span<const hmesh::GpuJoint> joints_;
  std::optional<hmesh::NamesView> names_;
  std::optional<hmesh::MorphsView> morphs_;
};

}  // namespace assetc::galileo
