// Our part of tests/interop/uastc.cjs: writes blocks and our transcodings of them, for another transcoder to check.
//
//   uastc_probe write DIR    writes NAME.uastc for each set of blocks, and NAME.FORMAT as we transcode it;
//                            random.bin, random.valid: 16-byte strings, and 1 for those that we accept
//   uastc_probe compare DIR  reads NAME.FORMAT and NAME.FORMAT.theirs, decodes both, and exits 1 if ours is farther
//                            from the UASTC texels than theirs by more than rounding
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "assetc/codec/transcode.hpp"
#include "codec/encode/uastc/encode_uastc.hpp"
#include "codec/encode/uastc/uastc_hints.hpp"
#include "codec/random_uastc.hpp"

namespace {

using namespace assetc;
namespace fs = std::filesystem;

constexpr BlockFormat kFormats[] = {BlockFormat::kRgba8,   BlockFormat::kBc1,    BlockFormat::kBc3,
                                    BlockFormat::kBc4,     BlockFormat::kBc5,    BlockFormat::kBc7,
                                    BlockFormat::kAstc4x4, BlockFormat::kEtc1,   BlockFormat::kEtc2Rgba,
                                    BlockFormat::kEacR11,  BlockFormat::kEacRg11};
// Their transcoder uses red and alpha for two-channel formats.
constexpr TranscodeOptions kOptions = {.second_channel = 3};
constexpr unsigned kBlocksPerMode = 512;
constexpr unsigned kRandomStrings = 4096;
constexpr unsigned kPictureTexels = 128;  // width and height

ByteVector read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  ByteVector bytes(fs::file_size(path));
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}
void write(const fs::path& path, ByteSpan bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!out) throw std::runtime_error("cannot write " + path.string());
}

void write_set(const fs::path& dir, const std::string& name, ByteSpan blocks) {
  write(dir / (name + ".uastc"), blocks);
  for (BlockFormat format : kFormats) {
    ByteVector out(*transcoded_bytes(format, blocks.size()));
    if (const auto ok = transcode_uastc(blocks, format, out, kOptions); !ok)
      throw std::runtime_error(ok.error().to_string());
    write(dir / (name + "." + std::string(to_string(format))), out);
  }
}

// Slopes, edges and grain in color and alpha, computed from integers only.
ByteVector picture() {
  std::mt19937 random(4);
  ByteVector rgba;
  for (unsigned y = 0; y < kPictureTexels; ++y) {
    for (unsigned x = 0; x < kPictureTexels; ++x) {
      const unsigned grain = codec::below(random, y / 8 + 1);
      const bool disc = (x - 64) * (x - 64) + (y - 64) * (y - 64) < 1600;
      rgba.push_back(static_cast<std::byte>(std::min(255u, x + grain + (disc ? 90 : 0))));
      rgba.push_back(static_cast<std::byte>(std::min(255u, (x * y >> 6) + grain)));
      rgba.push_back(static_cast<std::byte>(std::min(255u, 255 - y - (disc ? 60 : 0))));
      rgba.push_back(static_cast<std::byte>(y < 32 ? 255 : std::min(255u, (x ^ y) + grain)));
    }
  }
  return rgba;
}

int write_all(const fs::path& dir) {
  std::mt19937 random(1);
  for (unsigned m = 0; m < codec::kUastcModeCount; ++m) {
    ByteVector raw, hinted;
    for (unsigned i = 0; i < kBlocksPerMode; ++i) {
      auto block = codec::random_uastc(random, m);
      append(raw, codec::pack_uastc(block));
      block = *codec::unpack_uastc(codec::pack_uastc(block));
      const BlockTexels texels = codec::decode_uastc(block);
      codec::choose_hints(block, texels, texels);
      append(hinted, codec::pack_uastc(block));
    }
    write_set(dir, "mode" + std::to_string(m), raw);
    write_set(dir, "hinted" + std::to_string(m), hinted);
  }
  ByteVector blocks(16 * block_count(kPictureTexels, kPictureTexels));
  const auto ok = codec::encode_uastc(codec::tight_rows(picture(), kPictureTexels, kPictureTexels, 4), {}, blocks);
  if (!ok) throw std::runtime_error(ok.error().to_string());
  write_set(dir, "picture", blocks);

  ByteVector strings, valid;
  for (unsigned i = 0; i < kRandomStrings; ++i) {
    codec::UastcBytes bytes;
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
    append(strings, bytes);
    valid.push_back(static_cast<std::byte>(codec::unpack_uastc(bytes).has_value()));
  }
  write(dir / "random.bin", strings);
  write(dir / "random.valid", valid);
  return 0;
}

double mean_square(BlockFormat format, ByteSpan have, std::span<const Rgba8> want, std::uint32_t width) {
  std::vector<Rgba8> texels(want.size());
  if (const auto ok = decode_blocks(have, format, width, 4, texels); !ok)
    throw std::runtime_error(ok.error().to_string());
  unsigned channels = 4;
  if (format == BlockFormat::kBc1 || format == BlockFormat::kEtc1) channels = 3;
  if (format == BlockFormat::kBc4 || format == BlockFormat::kEacR11) channels = 1;
  if (format == BlockFormat::kBc5 || format == BlockFormat::kEacRg11) channels = 2;
  double sum = 0;
  for (std::size_t i = 0; i < want.size(); ++i)
    for (unsigned c = 0; c < channels; ++c) {
      const int off = texels[i][c] - want[i][channels == 2 && c == 1 ? kOptions.second_channel : c];
      sum += off * off;
    }
  return sum / static_cast<double>(want.size() * channels);
}

int compare_all(const fs::path& dir) {
  // A tenth of a decibel, plus one rounding in ten texels.
  constexpr double slack_factor = 1.024, slack = 0.1;
  int worse = 0;
  std::vector<std::string> names = {"picture"};
  for (unsigned m = 0; m < codec::kUastcModeCount; ++m) {
    names.push_back("mode" + std::to_string(m));
    names.push_back("hinted" + std::to_string(m));
  }
  for (const std::string& name : names) {
    const ByteVector blocks = read(dir / (name + ".uastc"));
    const auto width = static_cast<std::uint32_t>(blocks.size() / 16 * 4);
    std::vector<Rgba8> want(std::size_t{width} * 4);
    if (!decode_blocks(blocks, BlockFormat::kUastc, width, 4, want))
      throw std::runtime_error("our own blocks are invalid");
    for (BlockFormat format : kFormats) {
      if (format == BlockFormat::kRgba8) continue;
      const fs::path file = dir / (name + "." + std::string(to_string(format)));
      const double ours = mean_square(format, read(file), want, width);
      const double theirs = mean_square(format, read(file.string() + ".theirs"), want, width);
      const bool bad = ours > theirs * slack_factor + slack;
      std::printf("%-10s %-10s ours %9.3f theirs %9.3f%s\n", name.c_str(), std::string(to_string(format)).c_str(), ours,
                  theirs, bad ? "  WORSE" : "");
      worse += bad;
    }
  }
  return worse == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 3 && !std::strcmp(argv[1], "write")) return write_all(argv[2]);
  if (argc == 3 && !std::strcmp(argv[1], "compare")) return compare_all(argv[2]);
  std::fputs("usage: uastc_probe write|compare DIR\n", stderr);
  return 2;
} catch (const std::exception& e) {
  std::fprintf(stderr, "uastc_probe: %s\n", e.what());
  return 2;
}
