#include "assetc/runtime/clusters.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace assetc::runtime {
namespace {

using hcluster::ClusterRecord;

// The comparison of groups and nodes with a limit. It never decreases from a group to the groups above it, whatever is
// rounded: docs/formats/hcluster.md.
class Measure {
 public:
  explicit Measure(const ClusterView& view)
      : eye_(view.eye),
        near_(view.near_distance),
        inverse_limit_(1 / view.limit),
        reach_(view.morph_reach),
        pose_(view.pose) {
    if (pose_) pose_distance_squared_ = distance_squared(pose_->center);
  }
  // Returns whether a sphere is nearer than its error allows: error / distance > limit. level: of the group; for a
  // node, any that is larger than all levels.
  bool exceeds(const float (&center)[3], float radius, float error, std::uint32_t level) const {
    if (error == kInfinite) return true;
    const float scale = 1 + static_cast<float>(level) * kLevelStep;
    const float least_distance = error * inverse_limit_;
    const float reach = (least_distance + (pose_ ? pose_->radius : radius + reach_)) * scale;
    return least_distance * scale > near_ && squared_from_eye(center) < reach * reach;
  }
  // Returns error / distance / limit: above 1 for what exceeds the limit.
  float times_limit(const float (&center)[3], float radius, float error) const {
    const float distance = std::sqrt(squared_from_eye(center)) - (pose_ ? pose_->radius : radius + reach_);
    return error * inverse_limit_ / std::max(distance, near_);
  }

 private:
  static constexpr float kInfinite = std::numeric_limits<float>::infinity();
  static constexpr float kLevelStep = 0x1p-20f;
  float squared_from_eye(const float (&center)[3]) const {
    return pose_ ? pose_distance_squared_ : distance_squared(center);
  }
  template <class Center>
  float distance_squared(const Center& center) const {
    const float x = eye_[0] - center[0], y = eye_[1] - center[1], z = eye_[2] - center[2];
    return x * x + y * y + z * z;
  }
  std::array<float, 3> eye_;
  float near_, inverse_limit_, reach_;
  std::optional<BoundingSphere> pose_;  // instead of all spheres
  float pose_distance_squared_ = 0;
};

// Returns whether a sphere, larger by reach, is outside of one of the planes.
template <class Sphere>
bool is_outside(const Sphere& sphere, float reach, std::span<const std::array<float, 4>> planes) {
  return std::ranges::any_of(planes, [&](const std::array<float, 4>& plane) {
    const float distance =
        plane[0] * sphere.center[0] + plane[1] * sphere.center[1] + plane[2] * sphere.center[2] + plane[3];
    return distance < -(sphere.radius + reach);
  });
}

// Culls clusters by their boxes and cones.
class Culling {
 public:
  Culling(const hcluster::View& mesh, const ClusterView& view)
      : position_(mesh.channels()[0]), box_shift_(mesh.desc().box_shift), view_(view) {}

  bool culls(const ClusterRecord& record) const {
    if (view_.pose || (view_.planes.empty() && !view_.culls_facing_away)) return false;
    std::array<float, 3> center{}, half{};
    for (std::size_t k = 0; k < 3; ++k) {
      const float low = position_.value(k, record.low(k, box_shift_)),
                  high = position_.value(k, record.high(k, box_shift_));
      center[k] = (low + high) * 0.5f;
      half[k] = (high - low) * 0.5f + view_.morph_reach;
    }
    for (const std::array<float, 4>& plane : view_.planes) {
      const float distance = plane[0] * center[0] + plane[1] * center[1] + plane[2] * center[2] + plane[3];
      const float reach = std::fabs(plane[0]) * half[0] + std::fabs(plane[1]) * half[1] + std::fabs(plane[2]) * half[2];
      if (distance < -reach) return true;
    }
    return view_.culls_facing_away && view_.morph_reach == 0 && faces_away(record, center, half);
  }

 private:
  bool faces_away(const ClusterRecord& record, const std::array<float, 3>& center,
                  const std::array<float, 3>& half) const {
    if (record.cone_cutoff == 127) return false;
    float along = 0, distance_squared = 0, radius_squared = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const float d = center[k] - view_.eye[k];
      along += d * (static_cast<float>(record.cone_axis[k]) / 127);
      distance_squared += d * d;
      radius_squared += half[k] * half[k];
    }
    const float cutoff = std::max(static_cast<float>(record.cone_cutoff), 0.0f) / 127;
    return along >= cutoff * std::sqrt(distance_squared) + std::sqrt(radius_squared);
  }

  const hcluster::Channel& position_;
  std::uint32_t box_shift_;
  const ClusterView& view_;
};

}  // namespace

float error_limit(float y_fov_radians, float height_pixels, float error_pixels) {
  return 2 * error_pixels * std::tan(y_fov_radians / 2) / height_pixels;
}

ClusterPages::ClusterPages(const hcluster::View& view) : view_(view), pages_(view.pages().size()) {
  for (std::uint32_t p = 0; p < page_count(); ++p) {
    pages_[p].missing += static_cast<std::uint32_t>(view.dependencies(p).size());
    for (const std::uint32_t d : view.dependencies(p)) ++pages_[d].dependent_end;
  }
  std::uint32_t end = 0;
  for (Page& page : pages_) {
    const std::uint32_t begin = end;
    end += page.dependent_end;
    page.dependent_end = begin;  // moved to the end below
  }
  dependents_.resize(end);
  for (std::uint32_t p = 0; p < page_count(); ++p) {
    for (const std::uint32_t d : view.dependencies(p)) dependents_[pages_[d].dependent_end++] = p;
  }
}

std::span<const std::uint32_t> ClusterPages::dependents(std::uint32_t page) const {
  const std::uint32_t begin = page == 0 ? 0 : pages_[page - 1].dependent_end;
  return std::span(dependents_).subspan(begin, pages_[page].dependent_end - begin);
}

Result<void> ClusterPages::add(std::uint32_t page, Bytes bytes) {
  assert(!has(page));
  auto clusters = hcluster::open_page(view_, page, bytes);
  if (!clusters) return std::unexpected(std::move(clusters).error());
  pages_[page].bytes = std::move(bytes);
  pages_[page].clusters = *clusters;
  changed_.push_back(page);
  while (!changed_.empty()) {
    const std::uint32_t p = changed_.back();
    changed_.pop_back();
    if (--pages_[p].missing > 0) continue;
    const auto further = dependents(p);
    changed_.insert(changed_.end(), further.begin(), further.end());
  }
  return {};
}

void ClusterPages::remove(std::uint32_t page) {
  assert(has(page));
  pages_[page].bytes = {};
  pages_[page].clusters = {};
  changed_.push_back(page);
  while (!changed_.empty()) {
    const std::uint32_t p = changed_.back();
    changed_.pop_back();
    if (pages_[p].missing++ > 0) continue;
    const auto further = dependents(p);
    changed_.insert(changed_.end(), further.begin(), further.end());
  }
}

class ClusterWalk {
 public:
  ClusterWalk(const ClusterPages& pages, const ClusterView& view, ClusterSelection& out)
      : pages_(pages),
        mesh_(pages.view()),
        planes_(view.pose ? std::span<const std::array<float, 4>>() : view.planes),
        reach_(view.morph_reach),
        measure_(view),
        culling_(mesh_, view),
        out_(out) {}

  void walk(bool selects) {
    out_.clusters.clear();
    out_.wanted.clear();
    out_.times_limit_.resize(std::max<std::size_t>(out_.times_limit_.size(), pages_.page_count()));
    const std::uint32_t above_all_levels = mesh_.desc().level_count + 1;
    out_.nodes_.assign(1, 0);
    while (!out_.nodes_.empty()) {
      const hcluster::Node& node = mesh_.nodes()[out_.nodes_.back()];
      out_.nodes_.pop_back();
      if (!measure_.exceeds(node.center, node.radius, node.error, above_all_levels) ||
          is_outside(node, reach_, planes_))
        continue;
      for (std::uint32_t child = node.first_child; child < node.first_child + node.child_count; ++child) {
        if (node.has_groups == 0) {
          out_.nodes_.push_back(child);
        } else if (const hcluster::Group& group = mesh_.groups()[child];
                   is_seen(group) && !is_outside(group, reach_, planes_)) {
          want(group);
          if (selects && pages_.is_usable(group.page)) select(child, group);
        }
      }
    }
    for (WantedPage& wanted : out_.wanted) wanted.times_limit = std::exchange(out_.times_limit_[wanted.page], 0.0f);
  }

 private:
  bool is_seen(const hcluster::Group& group) const {
    return measure_.exceeds(group.center, group.radius, group.error, group.level);
  }

  void want(const hcluster::Group& group) {
    float& times_limit = out_.times_limit_[group.page];
    if (times_limit == 0) out_.wanted.push_back({group.page, 0});
    times_limit = std::max({times_limit, measure_.times_limit(group.center, group.radius, group.error),
                            std::numeric_limits<float>::min()});
  }

  void select(std::uint32_t number, const hcluster::Group& group) {
    const auto records = pages_.clusters(group.page);
    std::uint32_t refined = hcluster::kNone;
    bool is_refined = false;  // the group `refined`, which neighbors have in common, is drawn instead
    for (std::uint32_t c = group.first_cluster; c < std::uint32_t{group.first_cluster} + group.cluster_count; ++c) {
      const std::uint32_t finer = records[c].refined();
      if (finer != refined) {
        refined = finer;
        is_refined =
            finer != hcluster::kNone && pages_.is_usable(mesh_.groups()[finer].page) && is_seen(mesh_.groups()[finer]);
      }
      if (!is_refined && !culling_.culls(records[c])) out_.clusters.push_back({group.page, c, number});
    }
  }

  const ClusterPages& pages_;
  const hcluster::View& mesh_;
  std::span<const std::array<float, 4>> planes_;
  const float reach_;
  const Measure measure_;
  const Culling culling_;
  ClusterSelection& out_;
};

namespace {

void walk(const ClusterPages& pages, const ClusterView& view, bool selects, ClusterSelection& out) {
  if (view.pose && is_outside(*view.pose, 0, view.planes)) {
    out.clusters.clear();
    out.wanted.clear();
    return;
  }
  ClusterWalk(pages, view, out).walk(selects);
}

}  // namespace

void select_clusters(const ClusterPages& pages, const ClusterView& view, ClusterSelection& out) {
  walk(pages, view, true, out);
}
void find_wanted_pages(const ClusterPages& pages, const ClusterView& view, ClusterSelection& out) {
  walk(pages, view, false, out);
}

}  // namespace assetc::runtime
