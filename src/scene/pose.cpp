#include "scene/pose.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assetc::scene {
namespace {

// Normalizes a quaternion. One without length becomes the identity.
void make_unit(float* q) {
  const float norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; ++i) q[i] = norm > 0 ? q[i] / norm : (i == 3 ? 1.0f : 0.0f);
}

// Interpolates between two unit quaternions on the shorter arc.
void slerp(const float* a, const float* b, float t, float* out) {
  float cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const float sign = cosine < 0 ? -1.0f : 1.0f;
  cosine *= sign;
  float wa = 1 - t, wb = t;
  if (cosine < 0.9995f) {  // closer than that, linear interpolation is exact to float precision
    const float angle = std::acos(cosine), sine = std::sin(angle);
    wa = std::sin((1 - t) * angle) / sine;
    wb = std::sin(t * angle) / sine;
  }
  for (int i = 0; i < 4; ++i) out[i] = wa * a[i] + wb * sign * b[i];
  make_unit(out);
}

// Writes the channel's value at a time to out[component_count]. Returns false if the channel has no usable keys.
bool sample(const Channel& c, float time, float* out) {
  const std::size_t n = component_count(c), keys = c.times_seconds.size();
  const bool spline = c.interpolation == Interpolation::kCubicSpline;
  const std::size_t stride = spline ? 3 * n : n;
  if (keys == 0 || c.values.size() < keys * stride) return false;
  const auto value = [&](std::size_t key) { return c.values.data() + key * stride + (spline ? n : 0); };
  const auto upper = std::upper_bound(c.times_seconds.begin(), c.times_seconds.end(), time);
  const auto next = static_cast<std::size_t>(upper - c.times_seconds.begin());
  if (next == 0 || next == keys || c.interpolation == Interpolation::kStep) {
    std::copy_n(value(next == 0 ? 0 : next - 1), n, out);
    return true;
  }
  const float span = c.times_seconds[next] - c.times_seconds[next - 1];
  const float t = span > 0 ? (time - c.times_seconds[next - 1]) / span : 0;
  const float *a = value(next - 1), *b = value(next);
  if (spline) {
    const float *out_tangent = a + n, *in_tangent = b - n;
    const float t2 = t * t, t3 = t2 * t;
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = (2 * t3 - 3 * t2 + 1) * a[i] + span * (t3 - 2 * t2 + t) * out_tangent[i] + (3 * t2 - 2 * t3) * b[i] +
               span * (t3 - t2) * in_tangent[i];
    }
    if (c.path == ChannelPath::kRotation) make_unit(out);
  } else if (c.path == ChannelPath::kRotation) {
    slerp(a, b, t, out);
  } else {
    for (std::size_t i = 0; i < n; ++i) out[i] = a[i] + (b[i] - a[i]) * t;
  }
  return true;
}

}  // namespace

std::uint32_t separate_keys(std::span<float> times_seconds) {
  std::uint32_t moved = 0;
  for (std::size_t i = 1; i < times_seconds.size(); ++i) {
    if (times_seconds[i] > times_seconds[i - 1]) continue;
    times_seconds[i] = std::nextafter(times_seconds[i - 1], std::numeric_limits<float>::max());
    ++moved;
  }
  return moved;
}

std::vector<Node> pose_nodes(const Scene& scene, const Clip& clip, float time_seconds) {
  std::vector<Node> nodes = scene.nodes;
  for (const Channel& c : clip.channels) {
    if (c.path == ChannelPath::kWeights && c.node < nodes.size()) {
      std::vector<float> weights(component_count(c));
      if (sample(c, time_seconds, weights.data())) nodes[c.node].morph_weights = std::move(weights);
      continue;
    }
    if (c.path == ChannelPath::kVisible && c.node < nodes.size()) {
      float visible = 1;
      if (sample(c, time_seconds, &visible)) nodes[c.node].is_visible = visible != 0;
      continue;
    }
    float v[4];
    if (c.node >= nodes.size() || !is_transform(c.path) || !sample(c, time_seconds, v)) continue;
    Node& node = nodes[c.node];
    node.matrix.reset();
    if (c.path == ChannelPath::kTranslation) {
      node.transform.translation = {v[0], v[1], v[2]};
    } else if (c.path == ChannelPath::kRotation) {
      node.transform.rotation = {v[0], v[1], v[2], v[3]};
    } else {
      node.transform.scale = {v[0], v[1], v[2]};
    }
  }
  return nodes;
}

void apply_morphs(std::span<const float> weights, Primitive& primitive) {
  for (std::size_t t = 0; t < std::min(weights.size(), primitive.morphs.size()); ++t) {
    const MorphTarget& target = primitive.morphs[t];
    if (weights[t] == 0) continue;
    for (std::size_t i = 0; i < target.vertices.size(); ++i) {
      const std::uint32_t v = target.vertices[i];
      if (!target.positions.empty()) primitive.positions[v] = primitive.positions[v] + target.positions[i] * weights[t];
      if (!target.normals.empty() && !primitive.normals.empty())
        primitive.normals[v] = primitive.normals[v] + target.normals[i] * weights[t];
    }
  }
}

void skin_vertices(const Primitive& primitive, const Skin& skin, const std::vector<Mat4>& joint_world,
                   std::vector<Vec3>& positions, std::vector<Vec3>& normals) {
  std::vector<Mat4> bend(skin.joints.size());
  for (std::size_t j = 0; j < bend.size(); ++j) {
    bend[j] =
        j < skin.inverse_bind.size() ? joint_world[skin.joints[j]] * skin.inverse_bind[j] : joint_world[skin.joints[j]];
  }
  positions = primitive.positions;
  normals = primitive.normals;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    Mat4 blended;
    blended.m.fill(0);
    float total = 0;
    for (const Influences& set : primitive.influences) {
      const float weights[4] = {set.weights[v].x, set.weights[v].y, set.weights[v].z, set.weights[v].w};
      for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t joint = set.joints[v][k];
        if (weights[k] <= 0 || joint >= bend.size()) continue;
        for (std::size_t i = 0; i < 16; ++i) blended.m[i] += weights[k] * bend[joint].m[i];
        total += weights[k];
      }
    }
    if (total <= 0) continue;
    for (float& e : blended.m) e /= total;
    positions[v] = transform_point(blended, positions[v]);
    if (!normals.empty()) normals[v] = normalize_or(transform_normal(blended, normals[v]), normals[v]);
  }
}

}  // namespace assetc::scene
