// Applies morph targets on the CPU.
//
//   const hmesh::MorphsView& morphs = *mesh.morphs();               // .hmesh; AAS1 and Galileo have the same view
//   std::vector<float> weights(morphs.targets().size());            // the vectors: once for each instance
//   std::vector<std::array<float, 3>> positions(vertex_count), normals(vertex_count);
//
//   default_weights(morphs, weights);                                // or those that a clip gives
//   blend_weights(walk, smile, 0.5f, weights);                       // optional: between two sets of weights
//   morph_vertices(mesh, weights, {.positions = positions, .normals = normals});
//   // then skin them: a skeleton moves the morphed vertices
//
// The targets of one node are a group: MorphsView::groups(). A mesh that was merged from several nodes has several.
// docs/formats/hmesh.md tells how a compute shader reads the same data.
//
// Nothing here allocates, fails or throws. Thread safety: const and without state. Any number of threads, each with its
// own spans.
// Source: glTF 2.0, section 3.7.2.2 (morph targets).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "assetc/formats/hcluster_view.hpp"
#include "assetc/formats/hmesh_view.hpp"

namespace assetc::runtime {

// Writes the default weight of each target. Requires out.size() == morphs.targets().size().
void default_weights(const hmesh::MorphsView& morphs, std::span<float> out);

// Writes a + (b - a) * amount for each weight. out may be a or b. Requires spans of one size.
void blend_weights(std::span<const float> a, std::span<const float> b, float amount, std::span<float> out);

// Vertices of a mesh, one value for each. An empty span is left out.
struct MorphedVertices {
  std::span<std::array<float, 3>> positions;
  std::span<std::array<float, 3>> normals;
  std::span<std::array<float, 4>> tangents;  // w is the handedness, which targets do not change
};

// Adds weight * offset to the vertices, for each target. Targets whose weight is 0 cost no time. Normals and tangents
// are not normalized. Requires weights.size() == morphs.targets().size(). Each span has the number of vertices of the
// mesh, or is empty.
void add_offsets(const hmesh::MorphsView& morphs, std::span<const float> weights, const MorphedVertices& out);

// Adds weight * offset to a set of texture coordinates (two of the four components) or colors.
// Requires the same; values has the number of vertices of the mesh.
void add_channel_offsets(const hmesh::MorphsView& morphs, std::span<const float> weights,
                         hmesh::FurtherSemantic semantic, std::uint32_t set, std::span<std::array<float, 4>> values);

// The same for the vertices of a cluster, with the offsets that a hcluster::PageDecoder returned for it. Requires
// weights.size() == mesh.morphs()->targets().size(). Each span has the number of vertices of the cluster, or is empty.
void add_offsets(const hcluster::View& mesh, const hcluster::ClusterOffsets& offsets, std::span<const float> weights,
                 const MorphedVertices& out);

// Returns how far the targets of a mesh of clusters may move a vertex: ClusterView::morph_reach. 0 without targets.
// Requires as many weights as targets.
float morph_reach(const hcluster::View& mesh, std::span<const float> weights);

// Decodes the vertices of a mesh, adds the offsets of its targets, and normalizes normals and tangents. A mesh without
// targets is decoded.
// Requires weights.size() to be the number of targets; spans of mesh.vertices().size() values, or empty ones.
void morph_vertices(const hmesh::View& mesh, std::span<const float> weights, const MorphedVertices& out);

}  // namespace assetc::runtime
