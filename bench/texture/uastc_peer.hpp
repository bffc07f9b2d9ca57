// What the UASTC benchmarks share: PSNR through our decoders, and the peer's blocks.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "pictures.hpp"

namespace assetc::bench {

// Over RGB, and alpha where the picture has some and the target holds it.
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

// Runs the basisu program with options. It says how long it took; the processor time is the child's. What reading the
// PNG takes us is taken off both.
inline std::optional<Clock> run_peer(const std::string& peer, const std::string& options, const Picture& picture,
                                     const std::filesystem::path& scratch, std::vector<std::byte>& blocks) {
  const std::filesystem::path out = scratch / "peer.ktx2";
  const std::string command = fmt::format("'{}' -uastc {} -ktx2 -ktx2_no_zstandard -file '{}' -output_file '{}'", peer,
                                          options, picture.path.string(), out.string());
  const double cpu = cpu_of(RUSAGE_CHILDREN);
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string text;
  std::array<char, 4096> chunk;
  while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), pipe)) text.append(chunk.data(), n);
  if (pclose(pipe) != 0) return std::nullopt;
  Clock clock;
  clock.cpu_s = cpu_of(RUSAGE_CHILDREN) - cpu - picture.reading.cpu_s;
  const std::size_t at = text.rfind(" bytes in ");
  if (at == std::string::npos) return std::nullopt;
  clock.wall_s = std::atof(text.c_str() + at + 10) - picture.reading.wall_s;
  const std::vector<std::byte> file = read_file(out);
  std::uint64_t offset = 0, length = 0;  // KTX2: the first level's entry follows an 80-byte header
  if (file.size() < 104) return std::nullopt;
  std::memcpy(&offset, &file[80], 8);
  std::memcpy(&length, &file[88], 8);
  if (offset > file.size() || length > file.size() - offset) return std::nullopt;
  blocks.assign(file.begin() + static_cast<std::ptrdiff_t>(offset), file.begin() + static_cast<std::ptrdiff_t>(offset + length));
  return clock;
}

}  // namespace assetc::bench
