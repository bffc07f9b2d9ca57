#include <array>
#include <cmath>

#include "base/plural.hpp"
#include "import/gltf/parts.hpp"
#include "import/model/repair.hpp"

namespace assetc::importer {
namespace {

// The weights of a node, instead of those of its mesh. Too many are ignored and missing ones are 0, with a warning.
Result<std::vector<float>> read_weights(GltfContext& context, const Value& json, std::uint32_t mesh) {
  constexpr std::size_t kMaxWeights = 65535;
  ASSETC_TRY(const Value weights, json.array_or_empty("weights"));
  if (weights.size() > kMaxWeights) {
    return weights.refuse(ErrorCode::kLimit, "found " + counted(weights.size(), "weight") + ", expected at most " +
                                                 std::to_string(kMaxWeights));
  }
  std::vector<float> out;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    ASSETC_TRY(const float weight, weights.item(i).as_float());
    out.push_back(weight);
  }
  const std::size_t target_count = mesh == scene::kNone ? 0 : context.out.scene.meshes[mesh].morph_weights.size();
  if (out.empty() || out.size() == target_count) return out;
  context.warn(WarningKind::kRepairedMesh, ErrorCode::kInvalidData, weights.pointer(),
               "found " + counted(out.size(), "weight") + ", expected " + std::to_string(target_count) +
                   ", one for each morph target of the node's mesh; the others are " +
                   (out.size() > target_count ? "ignored" : "0"));
  out.resize(target_count);
  return out;
}

Result<scene::Node> read_node(GltfContext& context, const Value& json) {
  scene::Node node;
  ASSETC_TRY(node.name, json.string_or("name", ""));
  ASSETC_TRY(node.mesh, json.index_or_none("mesh", context.out.scene.meshes.size(), "meshes"));
  ASSETC_TRY(const Value skins, context.root.array_or_empty("skins"));
  ASSETC_TRY(node.skin, json.index_or_none("skin", skins.size(), "skins"));
  ASSETC_TRY(node.camera, json.index_or_none("camera", context.out.scene.cameras.size(), "cameras"));
  if (const auto light = json.extension("KHR_lights_punctual")) {
    ASSETC_TRY(node.light, light->get_index("light", context.out.scene.lights.size(), "lights"));
  }
  if (const auto visibility = json.extension("KHR_node_visibility")) {
    ASSETC_TRY(node.is_visible, visibility->bool_or("visible", true));
    if (!node.is_visible) context.keep("hidden nodes", json.pointer() + "/extensions/KHR_node_visibility");
  }
  ASSETC_TRY(node.morph_weights, read_weights(context, json, node.mesh));

  scene::Mat4 matrix;
  ASSETC_TRY(const bool has_matrix, json.floats("matrix", matrix.m));
  if (has_matrix) {
    node.matrix = matrix;
    node.transform = scene::decompose(matrix);
    return node;
  }
  std::array<float, 3> t{0, 0, 0}, s{1, 1, 1};
  std::array<float, 4> r{0, 0, 0, 1};
  ASSETC_CHECK(json.floats("translation", t));
  ASSETC_CHECK(json.floats("rotation", r));
  ASSETC_CHECK(json.floats("scale", s));
  const scene::Quat rotation =
      repair_rotation({r[0], r[1], r[2], r[3]}, json.pointer() + "/rotation", context.out.warnings);
  node.transform = {{t[0], t[1], t[2]}, rotation, {s[0], s[1], s[2]}};
  return node;
}

Result<void> link_children(GltfContext& context, const Value& nodes_json) {
  auto& nodes = context.out.scene.nodes;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    ASSETC_TRY(const Value children, nodes_json.item(i).array_or_empty("children"));
    for (std::size_t k = 0; k < children.size(); ++k) {
      const Value item = children.item(k);
      ASSETC_TRY(const std::uint64_t child, item.as_uint());
      if (child >= nodes.size()) {
        return item.refuse(ErrorCode::kInvalidData, "found " + std::to_string(child) + ", expected an index below " +
                                                        std::to_string(nodes.size()) + ", the number of nodes");
      }
      if (nodes[child].parent != scene::kNone) {
        return item.refuse(ErrorCode::kInvalidData, "node " + std::to_string(child) + " is already a child of node " +
                                                        std::to_string(nodes[child].parent) +
                                                        ", expected one parent a node");
      }
      nodes[child].parent = i;
    }
  }
  // Every node has at most one parent, so a component without a root is a cycle.
  std::vector<std::uint8_t> state(nodes.size(), 0);  // 0 unseen, 1 on the current path, 2 done
  std::vector<std::uint32_t> path;
  for (std::uint32_t start = 0; start < nodes.size(); ++start) {
    std::uint32_t n = start;
    for (; n != scene::kNone && state[n] == 0; n = nodes[n].parent) {
      state[n] = 1;
      path.push_back(n);
    }
    if (n != scene::kNone && state[n] == 1) {
      return nodes_json.item(n).refuse(ErrorCode::kInvalidData,
                                       "the node is its own ancestor, expected a tree of nodes");
    }
    for (std::uint32_t p : path) state[p] = 2;
    path.clear();
  }
  return {};
}

// MSFT_lod of nodes. A level has the position of its node, so a level outside the hierarchy is moved there.
Result<void> link_levels(GltfContext& context, const Value& nodes_json) {
  auto& nodes = context.out.scene.nodes;
  std::vector<bool> has_children(nodes.size()), taken(nodes.size());
  for (const scene::Node& node : nodes) {
    if (node.parent != scene::kNone) has_children[node.parent] = true;
  }
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const auto extension = nodes_json.item(n).extension("MSFT_lod");
    if (!extension) continue;
    ASSETC_TRY(const Value ids, extension->array_or_empty("ids"));
    for (std::size_t k = 0; k < ids.size(); ++k) {
      ASSETC_TRY(const std::uint64_t id, ids.item(k).as_uint());
      if (id >= nodes.size()) {
        return ids.item(k).refuse(ErrorCode::kInvalidData, "found " + std::to_string(id) +
                                                               ", expected an index below " +
                                                               std::to_string(nodes.size()) + ", the number of nodes");
      }
      const auto level = static_cast<std::uint32_t>(id);
      if (level == n || taken[level] || taken[n] || nodes[n].mesh == scene::kNone ||
          nodes[level].mesh == scene::kNone || has_children[level] || !nodes[level].lods.empty()) {
        context.drop("unusable levels of detail", ids.item(k).pointer());
        continue;
      }
      taken[level] = true;
      if (nodes[level].parent == scene::kNone) nodes[level].parent = nodes[n].parent;
      nodes[n].lods.push_back(level);
    }
  }
  return {};
}

// Removes the meshes, cameras and lights of nodes that the default scene does not show.
Result<void> keep_default_scene(GltfContext& context) {
  auto& nodes = context.out.scene.nodes;
  ASSETC_TRY(const Value scenes, context.root.array_or_empty("scenes"));
  ASSETC_TRY(std::uint32_t shown, context.root.index_or_none("scene", scenes.size(), "scenes"));
  if (scenes.size() == 0) return {};  // no scenes: every node is shown
  if (shown == scene::kNone) shown = 0;
  context.shown_scene = shown;
  ASSETC_TRY(context.out.scene.name, scenes.item(shown).string_or("name", ""));
  if (scenes.size() > 1) {
    context.drop("extra scenes", "/scenes/" + std::to_string(shown == 0 ? 1 : 0),
                 static_cast<std::uint32_t>(scenes.size() - 1));
  }
  std::vector<std::uint8_t> visible(nodes.size(), 0);  // 0 unknown, 1 shown, 2 hidden
  const Value scene_json = scenes.item(shown);
  ASSETC_TRY(const Value roots, scene_json.array_or_empty("nodes"));
  for (std::size_t i = 0; i < roots.size(); ++i) {
    ASSETC_TRY(const std::uint64_t root, roots.item(i).as_uint());
    if (root >= nodes.size()) {
      return roots.item(i).refuse(ErrorCode::kInvalidData, "found " + std::to_string(root) +
                                                               ", expected an index below " +
                                                               std::to_string(nodes.size()) + ", the number of nodes");
    }
    visible[root] = 1;
  }
  std::vector<std::uint32_t> path;
  for (std::uint32_t start = 0; start < nodes.size(); ++start) {
    std::uint32_t n = start;
    for (; n != scene::kNone && visible[n] == 0; n = nodes[n].parent) path.push_back(n);
    const std::uint8_t answer = n == scene::kNone ? 2 : visible[n];
    for (std::uint32_t p : path) visible[p] = answer;
    path.clear();
  }
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    for (const std::uint32_t level : nodes[i].lods) visible[level] = visible[i];
  }
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (visible[i] == 1) continue;
    const std::string place = "/nodes/" + std::to_string(i);
    if (nodes[i].camera != scene::kNone) context.drop("cameras outside the default scene", place);
    if (nodes[i].light != scene::kNone) context.drop("lights outside the default scene", place);
    nodes[i].camera = nodes[i].light = scene::kNone;
    if (nodes[i].mesh == scene::kNone) continue;
    context.drop("mesh nodes outside the default scene", place);
    nodes[i].mesh = scene::kNone;
    nodes[i].skin = scene::kNone;
    nodes[i].holds_other = true;
  }
  return {};
}

// Replaces a last row that is not 0 0 0 1. It cannot bend a vertex, glTF forbids it, and no format can store it.
void make_affine(GltfContext& context, const std::string& place, std::size_t joint, scene::Mat4& matrix) {
  constexpr std::array kRow{0.0f, 0.0f, 0.0f, 1.0f};
  constexpr float kRounding = 1e-5f;
  bool is_rounding = true;
  std::string found;
  for (std::size_t c = 0; c < 4; ++c) {
    float& value = matrix.m[c * 4 + 3];
    is_rounding = is_rounding && std::fabs(value - kRow[c]) <= kRounding;
    found += (c == 0 ? "" : " ") + std::to_string(value);
    value = kRow[c];
  }
  if (is_rounding) return;
  context.warn(WarningKind::kRepairedNodes, ErrorCode::kInvalidData, place,
               "the last row of the matrix of joint " + std::to_string(joint) + " is " + found +
                   ", expected 0 0 0 1, which is used instead");
}

}  // namespace

Result<void> read_nodes(GltfContext& context) {
  ASSETC_TRY(const Value nodes, context.root.array_or_empty("nodes"));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ASSETC_TRY(scene::Node node, read_node(context, nodes.item(i)));
    context.out.scene.nodes.push_back(std::move(node));
  }
  ASSETC_CHECK(link_children(context, nodes));
  ASSETC_CHECK(link_levels(context, nodes));
  return keep_default_scene(context);
}

Result<void> read_skins(GltfContext& context) {
  ASSETC_TRY(const Value skins, context.root.array_or_empty("skins"));
  const std::size_t node_count = context.out.scene.nodes.size();
  for (std::size_t i = 0; i < skins.size(); ++i) {
    const Value json = skins.item(i);
    scene::Skin skin;
    ASSETC_TRY(skin.name, json.string_or("name", ""));
    ASSETC_TRY(const Value joints, json.array_or_empty("joints"));
    // Vertices store joint numbers in 16 bits.
    if (joints.size() == 0 || joints.size() > 65536) {
      return joints.refuse(ErrorCode::kInvalidData,
                           "found " + counted(joints.size(), "joint") + ", expected 1 to 65536");
    }
    for (std::size_t k = 0; k < joints.size(); ++k) {
      ASSETC_TRY(const std::uint64_t joint, joints.item(k).as_uint());
      if (joint >= node_count) {
        return joints.item(k).refuse(ErrorCode::kInvalidData, "found " + std::to_string(joint) +
                                                                  ", expected an index below " +
                                                                  std::to_string(node_count) + ", the number of nodes");
      }
      skin.joints.push_back(static_cast<std::uint32_t>(joint));
    }
    skin.inverse_bind.resize(skin.joints.size());
    ASSETC_TRY(const std::uint32_t accessor_index,
               json.index_or_none("inverseBindMatrices", context.data.accessor_count(), "accessors"));
    if (accessor_index != scene::kNone) {
      ASSETC_TRY(const Accessor accessor, context.data.accessor(accessor_index));
      if (accessor.component != Component::kF32 || accessor.columns != 4 || accessor.count < skin.joints.size()) {
        return fail_at(ErrorCode::kInvalidData, json.pointer() + "/inverseBindMatrices",
                       "found " + counted(accessor.count, "element") + " of " + accessor.type_name() + ", expected " +
                           std::to_string(skin.joints.size()) + " of MAT4 of float, one a joint");
      }
      ASSETC_CHECK(context.data.budget().take(accessor.count, sizeof(scene::Mat4), accessor.place));
      std::vector<float> values(static_cast<std::size_t>(accessor.count) * 16);
      ASSETC_CHECK(read_floats(accessor, 16, values));
      for (std::size_t k = 0; k < skin.joints.size(); ++k) {
        for (std::size_t e = 0; e < 16; ++e) {
          const float value = values[k * 16 + e];
          if (!std::isfinite(value)) {
            return fail_at(ErrorCode::kInvalidData, json.pointer() + "/inverseBindMatrices",
                           "the matrix of joint " + std::to_string(k) + " holds a value that is not finite");
          }
          skin.inverse_bind[k].m[e] = value;
        }
        make_affine(context, json.pointer() + "/inverseBindMatrices", k, skin.inverse_bind[k]);
      }
    }
    context.out.scene.skins.push_back(std::move(skin));
  }
  return {};
}

}  // namespace assetc::importer
