// Times our transcoders on the blocks of a picture, on one core.
//
//   transcode_bench PICTURE.png BLOCKS      writes the UASTC blocks, prints "format nanoseconds" a line
//
// Uses a picture because the cost of a block depends on its mode and hints, and an engine transcodes the blocks of real
// pictures. The best of several runs counts, because other programs share the machine. run.cjs adds a peer.
#include <spng.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "codec/encode/uastc/encode_uastc.hpp"

namespace {

using namespace assetc;

constexpr BlockFormat kTargets[] = {BlockFormat::kRgba8,   BlockFormat::kBc1,    BlockFormat::kBc3,
                                    BlockFormat::kBc4,     BlockFormat::kBc5,    BlockFormat::kBc7,
                                    BlockFormat::kAstc4x4, BlockFormat::kEtc1,   BlockFormat::kEtc2Rgba,
                                    BlockFormat::kEacR11,  BlockFormat::kEacRg11};
// Two-channel formats take red and alpha, as the peer does.
constexpr TranscodeOptions kOptions = {.second_channel = 3};
constexpr unsigned kRuns = 9;

struct Picture {
  std::uint32_t width = 0, height = 0;
  ByteVector rgba;
};

Picture read_png(const char* path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> file(std::istreambuf_iterator<char>(in), {});
  const std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)> png(spng_ctx_new(0), spng_ctx_free);
  spng_ihdr header;
  std::size_t size = 0;
  spng_set_png_buffer(png.get(), file.data(), file.size());
  if (spng_get_ihdr(png.get(), &header) || spng_decoded_image_size(png.get(), SPNG_FMT_RGBA8, &size))
    throw std::runtime_error(std::string("cannot read ") + path);
  Picture p{header.width, header.height, ByteVector(size)};
  if (spng_decode_image(png.get(), p.rgba.data(), size, SPNG_FMT_RGBA8, 0))
    throw std::runtime_error(std::string("cannot decode ") + path);
  return p;
}

// CPU time of this thread, so that other load on the machine does not count.
double now_ns() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

void require(const Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().to_string());
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fputs("usage: transcode_bench PICTURE.png BLOCKS\n", stderr);
    return 2;
  }
  const Picture picture = read_png(argv[1]);
  const std::uint64_t count = block_count(picture.width, picture.height);
  ByteVector blocks(count * 16);
  require(codec::encode_uastc(codec::tight_rows(picture.rgba, picture.width, picture.height, 4), {}, blocks));
  std::ofstream(argv[2], std::ios::binary)
      .write(reinterpret_cast<const char*>(blocks.data()), static_cast<std::streamsize>(blocks.size()));
  for (BlockFormat target : kTargets) {
    ByteVector out(*transcoded_bytes(target, blocks.size()));
    double best = 1e30;
    for (unsigned i = 0; i < kRuns; ++i) {
      const double start = now_ns();
      require(transcode_uastc(blocks, target, out, kOptions));
      best = std::min(best, now_ns() - start);
    }
    std::printf("%s %.1f\n", std::string(to_string(target)).c_str(), best / static_cast<double>(count));
  }
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "transcode_bench: %s\n", e.what());
  return 2;
}
