#include "assetc/runtime/morph.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "assetc/formats/octahedral.hpp"

namespace assetc::runtime {
namespace {

void add(std::span<float, 3> to, const std::array<std::int16_t, 3>& offset, float scale) {
  for (std::size_t i = 0; i < 3; ++i) to[i] += static_cast<float>(offset[i]) * scale;
}

template <std::size_t N>
void normalize(std::array<float, N>& v) {
  const float length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  if (!(length > 0)) return;
  for (std::size_t i = 0; i < 3; ++i) v[i] /= length;
}

}  // namespace

void default_weights(const hmesh::MorphsView& morphs, std::span<float> out) {
  assert(out.size() == morphs.targets().size());
  for (std::size_t t = 0; t < out.size(); ++t) out[t] = morphs.targets()[t].weight;
}

void blend_weights(std::span<const float> a, std::span<const float> b, float amount, std::span<float> out) {
  assert(a.size() == out.size() && b.size() == out.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = a[i] + (b[i] - a[i]) * amount;
}

void add_offsets(const hmesh::MorphsView& morphs, std::span<const float> weights, const MorphedVertices& out) {
  assert(weights.size() == morphs.targets().size());
  const bool normals = !out.normals.empty() && morphs.has_normals();
  const bool tangents = !out.tangents.empty() && morphs.has_tangents();
  for (std::size_t t = 0; t < weights.size(); ++t) {
    if (weights[t] == 0) continue;
    const hmesh::GpuMorphTarget& target = morphs.targets()[t];
    for (std::uint32_t i = 0; i < target.move_count; ++i) {
      const hmesh::MorphMove move = morphs.move(target.first_move + i);
      if (!out.positions.empty()) add(out.positions[move.vertex], move.position, target.position_step * weights[t]);
      if (normals) add(out.normals[move.vertex], move.normal, target.normal_step * weights[t]);
      if (tangents) {
        add(std::span(out.tangents[move.vertex]).first<3>(), move.tangent, target.tangent_step * weights[t]);
      }
    }
  }
}

void add_channel_offsets(const hmesh::MorphsView& morphs, std::span<const float> weights,
                         hmesh::FurtherSemantic semantic, std::uint32_t set, std::span<std::array<float, 4>> values) {
  assert(weights.size() == morphs.targets().size());
  for (const hmesh::GpuMorphChannel& channel : morphs.channels()) {
    const float weight = weights[channel.target];
    if (channel.semantic != static_cast<std::uint16_t>(semantic) || channel.set != set || weight == 0) continue;
    for (const hmesh::GpuChannelMove& move : morphs.channel_moves().subspan(channel.first_move, channel.move_count)) {
      for (std::size_t k = 0; k < 4; ++k)
        values[move.vertex][k] += static_cast<float>(move.offset[k]) * channel.step * weight;
    }
  }
}

void add_offsets(const hcluster::View& mesh, const hcluster::ClusterOffsets& offsets, std::span<const float> weights,
                 const MorphedVertices& out) {
  for (const hcluster::OffsetTrack& track : offsets.tracks) {
    const float weight = weights[track.target];
    if (weight == 0) continue;
    const float scale = mesh.offset_step(track) * weight;
    for (const hcluster::VertexOffset& offset : std::span(offsets.offsets).subspan(track.first, track.count)) {
      const std::array<std::int16_t, 3> xyz{offset.value[0], offset.value[1], offset.value[2]};
      if (track.attribute == hcluster::OffsetAttribute::kPosition && !out.positions.empty())
        add(out.positions[offset.vertex], xyz, scale);
      if (track.attribute == hcluster::OffsetAttribute::kNormal && !out.normals.empty())
        add(out.normals[offset.vertex], xyz, scale);
      if (track.attribute == hcluster::OffsetAttribute::kTangent && !out.tangents.empty())
        add(std::span(out.tangents[offset.vertex]).first<3>(), xyz, scale);
    }
  }
}

float morph_reach(const hcluster::View& mesh, std::span<const float> weights) {
  assert(weights.size() == mesh.morph_radii().size());
  float reach = 0;
  for (std::size_t t = 0; t < weights.size(); ++t) reach += std::fabs(weights[t]) * mesh.morph_radii()[t];
  return reach * (1 + 1e-6f * static_cast<float>(1 + weights.size()));
}

void morph_vertices(const hmesh::View& mesh, std::span<const float> weights, const MorphedVertices& out) {
  const std::span<const hmesh::GpuVertex> vertices = mesh.vertices();
  assert(out.positions.empty() || out.positions.size() == vertices.size());
  assert(out.normals.empty() || out.normals.size() == vertices.size());
  assert(out.tangents.empty() || out.tangents.size() == vertices.size());
  for (std::size_t v = 0; v < out.positions.size(); ++v)
    std::ranges::copy(vertices[v].position, out.positions[v].begin());
  for (std::size_t v = 0; v < out.normals.size(); ++v)
    out.normals[v] = decode_octahedral(vertices[v].normal[0], vertices[v].normal[1]);
  for (std::size_t v = 0; v < out.tangents.size(); ++v)
    out.tangents[v] = decode_octahedral_tangent(vertices[v].tangent[0], vertices[v].tangent[1]);
  if (!mesh.morphs()) return;
  add_offsets(*mesh.morphs(), weights, out);
  for (auto& n : out.normals) normalize(n);
  for (auto& t : out.tangents) normalize(t);
}

}  // namespace assetc::runtime
