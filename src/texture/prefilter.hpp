// What image-based lighting reads of an environment: light as a rough mirror and as a matte surface sees it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "texture/cube.hpp"

namespace assetc::texture {

// A cube and its halves, largest first.
std::vector<Cube> light_pyramid(Cube cube);

// The split-sum approximation's first term (Karis, "Real Shading in Unreal Engine 4", 2013): light around a direction
// weighted by the GGX lobe of that perceptual roughness (alpha is its square) with view, normal and reflection as one.
// Fixed samples of the lobe (Hammersley), each read from the level whose texels are about as wide as the samples lie
// apart (Colbert and Krivanek, GPU Gems 3, chapter 20), so that a small sun leaves no dots. Roughness 0 is the
// pyramid's own light: its size must be one of theirs. Requires 0 <= roughness <= 1 and 0 < samples <= 65536. Runs in
// parallel in the calling thread's oneTBB arena; the same bits on any machine.
Cube prefilter_specular(std::span<const Cube> pyramid, float roughness, std::uint32_t samples,
                        std::uint32_t size_texels);

// Irradiance over pi: what a white matte surface reflects, so a constant environment gives itself. Sums every texel of
// `light` by its solid angle and cosine.
Cube convolve_cosine(const Cube& light, std::uint32_t size_texels);

// The same as spherical harmonics of order 3 (Ramamoorthi and Hanrahan, SIGGRAPH 2001), R, G and B of nine coefficients
// with all constants multiplied in: for a unit normal n, c0 + c1 y + c2 z + c3 x + c4 xy + c5 yz + c6 (3 z^2 - 1) + c7
// zx
// + c8 (x^2 - y^2).
using IrradianceSh = std::array<std::array<double, 3>, 9>;
IrradianceSh project_irradiance(const Cube& light);

}  // namespace assetc::texture
