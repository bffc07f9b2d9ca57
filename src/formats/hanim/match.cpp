// Matches clips of one file to the mesh of another, by joint names.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "assetc/formats/hanim.hpp"

namespace assetc::hanim {
namespace {

using Rotation = std::array<float, 4>;

// Rotation b, then a.
Rotation multiply(const Rotation& a, const Rotation& b) {
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
          a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}

std::array<float, 3> rotate(const Rotation& q, const std::array<float, 3>& v) {
  const Rotation turned = multiply(multiply(q, {v[0], v[1], v[2], 0}), {-q[0], -q[1], -q[2], q[3]});
  return {turned[0], turned[1], turned[2]};
}

// Returns the same transform without negative scale. For a mirror, only x is negative. The joints of meshes have this
// form.
Transform canonical(Transform t) {
  std::array<float, 3> sign{};
  for (std::size_t i = 0; i < 3; ++i) sign[i] = t.scale[i] < 0 ? -1.0f : 1.0f;
  const bool is_mirror = sign[0] * sign[1] * sign[2] < 0;
  if (is_mirror) sign[0] = -sign[0];
  // Two negative signs are a half turn around the third axis.
  for (std::size_t i = 0; i < 3; ++i) {
    if (sign[(i + 1) % 3] > 0 || sign[(i + 2) % 3] > 0) continue;
    Rotation half{};
    half[i] = 1;
    t.rotation = multiply(t.rotation, half);
  }
  for (float& s : t.scale) s = std::fabs(s);
  if (is_mirror) t.scale[0] = -t.scale[0];
  const float length = std::sqrt(t.rotation[0] * t.rotation[0] + t.rotation[1] * t.rotation[1] +
                                 t.rotation[2] * t.rotation[2] + t.rotation[3] * t.rotation[3]);
  for (float& r : t.rotation) r /= length;
  return t;
}

Transform compose(const Transform& a, const Transform& b) {
  const auto below = [&](Path path, const std::array<float, 3>& v) {
    const std::array<float, 4> made = value_below(a, path, {v[0], v[1], v[2], 0});
    return std::array<float, 3>{made[0], made[1], made[2]};
  };
  return canonical({below(Path::kTranslation, b.translation), value_below(a, Path::kRotation, b.rotation),
                    below(Path::kScale, b.scale)});
}

// Products of transforms from other programs may overflow a float.
bool is_finite(const Transform& t) {
  const auto finite = [](float v) { return std::isfinite(v); };
  return std::ranges::all_of(t.translation, finite) && std::ranges::all_of(t.rotation, finite) &&
         std::ranges::all_of(t.scale, finite);
}

}  // namespace

std::array<float, 4> value_below(const Transform& above, Path path, const std::array<float, 4>& value) {
  const auto& [x, y, z] = above.scale;
  if (path == Path::kScale) return {x * value[0], y * value[1], z * value[2], 0};
  if (path == Path::kRotation) {
    // If the joint above is mirrored, the rotation around the axes that are not mirrored changes its direction.
    const auto sign = [](float a, float b) { return (a < 0) != (b < 0) ? -1.0f : 1.0f; };
    return multiply(above.rotation, {value[0] * sign(y, z), value[1] * sign(x, z), value[2] * sign(x, y), value[3]});
  }
  const std::array<float, 3> turned = rotate(above.rotation, {x * value[0], y * value[1], z * value[2]});
  const auto& t = above.translation;
  return {t[0] + turned[0], t[1] + turned[1], t[2] + turned[2], 0};
}

std::vector<Match> match_joints(std::span<const Joint> joints, std::span<const std::string_view> mesh_joints) {
  std::unordered_map<std::string_view, std::uint32_t> by_name;
  for (std::uint32_t j = 0; j < mesh_joints.size(); ++j)
    if (!mesh_joints[j].empty()) by_name.try_emplace(mesh_joints[j], j);
  std::vector<Match> matches(joints.size());
  std::vector<Transform> to_matched(joints.size());  // from the nearest matched joint at or above
  for (std::size_t j = 0; j < joints.size(); ++j) {
    Match& match = matches[j];
    if (const auto found = by_name.find(joints[j].name); found != by_name.end()) {
      match.joint = found->second;
      by_name.erase(found);  // only one joint moves it
    }
    const Transform above =
        joints[j].parent == Joint::kNoParent ? Transform{} : to_matched[static_cast<std::size_t>(joints[j].parent)];
    if (match.joint == Match::kNone) {
      to_matched[j] = compose(above, joints[j].rest);
      if (!is_finite(to_matched[j])) to_matched[j] = {};
    } else if (above != Transform{}) {
      match.has_above = true;
      match.above = above;
    }
  }
  return matches;
}

}  // namespace assetc::hanim
