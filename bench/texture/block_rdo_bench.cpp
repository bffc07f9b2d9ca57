// Compares rate-distortion optimized BC1 to BC7, ETC2 and EAC on the same PNGs in the same run: our encoder over its
// range of lambda and, with --peer, the program of bc7enc_rdo (https://github.com/richgel999/bc7enc_rdo) over its -z.
//
//   block_rdo_bench --format bc1|bc3|bc4|bc5|bc7|etc2|etc2a|r11|rg11 [--peer BC7ENC] [--effort normal] [--zstd 6]
//   PNG...
//
// PSNR is over the channels that the format has, through our decoders. Size is that of the blocks after Zstd at one
// level for both. For each picture, its size is compared with the peer's at the same PSNR, interpolated between the two
// nearest points of the peer; pictures outside of the peer's range are left out.
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "codec/encode/bc/encode_bc.hpp"
#include "codec/encode/etc/encode_etc.hpp"
#include "pictures.hpp"

namespace {

using namespace assetc::bench;
using assetc::BlockFormat;
using namespace assetc::codec;

constexpr std::array kOurs = {0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 70.0, 100.0};
constexpr std::array kPeers = {0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0};

using Encode = assetc::Result<void> (*)(const TexelView&, const EncodeOptions&, std::span<std::byte>);
struct Format {
  const char* name;
  Encode encode;
  std::size_t block_bytes;
  BlockFormat decode;
  unsigned channels;
  bool is_wide;      // takes two channels of 16 bits
  const char* peer;  // its options; null: it does not have the format
};
template <BcFormat kFormat>
assetc::Result<void> bc(const TexelView& texels, const EncodeOptions& options, std::span<std::byte> blocks) {
  return encode_bc(kFormat, texels, options, blocks);
}
template <EtcFormat kFormat>
assetc::Result<void> etc(const TexelView& texels, const EncodeOptions& options, std::span<std::byte> blocks) {
  return encode_etc(kFormat, texels, options, blocks);
}
constexpr Format kFormats[] = {
    {"bc1", bc<BcFormat::kBc1>, 8, BlockFormat::kBc1, 3, false, "-1"},
    {"bc3", bc<BcFormat::kBc3>, 16, BlockFormat::kBc3, 4, false, "-3"},
    {"bc4", bc<BcFormat::kBc4>, 8, BlockFormat::kBc4, 1, true, "-4"},
    {"bc5", bc<BcFormat::kBc5>, 16, BlockFormat::kBc5, 2, true, "-5"},
    {"bc7", bc<BcFormat::kBc7>, 16, BlockFormat::kBc7, 4, false, "-C -u4 -e"},
    {"etc2", etc<EtcFormat::kEtc2Rgb>, 8, BlockFormat::kEtc1, 3, false, nullptr},
    {"etc2a", etc<EtcFormat::kEtc2Rgba>, 16, BlockFormat::kEtc2Rgba, 4, false, nullptr},
    {"r11", etc<EtcFormat::kEacR11>, 8, BlockFormat::kEacR11, 1, true, nullptr},
    {"rg11", etc<EtcFormat::kEacRg11>, 16, BlockFormat::kEacRg11, 2, true, nullptr},
};

struct Point {
  double psnr_db = 0, bytes = 0, cpu_s = 0;
};
struct Curve {
  std::string name;
  bool is_peer = false;
  double lambda = 0;
  std::vector<Point> points;  // one for each picture
};

std::optional<Clock> encode(const Format& format, Effort effort, double lambda, const Picture& picture,
                            std::vector<std::byte>& blocks) {
  blocks.resize(assetc::block_count(picture.width, picture.height) * format.block_bytes);
  std::vector<std::uint16_t> wide;
  std::span<const std::byte> texels = std::as_bytes(std::span(picture.texels));
  if (format.is_wide) {
    for (const assetc::Rgba8 t : picture.texels)
      for (const unsigned v : {t.r, t.g}) wide.push_back(static_cast<std::uint16_t>(v * 257));
    texels = std::as_bytes(std::span(wide));
  }
  bool good = false;
  const Clock clock = timed([&] {
    good = format
               .encode(tight_rows(texels, picture.width, picture.height, 4),
                       {.effort = effort, .rdo = static_cast<float>(lambda)}, blocks)
               .has_value();
  });
  return good ? std::optional(clock) : std::nullopt;
}

// The peer writes a DDS with the blocks at its end. Its processor time includes reading the PNG, which ours does not,
// so that the time that we need for it is subtracted.
std::optional<Clock> run_peer(const std::string& program, const std::string& folder, const Format& format,
                              double lambda, const Picture& picture, std::vector<std::byte>& blocks) {
  const double cpu = cpu_of(RUSAGE_CHILDREN);
  const std::string command = fmt::format("cd '{}' && '{}' -q -g -f {} {} '{}' '{}/peer.dds' >/dev/null", folder,
                                          program, format.peer, lambda > 0 ? fmt::format("-z{:g}", lambda) : "",
                                          std::filesystem::absolute(picture.path).string(), folder);
  if (std::system(command.c_str()) != 0) return std::nullopt;
  const Clock clock{0, cpu_of(RUSAGE_CHILDREN) - cpu - picture.reading.cpu_s};
  const std::vector<std::byte> file = read_file(folder + "/peer.dds");
  const std::size_t bytes = assetc::block_count(picture.width, picture.height) * format.block_bytes;
  if (file.size() < bytes + 128) return std::nullopt;
  blocks.assign(file.end() - static_cast<std::ptrdiff_t>(bytes), file.end());
  return clock;
}

Point measure(const Format& format, const Picture& picture, std::span<const std::byte> blocks, int zstd_level,
              double cpu_s) {
  std::vector<assetc::Rgba8> decoded(picture.texels.size());
  if (!assetc::decode_blocks(blocks, format.decode, picture.width, picture.height, decoded)) return {};
  const unsigned channels = format.channels == 4 && !picture.has_alpha ? 3 : format.channels;
  double sum = 0;
  for (std::size_t i = 0; i < decoded.size(); ++i)
    for (unsigned c = 0; c < channels; ++c) {
      const double miss = static_cast<double>(decoded[i][c]) - picture.texels[i][c];
      sum += miss * miss;
    }
  std::vector<std::byte> packed(ZSTD_compressBound(blocks.size()));
  return {sum == 0 ? 100 : 10 * std::log10(255.0 * 255.0 * channels * static_cast<double>(decoded.size()) / sum),
          static_cast<double>(ZSTD_compress(packed.data(), packed.size(), blocks.data(), blocks.size(), zstd_level)),
          cpu_s};
}

// The peer's bytes for picture i at that PSNR, interpolated between two of its points. Nothing outside of its range.
std::optional<double> peer_bytes(const std::vector<Curve>& curves, std::size_t i, double db) {
  const Point* above = nullptr;
  for (const Curve& curve : curves) {
    if (!curve.is_peer) continue;
    const Point& below = curve.points[i];
    if (below.psnr_db > db) {
      above = &below;
    } else {
      if (above == nullptr) return std::nullopt;
      return std::lerp(below.bytes, above->bytes, (db - below.psnr_db) / (above->psnr_db - below.psnr_db));
    }
  }
  return std::nullopt;
}

int fail(const std::string& message) {
  fmt::print(stderr, "block_rdo_bench: {}\n", message);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::string peer, effort_name = "normal", format_name = "bc7";
  int zstd_level = 6;
  std::vector<Picture> pictures;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg.starts_with("--") && i + 1 < argc) {
      const std::string value = argv[++i];
      if (arg == "--peer") peer = value;
      if (arg == "--format") format_name = value;
      if (arg == "--effort") effort_name = value;
      if (arg == "--zstd") zstd_level = std::clamp(std::atoi(value.c_str()), 1, 22);
      continue;
    }
    std::optional<Picture> picture = read_png(arg);
    if (!picture) return fail(arg + ": not a PNG that can be read");
    pictures.push_back(std::move(*picture));
  }
  const auto format = std::ranges::find(kFormats, format_name, &Format::name);
  if (pictures.empty() || format == std::end(kFormats))
    return fail(
        "usage: block_rdo_bench --format bc1|bc3|bc4|bc5|bc7|etc2|etc2a|r11|rg11 [--peer BC7ENC] [--effort "
        "fast|normal|best] "
        "[--zstd LEVEL] PNG...");

  const Effort effort = effort_name == "fast" ? Effort::kFast : effort_name == "best" ? Effort::kBest : Effort::kNormal;
  std::vector<Curve> curves;
  curves.reserve(kOurs.size() + kPeers.size());
  for (const double lambda : kOurs) curves.push_back({fmt::format("assetc, rdo {:g}", lambda), false, lambda, {}});
  for (const double lambda : kPeers)
    if (!peer.empty() && format->peer != nullptr)
      curves.push_back({fmt::format("bc7enc_rdo, -z{:g}", lambda), true, lambda, {}});
  char folder[] = "/tmp/block_rdo_bench_XXXXXX";
  if (mkdtemp(folder) == nullptr) return fail("no scratch folder in /tmp");
  double texels = 0;
  for (const Picture& picture : pictures) {
    texels += static_cast<double>(picture.texels.size());
    for (Curve& curve : curves) {
      std::vector<std::byte> blocks;
      const auto clock = curve.is_peer ? run_peer(peer, folder, *format, curve.lambda, picture, blocks)
                                       : encode(*format, effort, curve.lambda, picture, blocks);
      if (!clock) return fail(curve.name + " failed on " + picture.path.string());
      curve.points.push_back(measure(*format, picture, blocks, zstd_level, clock->cpu_s));
    }
  }
  std::filesystem::remove_all(folder);

  fmt::print("{} pictures, {}, {}, Zstd level {}\n\n", pictures.size(), format->name, effort_name, zstd_level);
  fmt::print(
      "| encoder | PSNR dB | bits a texel | CPU s | bytes / peer's at equal PSNR | the worst picture's | of |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const Curve& curve : curves) {
    double db = 0, bytes = 0, cpu_s = 0, ours = 0, theirs = 0, worst = 0;
    int compared = 0;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      const Point& point = curve.points[i];
      db += point.psnr_db / static_cast<double>(pictures.size());
      bytes += point.bytes;
      cpu_s += point.cpu_s;
      const auto other = curve.is_peer ? std::nullopt : peer_bytes(curves, i, point.psnr_db);
      if (!other) continue;
      ++compared;
      ours += point.bytes;
      theirs += *other;
      worst = std::max(worst, point.bytes / *other);
    }
    fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} |", curve.name, db, bytes * 8 / texels, cpu_s);
    fmt::print("{}\n",
               compared == 0 ? " | | |" : fmt::format(" {:.3f} | {:.3f} | {} |", ours / theirs, worst, compared));
  }
}
