#include "texture/compile.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "assetc/formats/ktx2.hpp"
#include "codec/encode_bc6h.hpp"
#include "texture/encode.hpp"
#include "texture/zstd.hpp"

namespace assetc::texture {
namespace {

// Rows that one task reads and encodes, as blocks of 8 rows or fewer have them: small enough to stay near the core.
std::uint32_t strip_rows(std::uint32_t block_height_texels) { return block_height_texels * 8; }

bool supercompresses(const StoragePlan& plan, const CompileOptions& options) {
  return !is_block_format(plan) || options.zstd_level > 0;
}

codec::Metric metric_of(const StoragePlan& plan) {
  if (plan.kind == TexelKind::kColor) return codec::Metric::kColor;
  const auto constant = [&](std::size_t c) {
    return plan.stored[c] == Channel::kZero || plan.stored[c] == Channel::kOne;
  };
  if (!constant(2) || !constant(3)) return codec::Metric::kLinear;
  if (!constant(1)) return plan.kind == TexelKind::kNormal ? codec::Metric::kNormal : codec::Metric::kLinear;
  return codec::Metric::kGray;
}

// A channel that is stored several times counts as one: X of a normal map in R, G and B no more than Y in alpha.
std::array<float, 4> weights_of(const StoragePlan& plan) {
  std::array<float, 4> weights;
  for (std::size_t c = 0; c < 4; ++c)
    weights[c] = 1.0f / static_cast<float>(std::ranges::count(plan.stored, plan.stored[c]));
  return weights;
}

// What a transcoder is told that the channels of UASTC mean.
ktx2::UastcChannels channels_of(const StoragePlan& plan, bool has_alpha) {
  if (plan.kind == TexelKind::kNormal && plan.stored[2] == Channel::kZero && plan.stored[3] == Channel::kOne)
    return ktx2::UastcChannels::kRg;
  if (plan.stored[3] == Channel::kOne || (plan.stored[3] == Channel::kA && !has_alpha))
    return ktx2::UastcChannels::kRgb;
  return ktx2::UastcChannels::kRgba;
}

// Writes rows [y, y + rows) of the chain's current level as texels or blocks into out, which holds exactly them.
Result<void> write_strip(const MipChain& chain, const StoragePlan& plan, codec::Effort effort, std::uint32_t y,
                         std::uint32_t rows, std::span<std::byte> out) {
  if (plan.format == ktx2::Format::kRgba16f) {
    chain.read_rgba16f(y, rows, out);
    apply_channels_half(plan.stored, out);
    return {};
  }
  if (plan.format == ktx2::Format::kBc6h) {
    const std::uint32_t width = chain.extent().width_texels;
    const std::size_t size = std::size_t{rows} * width * 8;
    const auto buffer = std::make_unique_for_overwrite<std::byte[]>(size);
    const std::span<std::byte> halves(buffer.get(), size);
    chain.read_rgba16f(y, rows, halves);
    apply_channels_half(plan.stored, halves);
    Result<void> done;
    tbb::this_task_arena::isolate(
        [&] { done = codec::encode_bc6h(halves, width, rows, std::size_t{width} * 8, effort, out); });
    return done;
  }
  if (plan.format == ktx2::Format::kRgba8) {
    chain.read_rgba8(y, rows, out);
    apply_channels_u8(plan.stored, out);
    return {};
  }
  const std::size_t size = std::size_t{rows} * chain.extent().width_texels * 4;
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(size);
  const std::span<std::byte> texels(buffer.get(), size);
  chain.read_rgba8(y, rows, texels);
  apply_channels_u8(plan.stored, texels);
  // Isolated: a thread that waits for its blocks must not take another strip, and its buffer, meanwhile.
  Result<void> done;
  tbb::this_task_arena::isolate([&] {
    done = encode_blocks(plan.format, plan.transfer, texels, {chain.extent().width_texels, rows},
                         {effort, metric_of(plan), weights_of(plan)}, out);
  });
  return done;
}

// Writes the chain's current level into out.
Result<void> write_level(const MipChain& chain, const StoragePlan& plan, codec::Effort effort,
                         std::span<std::byte> out) {
  const Extent extent = chain.extent();
  const std::uint32_t step = strip_rows(ktx2::block_shape(plan.format).height_texels);
  const std::uint64_t step_bytes = image_bytes({extent.width_texels, step}, plan.format);
  std::mutex mutex;
  std::optional<Error> failure;
  tbb::parallel_for(std::uint32_t{0}, (extent.height_texels + step - 1) / step, [&](std::uint32_t strip) {
    const std::uint32_t rows = std::min(step, extent.height_texels - strip * step);
    auto done = write_strip(chain, plan, effort, strip * step, rows,
                            out.subspan(strip * step_bytes, image_bytes({extent.width_texels, rows}, plan.format)));
    if (done) return;
    const std::scoped_lock lock(mutex);
    failure = std::move(done).error();
  });
  if (failure) return std::unexpected(std::move(*failure));
  return {};
}

MipOptions mip_options(const StoragePlan& plan, const CompileOptions& options) {
  MipOptions mips = options.mips;
  mips.kind = plan.kind;
  mips.normal_z = plan.kind == TexelKind::kNormal && plan.keeps(Channel::kB);
  return mips;
}

// ETC2 blocks of RGBA in which every alpha is 1: what is left without it are blocks of RGB. That a picture is opaque is
// known when its last image has been read.
bool is_opaque_etc2(const StoragePlan& plan, bool has_alpha) {
  return plan.format == ktx2::Format::kEtc2Rgba && plan.stored[3] == Channel::kA && !has_alpha;
}
void drop_alpha_blocks(ByteVector& bytes) {
  constexpr std::size_t kColor = 8, kBoth = 16;
  for (std::size_t from = kColor, to = 0; from < bytes.size(); from += kBoth, to += kColor)
    std::memmove(bytes.data() + to, bytes.data() + from, kColor);
  bytes.resize(bytes.size() / 2);
}

struct StoredLevel {
  ByteVector bytes;
  std::uint64_t uncompressed_bytes = 0;
};

}  // namespace

Result<ByteVector> compile_texture(const ImageSource& source, Arrangement arrangement, const CompileOptions& options) {
  const std::uint32_t image_count = arrangement.image_count();
  ASSETC_TRY(const StoragePlan plan, plan_storage(options.format, options.mips.kind, options.channels));
  const MipOptions mips = mip_options(plan, options);
  const bool supercompress = supercompresses(plan, options);
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
    // Alpha that is not kept must not weigh the colours that are.
    if (!plan.keeps(Channel::kA) && image.source_channels % 2 == 0) --image.source_channels;
    MipChain chain(std::move(image), mips);
    has_alpha |= chain.has_alpha();
    if (index == 0) {
      level0 = chain.extent();
      levels.resize(chain.level_count());
    }
    do {
      StoredLevel& level = levels[chain.level()];
      const std::uint64_t one = image_bytes(chain.extent(), plan.format);
      if (level.bytes.empty()) level.bytes.resize(one * image_count);
      ASSETC_CHECK(write_level(chain, plan, options.effort, std::span(level.bytes).subspan(one * index, one)));
      if (index + 1 == image_count) {
        if (is_opaque_etc2(plan, has_alpha)) drop_alpha_blocks(level.bytes);
        level.uncompressed_bytes = level.bytes.size();
        if (supercompress) {
          ASSETC_TRY(level.bytes, compress_zstd(level.bytes, zstd_level));
        }
      }
    } while (chain.advance());
  }

  ktx2::Texture texture;
  texture.format = is_opaque_etc2(plan, has_alpha) ? ktx2::Format::kEtc2Rgb : plan.format;
  texture.transfer = plan.transfer;
  texture.channels = channels_of(plan, has_alpha);
  texture.swizzle = plan.swizzle;
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
  const auto plan = plan_storage(options.format, options.mips.kind, options.channels);
  if (!plan) return 0;
  std::uint64_t payload = 0;
  const Extent level0 = limited_extent(extent, options.mips.max_size_texels);
  Extent e = level0;
  for (std::uint32_t levels = options.mips.all_levels ? full_level_count(e) : 1; levels > 0;
       --levels, e = next_level(e)) {
    payload += image_bytes(e, plan->format);
  }
  payload *= arrangement.image_count();
  const ktx2::BlockShape block = ktx2::block_shape(plan->format);
  const std::uint64_t strips =
      (level0.height_texels + strip_rows(block.height_texels) - 1) / strip_rows(block.height_texels);
  const std::uint64_t encoders = encoder_bytes(plan->format, strips);
  const std::uint64_t mips = mip_peak_bytes(extent, type, mip_options(*plan, options));
  // While mips are made, the payload so far is there too; while the file is put together, the payload twice. Zstd's
  // output buffer is as large as the level that goes in, at worst.
  const bool supercompress = supercompresses(*plan, options);
  return encoders +
         std::max(mips + payload + (supercompress ? image_bytes(level0, plan->format) * arrangement.image_count() : 0),
                  2 * payload);
}

}  // namespace assetc::texture
