// Conversions between a mesh and the further attributes and morph targets of .hmesh, which AAS1 and Galileo share.
#pragma once

#include <functional>
#include <vector>

#include "assetc/formats/hmesh.hpp"
#include "mesh/mesh.hpp"

namespace assetc::recipes {

// The further attributes of a mesh, without vertices. fill writes the values of an item, one for each vertex from
// first, each stride_bytes after the one before. It refers to the mesh.
struct FurtherStreams {
  hmesh::FurtherAttributes attributes;
  using Fill = std::function<void(std::size_t first, std::size_t count, std::byte* to, std::size_t stride_bytes)>;
  std::vector<Fill> fills;  // of each item
};
// A texture coordinate set n is stream 1 + n of mesh.texcoords: stream 0 is in every vertex. Colors are stored in 8 or
// 16 bits a channel if that is exact, else as floats. So are custom attributes of four normalized components.
FurtherStreams further_streams(const mesh::Mesh& mesh);
// The columns of the custom attributes alone. widest: the last of the formats that the container has.
FurtherStreams custom_streams(const mesh::Mesh& mesh, hmesh::FurtherFormat widest = hmesh::FurtherFormat::kRgba16Unorm);

hmesh::Morphs hmesh_morphs(const mesh::Mesh& mesh);

// Reads them back. Vertices must have been read.
void read_further(const hmesh::View& view, mesh::Mesh& mesh);
void read_morphs(const hmesh::MorphsView& view, std::size_t vertex_count, mesh::Mesh& mesh);

}  // namespace assetc::recipes
