// Galileo mesh assets (.gali). Specification, with the contradictions in the original document:
// docs/formats/galileo.md.
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
// How far a position may lie outside its group's box, relative to the box's position and size. Other writers round
// differently.
inline constexpr float kBoxTolerance = 1e-5f;

// The extensions of assetc. The data of each mesh extension begins with a u32: the size of the rest.
inline constexpr std::string_view kMaterialsExtension = "assetc.materials";  // slot of each group, hash of each slot
inline constexpr std::string_view kSkeletonExtension = "assetc.skeleton";    // hmesh::GpuJoint[]
inline constexpr std::string_view kNamesExtension = "assetc.names";          // the payload of a NAME chunk
// Returns the name of the attribute extension with the exact f32x2 texture coordinates of a channel: "assetc.uv0.f32".
std::string exact_texcoord_extension(std::size_t channel);

// Returns a version 4 UUID that depends only on the ref, so that recompiling does not change it.
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
  ByteSpan data;  // up to the next object in the buffer: may end with padding
};

// One draw. Indices are relative to the first vertex of the group. Each attribute has vertex_count() elements.
struct GroupView {
  Box box;
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
  std::vector<std::vector<Float2>> texcoords;  // stored as unorm; also stored exactly if unorm cannot represent them
  std::vector<std::vector<Byte4>> colors;
  std::vector<std::vector<Short4>> joints;
  std::vector<std::vector<Short4>> weights;  // see quantize_weights()
  std::vector<AttributeExtension> extensions;
  std::uint32_t material_slot = hmesh::kNoMaterial;
  bool operator==(const VertexGroup&) const = default;
};

struct Model {
  Uuid uuid{};
  std::vector<VertexGroup> groups;
  std::vector<std::uint64_t> materials;  // hash_asset_ref of each slot
  std::vector<hmesh::GpuJoint> joints;
  hmesh::Names names;  // its submeshes are the groups
  std::vector<Extension> extensions;
  bool operator==(const Model&) const = default;
};

// Returns whether a texture coordinate channel has values outside [0, 1]. write() then adds the exact values. Tools
// should warn the user.
bool needs_exact_texcoords(std::span<const Float2> texcoords);
// Converts weights to unorm values whose sum is exactly 65535, by the largest remainder method. If all weights are
// zero, the first gets the whole sum. Negative and non-finite weights count as 0.
// Requires weights.size() == out.size() >= 1.
void quantize_weights(std::span<const float> weights, std::span<std::uint16_t> out);
// Returns a .hmesh as groups, one for each submesh. Each group has the vertices that it uses, in the order of first
// use. LODs and meshlets are dropped, because the format has no place for them.
Model from_hmesh(const hmesh::Model& mesh, const Uuid& uuid);

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
  std::span<const GroupView> groups() const { return groups_; }
  std::span<const ExtensionView> extensions() const { return extensions_; }
  const ExtensionView* find_extension(std::string_view name) const;

  // The content of assetc's extensions, or empty if the file does not have them.
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

// Returns the bytes of a file that View::open accepts, or the error that it would give for the model. Deterministic.
// Boxes are computed from the positions.
Result<ByteVector> write(const Model& model);

}  // namespace assetc::galileo
