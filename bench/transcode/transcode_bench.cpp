// Times our transcoders on the UASTC blocks of pictures, on one core.
//
//   transcode_bench [--effort fast|normal|best] [--modes] [--hints] [--simd none|avx2|avx512] [--blocks FILE]
//     PICTURE.png...
//
// Prints a line for each target: its name, nanoseconds a block, and GB of UASTC a second. With --modes, also a line for
// each mode of the blocks: the mode, its share of the blocks in percent, and nanoseconds a block of every target. With
// --hints, the same for the hints for BC1. --simd limits the instruction sets of the targets that need texels; BC7 and
// ASTC have no others. --blocks writes the blocks of all pictures to a file.
//
// Uses pictures because the cost of a block depends on its mode and hints, and an engine transcodes the blocks of real
// pictures. The best of several runs counts, because other programs share the machine. run.cjs adds a peer.
#include <spng.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "codec/block/uastc_block.hpp"
#include "codec/encode/uastc/encode_uastc.hpp"
#include "codec/transcode/uastc_batch.hpp"

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

namespace {

// As transcode_uastc, for valid blocks and a target that needs texels.
void transcode_with(codec::BatchSimd simd, ByteSpan blocks, BlockFormat format, ByteVector& out) {
  const codec::UastcTarget target{format, kOptions.first_channel, kOptions.second_channel};
  const auto* from = reinterpret_cast<const std::uint8_t*>(blocks.data());
  auto* to = reinterpret_cast<std::uint8_t*>(out.data());
  const std::size_t count = blocks.size() / codec::kUastcBlockBytes, step = block_bytes(format);
  codec::UastcBatch batch;
  codec::BatchState state;
  for (std::size_t first = 0; first < count; first += codec::kBatchBlocks) {
    const auto size = static_cast<unsigned>(std::min<std::size_t>(codec::kBatchBlocks, count - first));
    codec::sort_by_mode(from + first * codec::kUastcBlockBytes, size, batch);
    codec::batch_to_texels(from + first * codec::kUastcBlockBytes, batch, target, simd, state, to + first * step);
    codec::for_each_solid(batch, [&](std::size_t n) {
      codec::solid_to_target(from + (first + n) * codec::kUastcBlockBytes, target, to + (first + n) * step);
    });
  }
  codec::finish_texels(target, simd, state);
}

double ns_a_block(ByteSpan blocks, BlockFormat target, codec::BatchSimd simd) {
  ByteVector out(*transcoded_bytes(target, blocks.size()));
  const bool of_texels = target != BlockFormat::kBc7 && target != BlockFormat::kAstc4x4;
  double best = 1e30;
  for (unsigned i = 0; i < kRuns; ++i) {
    const double start = now_ns();
    if (of_texels && simd != codec::best_batch_simd())
      transcode_with(simd, blocks, target, out);
    else
      require(transcode_uastc(blocks, target, out, kOptions));
    best = std::min(best, now_ns() - start);
  }
  return best * codec::kUastcBlockBytes / static_cast<double>(blocks.size());
}

// Sorts the blocks by class_of(block), and prints the speed of each class that has blocks.
template <class ClassOf>
void print_classes(ByteSpan blocks, codec::BatchSimd simd, const char* title, std::span<const std::string> names,
                   const ClassOf& class_of) {
  std::vector<ByteVector> classes(names.size());
  for (std::size_t i = 0; i < blocks.size(); i += codec::kUastcBlockBytes) {
    const ByteSpan block = blocks.subspan(i, codec::kUastcBlockBytes);
    ByteVector& mine = classes[class_of(block)];
    mine.insert(mine.end(), block.begin(), block.end());
  }
  std::printf("%s percent", title);
  for (BlockFormat target : kTargets) std::printf(" %s", std::string(to_string(target)).c_str());
  std::printf("\n");
  for (std::size_t m = 0; m < classes.size(); ++m) {
    if (classes[m].empty()) continue;
    std::printf("%s %.1f", names[m].c_str(),
                100.0 * static_cast<double>(classes[m].size()) / static_cast<double>(blocks.size()));
    for (BlockFormat target : kTargets) std::printf(" %.1f", ns_a_block(classes[m], target, simd));
    std::printf("\n");
  }
}

void print_modes(ByteSpan blocks, codec::BatchSimd simd) {
  std::vector<std::string> names;
  names.reserve(codec::kUastcModeCount);
  for (unsigned m = 0; m < codec::kUastcModeCount; ++m) names.push_back(std::to_string(m));
  print_classes(blocks, simd, "mode", names,
                [](ByteSpan block) { return codec::kUastcModeOfCode[static_cast<unsigned>(block[0]) & 127]; });
}

void print_hints(ByteSpan blocks, codec::BatchSimd simd) {
  const std::vector<std::string> names = {"solid", "endpoints", "weights", "none"};
  print_classes(blocks, simd, "hint", names, [](ByteSpan bytes) {
    codec::UastcBlock block;
    codec::unpack_uastc_into(reinterpret_cast<const std::uint8_t*>(bytes.data()), block);
    if (block.mode == codec::kUastcSolidMode) return 0;
    return block.hints.bc1_endpoints ? 1 : block.hints.bc1_weights ? 2 : 3;
  });
}

}  // namespace

int main(int argc, char** argv) try {
  codec::EncodeOptions options;
  bool modes = false, hints = false;
  codec::BatchSimd simd = codec::best_batch_simd();
  const char* file = nullptr;
  std::vector<const char*> pictures;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg == "--effort" && i + 1 < argc) {
      const std::string_view effort = argv[++i];
      options.effort = effort == "best"   ? codec::Effort::kBest
                       : effort == "fast" ? codec::Effort::kFast
                                          : codec::Effort::kNormal;
    } else if (arg == "--modes") {
      modes = true;
    } else if (arg == "--hints") {
      hints = true;
    } else if (arg == "--simd" && i + 1 < argc) {
      const std::string_view set = argv[++i];
      simd = std::min(simd, set == "none"   ? codec::BatchSimd::kNone
                            : set == "avx2" ? codec::BatchSimd::kAvx2
                                            : codec::BatchSimd::kAvx512);
    } else if (arg == "--blocks" && i + 1 < argc) {
      file = argv[++i];
    } else {
      pictures.push_back(argv[i]);
    }
  }
  if (pictures.empty()) {
    std::fputs(
        "usage: transcode_bench [--effort fast|normal|best] [--modes] [--hints] [--simd none|avx2|avx512] "
        "[--blocks FILE] PICTURE.png...\n",
        stderr);
    return 2;
  }
  ByteVector blocks;
  for (const char* path : pictures) {
    const Picture picture = read_png(path);
    const std::size_t before = blocks.size();
    blocks.resize(before + block_count(picture.width, picture.height) * codec::kUastcBlockBytes);
    require(codec::encode_uastc(codec::tight_rows(picture.rgba, picture.width, picture.height, 4), options,
                                std::span(blocks).subspan(before)));
  }
  if (file)
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(blocks.data()), static_cast<std::streamsize>(blocks.size()));
  for (BlockFormat target : kTargets) {
    const double ns = ns_a_block(blocks, target, simd);
    std::printf("%s %.1f %.3f\n", std::string(to_string(target)).c_str(), ns, codec::kUastcBlockBytes / ns);
  }
  if (modes) print_modes(blocks, simd);
  if (hints) print_hints(blocks, simd);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "transcode_bench: %s\n", e.what());
  return 2;
}
