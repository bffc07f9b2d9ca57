// Decoded clusters on the device, in buffers of a fixed size. Each cluster has a slot of the size of the largest one,
// so pages can be uploaded and dropped in any order.
#pragma once

#include <assetc/runtime/cluster_streamer.hpp>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "device.hpp"
#include "vertex_input.hpp"

namespace example {

struct ClusterVertex {
  float position[3];
  std::int16_t normal[2], tangent[2];  // octahedral.hpp
  float uv[2];
  std::uint8_t color[4];
};
static_assert(sizeof(ClusterVertex) == 32);
// How pipelines read a ClusterVertex. Vertices have one set of texture coordinates.
VertexInput cluster_vertex_input();

// The triangles of a cluster that have one material, in the layout of assets/shaders/include/clusters.glsl. Boxes and
// cones are in the space of the mesh.
struct ClusterPart {
  float center[3];
  std::uint32_t slot;
  float half[3];
  std::uint32_t first_triangle;  // of the cluster
  float axis[3];
  float cutoff;
  std::uint32_t triangle_count;
  std::uint32_t group, refined;  // refined: kNone if it is of the source
  std::uint32_t cluster;         // in the page of its group
};
static_assert(sizeof(ClusterPart) == 64);

class ClusterPool {
 public:
  ClusterPool(const Device& device, std::uint32_t slot_count);
  ~ClusterPool();
  ClusterPool(const ClusterPool&) = delete;
  ClusterPool& operator=(const ClusterPool&) = delete;

  std::uint32_t slot_count() const { return slot_count_; }
  VkBuffer vertices() const { return vertices_.buffer; }
  VkBuffer indices() const { return indices_.buffer; }  // of 16 bits

  // Decodes a page into free slots. Requires that these are enough, and that no draw uses them any more.
  void upload(assetc::hcluster::PageDecoder& decoder, const assetc::hcluster::View& mesh, std::uint32_t page,
              const assetc::Bytes& bytes, std::map<std::uint32_t, std::vector<ClusterPart>>& parts_of_material);
  void free(std::span<const ClusterPart> parts);

 private:
  const Device& device_;
  std::uint32_t slot_count_;
  Buffer vertices_, indices_;
  std::vector<std::uint32_t> free_;
  assetc::hcluster::DecodedCluster cluster_{};
};

}  // namespace example
