// Decodes every page of an .hcluster into vertices and triangles as an engine stores them, and prints the sizes of the
// file's parts and the speed.
//
//   cluster_pages_bench FILE.hcluster
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "assetc/formats/hcluster_view.hpp"

namespace {

using namespace assetc;

// What an engine may keep of a cluster: a column of each component, floats of positions and texture coordinates.
struct Vertices {
  std::vector<float> floats = std::vector<float>(std::size_t{hcluster::kMaxComponents} * hcluster::kMaxClusterVertices);
  std::vector<std::uint16_t> integers = std::vector<std::uint16_t>(floats.size());
  std::vector<std::uint8_t> corners = std::vector<std::uint8_t>(3 * hcluster::kMaxClusterTriangles);
};

std::size_t decode_all(const hcluster::View& view, hcluster::PageDecoder& decoder, hcluster::DecodedCluster& cluster,
                       Vertices& out) {
  std::size_t bytes = 0;
  for (std::uint32_t page = 0; page < view.pages().size(); ++page) {
    if (!decoder.open(page, view.page(page))) return 0;
    for (;;) {
      const auto more = decoder.next(cluster);
      if (!more) return 0;
      if (!*more) break;
      std::uint32_t component = 0;
      for (const hcluster::Channel& c : view.channels()) {
        const bool is_float =
            c.semantic == hcluster::Semantic::kPosition || c.semantic == hcluster::Semantic::kTexcoord;
        for (std::uint32_t k = 0; k < c.components; ++k, ++component) {
          const std::uint32_t* from = &cluster.vertices.at(component, 0);
          const std::size_t at = std::size_t{component} * hcluster::kMaxClusterVertices;
          for (std::uint32_t v = 0; v < cluster.vertex_count; ++v) {
            if (is_float) {
              out.floats[at + v] = c.minimum[k] + c.step * static_cast<float>(static_cast<std::int32_t>(from[v]));
            } else {
              out.integers[at + v] = static_cast<std::uint16_t>(from[v]);
            }
          }
          bytes += cluster.vertex_count * (is_float ? sizeof(float) : sizeof(std::uint16_t));
        }
      }
      std::memcpy(out.corners.data(), cluster.triangles.data(), std::size_t{3} * cluster.triangle_count);
      bytes += std::size_t{3} * cluster.triangle_count;
    }
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "cluster_pages_bench FILE.hcluster\n"), 2;
  std::ifstream in(argv[1], std::ios::binary);
  const std::vector<char> text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const ByteSpan file = std::as_bytes(std::span(text));
  const auto view = hcluster::View::open(file);
  if (!view) return std::fprintf(stderr, "%s\n", view.error().what.c_str()), 1;
  const auto source = static_cast<double>(view->desc().source_triangle_count);
  std::size_t pages = 0;
  for (const hcluster::Page& page : view->pages()) pages += page.size_bytes;
  std::printf("%zu bytes, %.3f a source triangle: pages %.3f, of these records of clusters %.3f; tables %.3f\n",
              file.size(), static_cast<double>(file.size()) / source, static_cast<double>(pages) / source,
              static_cast<double>(view->desc().cluster_count * sizeof(hcluster::ClusterRecord)) / source,
              static_cast<double>(file.size() - pages) / source);

  hcluster::PageDecoder decoder(*view);
  const auto cluster = std::make_unique<hcluster::DecodedCluster>();
  Vertices out;
  std::vector<double> seconds;
  std::size_t bytes = 0;
  for (int round = 0; round < 9; ++round) {
    const auto start = std::chrono::steady_clock::now();
    bytes = decode_all(*view, decoder, *cluster, out);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::sort(seconds);
  std::printf("decoded %zu bytes in %.4f s: %.2f GB/s, %.1f M triangles/s\n", bytes, seconds.front(),
              static_cast<double>(bytes) / seconds.front() / 1e9,
              static_cast<double>(view->desc().triangle_count) / seconds.front() / 1e6);
  return bytes == 0 ? 1 : 0;
}
