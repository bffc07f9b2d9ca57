// Vertex attributes that mesh building copies from its input: skin, texture coordinate sets, color sets, custom
// attributes and offsets of morph targets.
#pragma once

#include <cstdint>
#include <span>

#include "mesh/build.hpp"
#include "mesh/morph_index.hpp"

namespace assetc::mesh {

// Whether the input has attributes beyond position, normal, tangent and texcoords that can tell vertices apart.
bool has_channels(const SubmeshInput& input);

// Whether two vertices of the input have equal channels. Texture coordinates, colors and custom attributes are compared
// by bits, weights and offsets by value.
bool channels_equal(const SubmeshInput& input, const MorphIndex& morphs, std::uint32_t a, std::uint32_t b);
std::uint64_t hash_channels(const SubmeshInput& input, const MorphIndex& morphs, std::uint32_t vertex,
                            std::uint64_t seed);

// The vertices of a submesh after welding.
struct ChannelSource {
  const SubmeshInput& input;
  std::span<const std::uint32_t> sources;  // for each vertex, the input vertex that it comes from
  const MorphIndex& morphs;                // of the input
};

// Appends a submesh's positions and channels, read from the input, to the streams of mesh.
// capacity: the number of vertices that the mesh will have, so that each stream grows once.
void add_channels(const ChannelSource& source, std::size_t capacity, Mesh& mesh);

// The bytes of one value of an attribute.
std::size_t value_bytes(const scene::CustomAttribute& attribute);

// Whether two attributes have the same type, normalization and shape.
bool same_form(const scene::CustomAttribute& a, const scene::CustomAttribute& b);

// Records which sets the input has.
void describe_channels(const SubmeshInput& input, DrawVertices& vertices);

}  // namespace assetc::mesh
