// readers.wasm: reads .hcluster files and cooked clusters, decodes their pages and selects clusters for a view.
#include "assetc/runtime/clusters.hpp"

#include <cmath>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assetc/formats/aas1_clusters.hpp"
#include "assetc/formats/octahedral.hpp"
#include "assetc/runtime/morph.hpp"
#include "module.hpp"

namespace assetc::web {
namespace {

// The members of a result are numbers of 64 bits, for JavaScript: a range is two of them.
struct WideRange {
  double at = 0, size_bytes = 0;
};
template <class T>
WideRange wide(std::span<const T> items) {
  return {static_cast<double>(address(items.data())), static_cast<double>(items.size_bytes())};
}
template <class T>
WideRange wide(const std::vector<T>& items) {
  return wide(std::span<const T>(items));
}

// The result of clusters_info().
struct Info {
  double source_triangles, triangles, clusters, levels, groups, pages, loaded_pages, position_error;
  double low[3], high[3], center[3], radius;
  double pose_center[3], pose_radius;  // radius -1: the mesh does not move
  WideRange level_rows, materials, uuids, joints, joint_names, channels, targets;
};
// A level of detail, from the pages that are loaded.
struct LevelRow {
  std::uint32_t triangles = 0, clusters = 0;
};

// A morph target.
struct TargetRow {
  Range name;
  float weight = 0;  // of the file
};

// The result of clusters_page().
struct PageInfo {
  WideRange clusters, positions, normals, tangents, texcoords, colors, joints, weights, indices, materials;
};
struct ClusterRow {
  std::uint32_t group, level, refined, first_vertex, vertex_count, first_triangle, triangle_count, reserved;
};

// The result of clusters_select() and clusters_of_level().
struct Selected {
  WideRange clusters;  // pairs of page and cluster
  double wanted_pages = 0;
};

struct Clusters {
  std::unique_ptr<std::byte, decltype(&std::free)> bytes{nullptr, &std::free};
  std::optional<aas1::ClustersHead> blob;
  std::unique_ptr<hcluster::View> view;
  std::unique_ptr<runtime::ClusterPages> pages;
  std::unique_ptr<hcluster::PageDecoder> decoder;
  hcluster::DecodedCluster cluster;
  std::uint32_t loaded_pages = 0;
  std::vector<LevelRow> levels;
  std::vector<Range> joint_names;
  std::vector<TargetRow> targets;
  std::vector<float> target_weights;
  hcluster::ClusterOffsets offsets;
  // The results of the last calls.
  Info info{};
  PageInfo page{};
  std::vector<ClusterRow> rows;
  std::vector<float> positions, normals, tangents, texcoords, colors, weights;
  std::vector<std::uint16_t> joints;
  std::vector<std::uint32_t> indices, materials;
  runtime::ClusterSelection selection;
  std::vector<std::array<std::uint32_t, 2>> chosen;
  Selected selected{};
};

// Opens a file, or its first bytes. Pages that do not end within them are left out.
Result<void> open(Clusters& out, ByteSpan bytes, std::uint64_t file_bytes) {
  ByteSpan file = bytes;
  if (bytes.size() >= 4 && as_text(bytes.first(4)) == "AAS1") {
    const std::uint64_t needed = aas1::clusters_head_bytes(bytes);
    if (needed > bytes.size())
      return fail(ErrorCode::kTruncated, "the blob ends after " + std::to_string(bytes.size()) + " bytes, expected " +
                                             std::to_string(needed) + " or more");
    ASSETC_TRY(out.blob, aas1::read_clusters_head(bytes, file_bytes));
    if (out.blob->file_offset_bytes > bytes.size())
      return fail(ErrorCode::kTruncated, "the blob ends before its clusters");
    file = bytes.subspan(static_cast<std::size_t>(out.blob->file_offset_bytes));
    file_bytes = out.blob->file_size_bytes;
    if (file.size() > file_bytes) file = file.first(static_cast<std::size_t>(file_bytes));
  }
  const bool is_whole = file.size() == file_bytes;
  ASSETC_TRY(hcluster::View view, is_whole ? hcluster::View::open(file) : hcluster::View::open_head(file, file_bytes));
  if (out.blob && out.blob->materials.size() != view.materials().size())
    return fail(ErrorCode::kInvalidData, "the blob has " + std::to_string(out.blob->materials.size()) +
                                             " materials, and its clusters have " +
                                             std::to_string(view.materials().size()));
  out.view = std::make_unique<hcluster::View>(std::move(view));
  out.pages = std::make_unique<runtime::ClusterPages>(*out.view);
  out.decoder = std::make_unique<hcluster::PageDecoder>(*out.view);
  out.levels.resize(out.view->desc().level_count);
  for (std::uint32_t p = 0; p < out.view->pages().size(); ++p) {
    const std::uint64_t offset = out.view->page_offset_bytes(p), size = out.view->pages()[p].size_bytes;
    if (!range_fits(offset, size, file.size())) continue;
    const ByteSpan page = file.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
    ASSETC_CHECK(out.pages->add(p, Bytes(nullptr, page)));
    ++out.loaded_pages;
    const std::uint32_t first = out.view->pages()[p].first_group;
    for (std::uint32_t g = first; g < first + out.view->pages()[p].group_count; ++g) {
      const hcluster::Group& group = out.view->groups()[g];
      LevelRow& level = out.levels[group.level];
      const auto records = out.pages->clusters(p);
      for (std::uint32_t c = 0; c < group.cluster_count; ++c)
        level.triangles += records[group.first_cluster + c].triangle_count();
      level.clusters += group.cluster_count;
    }
  }
  for (std::size_t j = 0; out.view->names() != nullptr && j < out.view->joints().size(); ++j)
    out.joint_names.push_back(range_of(as_bytes(out.view->names()->joint(j))));
  if (const auto& morphs = out.view->morphs()) {
    for (std::size_t t = 0; t < morphs->targets().size(); ++t) {
      out.targets.push_back({range_of(as_bytes(morphs->name(t))), morphs->targets()[t].weight});
      out.target_weights.push_back(morphs->targets()[t].weight);
    }
  }
  return {};
}

Clusters& at(std::uint32_t handle) { return *reinterpret_cast<Clusters*>(std::uintptr_t{handle}); }

// A sphere around all poses of a skinned mesh.
std::optional<runtime::BoundingSphere> pose_sphere(const hcluster::View& view) {
  if (view.pose_bounds().empty()) return std::nullopt;
  const hmesh::MeshBounds& first = view.pose_bounds().front();
  runtime::BoundingSphere all{{first.sphere_center[0], first.sphere_center[1], first.sphere_center[2]},
                              first.sphere_radius};
  for (const hmesh::MeshBounds& pose : view.pose_bounds()) {
    float squared = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const float d = pose.sphere_center[k] - all.center[k];
      squared += d * d;
    }
    all.radius = std::max(all.radius, std::sqrt(squared) + pose.sphere_radius);
  }
  return all;
}

// Appends the vertices and triangles of a decoded cluster to the page.
class PageFiller {
 public:
  explicit PageFiller(Clusters& to) : to_(to), view_(*to.view) {
    for (auto* list : {&to.positions, &to.normals, &to.tangents, &to.texcoords, &to.colors, &to.weights}) list->clear();
    to.joints.clear(), to.indices.clear(), to.materials.clear(), to.rows.clear();
    std::uint32_t component = 0;
    for (const hcluster::Channel& channel : view_.channels()) {
      if (channel.set == 0) first_[static_cast<std::size_t>(channel.semantic) % kSemantics] = {&channel, component};
      component += channel.components;
    }
  }

  void add(const hcluster::DecodedCluster& cluster) {
    const auto first_vertex = static_cast<std::uint32_t>(to_.positions.size() / 3);
    to_.rows.push_back({cluster.group, view_.groups()[cluster.group].level, cluster.refined, first_vertex,
                        cluster.vertex_count, static_cast<std::uint32_t>(to_.materials.size()), cluster.triangle_count,
                        0});
    std::uint32_t begin = 0;
    for (std::uint32_t r = 0; r < cluster.material_count; ++r) {
      const auto [material, end] = cluster.materials[r];
      for (std::uint32_t t = begin; t < end; ++t) {
        for (const std::uint8_t corner : cluster.triangles[t]) to_.indices.push_back(first_vertex + corner);
        to_.materials.push_back(material);
      }
      begin = end;
    }
    using enum hcluster::Semantic;
    for (std::uint32_t v = 0; v < cluster.vertex_count; ++v) {
      put(kPosition, cluster, v, to_.positions);
      put(kTexcoord, cluster, v, to_.texcoords);
      put(kColor, cluster, v, to_.colors);
      put(kWeights, cluster, v, to_.weights);
      if (const Found joints = found(kJoints); joints.channel != nullptr)
        for (std::uint32_t k = 0; k < 4; ++k)
          to_.joints.push_back(static_cast<std::uint16_t>(cluster.vertices.at(joints.component + k, v)));
      put_frame(cluster, v);
    }
    if (found(kNormal).channel == nullptr) add_normals(cluster, first_vertex);
    if (!to_.targets.empty()) move(first_vertex);
  }

 private:
  struct Found {
    const hcluster::Channel* channel = nullptr;
    std::uint32_t component = 0;  // its first one
  };
  static constexpr std::size_t kSemantics = 256;

  Found found(hcluster::Semantic semantic) const {
    const Found one = first_[static_cast<std::size_t>(semantic)];
    return one.channel != nullptr && one.channel->semantic == semantic ? one : Found{};
  }
  static float value(const Found& one, const hcluster::DecodedCluster& cluster, std::uint32_t k, std::uint32_t v) {
    return one.channel->value(k, cluster.vertices.at(one.component + k, v));
  }
  void put(hcluster::Semantic semantic, const hcluster::DecodedCluster& cluster, std::uint32_t v,
           std::vector<float>& out) const {
    const Found one = found(semantic);
    if (one.channel == nullptr) return;
    for (std::uint32_t k = 0; k < one.channel->components; ++k) out.push_back(value(one, cluster, k, v));
  }
  // Adds the offsets of morph targets to the vertices from the first one on.
  void move(std::uint32_t first_vertex) const {
    const auto rows = [&]<std::size_t N>(std::vector<float>& values) {
      using Row = std::array<float, N>;
      const std::size_t count = values.size() / N;
      return count <= first_vertex ? std::span<Row>()
                                   : std::span(reinterpret_cast<Row*>(values.data()), count).subspan(first_vertex);
    };
    runtime::add_offsets(
        view_, to_.offsets, to_.target_weights,
        {rows.operator()<3>(to_.positions), rows.operator()<3>(to_.normals), rows.operator()<4>(to_.tangents)});
  }
  // The normal and the tangent.
  void put_frame(const hcluster::DecodedCluster& cluster, std::uint32_t v) const {
    const Found normal = found(hcluster::Semantic::kNormal), tangent = found(hcluster::Semantic::kTangent);
    if (normal.channel == nullptr) return;
    const auto n = octahedral_direction(value(normal, cluster, 0, v), value(normal, cluster, 1, v));
    to_.normals.insert(to_.normals.end(), n.begin(), n.end());
    if (tangent.channel == nullptr) return;
    const std::uint32_t stored = cluster.vertices.at(tangent.component, v);
    const float steps = static_cast<float>(1u << (tangent.channel->bits - 1u));
    const float angle = 2 * std::numbers::pi_v<float> * static_cast<float>(stored >> 1) / steps;
    const auto [x, y] = hcluster::tangent_basis(n);
    for (std::size_t k = 0; k < 3; ++k) to_.tangents.push_back(std::cos(angle) * x[k] + std::sin(angle) * y[k]);
    to_.tangents.push_back((stored & 1) != 0 ? -1.0f : 1.0f);
  }
  // Normals of a mesh without any: the sum of the normals of the triangles at a vertex.
  void add_normals(const hcluster::DecodedCluster& cluster, std::uint32_t first_vertex) const {
    to_.normals.resize(to_.positions.size());
    for (std::uint32_t t = 0; t < cluster.triangle_count; ++t) {
      const auto& corners = cluster.triangles[t];
      std::array<std::array<float, 3>, 2> edges{};
      const auto place = [&](std::uint8_t corner) { return std::size_t{3} * (first_vertex + corner); };
      for (std::size_t k = 0; k < 3; ++k) {
        const float from = to_.positions[place(corners[0]) + k];
        edges[0][k] = to_.positions[place(corners[1]) + k] - from;
        edges[1][k] = to_.positions[place(corners[2]) + k] - from;
      }
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
        const float area = edges[0][a] * edges[1][b] - edges[0][b] * edges[1][a];
        for (const std::uint8_t corner : corners) to_.normals[place(corner) + k] += area;
      }
    }
  }

  Clusters& to_;
  const hcluster::View& view_;
  std::array<Found, kSemantics> first_{};
};

}  // namespace

// Opens a .hcluster, a cooked asset with clusters, or the first bytes of one. bytes: from allocate(); they are freed
// with the handle. file_bytes: the size of the whole file. Returns a handle.
ASSETC_EXPORT(clusters_open)
std::uint32_t clusters_open(std::uint32_t bytes, std::uint32_t size_bytes, double file_bytes) {
  auto made = std::make_unique<Clusters>();
  made->bytes.reset(reinterpret_cast<std::byte*>(std::uintptr_t{bytes}));
  auto opened = open(*made, {made->bytes.get(), size_bytes}, static_cast<std::uint64_t>(file_bytes));
  if (!opened) return refuse(std::move(opened).error());
  return address(made.release());
}

ASSETC_EXPORT(clusters_close) void clusters_close(std::uint32_t handle) {
  delete reinterpret_cast<Clusters*>(std::uintptr_t{handle});
}

// Returns an Info.
ASSETC_EXPORT(clusters_info) std::uint32_t clusters_info(std::uint32_t handle) {
  Clusters& c = at(handle);
  const hcluster::View& view = *c.view;
  const hcluster::Desc& desc = view.desc();
  Info& info = c.info;
  info.source_triangles = static_cast<double>(desc.source_triangle_count);
  info.triangles = static_cast<double>(desc.triangle_count);
  info.clusters = desc.cluster_count;
  info.levels = desc.level_count;
  info.groups = static_cast<double>(view.groups().size());
  info.pages = static_cast<double>(view.pages().size());
  info.loaded_pages = c.loaded_pages;
  info.position_error = static_cast<double>(desc.position_error);
  const hmesh::MeshBounds& bounds = view.bounds();
  const auto pose = pose_sphere(view);
  for (std::size_t k = 0; k < 3; ++k) {
    info.low[k] = static_cast<double>(bounds.aabb_min[k]);
    info.high[k] = static_cast<double>(bounds.aabb_max[k]);
    info.center[k] = static_cast<double>(bounds.sphere_center[k]);
    info.pose_center[k] = pose ? static_cast<double>(pose->center[k]) : 0;
  }
  info.radius = static_cast<double>(bounds.sphere_radius);
  info.pose_radius = pose ? static_cast<double>(pose->radius) : -1;
  info.level_rows = wide(c.levels);
  info.materials = wide(view.materials());
  info.uuids = c.blob ? wide(c.blob->materials) : WideRange{};
  info.joints = wide(view.joints());
  info.joint_names = wide(c.joint_names);
  info.channels = wide(view.channels());
  info.targets = wide(c.targets);
  return address(&info);
}

// Returns the weights of the morph targets, floats that JavaScript may change: pages that are decoded later, and later
// selections, have the new ones.
ASSETC_EXPORT(clusters_weights) std::uint32_t clusters_weights(std::uint32_t handle) {
  return address(at(handle).target_weights.data());
}

// Decodes a page that is loaded. Returns a PageInfo, whose indices count from the first vertex of the page.
ASSETC_EXPORT(clusters_page) std::uint32_t clusters_page(std::uint32_t handle, std::uint32_t page) {
  Clusters& c = at(handle);
  if (page >= c.pages->page_count() || !c.pages->has(page))
    return refuse({ErrorCode::kNotFound, {}, {}, "page " + std::to_string(page) + " is not loaded", {}});
  if (auto opened = c.decoder->open(page, c.pages->bytes(page)); !opened) return refuse(std::move(opened).error());
  PageFiller filler(c);
  for (;;) {
    const auto more = c.decoder->next(c.cluster);
    if (!more) return refuse(more.error());
    if (!*more) break;
    if (!c.targets.empty())
      if (auto read = c.decoder->offsets(c.offsets); !read) return refuse(std::move(read).error());
    filler.add(c.cluster);
  }
  c.page = {wide(c.rows),   wide(c.positions), wide(c.normals), wide(c.tangents), wide(c.texcoords),
            wide(c.colors), wide(c.joints),    wide(c.weights), wide(c.indices),  wide(c.materials)};
  return address(&c.page);
}

// Selects the clusters that runtime::select_clusters() selects. moves: 1 takes the sphere of all poses. Returns a
// Selected.
ASSETC_EXPORT(clusters_select)
std::uint32_t clusters_select(std::uint32_t handle, float x, float y, float z, float near_distance, float limit,
                              std::uint32_t moves) {
  Clusters& c = at(handle);
  runtime::ClusterView view{.eye = {x, y, z}, .near_distance = near_distance, .limit = limit};
  if (!c.targets.empty()) view.morph_reach = runtime::morph_reach(*c.view, c.target_weights);
  if (moves != 0) view.pose = pose_sphere(*c.view);
  runtime::select_clusters(*c.pages, view, c.selection);
  c.chosen.clear();
  for (const runtime::SelectedCluster& one : c.selection.clusters) c.chosen.push_back({one.page, one.cluster});
  c.selected = {wide(c.chosen), static_cast<double>(c.selection.wanted.size())};
  return address(&c.selected);
}

// Selects the clusters that show one level of detail everywhere: the groups of that level, and coarser groups where
// nothing replaces them there. Returns a Selected.
ASSETC_EXPORT(clusters_of_level) std::uint32_t clusters_of_level(std::uint32_t handle, std::uint32_t level) {
  Clusters& c = at(handle);
  const auto groups = c.view->groups();
  c.chosen.clear();
  for (const hcluster::Group& group : groups) {
    if (!c.pages->is_usable(group.page) || (group.level < level && group.error < HUGE_VALF)) continue;
    const auto records = c.pages->clusters(group.page);
    for (std::uint32_t i = group.first_cluster; i < std::uint32_t{group.first_cluster} + group.cluster_count; ++i) {
      const std::uint32_t refined = records[i].refined();
      const bool is_refined =
          refined != hcluster::kNone && c.pages->is_usable(groups[refined].page) && groups[refined].level >= level;
      if (!is_refined) c.chosen.push_back({group.page, i});
    }
  }
  c.selected = {wide(c.chosen), static_cast<double>(c.view->pages().size())};
  return address(&c.selected);
}

}  // namespace assetc::web
