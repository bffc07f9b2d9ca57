// Compares encoders that write one BC format directly, on the same PNGs in the same run: our encoder at every effort
// and, with --peer, another program at the given levels.
//
//   bc_bench --format bc7 [--metric color|perceptual|normal|gray|linear] [--runs 3] [--peer PROGRAM --levels 0,1,4]
//   PNG...
//
// block_peer.hpp describes PROGRAM; a texel is 4 bytes, RGBA.
//
// The subjects take turns in each round, and the least time of each file counts. Time is processor time, so the number
// of cores does not matter. PSNR is over the channels that the format holds (BC1: RGB; BC4: R; BC5: R and G; BC3 and
// BC7: RGB, or RGBA if a file has alpha), the mean of the files, through our decoders.
#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "block_peer.hpp"
#include "codec/encode/bc/encode_bc.hpp"
#include "pictures.hpp"

namespace {

using assetc::BlockFormat;
using assetc::Rgba8;
using assetc::codec::BcFormat;
using assetc::codec::Effort;
using assetc::codec::Metric;
using namespace assetc::bench;

struct Format {
  std::string name = "bc7";
  BcFormat encode = BcFormat::kBc7;
  BlockFormat decode = BlockFormat::kBc7;
  unsigned channels = 4;
};
const std::array kFormats = {
    Format{"bc1", BcFormat::kBc1, BlockFormat::kBc1, 3}, Format{"bc3", BcFormat::kBc3, BlockFormat::kBc3, 4},
    Format{"bc4", BcFormat::kBc4, BlockFormat::kBc4, 1}, Format{"bc5", BcFormat::kBc5, BlockFormat::kBc5, 2},
    Format{"bc7", BcFormat::kBc7, BlockFormat::kBc7, 4}};
const std::map<std::string, Metric> kMetrics = {{"color", Metric::kColor},
                                                {"perceptual", Metric::kColorPerceptual},
                                                {"normal", Metric::kNormal},
                                                {"gray", Metric::kGray},
                                                {"linear", Metric::kLinear}};

double psnr(const Format& format, const Picture& picture, std::span<const std::byte> blocks) {
  std::vector<Rgba8> decoded(picture.texels.size());
  if (!assetc::decode_blocks(blocks, format.decode, picture.width, picture.height, decoded)) return 0;
  const unsigned channels = format.channels == 4 && !picture.has_alpha ? 3 : format.channels;
  double sum = 0;
  for (std::size_t i = 0; i < decoded.size(); ++i)
    for (unsigned c = 0; c < channels; ++c) {
      const double miss = static_cast<double>(decoded[i][c]) - picture.texels[i][c];
      sum += miss * miss;
    }
  return sum == 0 ? 100 : 10 * std::log10(255.0 * 255.0 * channels * static_cast<double>(decoded.size()) / sum);
}

void print_row(const Format& format, const Subject& subject, const std::vector<Picture>& pictures) {
  double quality = 0, texels = 0, cpu_s = 0, bytes = 0;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    quality += psnr(format, pictures[i], subject.blocks[i]) / static_cast<double>(pictures.size());
    texels += static_cast<double>(pictures[i].texels.size());
    cpu_s += subject.cpu_s[i];
    std::vector<std::byte> packed(ZSTD_compressBound(subject.blocks[i].size()));
    bytes += static_cast<double>(
        ZSTD_compress(packed.data(), packed.size(), subject.blocks[i].data(), subject.blocks[i].size(), 12));
  }
  fmt::print("| {} | {:.3f} | {:.2f} | {:.3f} | {:.3f} |\n", subject.name, quality, texels / cpu_s / 1e6, cpu_s,
             bytes * 8 / texels);
}

int fail(const std::string& message) {
  fmt::print(stderr, "bc_bench: {}\n", message);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Options options = {{"--format", "bc7"}, {"--metric", "color"}, {"--runs", "3"}, {"--peer", ""}, {"--levels", "0"}};
  std::vector<Picture> pictures;
  if (const std::string bad = read_arguments(argc, argv, read_png, options, pictures); !bad.empty())
    return fail(bad + ": not a PNG that can be read");
  if (pictures.empty())
    return fail(
        "no pictures; usage: bc_bench --format bc7 [--metric M] [--runs N] [--peer PROGRAM --levels L,L] PNG...");
  const auto format =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& f) { return f.name == options["--format"]; });
  if (format == kFormats.end()) return fail("--format " + options["--format"] + ": expected bc1, bc3, bc4, bc5 or bc7");
  const auto metric = kMetrics.find(options["--metric"]);
  if (metric == kMetrics.end())
    return fail("--metric " + options["--metric"] + ": expected color, perceptual, normal, gray or linear");
  std::vector<std::vector<Rgba8>> sources;
  for (const Picture& picture : pictures) {
    sources.push_back(picture.texels);
    if (format->channels < 3)  // R and G have 16 bits
      for (Rgba8& t : sources.back()) t = {t.r, t.r, t.g, t.g};
  }
  const auto encode = [&](Effort effort, const Picture& picture, std::vector<std::byte>& blocks) {
    const std::vector<Rgba8>& source = sources[static_cast<std::size_t>(&picture - pictures.data())];
    return assetc::codec::encode_bc(
               format->encode,
               assetc::codec::tight_rows(std::as_bytes(std::span(source)), picture.width, picture.height, 4),
               {effort, metric->second}, blocks)
        .has_value();
  };
  std::string message;
  const std::vector<Subject> subjects =
      race(options, format->name, assetc::block_bytes(format->decode), pictures, encode, message);
  if (!message.empty()) return fail(message);
  fmt::print("{}, metric {}, {} pictures, least of {} runs\n\n", format->name, metric->first, pictures.size(),
             options["--runs"]);
  fmt::print("| encoder | PSNR dB | Mtexel per CPU s | CPU s | bits a texel after Zstd |\n|---|---|---|---|---|\n");
  for (const Subject& s : subjects) print_row(*format, s, pictures);
}
