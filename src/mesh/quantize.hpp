// Rounds the values of a mesh, so that they take fewer bits when the mesh is encoded (mesh.quantize).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/build.hpp"

namespace assetc::mesh {

// The bits that a component keeps; 0: it is not rounded.
struct Precision {
  std::uint32_t position_bits = 0;  // at most 16
  std::uint32_t texcoord_bits = 0;  // at most 16
  std::uint32_t normal_bits = 0;    // 2 to 15, of the octahedral components of normals and tangents
  std::uint32_t color_bits = 0;     // at most 16
  std::uint32_t weight_bits = 0;    // at most 16
};

// The smallest power of two of which 2^bits cover the extent on every axis, and 2^24 the coordinates. 0 if all
// positions are equal, or if one is not finite.
float position_step(std::span<const SubmeshInput> submeshes, std::uint32_t bits);

// The nearest multiple of step, a power of two. Requires |value| <= 2^24 * step.
float round_to(float value, float step);

// Rounds the positions of an input and of its levels of detail. step 0: does nothing.
void round_positions(SubmeshInput& input, float step);

// Rounds all streams of a built mesh but the positions, which MeshOptions::position_step rounds:
// - Spheres and cones of meshlets, if positions have bits: outward.
// - Texture coordinates, each set: to multiples of the smallest power of two of which 2^bits cover its extent.
// - Normals and tangents: octahedral components of fewer bits.
// - Colors: to multiples of 1 / (2^bits - 1).
// - Weights: to multiples of 1 / 2^bits, whose sum is 1.
void quantize_streams(const Precision& precision, Mesh& mesh);

}  // namespace assetc::mesh
