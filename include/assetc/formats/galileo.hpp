// Galileo mesh assets (.gali). Specification, and where the original contradicts itself: docs/formats/galileo.md.
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
#include "assetc/formats/hmesh.hpp"

namespace assetc::galileo {

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
// How far a position may leave its group's box, relative to where the box lies: other writers round differently.
inline constexpr float kBoxTolerance = 1e-5f;

// Extensions of ours. Each mesh extension's data begins with the u32 size of the rest.
inline constexpr std::string_view kMaterialsExtension = "assetc.materials";  // slots of groups, hashes of slots
inline constexpr std::string_view kSkeletonExtension = "assetc.skeleton";    // hmesh::GpuJoint[]
inline constexpr std::string_view kNamesExtension = "assetc.names";          // the payload of a NAME chunk
// The attribute extension with the exact f32x2 of a texcoord channel: "assetc.uv0.f32".
std::string exact_texcoord_extension(std::size_t channel);

// A version 4 UUID that is a function of the ref alone, so that it survives recompiling.
Uuid uuid_of_ref(std::string_view ref);

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
  ByteSpan data;  // up to whatever the buffer holds next: may end in padding
};

// One draw. Indices count from the group's own first vertex; attributes have vertex_count elements each.
struct GroupView {
  Box box;
  std::span<const std::uint32_t> indices;
  std::span<const Float3> positions;
  std::span<const Float3> normals;
  std::span<const Float4> tangents;  // w: handedness
  std::vector<std::span<const Unorm2>> texcoords;
  std::vector<std::span<const Byte4>> colors;
  std::vector<std::span<const Short4>> joints;
  std::vector<std::span<const Short4>> weights;  // unorm, as many channels as joints
  std::vector<AttributeExtensionView> extensions;
  std::uint32_t material_slot = hmesh::kNoMaterial;

  std::size_t vertex_count() const { return positions.size(); }
  // The exact texcoords of a channel, when the file carries them beside the unorm ones.
  std::optional<std::span<const Float2>> exact_texcoords(std::size_t channel) const;
};

struct AttributeExtension {
  std::string name;  // at most 16 bytes
  std::uint32_t version = 1;
  std::size_t stride_bytes = 4;  // a multiple of 4
  ByteVector data;
  bool operator==(const AttributeExtension&) const = default;
};

struct Extension {
  std::string name;
  std::uint32_t version = 1;
  ByteVector data;
  bool operator==(const Extension&) const = default;
};

struct VertexGroup {
  std::vector<std::uint32_t> indices;
  std::vector<Float3> positions;
  std::vector<Float3> normals;
  std::vector<Float4> tangents;
  std::vector<std::vector<Float2>> texcoords;  // stored as unorm, and exactly as well where unorm cannot hold them
  std::vector<std::vector<Byte4>> colors;
  std::vector<std::vector<Short4>> joints;
  std::vector<std::vector<Short4>> weights;  // quantize_weights()
  std::vector<AttributeExtension> extensions;
  std::uint32_t material_slot = hmesh::kNoMaterial;
  bool operator==(const VertexGroup&) const = default;
};

struct Model {
  Uuid uuid{};
  std::vector<VertexGroup> groups;
  std::vector<std::uint64_t> materials;  // hash_asset_ref of each slot
  std::vector<hmesh::GpuJoint> joints;
  hmesh::Names names;  // submeshes are groups
  std::vector<Extension> extensions;
  bool operator==(const Model&) const = default;
};

// Whether a texcoord channel leaves [0, 1], so that write() adds its exact values; worth a warning to the user.
bool needs_exact_texcoords(std::span<const Float2> texcoords);
// Weights as unorm that sum to exactly 65535, by largest remainder. All zero: the first takes everything.
// Requires weights.size() == out.size(), at least 1. Negative and non-finite weights count as 0.
void quantize_weights(std::span<const float> weights, std::span<std::uint16_t> out);
// A .hmesh as groups, one a submesh, each with the vertices that it uses in order of first use. LODs and meshlets
// have no place here.
Model from_hmesh(const hmesh::Model& mesh, const Uuid& uuid);

// A valid .gali, read in place.
// Errors: kTruncated, kInvalidData (a wrong checksum, overlapping groups, a chain that loops ...), kVersion,
// kUnsupported (an asset that is no mesh), kUsage (a misaligned buffer).
// Constraints: file starts at a multiple of kBufferAlignment and outlives the view. Thread safety: const.
class View {
 public:
  static Result<View> open(ByteSpan file);

  const Uuid& uuid() const { return uuid_; }
  const Box& box() const { return box_; }
  std::span<const GroupView> groups() const { return groups_; }
  std::span<const ExtensionView> extensions() const { return extensions_; }
  const ExtensionView* find_extension(std::string_view name) const;

  // Of our extensions; empty when the file lacks them.
  std::span<const std::uint64_t> materials() const { return materials_; }
  std::span<const hmesh::GpuJoint> joints() const { return joints_; }
  const std::optional<hmesh::NamesView>& names() const { return names_; }

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
};

// The bytes of a file that View::open accepts, or its error about the model. Deterministic. Boxes are derived.
Result<ByteVector> write(const Model& model);

}  // namespace assetc::galileo
