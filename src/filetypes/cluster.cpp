// .hcluster.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "assetc/formats/hcluster_view.hpp"
#include "filetypes/readers.hpp"
#include "formats/reader.hpp"

namespace assetc::filetypes {
namespace {

FileContent describe_hcluster(const hcluster::View& mesh) {
  MeshInfo info{.container = "hcluster",
                .triangles = static_cast<std::uint32_t>(mesh.desc().source_triangle_count),
                .submeshes = 1,
                .materials = static_cast<std::uint32_t>(mesh.materials().size()),
                .lods = mesh.desc().level_count - 1,
                .tangents = mesh.find(hcluster::Semantic::kTangent) != nullptr};
  info.joints = static_cast<std::uint32_t>(mesh.joints().size());
  if (mesh.morphs()) {
    info.morph_targets = static_cast<std::uint32_t>(mesh.morphs()->targets().size());
    for (std::size_t t = 0; t < info.morph_targets; ++t) info.morph_names.emplace_back(mesh.morphs()->name(t));
  }
  info.clusters = mesh.desc().cluster_count;
  info.groups = static_cast<std::uint32_t>(mesh.groups().size());
  info.pages = static_cast<std::uint32_t>(mesh.pages().size());
  info.bytes_per_triangle = static_cast<double>(mesh.file_bytes()) / std::max<double>(info.triangles, 1);
  for (const hcluster::Channel& channel : mesh.channels()) {
    const std::string set = std::to_string(channel.set);
    if (channel.semantic == hcluster::Semantic::kTexcoord && channel.set > 0)
      info.attributes.push_back("TEXCOORD_" + set);
    if (channel.semantic == hcluster::Semantic::kColor) info.attributes.push_back("COLOR_" + set);
  }
  std::ranges::copy(mesh.bounds().aabb_min, info.aabb_min.begin());
  std::ranges::copy(mesh.bounds().aabb_max, info.aabb_max.begin());
  return info;
}

std::unexpected<Error> broken_rule(std::string place, std::string what) {
  return fail_at(ErrorCode::kInvalidData, std::move(place), std::move(what), formats::kDamagedHint);
}

// Whether a sphere of a group or node contains another one, but for the rounding of a writer.
template <class Outer, class Inner>
bool contains(const Outer& outer, const Inner& inner) {
  constexpr double kRounding = 1e-5;
  double distance = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double d = static_cast<double>(outer.center[k]) - inner.center[k];
    distance += d * d;
  }
  return std::sqrt(distance) + inner.radius <= outer.radius * (1 + kRounding);
}

// A walk down the nodes finds every group once, and skips none that is drawn.
Result<void> check_nodes(const hcluster::View& mesh) {
  std::vector<std::uint8_t> group_counts(mesh.groups().size()), node_counts(mesh.nodes().size());
  node_counts[0] = 1;
  for (std::uint32_t n = 0; n < mesh.nodes().size(); ++n) {
    const hcluster::Node& node = mesh.nodes()[n];
    for (std::uint32_t c = node.first_child; c < node.first_child + node.child_count; ++c) {
      const bool is_bounded = node.has_groups != 0
                                  ? contains(node, mesh.groups()[c]) && mesh.groups()[c].error <= node.error
                                  : contains(node, mesh.nodes()[c]) && mesh.nodes()[c].error <= node.error;
      if (!is_bounded)
        return broken_rule("node " + std::to_string(n),
                           "child " + std::to_string(c) + " is not inside its sphere, or has a larger error");
      std::uint8_t& count = node.has_groups != 0 ? group_counts[c] : node_counts[c];
      count = static_cast<std::uint8_t>(std::min(count + 1, 2));
    }
  }
  for (std::size_t g = 0; g < group_counts.size(); ++g) {
    if (group_counts[g] != 1) return broken_rule("group " + std::to_string(g), "is not below exactly one node");
  }
  for (std::size_t n = 0; n < node_counts.size(); ++n) {
    if (node_counts[n] != 1) return broken_rule("node " + std::to_string(n), "is not below exactly one node");
  }
  return {};
}

// No offset is longer than the radius of its target.
Result<void> check_offsets(const hcluster::View& mesh, const hcluster::ClusterOffsets& offsets,
                           const std::string& place) {
  constexpr double kRounding = 1e-5;
  for (const hcluster::OffsetTrack& track : offsets.tracks) {
    if (track.attribute != hcluster::OffsetAttribute::kPosition) continue;
    const double most =
        static_cast<double>(mesh.morph_radii()[track.target]) / mesh.offset_step(track) * (1 + kRounding);
    for (const hcluster::VertexOffset& offset : std::span(offsets.offsets).subspan(track.first, track.count)) {
      const double x = offset.value[0], y = offset.value[1], z = offset.value[2];
      if (x * x + y * y + z * z > most * most)
        return broken_rule(place, "an offset is longer than the radius of target " + std::to_string(track.target));
    }
  }
  return {};
}

// Decodes every page. The boxes that cull clusters must contain their vertices, and a group must not be measured less
// than the groups that its clusters replace: cuts would have holes or overlap.
Result<void> check_hcluster(ByteSpan file) {
  ASSETC_TRY(const hcluster::View mesh, hcluster::View::open(file));
  ASSETC_CHECK(check_nodes(mesh));
  hcluster::PageDecoder decoder(mesh);
  const auto cluster = std::make_unique<hcluster::DecodedCluster>();
  hcluster::ClusterOffsets offsets;
  std::uint64_t triangles = 0, source_triangles = 0;
  for (std::uint32_t page = 0; page < mesh.pages().size(); ++page) {
    const std::string place = "page " + std::to_string(page);
    const auto in_page = [&](Error error) {
      error.place = error.place.empty() ? place : place + ", " + error.place;
      return std::unexpected(std::move(error));
    };
    if (auto opened = decoder.open(page, mesh.page(page)); !opened) return in_page(opened.error());
    for (std::size_t c = 0;; ++c) {
      const auto more = decoder.next(*cluster);
      if (!more) return in_page(more.error());
      if (!*more) break;
      if (auto decoded = decoder.offsets(offsets); !decoded) return in_page(decoded.error());
      ASSETC_CHECK(check_offsets(mesh, offsets, place));
      triangles += cluster->triangle_count;
      if (cluster->refined == hcluster::kNone) source_triangles += cluster->triangle_count;
      if (cluster->refined != hcluster::kNone) {
        const hcluster::Group& refined = mesh.groups()[cluster->refined];
        const hcluster::Group& group = mesh.groups()[cluster->group];
        if (refined.level >= group.level)
          return broken_rule(
              "group " + std::to_string(cluster->group),
              "has no larger level than group " + std::to_string(cluster->refined) + ", which its clusters replace");
        if (refined.page != page && !std::ranges::binary_search(mesh.dependencies(refined.page), page))
          return broken_rule("page " + std::to_string(refined.page),
                             "does not depend on page " + std::to_string(page) + ", which replaces a group of it");
        if (refined.error > group.error || !contains(group, refined))
          return broken_rule("group " + std::to_string(cluster->group), "has a smaller error or sphere than group " +
                                                                            std::to_string(cluster->refined) +
                                                                            ", which its clusters replace");
      }
      const hcluster::ClusterRecord& record = decoder.records()[c];
      for (std::uint32_t v = 0; v < cluster->vertex_count; ++v) {
        for (std::uint32_t k = 0; k < 3; ++k) {
          const std::uint32_t at = cluster->vertices.at(k, v), shift = mesh.desc().box_shift;
          if (at >= record.low(k, shift) && at <= record.high(k, shift)) continue;
          return broken_rule(place, "a vertex of cluster " + std::to_string(c) + " lies outside of its box");
        }
      }
    }
  }
  if (triangles == mesh.desc().triangle_count && source_triangles == mesh.desc().source_triangle_count) return {};
  return fail(ErrorCode::kInvalidData, "the pages have other counts of triangles than the descriptor",
              formats::kDamagedHint);
}

}  // namespace

constinit const Reader kHclusterReader{.open = open_with<hcluster::View>,
                                       .inspect = inspect_with<hcluster::View, describe_hcluster>,
                                       .check = check_hcluster};

}  // namespace assetc::filetypes
