// Compiles a panorama or six faces into the three cubemaps of image-based lighting.
#pragma once

#include <cstdint>
#include <optional>

#include "texture/compile.hpp"

namespace assetc::texture {

struct EnvironmentOptions {
  CompileOptions compile;                // for the environment itself; kind kColor or kHdr
  std::uint32_t size_texels = 0;         // face size; 0: the panorama's own (environment_size); faces only shrink
  std::uint32_t specular_texels = 256;   // face size of specular light, a power of two from 16; 0: none
  std::uint32_t irradiance_texels = 32;  // face size of diffuse light; 0: none
  std::uint32_t sample_count = 1024;     // samples for each lobe
};

struct EnvironmentTextures {
  EncodedTexture environment;
  std::optional<EncodedTexture> specular;    // if requested
  std::optional<EncodedTexture> irradiance;  // if requested
};

// The largest power of two up to a quarter of the panorama's width, because a face shows a quarter of it.
std::uint32_t environment_size(std::uint32_t width_texels);
// The mip level count of the specular cubemap: down to 16 texels, at least two. Level i has perceptual roughness i /
// (levels - 1).
std::uint32_t specular_level_count(std::uint32_t size_texels);

// Compiles an equirectangular panorama, twice as wide as high (otherwise kInvalidData). Colors that are not floats are
// taken as sRGB. Specular light is never larger than environment_size and at least 16 texels; plan_storage decides its
// format, as for HDR. Irradiance is stored as half floats with Zstd, together with project_irradiance. Other errors:
// those of compile_texture. Runs in parallel in the calling thread's oneTBB arena; the same bytes on any machine.
Result<EnvironmentTextures> compile_environment(scene::Image panorama, const EnvironmentOptions& options);

// The same for six faces, which are requested as compile_texture requests pictures. Specular light is never larger than
// the faces.
// Errors: kInvalidData if faces are not square or differ in size.
Result<EnvironmentTextures> compile_environment(const ImageSource& faces, const EnvironmentOptions& options);

// Upper bounds on the bytes that compile_environment holds, including the panorama or a face.
std::uint64_t panorama_peak_bytes(Extent panorama, scene::PixelType type, const EnvironmentOptions& options);
std::uint64_t faces_peak_bytes(std::uint32_t face_texels, scene::PixelType type, const EnvironmentOptions& options);

}  // namespace assetc::texture
