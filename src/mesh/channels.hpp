// Attributes that the work on a mesh takes along: skin, sets of texture coordinates and of colors.
#pragma once

#include <cstdint>
#include <span>

#include "mesh/build.hpp"

namespace assetc::mesh {

// Whether vertices have attributes that are found by the vertex of the input that they came from.
bool has_channels(const SubmeshInput& input);

// Two vertices of the input have equal channels: texture coordinates and colors to the bit, weights by value.
bool channels_equal(const SubmeshInput& input, std::uint32_t a, std::uint32_t b);
std::uint64_t hash_channels(const SubmeshInput& input, std::uint32_t vertex, std::uint64_t seed);

// The vertices of a submesh, as it is after welding.
struct ChannelSource {
  const SubmeshInput& input;
  std::size_t count = 0;
  std::span<const std::uint32_t> sources;  // vertices of the input; empty without channels
  std::span<const scene::Vec2> texcoords;  // input.texcoords, repaired; empty where those are
};

// Appends the channels of a submesh's vertices to the streams of mesh, which end with vertex first_vertex.
// capacity: how many vertices the mesh will have, so that streams grow once.
void add_channels(const ChannelSource& source, std::size_t first_vertex, std::size_t capacity, Mesh& mesh);

// Which sets the submesh has.
void describe_channels(const SubmeshInput& input, Submesh& submesh);

}  // namespace assetc::mesh
