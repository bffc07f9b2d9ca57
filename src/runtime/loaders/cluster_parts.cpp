// Clusters: the file without most of its pages.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "assetc/formats/aas1_clusters.hpp"
#include "assetc/formats/chunks.hpp"
#include "assetc/formats/hcluster.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/clusters.hpp"
#include "runtime/loaders/fallbacks.hpp"
#include "runtime/mount/mount_point.hpp"

namespace assetc::runtime {
namespace {

class ClusterParts {
 public:
  static Result<PartPlan> plan(PartInput& in, const ClusterData* /*last*/) {
    const ContentRange start = start_range(in.content.prefix(), in.content_bytes);
    if (std::vector<ContentRange> lacking = in.content.lacking({start}); !lacking.empty())
      return PartPlan{std::move(lacking), start.size_bytes};
    ASSETC_TRY(const Place place, place_in(in));
    const ContentRange head = head_range(place, in.content.prefix());
    std::vector<ContentRange> lacking = in.content.lacking({head});
    if (!lacking.empty()) return PartPlan{std::move(lacking), head.size_bytes};
    const Bytes bytes = aligned(in.content.find(head).value_or(Bytes()));
    // Reading a short table shows where the chunks are.
    if (head_range(place, in.content.prefix()) != head) return plan(in, nullptr);
    ASSETC_TRY(const hcluster::View view, open(bytes, place.size_bytes));
    std::vector<ContentRange> pages;
    std::uint64_t decoded = head.size_bytes;
    for (const std::uint32_t page : lasting_pages(view)) {
      pages.push_back(range_of(place, view, page));
      decoded += pages.back().size_bytes;
    }
    return PartPlan{in.content.lacking(std::move(pages)), decoded};
  }

  static Result<ClusterData> decode(PartInput& in, const ClusterData* /*last*/) {
    ASSETC_TRY(const Place place, place_in(in));
    const ContentRange head = head_range(place, in.content.prefix());
    const std::optional<Bytes> found = in.content.find(head);
    if (!found) return fail(ErrorCode::kTruncated, "found fewer bytes than the file has");
    ClusterData out;
    out.file_offset_bytes = place.offset_bytes;
    out.skeleton = place.skeleton;
    out.head = aligned(*found);
    ASSETC_TRY(out.view, open(out.head, place.size_bytes));
    for (const std::uint32_t page : lasting_pages(out.view)) {
      const std::optional<Bytes> bytes = in.content.find(range_of(place, out.view, page));
      if (!bytes) return fail(ErrorCode::kTruncated, "found fewer bytes than the file has");
      out.pages.push_back({page, aligned(*bytes)});
      ASSETC_CHECK(hcluster::open_page(out.view, page, out.pages.back().bytes));
    }
    if (place.is_blob) {
      if (place.materials.size() != out.view.materials().size())
        return fail(ErrorCode::kInvalidData, "the blob has another number of materials than its clusters");
      for (const Uuid& material : place.materials)
        out.materials.push_back(in.catalog.find(material).value_or(AssetHandle{.uuid = material}));
    } else if (const std::size_t dot = in.desc.virtual_path.rfind('.'); dot != std::string::npos) {
      // chairs/oak.hcluster and chairs/oak.hmat, as for other meshes.
      const std::string_view path = in.desc.virtual_path;
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
  // Where the .hcluster lies in the asset: the whole asset, or a part of an AAS1 blob.
  struct Place {
    std::uint64_t offset_bytes = 0, size_bytes = 0;
    bool is_blob = false;
    std::vector<Uuid> materials;  // of a blob
    Uuid skeleton{};
  };

  static bool is_blob(ByteSpan first) { return first.size() >= 4 && load<std::uint32_t>(first) == aas1::kMagic; }

  // Returns the first bytes, which tell where the .hcluster is.
  static ContentRange start_range(ByteSpan first, std::uint64_t content_bytes) {
    const std::uint64_t size = is_blob(first) ? aas1::clusters_head_bytes(first) : sizeof(chunks::FileHeader);
    return {0, std::min(size, content_bytes)};
  }

  static Result<Place> place_in(PartInput& in) {
    const Bytes first = in.content.prefix();
    if (!is_blob(first))
      return Place{
          .offset_bytes = 0, .size_bytes = in.content_bytes, .is_blob = false, .materials = {}, .skeleton = {}};
    const Bytes start =
        aligned(first.slice(0, static_cast<std::size_t>(start_range(first, in.content_bytes).size_bytes)));
    ASSETC_TRY(const aas1::ClustersHead head, aas1::read_clusters_head(start, in.content_bytes));
    return Place{.offset_bytes = head.file_offset_bytes,
                 .size_bytes = head.file_size_bytes,
                 .is_blob = true,
                 .materials = {head.materials.begin(), head.materials.end()},
                 .skeleton = head.skeleton};
  }

  // Returns the range of the asset before DATA, or the whole .hcluster if other chunks come after it or the table
  // breaks a rule. The view then names the rule. `content` may end before the table does: the range then ends with the
  // table.
  static ContentRange head_range(const Place& place, ByteSpan content) {
    const ByteSpan first =
        content.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(content.size(), place.offset_bytes)));
    return {place.offset_bytes, head_bytes(first, place.size_bytes)};
  }

  static std::uint64_t head_bytes(ByteSpan first, std::uint64_t file_bytes) {
    if (file_bytes < sizeof(chunks::FileHeader)) return file_bytes;
    if (first.size() < sizeof(chunks::FileHeader)) return sizeof(chunks::FileHeader);
    const auto header = load<chunks::FileHeader>(first);
    const std::uint64_t table_end =
        sizeof header + std::uint64_t{std::min(header.chunk_count, chunks::kMaxChunks)} * sizeof(chunks::ChunkEntry);
    if (table_end > file_bytes) return file_bytes;
    if (first.size() < table_end) return table_end;
    std::optional<std::uint64_t> data;
    std::uint64_t last = table_end;
    for (std::uint64_t at = sizeof header; at < table_end; at += sizeof(chunks::ChunkEntry)) {
      const auto entry = load<chunks::ChunkEntry>(first, static_cast<std::size_t>(at));
      if (entry.id == fourcc("DATA")) data = entry.offset_bytes;
      last = std::max(last, entry.offset_bytes);
    }
    return !data || *data < last || *data > file_bytes ? file_bytes : *data;
  }

  // The pages that the value has: those with a group that nothing replaces.
  static std::vector<std::uint32_t> lasting_pages(const hcluster::View& view) {
    std::vector<std::uint32_t> pages{0};
    for (const hcluster::Group& group : view.groups()) {
      if (std::isinf(group.error) && group.page != pages.back()) pages.push_back(group.page);
    }
    return pages;
  }

  static ContentRange range_of(const Place& place, const hcluster::View& view, std::uint32_t page) {
    return {place.offset_bytes + view.page_offset_bytes(page), view.pages()[page].size_bytes};
  }

  static Result<hcluster::View> open(const Bytes& head, std::uint64_t file_bytes) {
    return head.size() == file_bytes ? hcluster::View::open(head) : hcluster::View::open_head(head, file_bytes);
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
  loader.shares = false;  // a file refers to materials beside it
  loader.parts = Parts<ClusterData>{.first_read_bytes = parts.first_read_bytes,
                                    .is_never_whole = true,
                                    .plan = ClusterParts::plan,
                                    .decode = ClusterParts::decode,
                                    .levels = ClusterParts::levels};
  return loader;
}

}  // namespace assetc::runtime
