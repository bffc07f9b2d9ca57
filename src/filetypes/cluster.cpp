// .hcluster.
#include <algorithm>
#include <memory>
#include <string>

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

// Decodes every page; the boxes that cull clusters must contain their vertices.
Result<void> check_hcluster(ByteSpan file) {
  ASSETC_TRY(const hcluster::View mesh, hcluster::View::open(file));
  hcluster::PageDecoder decoder(mesh);
  const auto cluster = std::make_unique<hcluster::DecodedCluster>();
  std::uint64_t triangles = 0, source_triangles = 0;
  for (std::uint32_t page = 0; page < mesh.pages().size(); ++page) {
    const std::string place = "page " + std::to_string(page);
    const auto in_page = [&](Error error) { return std::unexpected(std::move(error).at(place)); };
    if (auto opened = decoder.open(page, mesh.page(page)); !opened) return in_page(opened.error());
    for (std::size_t c = 0;; ++c) {
      const auto more = decoder.next(*cluster);
      if (!more) return in_page(more.error());
      if (!*more) break;
      triangles += cluster->triangle_count;
      if (cluster->refined == hcluster::kNone) source_triangles += cluster->triangle_count;
      const hcluster::ClusterRecord& record = decoder.records()[c];
      for (std::uint32_t v = 0; v < cluster->vertex_count; ++v) {
        for (std::uint32_t k = 0; k < 3; ++k) {
          const std::uint64_t at = cluster->vertices.at(k, v),
                              low = std::uint64_t{record.box_low[k]} << mesh.desc().box_shift,
                              high = std::uint64_t{record.box_high[k]} << mesh.desc().box_shift;
          if (at >= low && at <= high) continue;
          return in_page({ErrorCode::kInvalidData,
                          {},
                          {},
                          "a vertex of cluster " + std::to_string(c) + " lies outside of its box",
                          formats::kDamagedHint});
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
