#include "texture/compile.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "assetc/formats/ktx2.hpp"
#include "texture/zstd.hpp"

namespace assetc::texture {
namespace {

constexpr std::uint32_t kBlockTexels = 4;
constexpr std::uint64_t kBlockBytes = 16;
// Rows that one task reads and encodes: a multiple of the block's, small enough to stay near the core.
constexpr std::uint32_t kStripRows = 32;

// How texels are stored.
enum class Storage : std::uint8_t { kUastc, kRgba8, kRgba16f };

Storage storage_of(const CompileOptions& options) {
  if (options.mips.kind == TexelKind::kHdr) return Storage::kRgba16f;
  return options.block_compress ? Storage::kUastc : Storage::kRgba8;
}
bool supercompresses(const CompileOptions& options) {
  return storage_of(options) != Storage::kUastc || options.zstd_level > 0;
}

std::uint64_t level_bytes(Extent e, Storage storage) {
  const std::uint64_t texels = std::uint64_t{e.width_texels} * e.height_texels;
  if (storage == Storage::kRgba8) return texels * 4;
  if (storage == Storage::kRgba16f) return texels * 8;
  const auto blocks = [](std::uint64_t side) { return (side + kBlockTexels - 1) / kBlockTexels; };
  return blocks(e.width_texels) * blocks(e.height_texels) * kBlockBytes;
}

codec::Metric metric_of(TexelKind kind) {
  switch (kind) {
    case TexelKind::kColor:
      return codec::Metric::kColor;
    case TexelKind::kLinear:
      return codec::Metric::kLinear;
    case TexelKind::kNormal:
      return codec::Metric::kNormal;
    case TexelKind::kGray:
      return codec::Metric::kGray;
    case TexelKind::kHdr:
      break;
  }
  return codec::Metric::kColor;
}

ktx2::UastcChannels channels_of(TexelKind kind, bool has_alpha) {
  if (kind == TexelKind::kNormal) return ktx2::UastcChannels::kRg;
  if (kind == TexelKind::kGray) return ktx2::UastcChannels::kRgb;
  return has_alpha ? ktx2::UastcChannels::kRgba : ktx2::UastcChannels::kRgb;
}

// Writes the chain's current level, as blocks or texels, into out.
Result<void> write_level(const MipChain& chain, const CompileOptions& options, std::span<std::byte> out) {
  const Extent extent = chain.extent();
  const std::size_t row_bytes = std::size_t{extent.width_texels} * 4;
  const std::uint64_t block_row_bytes = level_bytes({extent.width_texels, 1}, Storage::kUastc);
  const codec::EncodeOptions encode{options.effort, metric_of(options.mips.kind)};
  const std::uint32_t strips = (extent.height_texels + kStripRows - 1) / kStripRows;

  std::mutex mutex;
  std::optional<Error> failure;
  tbb::parallel_for(std::uint32_t{0}, strips, [&](std::uint32_t strip) {
    const std::uint32_t y = strip * kStripRows;
    const std::uint32_t rows = std::min(kStripRows, extent.height_texels - y);
    switch (storage_of(options)) {
      case Storage::kUastc:
        break;
      case Storage::kRgba8:
        return chain.read_rgba8(y, rows, out.subspan(y * row_bytes, rows * row_bytes));
      case Storage::kRgba16f:
        return chain.read_rgba16f(y, rows, out.subspan(y * row_bytes * 2, rows * row_bytes * 2));
    }
    const auto texels = std::make_unique_for_overwrite<std::byte[]>(rows * row_bytes);
    const std::span<std::byte> view(texels.get(), rows * row_bytes);
    chain.read_rgba8(y, rows, view);
    const auto blocks =
        out.subspan(y / kBlockTexels * block_row_bytes, level_bytes({extent.width_texels, rows}, Storage::kUastc));
    // Isolated: a thread that waits for its blocks must not take another strip, and its buffer, meanwhile.
    Result<void> done;
    tbb::this_task_arena::isolate(
        [&] { done = codec::encode_uastc(view, extent.width_texels, rows, row_bytes, encode, blocks); });
    if (!done) {
      const std::scoped_lock lock(mutex);
      failure = std::move(done).error();
    }
  });
  if (failure) return std::unexpected(std::move(*failure));
  return {};
}

struct StoredLevel {
  ByteVector bytes;
  std::uint64_t uncompressed_bytes = 0;
};

}  // namespace

Result<ByteVector> compile_texture(const ImageSource& source, Arrangement arrangement, const CompileOptions& options) {
  const std::uint32_t image_count = arrangement.image_count();
  const bool supercompress = supercompresses(options);
  const auto zstd_level = static_cast<int>(options.zstd_level == 0 ? kDefaultRawZstdLevel : options.zstd_level);
  std::vector<StoredLevel> levels;
  Extent level0, first_extent;
  bool has_alpha = false;
  for (std::uint32_t index = 0; index < image_count; ++index) {
    ASSETC_TRY(scene::Image image, source(index));
    const Extent extent{image.width_texels, image.height_texels};
    if (index == 0) {
      first_extent = extent;
    } else if (extent != first_extent) {
      return fail(ErrorCode::kInvalidData, "picture " + std::to_string(index) + " has " +
                                               std::to_string(extent.width_texels) + "x" +
                                               std::to_string(extent.height_texels) + " texels, expected " +
                                               std::to_string(first_extent.width_texels) + "x" +
                                               std::to_string(first_extent.height_texels) + " like the first");
    }
    MipChain chain(std::move(image), options.mips);
    has_alpha |= chain.has_alpha();
    if (index == 0) {
      level0 = chain.extent();
      levels.resize(chain.level_count());
    }
    do {
      StoredLevel& level = levels[chain.level()];
      const std::uint64_t one = level_bytes(chain.extent(), storage_of(options));
      if (level.bytes.empty()) level.bytes.resize(one * image_count);
      ASSETC_CHECK(write_level(chain, options, std::span(level.bytes).subspan(one * index, one)));
      if (index + 1 == image_count) {
        level.uncompressed_bytes = level.bytes.size();
        if (supercompress) {
          ASSETC_TRY(level.bytes, compress_zstd(level.bytes, zstd_level));
        }
      }
    } while (chain.advance());
  }

  ktx2::Texture texture;
  constexpr std::array kFormats{ktx2::Format::kUastc, ktx2::Format::kRgba8, ktx2::Format::kRgba16f};
  texture.format = kFormats[static_cast<std::size_t>(storage_of(options))];
  texture.transfer = options.mips.kind == TexelKind::kColor ? ktx2::Transfer::kSrgb : ktx2::Transfer::kLinear;
  texture.channels = channels_of(options.mips.kind, has_alpha);
  texture.width_texels = level0.width_texels;
  texture.height_texels = level0.height_texels;
  texture.layer_count = arrangement.layer_count;
  texture.face_count = arrangement.face_count;
  texture.supercompression = supercompress ? ktx2::Supercompression::kZstd : ktx2::Supercompression::kNone;
  if (supercompress) texture.writer_params = "zstd " + std::to_string(zstd_level);
  for (const StoredLevel& level : levels) texture.levels.push_back({level.bytes, level.uncompressed_bytes});
  return ktx2::write(texture);
}

std::uint64_t compile_peak_bytes(Extent extent, scene::PixelType type, Arrangement arrangement,
                                 const CompileOptions& options) {
  std::uint64_t payload = 0;
  const Extent level0 = limited_extent(extent, options.mips.max_size_texels);
  Extent e = level0;
  for (std::uint32_t levels = options.mips.all_levels ? full_level_count(e) : 1; levels > 0;
       --levels, e = next_level(e)) {
    payload += level_bytes(e, storage_of(options));
  }
  payload *= arrangement.image_count();
  const std::uint64_t mips = mip_peak_bytes(extent, type, options.mips);
  // While mips are made, the payload so far is there too; while the file is put together, the payload twice. Zstd's
  // output buffer is as large as the level that goes in, at worst.
  const bool supercompress = supercompresses(options);
  return std::max(
      mips + payload + (supercompress ? level_bytes(level0, storage_of(options)) * arrangement.image_count() : 0),
      2 * payload);
}

}  // namespace assetc::texture
