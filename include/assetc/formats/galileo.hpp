// Galileo mesh assets (.gali), also as vectors and to write. Specification: docs/formats/galileo.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/formats/galileo_view.hpp"
#include "assetc/formats/hmesh.hpp"

namespace assetc::galileo {

// Returns a version 4 UUID that depends only on the ref, so that recompiling does not change it.
Uuid uuid_of_ref(std::string_view ref);

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
  hmesh::Topology topology = hmesh::Topology::kTriangles;
  std::uint32_t flags = 0;  // of points and lines: GroupTopology::flags
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
  hmesh::Names names;    // its submeshes are the groups
  hmesh::Morphs morphs;  // of the vertices of all groups, numbered in the order of groups
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
// use. LODs and meshlets are dropped, because the format has no place for them. So are points and lines.
Model from_hmesh(const hmesh::Model& mesh, const Uuid& uuid);

// Returns the bytes of a file that View::open accepts, or the error that it would give for the model. Deterministic.
// Boxes are computed from the positions.
Result<ByteVector> write(const Model& model);

}  // namespace assetc::galileo
