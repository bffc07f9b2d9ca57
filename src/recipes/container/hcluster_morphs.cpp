#include "recipes/container/hcluster_morphs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "assetc/formats/mesh_names.hpp"

namespace assetc::recipes {
namespace {

using hcluster::OffsetAttribute;

// The error of an offset is a quarter of a step of positions; several targets may add up.
constexpr float kOfPositionStep = 0.5f;
constexpr float kDirectionOffsetStep = 1.0f / 128, kTexcoordOffsetStep = 1.0f / 16384, kColorOffsetStep = 1.0f / 255;

using OffsetNumbers = std::array<float, 4>;
OffsetNumbers offset_numbers(const scene::Vec2& v) { return {v.x, v.y, 0, 0}; }
OffsetNumbers offset_numbers(const scene::Vec3& v) { return {v.x, v.y, v.z, 0}; }
OffsetNumbers offset_numbers(const scene::Vec4& v) { return {v.x, v.y, v.z, v.w}; }

// Calls visit(values) with the offsets of an attribute.
template <class Visit>
void visit_offsets(const scene::MorphTarget& target, OffsetAttribute attribute, std::size_t set, const Visit& visit) {
  switch (attribute) {
    case OffsetAttribute::kPosition:
      return visit(target.positions);
    case OffsetAttribute::kNormal:
      return visit(target.normals);
    case OffsetAttribute::kTangent:
      return visit(target.tangents);
    case OffsetAttribute::kTexcoord:
      if (set < target.texcoords.size()) visit(target.texcoords[set]);
      return;
    case OffsetAttribute::kColor:
      if (set < target.colors.size()) visit(target.colors[set]);
  }
}

// The step for offsets of an attribute; 0: there are none.
float offset_step_of(const scene::MorphTarget& target, OffsetAttribute attribute, std::size_t set, float usual) {
  float largest = 0;
  visit_offsets(target, attribute, set, [&](const auto& values) {
    for (const auto& value : values) {
      for (const float c : offset_numbers(value)) largest = std::max(largest, std::fabs(c));
    }
  });
  if (largest == 0) return 0;
  // Slightly more than exact, so that the largest offset does not round beyond the last integer.
  return std::max({usual, largest / hcluster::kOffsetLimit * (1 + 1e-6f), std::numeric_limits<float>::min()});
}

std::int16_t rounded_offset(float value, float step) {
  const double steps = std::nearbyint(static_cast<double>(value) / step);
  return static_cast<std::int16_t>(std::clamp(steps, -double{hcluster::kOffsetLimit}, double{hcluster::kOffsetLimit}));
}

}  // namespace

bool fits_page(std::vector<std::uint32_t> number_counts) {
  // The smallest groups have about four clusters of 128 vertices. A number takes 5 to 9 bits.
  constexpr std::size_t kVertices = 512;
  constexpr std::uint64_t kBitsOfNumber = 12;
  const std::size_t count = std::min(kVertices, number_counts.size());
  std::ranges::partial_sort(number_counts, number_counts.begin() + static_cast<std::ptrdiff_t>(count), std::greater());
  std::uint64_t numbers = 0;
  for (std::size_t v = 0; v < count; ++v) numbers += number_counts[v];
  constexpr std::uint64_t kOthers = 64u << 10;
  return numbers * kBitsOfNumber / 8 + kOthers <= hcluster::kMaxMorphPageBytes;
}

ClusterMorphs::ClusterMorphs(mesh::Mesh& m, float position_step) {
  for (mesh::Morph& morph : m.targets) {
    const auto number = static_cast<std::uint32_t>(targets_.size());
    const scene::MorphTarget& offsets = targets_.emplace_back(std::move(morph.offsets));
    morph.offsets = {};
    largest_weights_.push_back(std::max(std::fabs(morph.low), std::fabs(morph.high)));
    hmesh::Morphs::Target& to = table_.targets.emplace_back();
    to.name = morph.name;
    to.weight = morph.weight, to.low = morph.low, to.high = morph.high;
    std::vector<Track>& tracks = tracks_.emplace_back();
    const auto add = [&](OffsetAttribute attribute, std::size_t set, float usual) {
      const float step = set <= hcluster::kMaxTrackSet ? offset_step_of(offsets, attribute, set, usual) : 0;
      if (step > 0) tracks.push_back({attribute, static_cast<std::uint8_t>(set), step});
      return step;
    };
    to.position_step = add(OffsetAttribute::kPosition, 0, kOfPositionStep * position_step);
    to.normal_step = add(OffsetAttribute::kNormal, 0, kDirectionOffsetStep);
    if (m.has_tangents) to.tangent_step = add(OffsetAttribute::kTangent, 0, kDirectionOffsetStep);
    const auto add_channel = [&](OffsetAttribute attribute, std::size_t set, float usual) {
      if (const float step = add(attribute, set, usual); step > 0)
        table_.channels.push_back(
            {number, static_cast<std::uint16_t>(attribute), static_cast<std::uint16_t>(set), 0, 0, step, 0});
    };
    for (std::size_t set = 0; set < m.texcoords.size(); ++set)
      add_channel(OffsetAttribute::kTexcoord, set, kTexcoordOffsetStep);
    for (std::size_t set = 0; set < m.colors.size(); ++set) add_channel(OffsetAttribute::kColor, set, kColorOffsetStep);
    double radius = 0;
    for (std::size_t i = 0; i < offsets.positions.size() && to.position_step > 0; ++i) {
      double length2 = 0;
      for (const std::int16_t steps : stored(offsets, tracks.front(), i)) {
        const double value = static_cast<double>(steps) * to.position_step;
        length2 += value * value;
      }
      radius = std::max(radius, std::sqrt(length2));
    }
    radii_.push_back(static_cast<float>(radius * (1 + 1e-6)));
  }
  for (const hmesh::Morphs::Group& group : m.morphs.groups)
    table_.groups.push_back({group.target_count, hmesh::kNoNode});
  index_ = mesh::MorphIndex(targets_, m.positions.size());
}

std::array<std::int16_t, 4> ClusterMorphs::stored(const scene::MorphTarget& target, const Track& track,
                                                  std::size_t row) const {
  std::array<std::int16_t, 4> result{};
  visit_offsets(target, track.attribute, track.set, [&](const auto& values) {
    const OffsetNumbers components = offset_numbers(values[row]);
    for (std::size_t k = 0; k < components.size(); ++k) result[k] = rounded_offset(components[k], track.step);
  });
  return result;
}

void ClusterMorphs::gather(std::span<const std::uint32_t> vertices, hcluster::ClusterOffsets& out) const {
  struct Entry {
    mesh::MorphIndex::Row row;
    std::uint8_t vertex;
  };
  std::vector<Entry> entries;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    for (const mesh::MorphIndex::Row& row : index_.rows_of(vertices[v]))
      entries.push_back({row, static_cast<std::uint8_t>(v)});
  }
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.row.target, e.vertex); });
  out.clear();
  for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
    const std::uint32_t target = entries[begin].row.target;
    while (end < entries.size() && entries[end].row.target == target) ++end;
    for (const Track& track : tracks_[target]) {
      hcluster::OffsetTrack to{.target = static_cast<std::uint16_t>(target),
                               .attribute = track.attribute,
                               .set = track.set,
                               .first = static_cast<std::uint32_t>(out.offsets.size())};
      for (std::size_t i = begin; i < end; ++i) {
        const auto value = stored(targets_[target], track, entries[i].row.row);
        if (value != std::array<std::int16_t, 4>{}) out.offsets.push_back({entries[i].vertex, value});
      }
      to.count = static_cast<std::uint32_t>(out.offsets.size()) - to.first;
      if (to.count > 0) out.tracks.push_back(to);
    }
  }
}

}  // namespace assetc::recipes
