// Cameras and KHR_lights_punctual.
#include <array>

#include "import/gltf/parts.hpp"

namespace assetc::importer {
namespace {

Result<float> positive(const Value& json, std::string_view key, float fallback, bool zero_is_valid = false) {
  ASSETC_TRY(const float value, json.float_or(key, fallback));
  if (value > 0 || (zero_is_valid && value == 0) || !json.find(key)) return value;
  return json.find(key)->refuse(ErrorCode::kInvalidData, "found " + std::to_string(value) + ", expected " +
                                                             (zero_is_valid ? "0 or more" : "more than 0"));
}

Result<scene::Camera> read_camera(const Value& json) {
  scene::Camera camera;
  ASSETC_TRY(camera.name, json.string_or("name", ""));
  ASSETC_TRY(const Value type_json, json.get("type"));
  ASSETC_TRY(const std::string type, type_json.as_string());
  if (type != "perspective" && type != "orthographic") {
    return type_json.refuse(ErrorCode::kInvalidData, "found \"" + type + "\", expected perspective or orthographic");
  }
  camera.is_perspective = type == "perspective";
  ASSETC_TRY(const Value lens, json.get(type));
  if (camera.is_perspective) {
    ASSETC_CHECK(lens.get("yfov"));
    ASSETC_TRY(camera.y_fov_radians, positive(lens, "yfov", 0));
    ASSETC_TRY(camera.aspect_ratio, positive(lens, "aspectRatio", 0));
    ASSETC_TRY(camera.z_near, positive(lens, "znear", 0.01f));
    ASSETC_TRY(camera.z_far, positive(lens, "zfar", 0));
  } else {
    ASSETC_TRY(camera.x_magnification, lens.float_or("xmag", 1));
    ASSETC_TRY(camera.y_magnification, lens.float_or("ymag", 1));
    ASSETC_TRY(camera.z_near, positive(lens, "znear", 0, true));
    ASSETC_TRY(camera.z_far, positive(lens, "zfar", 0));
  }
  return camera;
}

Result<scene::Light> read_light(const Value& json) {
  scene::Light light;
  ASSETC_TRY(light.name, json.string_or("name", ""));
  ASSETC_TRY(const Value type_json, json.get("type"));
  ASSETC_TRY(const std::string type, type_json.as_string());
  if (type == "directional") {
    light.type = scene::LightType::kDirectional;
  } else if (type == "spot") {
    light.type = scene::LightType::kSpot;
  } else if (type != "point") {
    return type_json.refuse(ErrorCode::kInvalidData, "found \"" + type + "\", expected directional, point or spot");
  }
  std::array<float, 3> color{1, 1, 1};
  ASSETC_CHECK(json.floats("color", color));
  light.color = {color[0], color[1], color[2]};
  ASSETC_TRY(light.intensity, positive(json, "intensity", 1, true));
  ASSETC_TRY(light.range, positive(json, "range", 0));
  const auto spot = json.find("spot");
  if (spot && light.type == scene::LightType::kSpot) {
    ASSETC_TRY(light.inner_cone_radians, positive(*spot, "innerConeAngle", light.inner_cone_radians, true));
    ASSETC_TRY(light.outer_cone_radians, positive(*spot, "outerConeAngle", light.outer_cone_radians));
  }
  return light;
}

}  // namespace

Result<void> read_cameras(GltfContext& context) {
  ASSETC_TRY(const Value cameras, context.root.array_or_empty("cameras"));
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    ASSETC_TRY(scene::Camera camera, read_camera(cameras.item(i)));
    context.out.scene.cameras.push_back(std::move(camera));
  }
  return {};
}

Result<void> read_lights(GltfContext& context) {
  const auto extension = context.root.extension("KHR_lights_punctual");
  if (!extension) return {};
  ASSETC_TRY(const Value lights, extension->array_or_empty("lights"));
  for (std::size_t i = 0; i < lights.size(); ++i) {
    ASSETC_TRY(scene::Light light, read_light(lights.item(i)));
    context.out.scene.lights.push_back(std::move(light));
  }
  return {};
}

}  // namespace assetc::importer
