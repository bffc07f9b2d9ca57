#include "texture/environment.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "codec/encode/bc/encode_bc6h.hpp"
#include "texture/color.hpp"
#include "texture/prefilter.hpp"

namespace assetc::texture {
namespace {

constexpr std::uint32_t kLeastSpecular = 16;  // texels; wide lobes need no more than this
// Large enough for a cosine lobe, whose error falls with the square of the size, and small enough to be summed for each
// texel.
constexpr std::uint32_t kIrradianceSource = 64;

// own: the face size at which the whole resolution of the picture is kept.
std::uint32_t specular_size(std::uint32_t own, const EnvironmentOptions& options) {
  return std::clamp(own, kLeastSpecular, std::max(options.specular_texels, kLeastSpecular));
}
// The size of the light cube that both specular and irradiance are computed from.
std::uint32_t pyramid_size(std::uint32_t own, const EnvironmentOptions& options) {
  return std::max(specular_size(own, options), kIrradianceSource);
}
bool lights(const EnvironmentOptions& options) {
  return options.specular_texels != 0 || options.irradiance_texels != 0;
}

ByteVector to_halves(const Cube& cube) {
  ByteVector out(std::size_t{kFaces} * cube.size() * cube.size() * 8);
  std::byte* to = out.data();
  for (std::uint32_t face = 0; face < kFaces; ++face) {
    for (std::int32_t y = 0; y < static_cast<std::int32_t>(cube.size()); ++y) {
      const float* from = cube.at(face, 0, y);
      for (std::uint32_t x = 0; x < cube.size(); ++x, from += 4, to += 8) {
        const auto light = [](float value) { return half_from_float(std::max(value, 0.0f)); };  // none is negative
        const std::array texel{light(from[0]), light(from[1]), light(from[2]), half_from_float(1.0f)};
        std::memcpy(to, texel.data(), sizeof texel);
      }
    }
  }
  return out;
}

// The stored texels of a cube: half floats, or BC6H blocks.
Result<ByteVector> store(const Cube& cube, TexelFormat format, codec::Effort effort) {
  ByteVector halves = to_halves(cube);
  if (format != TexelFormat::kBc6h) return halves;
  const std::uint64_t one = image_bytes({cube.size(), cube.size()}, format);
  const std::size_t face_bytes = halves.size() / kFaces;
  ByteVector blocks(kFaces * one);
  for (std::size_t face = 0; face < kFaces; ++face) {
    ASSETC_CHECK(codec::encode_bc6h(
        codec::tight_rows(std::span(halves).subspan(face * face_bytes, face_bytes), cube.size(), cube.size(), 8),
        effort, std::span(blocks).subspan(face * one, one)));
  }
  return blocks;
}

Result<EncodedTexture> encode_cubes(std::span<const Cube> levels, TexelFormat format, const CompileOptions& options) {
  EncodedTexture out;
  out.format = format;
  out.color_space = ColorSpace::kLinear;
  out.width_texels = out.height_texels = levels[0].size();
  out.face_count = kFaces;
  out.zstd_level = zstd_level_of(format, options.zstd_level);
  for (const Cube& cube : levels) {
    ASSETC_TRY(ByteVector texels, store(cube, format, options.effort));
    ASSETC_CHECK(out.add_level(std::move(texels)));
  }
  return out;
}

EncodedTexture::Sh floats_of(const IrradianceSh& sh) {
  EncodedTexture::Sh floats;
  for (std::size_t i = 0; i < sh.size(); ++i)
    std::ranges::transform(sh[i], floats[i].begin(), [](double value) { return static_cast<float>(value); });
  return floats;
}

// Adds specular and irradiance cubemaps. Requires a cube of pyramid_size with closed seams.
Result<void> add_light(Cube cube, std::uint32_t own, const EnvironmentOptions& options, EnvironmentTextures& out) {
  const std::vector<Cube> pyramid = light_pyramid(std::move(cube));
  if (options.specular_texels != 0) {
    const std::uint32_t largest = specular_size(own, options), count = specular_level_count(largest);
    std::vector<Cube> levels;
    for (std::uint32_t i = 0; i < count; ++i) {
      const float roughness = static_cast<float>(i) / static_cast<float>(count - 1);
      levels.push_back(prefilter_specular(pyramid, roughness, options.sample_count, largest >> i));
    }
    ASSETC_TRY(const StoragePlan plan, plan_storage(options.compile.format, TexelKind::kHdr, {}));
    ASSETC_TRY(out.specular, encode_cubes(levels, plan.format, options.compile));
  }
  if (options.irradiance_texels != 0) {
    const Cube& source = *std::ranges::find(pyramid, kIrradianceSource, &Cube::size);
    const std::array levels{convolve_cosine(source, options.irradiance_texels)};
    ASSETC_TRY(EncodedTexture irradiance, encode_cubes(levels, TexelFormat::kRgba16f, options.compile));
    irradiance.irradiance = floats_of(project_irradiance(source));
    out.irradiance = std::move(irradiance);
  }
  return {};
}

// The cubes with borders, 16 bytes a texel, and a third more for the smaller ones; then half floats and their Zstd
// frames.
std::uint64_t light_peak_bytes(std::uint32_t own, const EnvironmentOptions& options) {
  const auto cubes = [](std::uint64_t side) { return kFaces * (side + 2) * (side + 2) * 16 * 4 / 3; };
  if (!lights(options)) return 0;
  return cubes(pyramid_size(own, options)) + 2 * cubes(specular_size(own, options)) + cubes(options.irradiance_texels);
}
// An upper bound for the environment's own file.
std::uint64_t file_bytes(std::uint64_t size) { return kFaces * size * size * 8 * 4 / 3; }

// Options for faces, which keep their size or shrink to the requested one.
CompileOptions face_options(const EnvironmentOptions& options) {
  CompileOptions compile = options.compile;
  compile.mips.wrap = Wrap::kClamp;
  if (const std::uint32_t size = options.size_texels; size != 0)
    compile.mips.max_size_texels =
        compile.mips.max_size_texels == 0 ? size : std::min(compile.mips.max_size_texels, size);
  return compile;
}

}  // namespace

std::uint32_t environment_size(std::uint32_t width_texels) { return std::bit_floor(std::max(width_texels / 4, 1u)); }

std::uint32_t specular_level_count(std::uint32_t size_texels) {
  const auto halvings = static_cast<std::uint32_t>(std::bit_width(size_texels / kLeastSpecular));
  return std::max(halvings, 2u);
}

Result<EnvironmentTextures> compile_environment(scene::Image panorama, const EnvironmentOptions& options) {
  const std::uint32_t width = panorama.width_texels, height = panorama.height_texels;
  if (width != std::uint64_t{height} * 2) {
    return fail(ErrorCode::kInvalidData,
                "found a panorama of " + std::to_string(width) + "x" + std::to_string(height) +
                    " texels, expected one twice as wide as high",
                "export the environment as an equirectangular (latitude-longitude) picture");
  }
  const scene::Image light = to_light(std::move(panorama));
  EnvironmentTextures out;
  const std::uint32_t own = environment_size(width), size = options.size_texels == 0 ? own : options.size_texels;
  CompileOptions compile = options.compile;
  compile.mips.wrap = Wrap::kClamp;
  const ImageSource face = [&](std::uint32_t index) -> Result<scene::Image> {
    return panorama_face(light, index, size);
  };
  ASSETC_TRY(out.environment, compile_texture(face, {0, kFaces}, compile));
  if (lights(options)) ASSETC_CHECK(add_light(panorama_cube(light, pyramid_size(own, options)), own, options, out));
  return out;
}

Result<EnvironmentTextures> compile_environment(const ImageSource& faces, const EnvironmentOptions& options) {
  EnvironmentTextures out;
  Cube cube;
  std::uint32_t own = 0;
  const ImageSource face = [&](std::uint32_t index) -> Result<scene::Image> {
    ASSETC_TRY(scene::Image image, faces(index));
    if (image.width_texels != image.height_texels) {
      return fail(ErrorCode::kInvalidData, "found a face of " + std::to_string(image.width_texels) + "x" +
                                               std::to_string(image.height_texels) + " texels, expected a square");
    }
    if (!lights(options)) return image;
    if (index == 0) {
      own = std::bit_floor(image.width_texels);
      cube = Cube(pyramid_size(own, options));
    }
    set_face(cube, index, image);
    return image;
  };
  ASSETC_TRY(out.environment, compile_texture(face, {0, kFaces}, face_options(options)));
  if (!lights(options)) return out;
  cube.close_seams();
  ASSETC_CHECK(add_light(std::move(cube), own, options, out));
  return out;
}

std::uint64_t panorama_peak_bytes(Extent panorama, scene::PixelType type, const EnvironmentOptions& options) {
  const std::uint64_t texels = std::uint64_t{panorama.width_texels} * panorama.height_texels;
  const std::uint64_t light = texels * 16;
  const std::uint64_t source = type == scene::PixelType::kF32 ? 0 : texels * 4 * scene::channel_bytes(type);
  const std::uint32_t own = environment_size(panorama.width_texels);
  const std::uint32_t size = options.size_texels == 0 ? own : options.size_texels;
  const std::uint64_t compile = compile_peak_bytes({size, size}, scene::PixelType::kF32, {0, kFaces}, options.compile);
  return light + std::max({source, compile, file_bytes(size) + light_peak_bytes(own, options)});
}

std::uint64_t faces_peak_bytes(std::uint32_t face_texels, scene::PixelType type, const EnvironmentOptions& options) {
  const CompileOptions compile = face_options(options);
  const std::uint32_t own = std::bit_floor(std::max(face_texels, 1u));
  const Extent stored = limited_extent({face_texels, face_texels}, compile.mips.max_size_texels);
  // A face scaled to the pyramid's size takes no more than its share of the pyramid.
  return std::max(compile_peak_bytes({face_texels, face_texels}, type, {0, kFaces}, compile),
                  file_bytes(stored.width_texels)) +
         light_peak_bytes(own, options);
}

}  // namespace assetc::texture
