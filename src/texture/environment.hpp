// A panorama or six faces in, the three cubemaps of image-based lighting out.
#pragma once

#include <cstdint>
#include <optional>

#include "texture/compile.hpp"

namespace assetc::texture {

struct EnvironmentOptions {
  CompileOptions compile;                // of the environment itself; kind kColor or kHdr
  std::uint32_t size_texels = 0;         // of its faces; 0: the panorama's own, environment_size; faces only shrink
  std::uint32_t specular_texels = 256;   // of the mirror's faces, a power of two from 16; 0: none
  std::uint32_t irradiance_texels = 32;  // of the matte surface's faces; 0: none
  std::uint32_t sample_count = 1024;     // of a lobe
};

struct EnvironmentTextures {
  EncodedTexture environment;
  std::optional<EncodedTexture> specular;    // where asked for
  std::optional<EncodedTexture> irradiance;  // where asked for
};

// The largest power of two that is no more than a quarter of the panorama's width: a face shows a quarter.
std::uint32_t environment_size(std::uint32_t width_texels);
// Levels of the specular cubemap: down to 16 texels, at least two. Level i has perceptual roughness i / (levels - 1).
std::uint32_t specular_level_count(std::uint32_t size_texels);

// The panorama is equirectangular, twice as wide as high (kInvalidData otherwise), with colors as
// sRGB where they are not floats. Specular (never larger than environment_size, at least 16 texels) is stored as
// plan_storage has HDR, irradiance as half floats under Zstd, with project_irradiance. Errors of compile_texture are
// passed on. Runs in parallel in the calling thread's oneTBB arena; the same bytes on any machine.
Result<EnvironmentTextures> compile_environment(scene::Image panorama, const EnvironmentOptions& options);

// The same of six faces, asked for as compile_texture asks for them. Specular is never larger than they are.
// kInvalidData: faces that are not square and of one size.
Result<EnvironmentTextures> compile_environment(const ImageSource& faces, const EnvironmentOptions& options);

// The most bytes that compile_environment holds, the panorama or a face included.
std::uint64_t panorama_peak_bytes(Extent panorama, scene::PixelType type, const EnvironmentOptions& options);
std::uint64_t faces_peak_bytes(std::uint32_t face_texels, scene::PixelType type, const EnvironmentOptions& options);

}  // namespace assetc::texture
