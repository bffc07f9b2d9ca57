// Reads cameras and lights.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "import/fbx/ufbx/parts.hpp"

namespace assetc::importer::fbx {
namespace {

constexpr double kMillimetersInInch = 25.4;
constexpr float kLeastNearMeters = 0.01f;  // if a perspective has none
constexpr float kWidestCone = std::numbers::pi_v<float> / 2;

float positive_or(double value, float otherwise) {
  const auto number = static_cast<float>(value);
  return number > 0 && std::isfinite(number) ? number : otherwise;
}

scene::Camera camera_of(const ufbx_camera& source) {
  scene::Camera camera;
  camera.name = view(source.name);
  camera.extra = extra_of(source.props);
  camera.is_perspective = source.projection_mode == UFBX_PROJECTION_MODE_PERSPECTIVE;
  if (camera.is_perspective) {
    camera.y_fov_radians = positive_or(source.field_of_view_deg.y * kRadians, std::numbers::pi_v<float> / 4);
    camera.aspect_ratio = positive_or(source.projection_plane.x / source.projection_plane.y, 0);
    camera.z_near = positive_or(source.near_plane, kLeastNearMeters);
  } else {
    camera.x_magnification = positive_or(source.orthographic_size.x / 2, 1);
    camera.y_magnification = positive_or(source.orthographic_size.y / 2, 1);
    camera.z_near = positive_or(source.near_plane, 0);
  }
  camera.z_far = positive_or(source.far_plane, 0);
  if (!(camera.z_far > camera.z_near)) camera.z_far = camera.is_perspective ? 0 : camera.z_near + 1000;
  return camera;
}

scene::Light light_of(Context& context, const ufbx_light& source) {
  scene::Light light;
  light.name = view(source.name);
  light.extra = extra_of(source.props);
  light.color = {positive_or(source.color.x, 0), positive_or(source.color.y, 0), positive_or(source.color.z, 0)};
  light.intensity = source.cast_light ? positive_or(source.intensity, 0) : 0;
  switch (source.type) {
    case UFBX_LIGHT_DIRECTIONAL:
      light.type = scene::LightType::kDirectional;
      break;
    case UFBX_LIGHT_SPOT:
      light.type = scene::LightType::kSpot;
      light.outer_cone_radians = std::min(positive_or(source.outer_angle * kRadians / 2, kWidestCone / 2), kWidestCone);
      light.inner_cone_radians =
          std::min(positive_or(source.inner_angle * kRadians / 2, 0), light.outer_cone_radians * 0.999f);
      break;
    case UFBX_LIGHT_AREA:
    case UFBX_LIGHT_VOLUME:
      context.drop("shapes of lights", quoted("light", light.name));
      [[fallthrough]];
    default:
      light.type = scene::LightType::kPoint;
  }
  return light;
}

}  // namespace

bool moves_y_fov(const ufbx_camera& camera, std::string_view property) {
  if (camera.projection_mode != UFBX_PROJECTION_MODE_PERSPECTIVE) return false;
  switch (camera.aperture_mode) {
    case UFBX_APERTURE_MODE_HORIZONTAL_AND_VERTICAL:
      return property == "FieldOfViewY";
    case UFBX_APERTURE_MODE_FOCAL_LENGTH:
      return property == "FocalLength";
    default:
      return property == "FieldOfView";
  }
}

float y_fov_radians(const ufbx_camera& camera, std::string_view property, double value) {
  double half_height = std::tan(value * kRadians / 2);  // at distance 1
  if (property == "FocalLength") {
    half_height = camera.aperture_size_inch.y * kMillimetersInInch / (2 * value);
  } else if (camera.aperture_mode == UFBX_APERTURE_MODE_HORIZONTAL) {
    half_height *= camera.projection_plane.y / camera.projection_plane.x;
  }
  return static_cast<float>(2 * std::atan(half_height));
}

void read_cameras(Context& context) {
  for (const ufbx_camera* source : std::span(context.source.cameras.data, context.source.cameras.count))
    context.out.scene.cameras.push_back(camera_of(*source));
  for (const ufbx_light* source : std::span(context.source.lights.data, context.source.lights.count))
    context.out.scene.lights.push_back(light_of(context, *source));
}

}  // namespace assetc::importer::fbx
