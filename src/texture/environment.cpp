#include "texture/environment.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <span>

#include "assetc/formats/ktx2.hpp"
#include "codec/encode_bc6h.hpp"
#include "texture/color.hpp"
#include "texture/prefilter.hpp"
#include "texture/zstd.hpp"

namespace assetc::texture {
namespace {

constexpr std::uint32_t kLeastSpecular = 16;  // texels; wide lobes need no more
// Enough for a cosine lobe, whose error falls with the square of the size, and small enough to be summed for each
// texel.
constexpr std::uint32_t kIrradianceSource = 64;

std::uint32_t specular_size(std::uint32_t width_texels, const EnvironmentOptions& options) {
  return std::clamp(environment_size(width_texels), kLeastSpecular, std::max(options.specular_texels, kLeastSpecular));
}
// Of the light that both are made of.
std::uint32_t pyramid_size(std::uint32_t width_texels, const EnvironmentOptions& options) {
  return std::max(specular_size(width_texels, options), kIrradianceSource);
}

ByteVector to_halves(const Cube& cube) {
  ByteVector out(std::size_t{kFaces} * cube.size() * cube.size() * 8);
  std::byte* to = out.data();
  for (std::uint32_t face = 0; face < kFaces; ++face) {
    for (std::int32_t y = 0; y < static_cast<std::int32_t>(cube.size()); ++y) {
      const float* from = cube.at(face, 0, y);
      for (std::uint32_t x = 0; x < cube.size(); ++x, from += 4, to += 8) {
        const std::array texel{half_from_float(from[0]), half_from_float(from[1]), half_from_float(from[2]),
                               half_from_float(1.0f)};
        std::memcpy(to, texel.data(), sizeof texel);
      }
    }
  }
  return out;
}

// Stored texels of a cube: half floats, or blocks of them.
Result<ByteVector> store(const Cube& cube, ktx2::Format format, codec::Effort effort) {
  ByteVector halves = to_halves(cube);
  if (format != ktx2::Format::kBc6h) return halves;
  const std::uint64_t one = image_bytes({cube.size(), cube.size()}, format);
  const std::size_t face_bytes = halves.size() / kFaces, row_bytes = std::size_t{cube.size()} * 8;
  ByteVector blocks(kFaces * one);
  for (std::size_t face = 0; face < kFaces; ++face) {
    ASSETC_CHECK(codec::encode_bc6h(std::span(halves).subspan(face * face_bytes, face_bytes), cube.size(), cube.size(),
                                    row_bytes, effort, std::span(blocks).subspan(face * one, one)));
  }
  return blocks;
}

Result<ByteVector> write_cubes(std::span<const Cube> levels, ktx2::Format format, const CompileOptions& options,
                               std::string_view sh) {
  ktx2::Texture texture;
  texture.format = format;
  texture.transfer = ktx2::Transfer::kLinear;
  texture.width_texels = texture.height_texels = levels[0].size();
  texture.face_count = kFaces;
  const bool supercompress = format != ktx2::Format::kBc6h || options.zstd_level > 0;
  const auto zstd_level = static_cast<int>(options.zstd_level == 0 ? kDefaultRawZstdLevel : options.zstd_level);
  if (supercompress) {
    texture.supercompression = ktx2::Supercompression::kZstd;
    texture.writer_params = "zstd " + std::to_string(zstd_level);
  }
  if (!sh.empty()) texture.metadata.emplace_back("sh", sh);
  std::vector<ByteVector> payloads;
  for (const Cube& cube : levels) {
    ASSETC_TRY(ByteVector texels, store(cube, format, options.effort));
    const std::uint64_t size = texels.size();
    if (supercompress) {
      ASSETC_TRY(texels, compress_zstd(texels, zstd_level));
    }
    payloads.push_back(std::move(texels));
    texture.levels.push_back({payloads.back(), size});
  }
  return ktx2::write(texture);
}

std::string text_of(const IrradianceSh& sh) {
  std::string text;
  for (const auto& coefficient : sh) {
    for (std::size_t c = 0; c < 3; ++c) {
      char buffer[32];
      const auto end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(coefficient[c])).ptr;
      text.append(buffer, end).append(c < 2 ? " " : "\n");
    }
  }
  return text;
}

}  // namespace

std::uint32_t environment_size(std::uint32_t width_texels) { return std::bit_floor(std::max(width_texels / 4, 1u)); }

std::uint32_t specular_level_count(std::uint32_t size_texels) {
  const auto halvings = static_cast<std::uint32_t>(std::bit_width(size_texels / kLeastSpecular));
  return std::max(halvings, 2u);
}

Result<EnvironmentFiles> compile_environment(scene::Image panorama, const EnvironmentOptions& options) {
  const std::uint32_t width = panorama.width_texels, height = panorama.height_texels;
  if (width != std::uint64_t{height} * 2) {
    return fail(ErrorCode::kInvalidData,
                "found a panorama of " + std::to_string(width) + "x" + std::to_string(height) +
                    " texels, expected one twice as wide as high",
                "export the environment as an equirectangular (latitude-longitude) picture");
  }
  const scene::Image light = to_light(std::move(panorama));
  EnvironmentFiles files;
  const std::uint32_t size = options.size_texels == 0 ? environment_size(width) : options.size_texels;
  CompileOptions compile = options.compile;
  compile.mips.wrap = Wrap::kClamp;
  const ImageSource face = [&](std::uint32_t index) -> Result<scene::Image> {
    return panorama_face(light, index, size);
  };
  ASSETC_TRY(files.environment, compile_texture(face, {0, kFaces}, compile));
  if (options.specular_texels == 0 && options.irradiance_texels == 0) return files;

  const std::vector<Cube> pyramid = light_pyramid(panorama_cube(light, pyramid_size(width, options)));
  if (options.specular_texels != 0) {
    const std::uint32_t largest = specular_size(width, options), count = specular_level_count(largest);
    std::vector<Cube> levels;
    for (std::uint32_t i = 0; i < count; ++i) {
      const float roughness = static_cast<float>(i) / static_cast<float>(count - 1);
      levels.push_back(prefilter_specular(pyramid, roughness, options.sample_count, largest >> i));
    }
    ASSETC_TRY(const StoragePlan plan, plan_storage(options.compile.format, TexelKind::kHdr, {}));
    ASSETC_TRY(files.specular, write_cubes(levels, plan.format, options.compile, {}));
  }
  if (options.irradiance_texels != 0) {
    const Cube& source = *std::ranges::find(pyramid, kIrradianceSource, &Cube::size);
    const std::array levels{convolve_cosine(source, options.irradiance_texels)};
    ASSETC_TRY(files.irradiance,
               write_cubes(levels, ktx2::Format::kRgba16f, options.compile, text_of(project_irradiance(source))));
  }
  return files;
}

std::uint64_t environment_peak_bytes(Extent panorama, scene::PixelType type, const EnvironmentOptions& options) {
  const std::uint64_t texels = std::uint64_t{panorama.width_texels} * panorama.height_texels;
  const std::uint64_t light = texels * 16;
  const std::uint64_t source = type == scene::PixelType::kF32 ? 0 : texels * 4 * scene::channel_bytes(type);
  const std::uint32_t size = options.size_texels == 0 ? environment_size(panorama.width_texels) : options.size_texels;
  const std::uint64_t compile = compile_peak_bytes({size, size}, scene::PixelType::kF32, {0, kFaces}, options.compile);
  // Cubes with their borders, 16 bytes a texel, and a third more for the smaller ones; halves and their Zstd frames.
  const auto cubes = [](std::uint64_t side) { return kFaces * (side + 2) * (side + 2) * 16 * 4 / 3; };
  const std::uint64_t pyramid = cubes(pyramid_size(panorama.width_texels, options));
  const std::uint64_t prefiltered =
      2 * cubes(specular_size(panorama.width_texels, options)) + cubes(options.irradiance_texels);
  const std::uint64_t environment = kFaces * std::uint64_t{size} * size * 8 * 4 / 3;  // its file, at most
  return light + std::max({source, compile, environment + pyramid + prefiltered});
}

}  // namespace assetc::texture
