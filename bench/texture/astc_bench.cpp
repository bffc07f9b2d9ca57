// Compares ASTC encoders on the same PNGs in the same run, as sRGB color: our encoder at every effort and the astcenc
// program at its presets.
//
//   astc_bench [--block 4x4|6x6|8x8] [--runs 3] [--astcenc PROGRAM] PNG...
//
// The subjects take turns in each round, and the least processor time of each file counts. The program encodes on one
// thread; the time that we need to read the PNG is subtracted from its time. PSNR is over RGB, the mean of the files,
// all decoded by one decoder.
#include <fmt/format.h>
#include <stdlib.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "codec/block/astc_block.hpp"
#include "pictures.hpp"
#include "texture/encode_astc.hpp"

namespace {

using assetc::Rgba8;
using namespace assetc::bench;
using assetc::codec::Effort;

constexpr std::size_t kFileHeaderBytes = 16;  // the header of an .astc file

struct Subject {
  std::string name;
  std::string preset;  // a preset of the program; empty: our encoder
  Effort effort{};
  double psnr_db = 0, cpu_s = 0;
};

struct Encoded {
  std::vector<std::byte> blocks;
  double cpu_s = 0;
};

Encoded ours(const Picture& picture, assetc::codec::AstcShape shape, Effort effort) {
  const auto across = [](std::uint32_t texels, unsigned block) { return (texels + block - 1) / block; };
  Encoded result;
  result.blocks.resize(std::size_t{across(picture.width, shape.width_texels)} *
                       across(picture.height, shape.height_texels) * 16);
  result.cpu_s = timed([&] {
                   if (!assetc::texture::encode_astc(
                           shape.width_texels, shape.height_texels, true, std::as_bytes(std::span(picture.texels)),
                           {picture.width, picture.height}, {.effort = effort}, result.blocks))
                     std::exit(1);
                 }).cpu_s;
  return result;
}

Encoded theirs(const std::string& program, const std::string& preset, const std::string& block, const Picture& picture,
               const std::string& file) {
  const std::string command =
      fmt::format("'{}' -cs '{}' '{}' {} -{} -j 1 > /dev/null", program, picture.path.string(), file, block, preset);
  const double before = cpu_of(RUSAGE_CHILDREN);
  if (std::system(command.c_str()) != 0) {
    fmt::print(stderr, "astc_bench: cannot run {}\n", command);
    std::exit(1);
  }
  const double cpu_s = cpu_of(RUSAGE_CHILDREN) - before - picture.reading.cpu_s;
  Encoded result{read_file(file), cpu_s};
  result.blocks.erase(result.blocks.begin(), result.blocks.begin() + kFileHeaderBytes);
  return result;
}

double psnr(const Picture& picture, const std::vector<std::byte>& blocks, assetc::codec::AstcShape shape) {
  std::array<Rgba8, assetc::codec::kAstcMaxTexels> decoded;
  double sum = 0;
  const std::byte* in = blocks.data();
  for (std::uint32_t y = 0; y < picture.height; y += shape.height_texels)
    for (std::uint32_t x = 0; x < picture.width; x += shape.width_texels, in += 16) {
      assetc::codec::decode_astc(reinterpret_cast<const std::uint8_t*>(in), shape,
                                 std::span(decoded).first(shape.texels()), assetc::AstcDecode::kSrgb);
      for (unsigned t = 0; t < shape.texels(); ++t) {
        const std::uint32_t at_x = x + t % shape.width_texels, at_y = y + t / shape.width_texels;
        if (at_x >= picture.width || at_y >= picture.height) continue;
        for (unsigned c = 0; c < 3; ++c) {
          const double miss =
              static_cast<double>(decoded[t][c]) - picture.texels[std::size_t{at_y} * picture.width + at_x][c];
          sum += miss * miss;
        }
      }
    }
  return sum == 0 ? 100 : 10 * std::log10(255.0 * 255.0 * 3 * static_cast<double>(picture.texels.size()) / sum);
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options = {{"--block", "4x4"}, {"--runs", "3"}, {"--astcenc", "astcenc"}};
  std::vector<Picture> pictures;
  for (int i = 1; i < argc; ++i) {
    if (const auto option = options.find(argv[i]); option != options.end() && i + 1 < argc) {
      option->second = argv[++i];
    } else if (auto picture = read_png(argv[i])) {
      pictures.push_back(std::move(*picture));
    }
  }
  const std::string& block = options["--block"];
  const unsigned side = block == "4x4" ? 4 : block == "6x6" ? 6 : block == "8x8" ? 8 : 0;
  if (pictures.empty() || side == 0) {
    fmt::print(stderr, "usage: astc_bench [--block 4x4|6x6|8x8] [--runs N] [--astcenc PROGRAM] PNG...\n");
    return 2;
  }
  const assetc::codec::AstcShape shape{side, side};
  std::vector<Subject> subjects = {{"assetc fast", "", Effort::kFast}, {"assetc normal", "", Effort::kNormal},
                                   {"assetc best", "", Effort::kBest}, {"astcenc -fast", "fast"},
                                   {"astcenc -medium", "medium"},      {"astcenc -thorough", "thorough"}};
  std::string folder = "/tmp/astc_bench_XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return 1;
  const std::string file = folder + "/out.astc";
  const int runs = std::max(1, std::atoi(options["--runs"].c_str()));
  for (const Picture& picture : pictures) {
    std::vector<double> least(subjects.size(), 1e9);
    for (int run = 0; run < runs; ++run)
      for (std::size_t s = 0; s < subjects.size(); ++s) {
        const Encoded encoded = subjects[s].preset.empty()
                                    ? ours(picture, shape, subjects[s].effort)
                                    : theirs(options["--astcenc"], subjects[s].preset, block, picture, file);
        least[s] = std::min(least[s], encoded.cpu_s);
        if (run == 0)
          subjects[s].psnr_db += psnr(picture, encoded.blocks, shape) / static_cast<double>(pictures.size());
      }
    for (std::size_t s = 0; s < subjects.size(); ++s) subjects[s].cpu_s += least[s];
  }
  std::filesystem::remove_all(folder);
  fmt::print("ASTC {}, {} pictures, least of {} runs\n\n", block, pictures.size(), runs);
  fmt::print("| encoder | PSNR dB | CPU s |\n|---|---|---|\n");
  for (const Subject& s : subjects) fmt::print("| {} | {:.3f} | {:.3f} |\n", s.name, s.psnr_db, s.cpu_s);
}
