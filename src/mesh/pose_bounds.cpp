#include "mesh/pose_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "mesh/joints.hpp"
#include "mesh/morph_bounds.hpp"
#include "parallel/parallel.hpp"
#include "scene/math.hpp"

namespace assetc::mesh {
namespace {

using scene::Mat4;
using scene::Quat;
using scene::Transform;
using scene::Vec3;

struct Extent {
  Vec3 low{std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity(),
           std::numeric_limits<float>::infinity()};
  Vec3 high = low * -1.0f;

  bool empty() const { return !(low.x <= high.x); }
  void add(Vec3 p) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
};

// The value of a channel at a time. Rotations are interpolated linearly and normalized. That passes through the same
// rotations as a slerp, at a different speed, without functions whose bits differ between machines.
std::array<float, 4> sample(const hanim::Channel& c, float time) {
  const std::size_t width = hanim::component_count(c.path);
  const auto upper = std::ranges::upper_bound(c.times, time);
  const auto next = static_cast<std::size_t>(upper - c.times.begin());
  const std::size_t key = next == 0 ? 0 : next - 1;
  const float* a = &c.values[key * width];
  std::array<float, 4> out{};
  std::copy_n(a, width, out.begin());
  if (next == 0 || next == c.times.size() || c.interpolation == hanim::Interpolation::kStep) return out;
  const float* b = a + width;
  const float t = (time - c.times[key]) / (c.times[next] - c.times[key]);
  float cosine = 0;
  for (std::size_t i = 0; i < width; ++i) cosine += a[i] * b[i];
  const float sign = c.path == hanim::Path::kRotation && cosine < 0 ? -1.0f : 1.0f;
  for (std::size_t i = 0; i < width; ++i) out[i] = a[i] + (b[i] * sign - a[i]) * t;
  return out;
}

Quat unit_rotation(Quat q) {
  const float length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return length > 0 ? Quat{q.x / length, q.y / length, q.z / length, q.w / length} : Quat{};
}

class Poser {
 public:
  explicit Poser(const Mesh& mesh) : joints_(mesh.joints), boxes_(mesh.joints.size()) {
    for (const hmesh::GpuJoint& j : joints_) {
      rest_.push_back(rest_of(j));
      inverse_binds_.push_back({std::to_array(j.inverse_bind)});
    }
    order_parents_first();
    morphed_ = morphed_boxes(mesh);
    for (const auto* influences : {&mesh.skin, &mesh.further_skin}) {
      for (std::size_t v = 0; v < influences->size(); ++v) add_vertex(mesh, v, (*influences)[v]);
    }
  }

  const std::vector<Transform>& rest() const { return rest_; }

  // Adds a pose. A vertex is a weighted mean of the positions that its joints give it, so it lies in the box around
  // them.
  void add_pose(std::span<const Transform> locals, std::vector<Mat4>& world, Extent& to) const {
    world.resize(joints_.size());
    for (const std::uint32_t j : order_) {
      const Mat4 local = to_matrix(locals[j]);
      world[j] =
          joints_[j].parent == hmesh::kNoParent ? local : world[static_cast<std::size_t>(joints_[j].parent)] * local;
      if (boxes_[j].empty()) continue;
      const auto& m = world[j].m;
      const Vec3 half = (boxes_[j].high - boxes_[j].low) * 0.5f;
      const Vec3 center = transform_point(world[j], boxes_[j].low + half);
      const auto reach = [&](std::size_t row) {
        return std::abs(m[row]) * half.x + std::abs(m[4 + row]) * half.y + std::abs(m[8 + row]) * half.z;
      };
      const Vec3 around{reach(0), reach(1), reach(2)};
      to.add(center - around);
      to.add(center + around);
    }
  }

  Extent of_clip(const hanim::Clip& clip) const {
    Extent extent;
    std::vector<Transform> locals = rest_;
    std::vector<Mat4> world;
    for (const float time : moments(clip)) {
      for (const hanim::Channel& c : clip.channels) {
        const std::array<float, 4> v = sample(c, time);
        Transform& local = locals[c.joint];
        if (c.path == hanim::Path::kTranslation) local.translation = {v[0], v[1], v[2]};
        if (c.path == hanim::Path::kRotation) local.rotation = unit_rotation({v[0], v[1], v[2], v[3]});
        if (c.path == hanim::Path::kScale) local.scale = {v[0], v[1], v[2]};
      }
      add_pose(locals, world, extent);
    }
    return extent;
  }

 private:
  void add_vertex(const Mesh& mesh, std::size_t v, const hmesh::GpuSkinVertex& influences) {
    for (std::size_t k = 0; k < 4; ++k) {
      if (!(influences.weights[k] > 0)) continue;
      const std::uint16_t joint = influences.joints[k];
      const Mat4& inverse_bind = inverse_binds_[joint];
      if (morphed_.empty() || morphed_[v].low == morphed_[v].high) {
        boxes_[joint].add(transform_point(inverse_bind, mesh.positions[v]));
        continue;
      }
      const auto& [low, high] = morphed_[v];
      for (unsigned corner = 0; corner < 8; ++corner) {
        boxes_[joint].add(
            transform_point(inverse_bind, {(corner & 1) != 0 ? high.x : low.x, (corner & 2) != 0 ? high.y : low.y,
                                           (corner & 4) != 0 ? high.z : low.z}));
      }
    }
  }

  void order_parents_first() {
    std::vector<bool> done(joints_.size());
    std::vector<std::uint32_t> path;
    for (std::uint32_t start = 0; start < joints_.size(); ++start) {
      for (auto j = static_cast<std::int32_t>(start); j != hmesh::kNoParent && !done[static_cast<std::uint32_t>(j)];
           j = joints_[static_cast<std::uint32_t>(j)].parent) {
        done[static_cast<std::uint32_t>(j)] = true;
        path.push_back(static_cast<std::uint32_t>(j));
      }
      order_.insert(order_.end(), path.rbegin(), path.rend());
      path.clear();
    }
  }

  std::vector<float> moments(const hanim::Clip& clip) const {
    std::vector<float> keys{0};
    for (const hanim::Channel& c : clip.channels) {
      for (std::size_t k = 0; k < c.times.size(); ++k) {
        // A jump: also sample the value before it.
        if (k > 0 && c.times[k] == c.times[k - 1]) keys.push_back(std::nextafter(c.times[k], 0.0f));
        keys.push_back(c.times[k]);
      }
    }
    std::ranges::sort(keys);
    keys.erase(std::ranges::unique(keys).begin(), keys.end());
    constexpr int kParts = 4;
    const std::uint64_t most = std::max<std::uint64_t>(kMaxPosedJoints / joints_.size(), 2);
    std::vector<float> times;
    if (keys.size() * kParts > most) {
      for (std::uint64_t i = 0; i < most; ++i)
        times.push_back(keys.back() * (static_cast<float>(i) / static_cast<float>(most - 1)));
      return times;
    }
    for (std::size_t k = 0; k < keys.size(); ++k) {
      times.push_back(keys[k]);
      for (int part = 1; k + 1 < keys.size() && part < kParts; ++part)
        times.push_back(keys[k] + (keys[k + 1] - keys[k]) * (static_cast<float>(part) / kParts));
    }
    return times;
  }

  std::span<const hmesh::GpuJoint> joints_;
  std::vector<Transform> rest_;
  std::vector<Mat4> inverse_binds_;
  std::vector<std::uint32_t> order_;
  std::vector<Box> morphed_;   // where morph targets may move each vertex; empty: nowhere
  std::vector<Extent> boxes_;  // of the vertices that a joint moves, in its bind space
};

std::optional<hmesh::MeshBounds> bounds_of_extent(const Extent& e) {
  const Vec3 center = e.low + (e.high - e.low) * 0.5f;
  const float radius = length(e.high - center) * (1 + 4 * std::numeric_limits<float>::epsilon());
  if (e.empty() || !std::isfinite(radius)) return std::nullopt;
  return bounds_of({e.low, e.high}, {center, radius});
}

}  // namespace

std::vector<hmesh::MeshBounds> pose_bounds(const Mesh& mesh, std::span<const hanim::Clip> clips) {
  if (mesh.skin.empty() || mesh.joints.empty()) return {};
  const Poser poser(mesh);
  std::vector<Extent> extents(1 + clips.size());
  std::vector<Mat4> world;
  poser.add_pose(poser.rest(), world, extents[0]);
  parallel_for(clips.size(), [&](std::size_t c) { extents[1 + c] = poser.of_clip(clips[c]); });
  std::vector<hmesh::MeshBounds> all;
  for (const Extent& extent : extents) {
    const std::optional<hmesh::MeshBounds> bounds = bounds_of_extent(extent);
    if (!bounds) return {};
    all.push_back(*bounds);
  }
  return all;
}

}  // namespace assetc::mesh
