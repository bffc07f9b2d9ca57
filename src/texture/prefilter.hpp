// Filters an environment for image-based lighting: light as reflected by a rough mirror and by a matte surface.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "texture/cube.hpp"

namespace assetc::texture {

// The cube, then versions of half the size each, largest first.
std::vector<Cube> light_pyramid(Cube cube);

// The first term of the split-sum approximation (Karis, "Real Shading in Unreal Engine 4", 2013): light around a
// direction, weighted by the GGX lobe of that perceptual roughness (alpha is its square), with view, normal and
// reflection equal. The lobe has fixed samples (Hammersley). Each is read from the level whose texels are about as wide
// as the distance between samples (Colbert and Krivanek, GPU Gems 3, chapter 20), so that a small sun leaves no dots.
// Roughness 0 gives the pyramid's level of that size, which must exist. Requires 0 <= roughness <= 1 and 0 < samples <=
// 65536. Runs in parallel in the calling thread's oneTBB arena; the same bits on any machine.
Cube prefilter_specular(std::span<const Cube> pyramid, float roughness, std::uint32_t samples,
                        std::uint32_t size_texels);

// Irradiance divided by pi: the light that a white matte surface reflects. A constant environment gives itself. Sums
// all texels of `light`, weighted by solid angle and cosine.
Cube convolve_cosine(const Cube& light, std::uint32_t size_texels);

// The same as spherical harmonics of order 3 (Ramamoorthi and Hanrahan, SIGGRAPH 2001), R, G and B of nine coefficients
// with all constants multiplied in. For a unit normal n:
// c0 + c1 y + c2 z + c3 x + c4 xy + c5 yz + c6 (3 z^2 - 1) + c7 zx + c8 (x^2 - y^2)
using IrradianceSh = std::array<std::array<double, 3>, 9>;
IrradianceSh project_irradiance(const Cube& light);

}  // namespace assetc::texture
