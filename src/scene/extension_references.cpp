#include "scene/extension_references.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "json/json.hpp"
#include "scene/scene.hpp"

namespace assetc::scene {
namespace {

struct Rule {
  std::string_view extension;
  std::string_view path;  // '*': each item or member
  ReferenceKind kind;
  TextureUsage usage = TextureUsage::kAuto;
};

using enum ReferenceKind;
using enum TextureUsage;

constexpr Rule kRules[] = {
    {"VRMC_vrm", "humanoid/humanBones/*/node", kNode},
    {"VRMC_vrm", "firstPerson/meshAnnotations/*/node", kDrawingNode},
    {"VRMC_vrm", "expressions/*/*/morphTargetBinds/*/node", kDrawingNode},
    {"VRMC_vrm", "expressions/*/*/materialColorBinds/*/material", kMaterial},
    {"VRMC_vrm", "expressions/*/*/textureTransformBinds/*/material", kMaterial},
    {"VRMC_vrm", "meta/thumbnailImage", kImage},
    {"VRMC_springBone", "colliders/*/node", kNode},
    {"VRMC_springBone", "springs/*/joints/*/node", kNode},
    {"VRMC_springBone", "springs/*/center", kNode},
    {"VRMC_node_constraint", "constraint/*/source", kNode},
    {"VRMC_vrm_animation", "humanoid/humanBones/*/node", kNode},
    {"VRMC_vrm_animation", "expressions/*/*/node", kNode},
    {"VRMC_vrm_animation", "lookAt/node", kNode},
    {"VRMC_materials_mtoon", "shadeMultiplyTexture/index", kTexture, kColor},
    {"VRMC_materials_mtoon", "shadingShiftTexture/index", kTexture, kLinear},
    {"VRMC_materials_mtoon", "matcapTexture/index", kTexture, kColor},
    {"VRMC_materials_mtoon", "rimMultiplyTexture/index", kTexture, kColor},
    {"VRMC_materials_mtoon", "outlineWidthMultiplyTexture/index", kTexture, kLinear},
    {"VRMC_materials_mtoon", "uvAnimationMaskTexture/index", kTexture, kLinear},
    {"VRM", "humanoid/humanBones/*/node", kNode},
    {"VRM", "firstPerson/firstPersonBone", kNode},
    {"VRM", "firstPerson/meshAnnotations/*/mesh", kMesh},
    {"VRM", "blendShapeMaster/blendShapeGroups/*/binds/*/mesh", kMesh},
    {"VRM", "secondaryAnimation/boneGroups/*/bones/*", kNode},
    {"VRM", "secondaryAnimation/boneGroups/*/center", kNode},
    {"VRM", "secondaryAnimation/colliderGroups/*/node", kNode},
    {"VRM", "meta/texture", kTexture, kColor},
    {"VRM", "materialProperties/*/textureProperties/_MainTex", kTexture, kColor},
    {"VRM", "materialProperties/*/textureProperties/_ShadeTexture", kTexture, kColor},
    {"VRM", "materialProperties/*/textureProperties/_RimTexture", kTexture, kColor},
    {"VRM", "materialProperties/*/textureProperties/_SphereAdd", kTexture, kColor},
    {"VRM", "materialProperties/*/textureProperties/_EmissionMap", kTexture, kColor},
    {"VRM", "materialProperties/*/textureProperties/_BumpMap", kTexture, kNormal},
    {"VRM", "materialProperties/*/textureProperties/_ReceiveShadowTexture", kTexture, kLinear},
    {"VRM", "materialProperties/*/textureProperties/_ShadingGradeTexture", kTexture, kLinear},
    {"VRM", "materialProperties/*/textureProperties/_OutlineWidthTexture", kTexture, kLinear},
    {"VRM", "materialProperties/*/textureProperties/_UvAnimMaskTexture", kTexture, kLinear},
    {"KHR_physics_rigid_bodies", "collider/geometry/node", kDrawingNode},
    {"KHR_physics_rigid_bodies", "trigger/geometry/node", kDrawingNode},
    {"KHR_physics_rigid_bodies", "trigger/nodes/*", kNode},
    {"KHR_physics_rigid_bodies", "joint/connectedNode", kNode},
};
constexpr std::string_view kInteractivity = "KHR_interactivity";

// Of VRM 0.x: its item i belongs to material i of the document.
constexpr std::string_view kVrm = "VRM", kVrmMaterials = "materialProperties", kVrmTextures = "textureProperties";

// The array of a JSON pointer "/nodes/3/translation".
struct PointerArray {
  std::string_view prefix;
  ReferenceKind kind;
};
constexpr PointerArray kPointerArrays[] = {
    {"/nodes/", kNode},       {"/meshes/", kMesh},     {"/materials/", kMaterial},
    {"/textures/", kTexture}, {"/images/", kImage},    {"/skins/", kSkin},
    {"/cameras/", kCamera},   {"/animations/", kClip}, {"/extensions/KHR_lights_punctual/lights/", kLight}};
// Objects that are numbered anew, and whose numbers nothing tracks.
constexpr std::string_view kUntracked[] = {"/accessors/", "/bufferViews/", "/buffers/", "/samplers/", "/scenes/"};

class Renumberer {
 public:
  explicit Renumberer(const ReferenceVisitor& visitor) : visitor_(visitor) {}
  bool is_whole() const { return is_whole_; }

  void apply(Json& value, std::string_view path, const Rule& rule) {
    if (path.empty()) return apply_number(value, rule);
    const std::size_t slash = path.find('/');
    const std::string_view segment = path.substr(0, slash);
    const std::string_view rest = slash == path.npos ? std::string_view() : path.substr(slash + 1);
    if (segment == "*") {
      for (Json& item : value.items()) apply(item, rest, rule);
      for (JsonMember& member : value.members()) apply(member.value, rest, rule);
    } else if (Json* const member = value.find(segment)) {
      apply(*member, rest, rule);
    }
  }

  // The textures must be known by their names, and item i of the properties goes where material i goes.
  void apply_vrm_materials(Json& data) {
    Json* const properties = data.find(kVrmMaterials);
    if (properties == nullptr) return;
    Json moved = Json::array();
    for (std::size_t i = 0; i < properties->size() && properties->is_array(); ++i) {
      Json& of = properties->items()[i];
      const Json* const textures = of.find(kVrmTextures);
      for (const JsonMember& texture : textures == nullptr ? std::span<const JsonMember>() : textures->members()) {
        is_whole_ = is_whole_ && std::ranges::any_of(kRules, [&](const Rule& rule) {
                      return rule.extension == kVrm && rule.path.ends_with("/" + texture.name);
                    });
      }
      const std::uint32_t to = renumber(kMaterial, i, TextureUsage::kAuto);
      // The writer makes one of equal materials, so no material moves up.
      is_whole_ = is_whole_ && to <= i;
      if (!is_whole_) return;
      moved[to] = std::move(of);
    }
    *properties = std::move(moved);
  }

  // Operations compute references from what happens, and their pointers may have parameters.
  void apply_graphs(Json& data) {
    std::vector<Json*> left{&data};
    while (!left.empty() && is_whole_) {
      Json& value = *left.back();
      left.pop_back();
      if (value.is_string()) {
        if (value.as_string().starts_with('/')) apply_pointer(value);
        continue;
      }
      if (const Json* const op = value.find("op"); op != nullptr && op->is_string()) apply_operation(value, *op);
      for (Json& item : value.items()) left.push_back(&item);
      for (JsonMember& member : value.members()) left.push_back(&member.value);
    }
  }

 private:
  std::uint32_t renumber(ReferenceKind kind, std::uint64_t number, TextureUsage usage) {
    const std::uint32_t to =
        number < kNone ? visitor_.renumber(kind, static_cast<std::uint32_t>(number), usage) : kNone;
    is_whole_ = is_whole_ && to != kNone;
    return to;
  }

  // A negative number says that there is none.
  void apply_number(Json& value, const Rule& rule) {
    if (!value.is_number() || value.as_number() < 0) return;
    if (!value.is_integer()) {
      is_whole_ = false;
    } else if (const std::uint32_t to = renumber(rule.kind, value.as_uint(), rule.usage); to != kNone) {
      value = Json(to);
    }
  }

  void apply_pointer(Json& value) {
    const std::string text = value.as_string();
    for (const std::string_view array : kUntracked) is_whole_ = is_whole_ && !text.starts_with(array);
    const auto array =
        std::ranges::find_if(kPointerArrays, [&](const PointerArray& a) { return text.starts_with(a.prefix); });
    if (array == std::end(kPointerArrays) || !is_whole_) return;
    const std::string_view rest = std::string_view(text).substr(array->prefix.size());
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const ReferenceKind kind =
        array->kind == kNode && rest.substr(end).starts_with("/weights") ? kDrawingNode : array->kind;
    if (rest.starts_with('{') || rest.starts_with('[')) {
      is_whole_ = visitor_.keeps_all(kind);
      return;
    }
    const std::string_view digits = rest.substr(0, end);
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || stop != digits.data() + digits.size()) return;  // "/nodes/length"
    const std::uint32_t to = renumber(kind, number, TextureUsage::kAuto);
    if (to == kNone) return;
    std::string moved = std::string(array->prefix) + std::to_string(to) + std::string(rest.substr(end));
    is_whole_ = visitor_.has_property(moved);
    value = Json(std::move(moved));
  }

  void apply_operation(const Json& declaration, const Json& op) {
    constexpr std::array<std::string_view, 9> kGroups{"math/",    "type/",  "flow/",      "variable/", "event/",
                                                      "pointer/", "debug/", "animation/", "ref/"};
    const std::string& name = op.as_string();
    const bool is_known = std::ranges::any_of(kGroups, [&](std::string_view group) { return name.starts_with(group); });
    const Json* const extension = declaration.find("extension");
    const bool is_of_node =
        extension != nullptr && extension->is_string() && extension->as_string().starts_with("KHR_node_");
    is_whole_ = is_known && (extension == nullptr || is_of_node);
    if (!is_whole_) return;
    if (name.starts_with("event/onSelect") || name.starts_with("event/onHover")) {
      is_whole_ = visitor_.keeps_all(kDrawingNode);
    } else if (name.starts_with("animation/")) {
      is_whole_ = visitor_.keeps_all(kClip);
    }
  }

  const ReferenceVisitor& visitor_;
  bool is_whole_ = true;
};

}  // namespace

bool has_reference_rule(std::string_view extension) {
  return extension == kInteractivity || std::ranges::find(kRules, extension, &Rule::extension) != std::end(kRules);
}

bool renumber_references(std::string_view extension, Json& data, const ReferenceVisitor& visitor) {
  Renumberer renumberer(visitor);
  if (extension == kInteractivity) renumberer.apply_graphs(data);
  for (const Rule& rule : kRules)
    if (rule.extension == extension && renumberer.is_whole()) renumberer.apply(data, rule.path, rule);
  if (extension == kVrm && renumberer.is_whole()) renumberer.apply_vrm_materials(data);
  return renumberer.is_whole();
}

bool seems_to_refer(const Json& data) {
  // Objects or numbers; "attributes" has numbers under names of its own.
  static constexpr std::string_view kAlways[] = {
      "index", "bufferView",     "source",     "attributes",       "accessor",
      "node",  "propertyTables", "featureIds", "propertyTextures", "images"};
  static constexpr std::string_view kNumbers[] = {
      "nodes", "mesh",  "meshes",    "material",   "materials", "texture",   "textures", "image",
      "skin",  "skins", "animation", "animations", "camera",    "accessors", "sampler",  "scene"};
  const auto is_number = [](const Json& value) {
    return value.is_integer() ||
           (!value.empty() && std::ranges::all_of(value.items(), &Json::is_integer) && value.is_array());
  };
  std::vector<const Json*> left{&data};
  while (!left.empty()) {
    const Json& value = *left.back();
    left.pop_back();
    if (value.is_string() && std::ranges::any_of(kPointerArrays, [&](const PointerArray& a) {
          return value.as_string().starts_with(a.prefix);
        }))
      return true;
    for (const auto& [key, member] : value.members()) {
      if (std::ranges::find(kAlways, key) != std::end(kAlways)) return true;
      if (std::ranges::find(kNumbers, key) != std::end(kNumbers) && is_number(member)) return true;
      left.push_back(&member);
    }
    for (const Json& item : value.items()) left.push_back(&item);
  }
  return false;
}

}  // namespace assetc::scene
