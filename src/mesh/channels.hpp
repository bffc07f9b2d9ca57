// Attributes that the work on a mesh takes along from its input: skin, sets of texture coordinates and of colors.
#pragma once

#include <cstdint>
#include <span>

#include "mesh/build.hpp"

namespace assetc::mesh {

// Whether vertices have more to tell them apart than a position, a frame and texture coordinates.
bool has_channels(const SubmeshInput& input);

// Two vertices of the input have equal channels: texture coordinates and colors to the bit, weights by value.
bool channels_equal(const SubmeshInput& input, std::uint32_t a, std::uint32_t b);
std::uint64_t hash_channels(const SubmeshInput& input, std::uint32_t vertex, std::uint64_t seed);

// The vertices of a submesh, as it is after welding.
struct ChannelSource {
  const SubmeshInput& input;
  std::span<const std::uint32_t> sources;  // the vertices of the input that they come from
  std::span<const scene::Vec2> texcoords;  // those of the input, repaired
};

// Appends what is the input's of a submesh's vertices to the streams of mesh: positions and channels.
// capacity: how many vertices the mesh will have, so that streams grow once.
void add_channels(const ChannelSource& source, std::size_t capacity, Mesh& mesh);

// Which sets the submesh has.
void describe_channels(const SubmeshInput& input, Submesh& submesh);

}  // namespace assetc::mesh
