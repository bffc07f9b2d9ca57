// Transforms of nodes where ufbx 0.20 differs from its own evaluation of a file that it loads unchanged:
// - RotationActive is not read.
// - A node whose children do not inherit its scale gives the scale to a child of its own, the scale helper. Then its
//   scaling pivot moves nothing, and the scale moves the translation of a child without the offsets and pivots of it.
// - The geometric transform of a node moves the vertices of its mesh, but not the offsets of blend shapes.
#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <span>

#include "import/fbx/ufbx/parts.hpp"

namespace assetc::importer::fbx {
namespace {

ufbx_vec3 vec3(ufbx_real x, ufbx_real y, ufbx_real z) {
  ufbx_vec3 v;
  v.x = x, v.y = y, v.z = z;
  return v;
}
ufbx_vec3 product(const ufbx_vec3& a, const ufbx_vec3& b) { return vec3(a.x * b.x, a.y * b.y, a.z * b.z); }
ufbx_vec3 sum(const ufbx_vec3& a, const ufbx_vec3& b) { return vec3(a.x + b.x, a.y + b.y, a.z + b.z); }

ufbx_vec3 value_of(const ufbx_anim& anim, const ufbx_node& node, const char* property, double time) {
  return ufbx_evaluate_prop(&anim, &node.element, property, time).value_vec3;
}

ufbx_vec3 own_scale(const ufbx_anim& anim, const ufbx_node& helper, double time) {
  constexpr std::uint32_t kFlags =
      UFBX_TRANSFORM_FLAG_IGNORE_SCALE_HELPER | UFBX_TRANSFORM_FLAG_IGNORE_COMPONENTWISE_SCALE;
  return ufbx_evaluate_transform_flags(&anim, &helper, time, kFlags).scale;
}

// The scale of a scale helper: that of its node, and of the nodes from which that one inherits its scale.
ufbx_vec3 helper_scale(const ufbx_anim& anim, const ufbx_node& helper, double time) {
  ufbx_vec3 scale = own_scale(anim, helper, time);
  const ufbx_node* above = helper.parent == nullptr ? nullptr : helper.parent->inherit_scale_node;
  for (; above != nullptr && above->scale_helper != nullptr; above = above->inherit_scale_node)
    scale = product(scale, own_scale(anim, *above->scale_helper, time));
  return scale;
}

// How far the scaling pivot of a node moves what its scale helper scales.
ufbx_vec3 moved_by_pivot(const ufbx_anim& anim, const ufbx_node& node, const ufbx_quat& rotation, double time) {
  const ufbx_vec3 pivot = value_of(anim, node, "ScalingPivot", time);
  const ufbx_vec3 scale = own_scale(anim, *node.scale_helper, time);
  ufbx_vec3 move = vec3(pivot.x * (1 - scale.x), pivot.y * (1 - scale.y), pivot.z * (1 - scale.z));
  if (node.has_adjust_transform) {
    const ufbx_real factor = node.adjust_pre_scale * node.adjust_translation_scale;
    move = product(move, vec3(factor, factor, factor));
  }
  if (node.adjust_mirror_axis == UFBX_MIRROR_AXIS_X) move.x = -move.x;
  if (node.adjust_mirror_axis == UFBX_MIRROR_AXIS_Y) move.y = -move.y;
  if (node.adjust_mirror_axis == UFBX_MIRROR_AXIS_Z) move.z = -move.z;
  return ufbx_quat_rotate_vec3(rotation, move);
}

const ufbx_prop* own_property(const ufbx_props& properties, std::string_view name) {
  const auto all = std::span(properties.props.data, properties.props.count);
  const auto found = std::ranges::find(all, name, [](const ufbx_prop& property) { return view(property.name); });
  return found == all.end() ? nullptr : &*found;
}

// A node whose RotationActive is 0 has the order XYZ and no rotations before and after its own.
bool clear_rotations(ufbx_node& node) {
  const ufbx_prop* active = ufbx_find_prop(&node.props, "RotationActive");
  if (active == nullptr || active->value_int != 0) return false;
  bool changed = false;
  for (ufbx_prop& property : std::span(node.props.props.data, node.props.props.count)) {
    const std::string_view name = view(property.name);
    if (name != "PreRotation" && name != "PostRotation" && name != "RotationOrder") continue;
    property.value_vec3 = {};
    property.value_int = 0;
    changed = true;
  }
  return changed;
}

bool has_geometric_transform(const ufbx_node& node) {
  return own_property(node.props, "GeometricTranslation") != nullptr ||
         own_property(node.props, "GeometricRotation") != nullptr ||
         own_property(node.props, "GeometricScaling") != nullptr;
}

// The offsets of a shape of this mesh, after the geometric transform.
void transform_shape(ufbx_blend_shape& shape, const ufbx_mesh& mesh, const ufbx_matrix& geometry) {
  for (ufbx_vec3& offset : std::span(shape.position_offsets.data, shape.position_offsets.count))
    offset = ufbx_transform_direction(&geometry, offset);
  // A normal n became N n, divided by its length. Its offset is divided by the same length.
  const ufbx_matrix normals = ufbx_matrix_for_normals(&geometry), back = ufbx_matrix_invert(&normals);
  for (std::size_t i = 0; i < shape.normal_offsets.count; ++i) {
    const std::uint32_t vertex = shape.offset_vertices.data[i];
    const std::uint32_t corner =
        vertex < mesh.vertex_first_index.count ? mesh.vertex_first_index.data[vertex] : UFBX_NO_INDEX;
    double length = 1;
    if (mesh.vertex_normal.exists && corner < mesh.num_indices) {
      const ufbx_vec3 normal = ufbx_get_vertex_vec3(&mesh.vertex_normal, corner);
      const ufbx_vec3 n = ufbx_transform_direction(&back, normal);
      length = std::sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    }
    const ufbx_vec3 offset = ufbx_transform_direction(&normals, shape.normal_offsets.data[i]);
    shape.normal_offsets.data[i] = product(offset, vec3(length, length, length));
  }
}

}  // namespace

ufbx_transform local_transform(const ufbx_anim& anim, const ufbx_node& node, double time) {
  ufbx_transform local = ufbx_evaluate_transform_flags(&anim, &node, time, UFBX_TRANSFORM_FLAG_IGNORE_SCALE_HELPER);
  if (node.is_scale_helper) local.scale = helper_scale(anim, node, time);
  if (node.scale_helper != nullptr)
    local.translation = sum(local.translation, moved_by_pivot(anim, node, local.rotation, time));
  const ufbx_node* parent = node.parent;
  if (parent != nullptr && parent->scale_helper != nullptr && !node.is_scale_helper)
    local.translation = product(local.translation, helper_scale(anim, *parent->scale_helper, time));
  return local;
}

Result<void> correct_transforms(ufbx_scene& scene, ByteSpan file, const ufbx_load_opts& options) {
  for (ufbx_node* node : std::span(scene.nodes.data, scene.nodes.count)) clear_rotations(*node);
  const auto needs_geometry = [](const ufbx_mesh* mesh) {
    return mesh->blend_deformers.count != 0 && mesh->instances.count == 1 &&
           has_geometric_transform(*mesh->instances.data[0]);
  };
  const auto meshes = std::span(scene.meshes.data, scene.meshes.count);
  if (std::ranges::none_of(meshes, needs_geometry)) return {};
  // ufbx forgets the geometric transforms that it applied. A second scene, without geometry, has them.
  ufbx_load_opts again = options;
  again.geometry_transform_handling = UFBX_GEOMETRY_TRANSFORM_HANDLING_PRESERVE;
  again.ignore_geometry = true;
  again.ignore_animation = true;
  again.ignore_embedded = true;
  ufbx_error error{};
  const std::unique_ptr<ufbx_scene, void (*)(ufbx_scene*)> plain(
      ufbx_load_memory(file.data(), file.size(), &again, &error), ufbx_free_scene);
  if (!plain) {
    if (error.type == UFBX_ERROR_OUT_OF_MEMORY) fail_for_memory();
    return fail(ErrorCode::kInvalidData, "ufbx cannot read it again: " + std::string(view(error.description)));
  }
  std::set<const ufbx_blend_shape*> done;  // meshes may share a shape
  for (const ufbx_mesh* mesh : meshes) {
    if (!needs_geometry(mesh)) continue;
    // Elements have the numbers of the file in both scenes.
    const std::uint32_t id = mesh->instances.data[0]->element_id;
    if (id >= plain->elements.count) continue;
    const ufbx_node* node = ufbx_as_node(plain->elements.data[id]);
    if (node == nullptr) continue;
    for (const ufbx_blend_channel* channel : channels_of(*mesh)) {
      for (const ufbx_blend_keyframe& key : std::span(channel->keyframes.data, channel->keyframes.count))
        if (done.insert(key.shape).second) transform_shape(*key.shape, *mesh, node->geometry_to_node);
    }
  }
  return {};
}

}  // namespace assetc::importer::fbx
