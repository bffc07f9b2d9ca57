// Reads the tree of nodes and the properties that users add.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "import/fbx/ufbx/parts.hpp"
#include "import/model/finite.hpp"
#include "json/json.hpp"

namespace assetc::importer::fbx {
namespace {

using scene::Quat;

constexpr float kHalf = 0.70710678118654752f;     // sine and cosine of 45 degrees
constexpr Quat kCameraTurn{0, -kHalf, 0, kHalf};  // -Z to +X, +Y stays
constexpr Quat kLightTurn{-kHalf, 0, 0, kHalf};   // -Z to -Y

bool is_finite(const scene::Transform& t) {
  return all_finite({&t.translation.x, 3}) && all_finite({&t.rotation.x, 4}) && all_finite({&t.scale.x, 3});
}

std::string name_of(const ufbx_node& node) {
  std::string name(view(node.name));
  const ufbx_node* parent = node.parent;
  if (name.empty() && parent != nullptr && (node.is_geometry_transform_helper || node.is_scale_helper))
    name = std::string(view(parent->name)).append(node.is_scale_helper ? "_scale" : "_geometry");
  return name;
}

// Files of FBX 3 to 5 have percents, which ufbx 0.20 does not read.
bool is_visible(const ufbx_node& node) {
  const ufbx_prop* visibility = ufbx_find_prop(&node.props, "Visibility");
  return visibility == nullptr || visibility->value_int != 0 || visibility->value_real != 0;
}

using NodeMember = std::uint32_t scene::Node::*;

// Sets the camera or light of a node. A node with children or with anything else gets a child for it.
void attach(Context& context, const ufbx_node& source, NodeMember member, std::uint32_t object, const Quat& turn) {
  auto& nodes = context.out.scene.nodes;
  NodeUse& use = context.nodes[source.typed_id];
  if (source.children.count == 0 && source.all_attribs.count == 1) {
    use.turn = turn;
    nodes[use.node].transform.rotation = nodes[use.node].transform.rotation * turn;
    nodes[use.node].*member = object;
    return;
  }
  scene::Node& child = nodes.emplace_back();
  child.name = nodes[use.node].name + (turn.x == 0 ? "_camera" : "_light");
  child.parent = use.node;
  child.transform.rotation = turn;
  child.*member = object;
}

void read_node(Context& context, const ufbx_node& source) {
  auto& nodes = context.out.scene.nodes;
  NodeUse& use = context.nodes[source.typed_id];
  use.node = static_cast<std::uint32_t>(nodes.size());
  scene::Node& node = nodes.emplace_back();
  node.name = name_of(source);
  if (source.parent != nullptr) node.parent = context.nodes[source.parent->typed_id].node;
  node.is_visible = is_visible(source);
  node.extra = extra_of(source.props);
  const std::string place = quoted("node", node.name);
  if (!node.extra.empty()) context.keep("extras", place);
  if (!node.is_visible) context.keep("hidden nodes", place);
  const ufbx_transform local = local_transform(context.rest, source, 0);
  const scene::Transform transform{to_vec3(local.translation), to_quat(local.rotation), to_vec3(local.scale)};
  if (is_finite(transform)) {
    node.transform = transform;
  } else {
    context.warn(WarningKind::kRepairedNodes, place, "its transform is not finite; it stays at its parent's place");
  }
  if (source.camera != nullptr) {
    add_dropped_cameras(context.out.scene.dropped, place);
    attach(context, source, &scene::Node::camera, source.camera->typed_id, kCameraTurn);
  }
  if (source.light != nullptr) {
    context.keep("lights", place);
    attach(context, source, &scene::Node::light, source.light->typed_id, kLightTurn);
  }
  for (const ufbx_element* attribute : std::span(source.all_attribs.data, source.all_attribs.count)) {
    std::string_view what;
    switch (attribute->type) {
      case UFBX_ELEMENT_NURBS_CURVE:
        what = "NURBS curves";
        break;
      case UFBX_ELEMENT_NURBS_SURFACE:
      case UFBX_ELEMENT_NURBS_TRIM_SURFACE:
        what = "NURBS surfaces";
        break;
      case UFBX_ELEMENT_PROCEDURAL_GEOMETRY:
        what = "procedural geometry";
        break;
      case UFBX_ELEMENT_STEREO_CAMERA:
        what = "stereo cameras";
        break;
      default:
        continue;
    }
    nodes[use.node].holds_other = true;
    context.drop(what, place);
  }
}

Json value_of(const ufbx_prop& property) {
  const auto numbers = [&](std::size_t count) {
    Json array = Json::array();
    for (std::size_t i = 0; i < count; ++i) array.push_back(property.value_real_arr[i]);
    return array;
  };
  switch (property.type) {
    case UFBX_PROP_BOOLEAN:
      return property.value_int != 0;
    case UFBX_PROP_INTEGER:
      return property.value_int;
    case UFBX_PROP_NUMBER:
    case UFBX_PROP_DISTANCE:
      return property.value_real;
    case UFBX_PROP_VECTOR:
    case UFBX_PROP_COLOR:
    case UFBX_PROP_TRANSLATION:
    case UFBX_PROP_ROTATION:
    case UFBX_PROP_SCALING:
      return numbers(3);
    case UFBX_PROP_COLOR_WITH_ALPHA:
      return numbers(4);
    case UFBX_PROP_STRING:
    case UFBX_PROP_DATE_TIME:
      return std::string(view(property.value_str));
    default:
      return nullptr;
  }
}

}  // namespace

scene::Vec3 to_vec3(const ufbx_vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

Quat to_quat(const ufbx_quat& q) {
  const ufbx_quat unit = ufbx_quat_normalize(q);
  return {static_cast<float>(unit.x), static_cast<float>(unit.y), static_cast<float>(unit.z),
          static_cast<float>(unit.w)};
}

scene::Mat4 to_mat4(const ufbx_matrix& m) {
  scene::Mat4 out;
  for (std::size_t c = 0; c < 4; ++c) {
    const scene::Vec3 column = to_vec3(m.cols[c]);
    out.m[4 * c] = column.x, out.m[4 * c + 1] = column.y, out.m[4 * c + 2] = column.z;
  }
  return out;
}

scene::ExtraJson extra_of(const ufbx_props& properties) {
  Json extras = Json::object();
  for (const ufbx_prop& property : std::span(properties.props.data, properties.props.count)) {
    if ((property.flags & UFBX_PROP_FLAG_USER_DEFINED) == 0) continue;
    Json value = value_of(property);
    if (!value.is_null()) extras[std::string(view(property.name))] = std::move(value);
  }
  if (extras.empty()) return {};
  return Json{{"extras", std::move(extras)}}.text({.is_sorted = true});
}

void read_nodes(Context& context) {
  context.nodes.resize(context.source.nodes.count);
  // Depth first, children in the order of the file.
  std::vector<const ufbx_node*> stack{context.source.root_node};
  while (!stack.empty()) {
    const ufbx_node& source = *stack.back();
    stack.pop_back();
    if (!source.is_root) read_node(context, source);
    for (std::size_t child = source.children.count; child-- != 0;) stack.push_back(source.children.data[child]);
  }
}

}  // namespace assetc::importer::fbx
