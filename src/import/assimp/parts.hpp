// Converts the scene that assimp read, part by part.
#pragma once

#include <assimp/scene.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/source.hpp"

namespace assetc::importer::assimp {

// assimp represents one FBX node as a chain of nodes. The pivots and offsets are above the node that has the name.
struct NodeChain {
  std::vector<const aiNode*> nodes;  // from the top down; the last is the node itself
  std::uint32_t node = scene::kNone;
};

struct Context {
  const aiScene& source;
  Imported& out;
  float meters = 0.01f;             // meters per unit of the file
  scene::Mat4 up{};                 // converts the file's axes to +Y up and +Z to the front
  std::vector<NodeChain> chains{};  // one per node of the scene, in order
  std::unordered_map<std::string_view, std::uint32_t> node_of_name{};
  std::vector<const aiTexture*> embedded_of{};  // one per image of the scene; null for an external one
  std::vector<std::uint32_t> material_of{};     // by assimp's index; kNone for the material that assimp adds

  void drop(std::string_view what, std::string_view where, std::uint32_t count = 1) {
    if (count != 0) add_dropped(out.scene.dropped, what, where, count);
  }
  void warn(WarningKind kind, std::string place, std::string what, std::string hint = {}) {
    out.warnings.push_back({kind, ErrorCode::kInvalidData, {}, std::move(place), std::move(what), std::move(hint)});
  }
};

inline std::string_view view(const aiString& text) { return {text.data, text.length}; }
inline std::string quoted(std::string_view kind, std::string_view name) {
  return std::string(kind).append(" \"").append(name).append("\"");
}
inline scene::Vec3 to_vec3(const aiVector3D& v) { return {v.x, v.y, v.z}; }
scene::Mat4 to_mat4(const aiMatrix4x4& m);
// The same transform in meters.
scene::Mat4 in_meters(scene::Mat4 m, float meters);
// The node's own transform. For the root, the conversion of the file's axes.
scene::Mat4 local_of(const Context& context, const aiNode& node);

// Call them in this order.
void read_units(Context& context);
void read_nodes(Context& context);
void read_materials(Context& context);
Result<void> read_meshes(Context& context);
Result<void> read_clips(Context& context);

}  // namespace assetc::importer::assimp
