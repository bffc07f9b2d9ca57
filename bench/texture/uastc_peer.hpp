// Shared by the UASTC benchmarks: PSNR through our decoders, and the peer's blocks.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "pictures.hpp"

namespace assetc::bench {

// PSNR over RGB, and over alpha if the picture has alpha and the target holds it.
inline double psnr(const Picture& picture, std::span<const std::byte> uastc, BlockFormat target) {
  std::vector<std::byte> blocks(uastc.begin(), uastc.end());
  if (target != BlockFormat::kUastc) {
    blocks.resize(*assetc::transcoded_bytes(target, uastc.size()));
    if (!assetc::transcode_uastc(uastc, target, blocks)) return 0;
  }
  std::vector<Rgba8> decoded(picture.texels.size());
  if (!assetc::decode_blocks(blocks, target, picture.width, picture.height, decoded)) return 0;
  const bool alpha = picture.has_alpha && (target == BlockFormat::kUastc || target == BlockFormat::kBc7);
  const unsigned channels = alpha ? 4 : 3;
  double sum = 0;
  for (std::size_t i = 0; i < decoded.size(); ++i)
    for (unsigned c = 0; c < channels; ++c) {
      const double miss = static_cast<double>(decoded[i][c]) - picture.texels[i][c];
      sum += miss * miss;
    }
  return sum == 0 ? 100 : 10 * std::log10(255.0 * 255.0 * channels * static_cast<double>(decoded.size()) / sum);
}

// The basisu program, and the processor time of its start-up, which is mostly spent on tables.
class Peer {
 public:
  // scratch: a folder for its files, which must outlive this object. Returns nothing if the program cannot be run.
  static std::optional<Peer> start(std::string program, std::filesystem::path scratch) {
    Peer peer;
    peer.program_ = std::move(program);
    peer.scratch_ = std::move(scratch);
    const Picture block{peer.scratch_ / "block.png", 4, 4, false, std::vector<Rgba8>(16, Rgba8{90, 60, 30, 255}), {}};
    if (!write_png(block)) return std::nullopt;
    std::vector<std::byte> blocks;
    double least = 1e9;
    for (int run = 0; run < 5; ++run) {
      const auto clock = peer.run("-uastc_level 0", block, blocks);
      if (!clock) return std::nullopt;
      least = std::min(least, clock->cpu_s);
    }
    peer.start_up_cpu_s_ = least;
    return peer;
  }

  // The wall time is the one that the program prints; the processor time is the child's without its start-up. The time
  // that we need to read the PNG is subtracted from both. Returns nothing if the program fails.
  std::optional<Clock> run(const std::string& options, const Picture& picture, std::vector<std::byte>& blocks) const {
    const std::filesystem::path out = scratch_ / "peer.ktx2";
    const std::string command = fmt::format("'{}' -uastc {} -ktx2 -ktx2_no_zstandard -file '{}' -output_file '{}'",
                                            program_, options, picture.path.string(), out.string());
    const double cpu = cpu_of(RUSAGE_CHILDREN);
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return std::nullopt;
    std::string text;
    std::array<char, 4096> chunk;
    while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), pipe)) text.append(chunk.data(), n);
    if (pclose(pipe) != 0) return std::nullopt;
    Clock clock;
    clock.cpu_s = cpu_of(RUSAGE_CHILDREN) - cpu - start_up_cpu_s_ - picture.reading.cpu_s;
    const std::size_t at = text.rfind(" bytes in ");
    if (at == std::string::npos) return std::nullopt;
    clock.wall_s = std::atof(text.c_str() + at + 10) - picture.reading.wall_s;
    const std::vector<std::byte> file = read_file(out);
    std::uint64_t offset = 0, length = 0;  // KTX2: the first level's entry follows an 80-byte header
    if (file.size() < 104) return std::nullopt;
    std::memcpy(&offset, &file[80], 8);
    std::memcpy(&length, &file[88], 8);
    if (offset > file.size() || length > file.size() - offset) return std::nullopt;
    const auto first = file.begin() + static_cast<std::ptrdiff_t>(offset);
    blocks.assign(first, first + static_cast<std::ptrdiff_t>(length));
    return clock;
  }

 private:
  Peer() = default;

  std::string program_;
  std::filesystem::path scratch_;
  double start_up_cpu_s_ = 0;
};

}  // namespace assetc::bench
