#include "cluster_pool.hpp"

#include <algorithm>
#include <assetc/formats/octahedral.hpp>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace example {

using namespace assetc;
using hcluster::kMaxClusterTriangles;
using hcluster::kMaxClusterVertices;
using hcluster::Semantic;

namespace {

constexpr std::size_t kSlotVertexBytes = kMaxClusterVertices * sizeof(ClusterVertex);
constexpr std::size_t kSlotIndexBytes = std::size_t{kMaxClusterTriangles} * 3 * sizeof(std::uint16_t);

void put_tangent(const hcluster::Channel& channel, std::uint32_t stored, ClusterVertex& out) {
  const auto [nx, ny, nz] = decode_octahedral(out.normal[0], out.normal[1]);
  const auto [x, y] = hcluster::tangent_basis({nx, ny, nz});
  const float angle =
      2 * std::numbers::pi_v<float> * static_cast<float>(stored >> 1) / static_cast<float>(1u << (channel.bits - 1));
  const float c = std::cos(angle), s = std::sin(angle);
  const OctahedralVector packed = encode_octahedral_tangent(c * x[0] + s * y[0], c * x[1] + s * y[1],
                                                            c * x[2] + s * y[2], (stored & 1) != 0 ? -1.0f : 1.0f);
  std::ranges::copy(packed, out.tangent);
}

void put(const hcluster::View& mesh, const hcluster::DecodedCluster& cluster, std::uint32_t v, ClusterVertex& out) {
  out = {.position = {}, .normal = {}, .tangent = {}, .uv = {}, .color = {255, 255, 255, 255}};
  std::uint32_t component = 0;
  for (const hcluster::Channel& c : mesh.channels()) {
    float values[4] = {};
    for (std::uint32_t k = 0; k < c.components; ++k) values[k] = c.value(k, cluster.vertices.at(component + k, v));
    if (c.semantic == Semantic::kPosition) std::copy_n(values, 3, out.position);
    if (c.semantic == Semantic::kNormal) {
      const auto [x, y, z] = octahedral_direction(values[0], values[1]);
      std::ranges::copy(encode_octahedral(x, y, z), out.normal);
    }
    // The channel of normals comes before.
    if (c.semantic == Semantic::kTangent) put_tangent(c, cluster.vertices.at(component, v), out);
    if (c.semantic == Semantic::kTexcoord && c.set == 0) std::copy_n(values, 2, out.uv);
    if (c.semantic == Semantic::kColor && c.set == 0) {
      for (std::size_t k = 0; k < 4; ++k)
        out.color[k] = static_cast<std::uint8_t>(std::clamp(values[k], 0.0f, 1.0f) * 255 + 0.5f);
    }
    component += c.components;
  }
}

// As in the reference: select_clusters().
ClusterPart bounds_of(const hcluster::View& mesh, const hcluster::ClusterRecord& record) {
  ClusterPart out{};
  const hcluster::Channel& position = mesh.channels()[0];
  for (std::size_t k = 0; k < 3; ++k) {
    const float low = position.value(k, record.low(k, mesh.desc().box_shift)),
                high = position.value(k, record.high(k, mesh.desc().box_shift));
    out.center[k] = (low + high) * 0.5f;
    out.half[k] = (high - low) * 0.5f;
    out.axis[k] = static_cast<float>(record.cone_axis[k]) / 127;
  }
  // A cutoff above 1 culls nothing.
  out.cutoff = record.cone_cutoff == 127 ? 2.0f : std::max(static_cast<float>(record.cone_cutoff), 0.0f) / 127;
  return out;
}

}  // namespace

VertexInput cluster_vertex_input() {
  VertexInput out;
  out.strides_bytes = {sizeof(ClusterVertex)};
  out.attributes[0] = {VK_FORMAT_R32G32B32_SFLOAT, 0, offsetof(ClusterVertex, position)};
  out.attributes[1] = {VK_FORMAT_R16G16_SNORM, 0, offsetof(ClusterVertex, normal)};
  out.attributes[2] = {VK_FORMAT_R16G16_SINT, 0, offsetof(ClusterVertex, tangent)};
  out.attributes[3] = {VK_FORMAT_R8G8B8A8_UNORM, 0, offsetof(ClusterVertex, color)};
  for (std::size_t i = 0; i < kMaterialTextures; ++i)
    out.attributes[VertexInput::kTexcoords + i] = {VK_FORMAT_R32G32_SFLOAT, 0, offsetof(ClusterVertex, uv)};
  out.has_packed_normals = out.has_packed_tangents = VK_TRUE;
  return out;
}

ClusterPool::ClusterPool(const Device& device, std::uint32_t slot_count)
    : device_(device),
      slot_count_(slot_count),
      vertices_(device.make_buffer(slot_count * kSlotVertexBytes, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT)),
      indices_(device.make_buffer(slot_count * kSlotIndexBytes, VK_BUFFER_USAGE_INDEX_BUFFER_BIT)) {
  for (std::uint32_t slot = slot_count; slot-- > 0;) free_.push_back(slot);
}

ClusterPool::~ClusterPool() {
  device_.destroy(vertices_);
  device_.destroy(indices_);
}

void ClusterPool::upload(hcluster::PageDecoder& decoder, const hcluster::View& mesh, std::uint32_t page,
                         const Bytes& bytes, std::map<std::uint32_t, std::vector<ClusterPart>>& parts_of_material) {
  if (auto opened = decoder.open(page, bytes); !opened) die(opened.error().to_string());
  for (std::uint32_t c = 0;; ++c) {
    const auto more = decoder.next(cluster_);
    if (!more) die(more.error().to_string());  // the hash of the page is right: the file is wrong
    if (!*more) return;
    if (free_.empty()) die("the pool of clusters is full");
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    auto* const vertices = reinterpret_cast<ClusterVertex*>(vertices_.mapped + slot * kSlotVertexBytes);
    for (std::uint32_t v = 0; v < cluster_.vertex_count; ++v) put(mesh, cluster_, v, vertices[v]);
    auto* indices = reinterpret_cast<std::uint16_t*>(indices_.mapped + slot * kSlotIndexBytes);
    for (std::uint32_t t = 0; t < cluster_.triangle_count; ++t) {
      for (const std::uint8_t corner : cluster_.triangles[t]) *indices++ = corner;
    }
    ClusterPart part = bounds_of(mesh, decoder.records()[c]);
    part.slot = slot;
    part.group = cluster_.group;
    part.refined = cluster_.refined;
    part.cluster = c;
    for (std::uint32_t m = 0; m < cluster_.material_count; ++m) {
      part.first_triangle = m == 0 ? 0 : cluster_.materials[m - 1].end;
      part.triangle_count = cluster_.materials[m].end - part.first_triangle;
      parts_of_material[cluster_.materials[m].material].push_back(part);
    }
  }
}

void ClusterPool::free(std::span<const ClusterPart> parts) {
  for (const ClusterPart& part : parts) {
    if (part.first_triangle == 0) free_.push_back(part.slot);
  }
}

}  // namespace example
