// Compares BC6H encoders on the same .hdr and .exr pictures in the same run: our three efforts and, with --peer,
// another program at the given levels.
//
//   bc6h_bench [--runs 3] [--peer PROGRAM --levels 0,1] PICTURE...
//
// block_peer.hpp describes PROGRAM; its format is bc6h and a texel is four half floats, RGBA.
//
// The subjects take turns in each round, and the least time of each file counts. Time is processor time, so the number
// of cores does not matter. Errors are over red, green and blue of all pictures, through our decoder: of the bits of
// half floats, and of the base-2 logarithm of the light plus 0.0001 (black has no logarithm).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "block_peer.hpp"
#include "codec/block/bc6h_block.hpp"
#include "codec/encode/bc/encode_bc6h.hpp"
#include "import/image/image.hpp"
#include "pictures.hpp"
#include "texture/color.hpp"

namespace {

using assetc::codec::Effort;
using namespace assetc::bench;
using Texel = std::array<std::uint16_t, 4>;

constexpr std::size_t kBlockBytes = 16;
constexpr double kLeastLight = 1e-4;

struct LightPicture {
  std::string path;
  std::uint32_t width = 0, height = 0;
  std::vector<Texel> texels;
};

std::optional<LightPicture> read_light(const std::string& path) {
  const std::vector<std::byte> file = read_file(path);
  const auto image = assetc::importer::decode_image(file);
  if (!image || image->type != assetc::scene::PixelType::kF32) return std::nullopt;
  LightPicture picture{path, image->width_texels, image->height_texels, {}};
  picture.texels.resize(std::size_t{picture.width} * picture.height);
  for (std::size_t i = 0; i < picture.texels.size(); ++i) {
    std::array<float, 4> light;
    std::memcpy(light.data(), image->pixels.data() + i * sizeof light, sizeof light);
    for (std::size_t c = 0; c < 4; ++c) picture.texels[i][c] = assetc::texture::half_from_float(light[c]);
  }
  return picture;
}

// The value of a half float that is finite and not negative.
double light_of(std::uint16_t half) {
  const int exponent = half >> 10, fraction = half & 0x3FF;
  return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction | 0x400, exponent - 25);
}

struct Errors {
  double half_bits = 0, log2 = 0;  // sums of squares
};
Errors errors_of(const LightPicture& picture, const std::vector<std::byte>& blocks) {
  Errors errors;
  const std::size_t across = (picture.width + 3) / 4;
  for (std::size_t i = 0; i < blocks.size() / kBlockBytes; ++i) {
    const assetc::codec::HalfBlock decoded =
        assetc::codec::decode_bc6h(reinterpret_cast<const std::uint8_t*>(blocks.data()) + i * kBlockBytes);
    for (std::size_t t = 0; t < decoded.size(); ++t) {
      const std::size_t x = i % across * 4 + t % 4, y = i / across * 4 + t / 4;
      if (x >= picture.width || y >= picture.height) continue;
      const Texel& texel = picture.texels[y * picture.width + x];
      for (std::size_t c = 0; c < 3; ++c) {
        const double bits = decoded[t][c] - texel[c];
        const double log2 = std::log2((light_of(decoded[t][c]) + kLeastLight) / (light_of(texel[c]) + kLeastLight));
        errors.half_bits += bits * bits;
        errors.log2 += log2 * log2;
      }
    }
  }
  return errors;
}

void print_row(const Subject& subject, const std::vector<LightPicture>& pictures) {
  Errors errors;
  double texels = 0, cpu_s = 0;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const Errors of_one = errors_of(pictures[i], subject.blocks[i]);
    errors.half_bits += of_one.half_bits;
    errors.log2 += of_one.log2;
    texels += static_cast<double>(pictures[i].texels.size());
    cpu_s += subject.cpu_s[i];
  }
  fmt::print("| {} | {:.3f} | {:.5f} | {:.3f} | {:.3f} |\n", subject.name, std::sqrt(errors.half_bits / (3 * texels)),
             std::sqrt(errors.log2 / (3 * texels)), texels / cpu_s / 1e6, cpu_s);
}

int fail(const std::string& message) {
  fmt::print(stderr, "bc6h_bench: {}\n", message);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Options options = {{"--runs", "3"}, {"--peer", ""}, {"--levels", "0"}};
  std::vector<LightPicture> pictures;
  if (const std::string bad = read_arguments(argc, argv, read_light, options, pictures); !bad.empty())
    return fail(bad + ": not an .hdr or .exr picture that can be read");
  if (pictures.empty())
    return fail("no pictures; usage: bc6h_bench [--runs N] [--peer PROGRAM --levels L,L] PICTURE...");
  const auto encode = [](Effort effort, const LightPicture& picture, std::vector<std::byte>& blocks) {
    return assetc::codec::encode_bc6h(assetc::codec::tight_rows(std::as_bytes(std::span(picture.texels)), picture.width,
                                                                picture.height, sizeof(Texel)),
                                      effort, blocks)
        .has_value();
  };
  std::string message;
  const std::vector<Subject> subjects = race(options, "bc6h", kBlockBytes, pictures, encode, message);
  if (!message.empty()) return fail(message);
  fmt::print("bc6h, {} pictures, least of {} runs\n\n", pictures.size(), options["--runs"]);
  fmt::print(
      "| encoder | error of half bits (RMS) | error of log2 (RMS) | Mtexel per CPU s | CPU s "
      "|\n|---|---:|---:|---:|---:|\n");
  for (const Subject& s : subjects) print_row(s, pictures);
}
