// Clusters: the file without most of its pages.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "assetc/formats/chunks.hpp"
#include "assetc/formats/hcluster.hpp"
#include "assetc/runtime/assets.hpp"
#include "runtime/loaders/fallbacks.hpp"
#include "runtime/mount/mount_point.hpp"

namespace assetc::runtime {
namespace {

class ClusterParts {
 public:
  static Result<PartPlan> plan(PartInput& in, const ClusterData* /*last*/) {
    const ContentRange head = head_range(in.content.prefix(), in.content_bytes);
    std::vector<ContentRange> lacking = in.content.lacking({head});
    if (!lacking.empty()) return PartPlan{std::move(lacking), head.size_bytes};
    const Bytes bytes = aligned(in.content.find(head).value_or(Bytes()));
    // Reading a short table shows where the chunks are.
    if (head_range(in.content.prefix(), in.content_bytes) != head) return plan(in, nullptr);
    ASSETC_TRY(const hcluster::View view, open(bytes, in.content_bytes));
    std::vector<ContentRange> pages;
    std::uint64_t decoded = head.size_bytes;
    for (const std::uint32_t page : lasting_pages(view)) {
      pages.push_back(range_of(view, page));
      decoded += pages.back().size_bytes;
    }
    return PartPlan{in.content.lacking(std::move(pages)), decoded};
  }

  static Result<ClusterData> decode(PartInput& in, const ClusterData* /*last*/) {
    const ContentRange head = head_range(in.content.prefix(), in.content_bytes);
    const std::optional<Bytes> found = in.content.find(head);
    if (!found) return fail(ErrorCode::kTruncated, "found fewer bytes than the file has");
    ClusterData out;
    out.head = aligned(*found);
    ASSETC_TRY(out.view, open(out.head, in.content_bytes));
    for (const std::uint32_t page : lasting_pages(out.view)) {
      const std::optional<Bytes> bytes = in.content.find(range_of(out.view, page));
      if (!bytes) return fail(ErrorCode::kTruncated, "found fewer bytes than the file has");
      out.pages.push_back({page, aligned(*bytes)});
      ASSETC_CHECK(hcluster::open_page(out.view, page, out.pages.back().bytes));
    }
    // chairs/oak.hcluster and chairs/oak.hmat, as for other meshes.
    const std::string_view path = in.desc.virtual_path;
    if (const std::size_t dot = path.rfind('.'); dot != path.npos) {
      if (const auto beside = in.catalog.find_by_path(std::string(path.substr(0, dot)) + ".hmat"))
        out.materials.push_back(*beside);
    }
    in.hard = out.materials;
    return out;
  }

  static std::uint64_t held_by(const ClusterData& clusters) {
    std::uint64_t size = clusters.head.size();
    for (const ClusterData::Page& page : clusters.pages) size += page.bytes.size();
    return size;
  }

  static PartLevels levels(const ClusterData& clusters) {
    return {.first = 0, .finest = 0, .count = 1, .value_bytes = {held_by(clusters)}};
  }

 private:
  // Returns the range before DATA, or the whole file if other chunks come after it or the table breaks a rule. The view
  // then names the rule. `first` may end before the table does: the range then ends with the table.
  static ContentRange head_range(ByteSpan first, std::uint64_t content_bytes) {
    const ContentRange whole{0, content_bytes};
    if (content_bytes < sizeof(chunks::FileHeader)) return whole;
    if (first.size() < sizeof(chunks::FileHeader)) return {0, sizeof(chunks::FileHeader)};
    const auto header = load<chunks::FileHeader>(first);
    const std::uint64_t table_end =
        sizeof header + std::uint64_t{std::min(header.chunk_count, chunks::kMaxChunks)} * sizeof(chunks::ChunkEntry);
    if (table_end > content_bytes) return whole;
    if (first.size() < table_end) return {0, table_end};
    std::optional<std::uint64_t> data;
    std::uint64_t last = table_end;
    for (std::uint64_t at = sizeof header; at < table_end; at += sizeof(chunks::ChunkEntry)) {
      const auto entry = load<chunks::ChunkEntry>(first, static_cast<std::size_t>(at));
      if (entry.id == fourcc("DATA")) data = entry.offset_bytes;
      last = std::max(last, entry.offset_bytes);
    }
    if (!data || *data < last || *data > content_bytes) return whole;
    return {0, *data};
  }

  // The pages that the value has: those with a group that nothing replaces.
  static std::vector<std::uint32_t> lasting_pages(const hcluster::View& view) {
    std::vector<std::uint32_t> pages{0};
    for (const hcluster::Group& group : view.groups()) {
      if (std::isinf(group.error) && group.page != pages.back()) pages.push_back(group.page);
    }
    return pages;
  }

  static ContentRange range_of(const hcluster::View& view, std::uint32_t page) {
    return {view.page_offset_bytes(page), view.pages()[page].size_bytes};
  }

  static Result<hcluster::View> open(const Bytes& head, std::uint64_t content_bytes) {
    return head.size() == content_bytes ? hcluster::View::open(head) : hcluster::View::open_head(head, content_bytes);
  }
};

// One cluster of 12 triangles, whose corners are the integers 0 and 1 of a grid.
ClusterData cube_of_clusters(AssetType /*type*/) {
  hcluster::Model model;
  model.channels = {{.semantic = hcluster::Semantic::kPosition,
                     .set = 0,
                     .components = 3,
                     .bits = 1,
                     .predictor = hcluster::Predictor::kNeighbors,
                     .reserved = 0,
                     .minimum = {-0.5f, -0.5f, -0.5f, 0},
                     .step = 1,
                     .error = 0}};
  const float radius = std::sqrt(0.75f);
  model.bounds = {{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}, {0, 0, 0}, radius};
  hcluster::ClusterVertices vertices{};
  for (std::uint32_t v = 0; v < 8; ++v) {
    vertices.ids[v] = v;
    for (std::uint32_t axis = 0; axis < 3; ++axis) vertices.at(axis, v) = v >> axis & 1;
  }
  // Two triangles for each side, counter-clockwise as seen from outside.
  std::vector<std::array<std::uint8_t, 3>> triangles;
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    const std::uint32_t u = 1u << (axis + 1) % 3, v = 1u << (axis + 2) % 3, w = 1u << axis;
    const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
      triangles.push_back({static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(c)});
    };
    add(w, w + u, w + u + v), add(w, w + u + v, w + v);
    add(0, u + v, u), add(0, v, u + v);
  }
  const hcluster::MaterialRange material{hcluster::kNone, 12};
  hcluster::PageWriter writer(model);
  writer.begin({{0, 0, 0}, radius, std::numeric_limits<float>::infinity(), 0, 0, 0, 0});
  writer.add({.refined = hcluster::kNone,
              .vertex_count = 8,
              .triangles = triangles,
              .materials = {&material, 1},
              .vertices = &vertices});
  writer.end();
  writer.finish();
  model.desc.source_triangle_count = model.desc.triangle_count;
  hcluster::build_nodes(model);
  ClusterData out;
  out.head = Bytes(must(hcluster::write(model)));
  out.view = must(hcluster::View::open(out.head));
  out.pages = {
      {0, out.head.slice(static_cast<std::size_t>(out.view.page_offset_bytes(0)), out.view.pages()[0].size_bytes)}};
  return out;
}

}  // namespace

Loader<ClusterData> cluster_loader(const PartOptions& parts) {
  Loader<ClusterData> loader;
  loader.size_bytes = ClusterParts::held_by;
  loader.fallback = cube_of_clusters;
  loader.parts = Parts<ClusterData>{.first_read_bytes = parts.first_read_bytes,
                                    .is_never_whole = true,
                                    .plan = ClusterParts::plan,
                                    .decode = ClusterParts::decode,
                                    .levels = ClusterParts::levels};
  return loader;
}

}  // namespace assetc::runtime
