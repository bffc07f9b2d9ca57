#include "export/glb_json.hpp"

#include <algorithm>
#include <array>
#include <numbers>
#include <string_view>

#include "scene/extension_references.hpp"
#include "scene/material_extensions.hpp"

namespace assetc::exporter {
namespace {

using namespace scene;

template <class Items>
auto find_named(const Items& items, std::string_view name) {
  return std::ranges::find(items, name, [](const auto& item) { return item.name; });
}

}  // namespace

Json camera_json(const Camera& camera) {
  Json out = {{"type", camera.is_perspective ? "perspective" : "orthographic"}};
  Json& lens = out[camera.is_perspective ? "perspective" : "orthographic"];
  lens = {{"znear", camera.z_near}};
  if (camera.is_perspective) {
    lens["yfov"] = camera.y_fov_radians;
    if (camera.aspect_ratio != 0) lens["aspectRatio"] = camera.aspect_ratio;
    if (camera.z_far != 0) lens["zfar"] = camera.z_far;
  } else {
    lens["xmag"] = camera.x_magnification;
    lens["ymag"] = camera.y_magnification;
    lens["zfar"] = camera.z_far;
  }
  if (!camera.name.empty()) out["name"] = camera.name;
  return out;
}

Json light_json(const Light& light) {
  static constexpr std::array kTypes{"directional", "point", "spot"};
  Json out = {{"type", kTypes[static_cast<std::size_t>(light.type)]}};
  if (light.color != Vec3{1, 1, 1}) out["color"] = Json::array({light.color.x, light.color.y, light.color.z});
  if (light.intensity != 1) out["intensity"] = light.intensity;
  if (light.range != 0) out["range"] = light.range;
  if (light.type == LightType::kSpot) {
    // As a float, the largest angle exceeds pi / 2.
    const double outer = std::min<double>(light.outer_cone_radians, std::numbers::pi / 2);
    out["spot"] = {{"innerConeAngle", light.inner_cone_radians}, {"outerConeAngle", outer}};
  }
  if (!light.name.empty()) out["name"] = light.name;
  return out;
}

Json parse_extra(const ExtraJson& text) {
  if (text.empty()) return Json::object();
  Json parsed = Json::parse(text, JsonOrder::kByName).value_or(Json());
  return parsed.is_object() ? parsed : Json::object();
}

void add_extra(Json& object, const Json& extra, const std::string& where, UsedExtensions& used) {
  if (const Json* extras = extra.find("extras")) {
    Json& to = object["extras"];
    if (to.is_object() && extras->is_object()) {
      Json merged = *extras;
      merged.update(to);
      to = std::move(merged);
    } else if (to.is_null()) {
      to = *extras;
    }
  }
  for (const auto& [name, data] : extra["extensions"].members()) {
    // Data with a rule is checked when all numbers are known (resolve_references).
    if (!has_reference_rule(name) && seems_to_refer(data)) {
      omit_extension(name, where, used);
    } else {
      object["extensions"][name] = data;
      used.names.insert(name);
    }
  }
}

void omit_extension(const std::string& name, const std::string& where, UsedExtensions& used) {
  used.omitted.push_back({"extension " + name + ", whose data refers to other objects", where});
  if (where == kDocumentPlace) used.omitted_of_document.insert(name);
}

void add_material_extensions(Json& object, const Material& material,
                             const std::function<Json(const TextureUse&)>& texture_info, UsedExtensions& used) {
  for (const MaterialExtension& extension : material_extensions()) {
    Json out;
    for (const ScalarMember& member : extension.scalars) {
      const auto value = find_named(material.scalars, member.name);
      if (value == material.scalars.end()) continue;
      if (out.is_null()) out = Json::object();
      if (member.is_optional || value->value != member.absent) out[member.key] = value->value;
    }
    for (const VectorMember& member : extension.vectors) {
      const auto value = find_named(material.vectors, member.name);
      if (value == material.vectors.end()) continue;
      if (out.is_null()) out = Json::object();
      const Vec3& v = value->value;
      if (v != Vec3{member.absent, member.absent, member.absent}) out[member.key] = Json::array({v.x, v.y, v.z});
    }
    for (const TextureMember& member : extension.textures) {
      const auto texture = find_named(material.textures, member.name);
      if (texture == material.textures.end()) continue;
      Json info = texture_info(texture->use);
      if (info.is_null()) continue;
      const auto scale = find_named(material.scalars, member.scale);
      if (!member.scale.empty() && scale != material.scalars.end() && scale->value != 1) info["scale"] = scale->value;
      if (out.is_null()) out = Json::object();
      out[member.key] = std::move(info);
    }
    if (out.is_null()) continue;
    object["extensions"][extension.name] = std::move(out);
    used.names.insert(std::string(extension.name));
  }
}

}  // namespace assetc::exporter
