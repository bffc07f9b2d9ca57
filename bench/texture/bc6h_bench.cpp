// BC6H: our three efforts and, with --peer, another program at the levels named, on the same .hdr and .exr pictures in the
// same run.
//
//   bc6h_bench [--runs 3] [--peer PROGRAM --levels 0,1] PICTURE...
//
// PROGRAM is that of block_peer.hpp with bc6h as its format; a texel is four half floats, RGBA.
//
// Rounds over all subjects are interleaved and the least time of each file is kept; time is the processor's, so that
// the number of cores does not matter. Errors are over red, green and blue of all pictures, through our decoder: of the
// bits of half floats, and of the base-2 logarithm of light (and 0.0001, since black has none).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "block_peer.hpp"
#include "codec/bc6h_block.hpp"
#include "codec/encode_bc6h.hpp"
#include "import/image.hpp"
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

  std::size_t block_bytes() const { return assetc::block_count(width, height) * kBlockBytes; }
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

struct Subject {
  std::string name;
  std::optional<int> peer_level;
  Effort effort{};
  std::vector<double> cpu_s{};
  std::vector<std::vector<std::byte>> blocks{};
};

bool encode(Subject& subject, const LightPicture& picture, std::size_t at) {
  subject.blocks[at].resize(picture.block_bytes());
  bool good = false;
  const Clock clock = timed([&] {
    good = assetc::codec::encode_bc6h(std::as_bytes(std::span(picture.texels)), picture.width, picture.height,
                                      picture.width * sizeof(Texel), subject.effort, subject.blocks[at])
               .has_value();
  });
  subject.cpu_s[at] = std::min(subject.cpu_s[at], clock.cpu_s);
  return good;
}

bool encode_with_peer(const std::string& program, Subject& subject, const LightPicture& picture, std::size_t at,
                      const Scratch& scratch) {
  auto run = run_peer(program, "bc6h", *subject.peer_level, picture.width, picture.height,
                      std::as_bytes(std::span(picture.texels)), scratch.path());
  if (!run || run->blocks.size() != picture.block_bytes()) return false;
  subject.cpu_s[at] = std::min(subject.cpu_s[at], run->cpu_s);
  subject.blocks[at] = std::move(run->blocks);
  return true;
}

// Of a half that is finite and not negative.
double light_of(std::uint16_t half) {
  const int exponent = half >> 10, fraction = half & 0x3FF;
  return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction | 0x400, exponent - 25);
}

struct Errors {
  double half_bits = 0, log2 = 0;  // squares, summed
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
  std::map<std::string, std::string> options = {{"--runs", "3"}, {"--peer", ""}, {"--levels", "0"}};
  std::vector<LightPicture> pictures;
  for (int i = 1; i < argc; ++i) {
    if (const auto option = options.find(argv[i]); option != options.end() && i + 1 < argc) {
      option->second = argv[++i];
      continue;
    }
    std::optional<LightPicture> picture = read_light(argv[i]);
    if (!picture) return fail(std::string(argv[i]) + ": not an .hdr or .exr picture that can be read");
    pictures.push_back(std::move(*picture));
  }
  if (pictures.empty()) return fail("no pictures; usage: bc6h_bench [--runs N] [--peer PROGRAM --levels L,L] PICTURE...");
  const int runs = std::max(1, std::atoi(options["--runs"].c_str()));

  std::vector<Subject> subjects = {
      {"assetc fast", {}, Effort::kFast}, {"assetc normal", {}, Effort::kNormal}, {"assetc best", {}, Effort::kBest}};
  const std::string& peer = options["--peer"];
  if (!peer.empty()) {
    for (const int level : parse_levels(options["--levels"]))
      subjects.push_back({fmt::format("{} {}", std::filesystem::path(peer).filename().string(), level), level});
  }
  for (Subject& s : subjects) {
    s.cpu_s.assign(pictures.size(), 1e9);
    s.blocks.resize(pictures.size());
  }
  const Scratch scratch;
  if (scratch.path().empty()) return fail("no scratch folder in /tmp");
  for (int run = 0; run < runs; ++run)
    for (std::size_t i = 0; i < pictures.size(); ++i)
      for (Subject& s : subjects) {
        const bool good = s.peer_level ? encode_with_peer(peer, s, pictures[i], i, scratch) : encode(s, pictures[i], i);
        if (!good) return fail(s.name + " failed on " + pictures[i].path);
      }
  fmt::print("bc6h, {} pictures, least of {} runs\n\n", pictures.size(), runs);
  fmt::print(
      "| encoder | error of half bits (RMS) | error of log2 (RMS) | Mtexel per CPU s | CPU s |\n|---|---:|---:|---:|---:|\n");
  for (const Subject& s : subjects) print_row(s, pictures);
}
