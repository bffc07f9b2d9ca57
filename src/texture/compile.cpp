#include "texture/compile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "codec/encode/bc/encode_bc6h.hpp"
#include "codec/encode/common/encode_options.hpp"
#include "codec/encode/etc1s/encode_etc1s.hpp"
#include "compression/encode.hpp"
#include "os/pages.hpp"
#include "parallel/parallel.hpp"
#include "texture/block_format.hpp"
#include "texture/encode.hpp"
#include "texture/graphics.hpp"
#include "texture/normal_map.hpp"

namespace assetc::texture {
namespace {

// The rows that one task reads and encodes: at most 8 rows of blocks, few enough to stay in the core's cache.
std::uint32_t strip_rows(std::uint32_t block_height_texels) { return block_height_texels * 8; }

bool uses_rdo(const StoragePlan& plan, const CompileOptions& options) {
  return takes_rdo(plan.format) && options.rdo > 0;
}
int planned_zstd_level(const StoragePlan& plan, const CompileOptions& options) {
  return zstd_level_of(plan.format, options.zstd_level, uses_rdo(plan, options));
}

codec::Metric metric_of(const StoragePlan& plan, codec::Metric color) {
  if (plan.kind == TexelKind::kColor) return color;
  const auto constant = [&](std::size_t c) {
    return plan.stored[c] == Channel::kZero || plan.stored[c] == Channel::kOne;
  };
  if (!constant(2) || !constant(3)) return codec::Metric::kLinear;
  if (!constant(1)) return plan.kind == TexelKind::kNormal ? codec::Metric::kNormal : codec::Metric::kLinear;
  return codec::Metric::kGray;
}

// A channel that is stored several times counts once: X of a normal map in R, G and B counts as much as Y in alpha.
std::array<float, 4> weights_of(const StoragePlan& plan) {
  std::array<float, 4> weights;
  for (std::size_t c = 0; c < 4; ++c)
    weights[c] = 1.0f / static_cast<float>(std::ranges::count(plan.stored, plan.stored[c]));
  return weights;
}

// The meaning of the channels of UASTC and ETC1S that the file declares to a transcoder.
UastcChannels channels_of(const StoragePlan& plan, bool has_alpha) {
  const bool is_gray = plan.stored[0] == plan.stored[1] && plan.stored[0] == plan.stored[2];
  if (plan.format == TexelFormat::kEtc1s && is_gray && plan.color_space != ColorSpace::kSrgb)
    return plan.stored[3] == Channel::kOne ? UastcChannels::kRrr : UastcChannels::kRrrg;
  if (plan.kind == TexelKind::kNormal && plan.stored[2] == Channel::kZero && plan.stored[3] == Channel::kOne)
    return UastcChannels::kRg;
  if (plan.stored[3] == Channel::kOne || (plan.stored[3] == Channel::kA && !has_alpha)) return UastcChannels::kRgb;
  return UastcChannels::kRgba;
}

// Squared differences of 8-bit texels for each channel. Integers, so that the order of summation does not matter.
struct SquaredError {
  std::array<std::uint64_t, 4> sum{};
  std::uint64_t texels = 0;

  void add(const SquaredError& other) {
    for (std::size_t c = 0; c < 4; ++c) sum[c] += other.sum[c];
    texels += other.texels;
  }
  // The PSNR over the channels of the picture that are stored.
  double psnr_db(const StoragePlan& plan, bool has_alpha) const {
    double total = 0, count = 0;
    for (std::size_t c = 0; c < 4; ++c) {
      const Channel from = plan.stored[c];
      if (from == Channel::kZero || from == Channel::kOne || (from == Channel::kA && !has_alpha)) continue;
      total += static_cast<double>(sum[c]);
      count += static_cast<double>(texels);
    }
    return 10 * std::log10(255.0 * 255.0 * count / total);
  }
};

// texels: what was encoded; of formats that take 16 bits, the first two channels are rounded to 8 bits.
// only_visible: the color of a texel whose alpha is 0 does not count. Requires a block_format().
Result<SquaredError> squared_error(TexelFormat format, std::span<const std::byte> texels, Extent extent,
                                   ByteSpan blocks, bool only_visible) {
  std::vector<Rgba8> decoded(std::size_t{extent.width_texels} * extent.height_texels);
  ASSETC_CHECK(decode_blocks(blocks, *block_format(format), extent.width_texels, extent.height_texels, decoded));
  SquaredError error;
  error.texels = decoded.size();
  const bool rg16 = takes_rg16(format);
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    std::array<std::uint8_t, 4> at;
    std::memcpy(at.data(), &texels[4 * i], 4);
    if (rg16) {
      const auto rounded = [&](std::size_t c) {
        return static_cast<std::uint8_t>((at[2 * c] + 256 * at[2 * c + 1] + 128) / 257);
      };
      at = {rounded(0), rounded(1), 0, 255};
    }
    for (unsigned c = only_visible && at[3] == 0 ? 3 : 0; c < (rg16 ? 2u : 4u); ++c) {
      const int miss = static_cast<int>(decoded[i][c]) - static_cast<int>(at[c]);
      error.sum[c] += static_cast<std::uint64_t>(miss * miss);
    }
  }
  return error;
}

// Writes the levels of a mip chain, and measures the error of the blocks on request.
class LevelWriter {
 public:
  // only_visible: of squared_error().
  LevelWriter(const StoragePlan& plan, const CompileOptions& options, bool only_visible)
      : plan_(plan), only_visible_(only_visible) {
    encode_.effort = options.effort;
    encode_.metric = metric_of(plan, options.color_metric);
    encode_.channel_weights = weights_of(plan);
    if (uses_rdo(plan, options)) encode_.rdo = options.rdo;
  }

  // Writes the chain's current level into out. If error is not null, adds the error of the blocks to it. Then
  // advances to the next level; returns false if there is none.
  Result<bool> write(MipChain& chain, std::span<std::byte> out, SquaredError* error) const {
    const Extent extent = chain.extent();
    const std::uint32_t step = encode_.rdo > 0 ? codec::rdo_segment_rows(extent.width_texels)
                                               : strip_rows(block_shape(plan_.format).height_texels);
    const std::uint64_t step_bytes = image_bytes({extent.width_texels, step}, plan_.format);
    SpinLock mutex;
    std::optional<Error> failure;
    const bool more = chain.advance(step, [&](std::uint32_t y, std::uint32_t rows) {
      auto lost = write_strip(
          chain, y, rows, out.subspan(y / step * step_bytes, image_bytes({extent.width_texels, rows}, plan_.format)),
          error != nullptr);
      const std::lock_guard lock(mutex);
      if (!lost) {
        failure = std::move(lost).error();
      } else if (error != nullptr) {
        error->add(*lost);
      }
    });
    if (failure) return std::unexpected(std::move(*failure));
    return more;
  }

 private:
  // Writes rows [y, y + rows) of the chain's current level, as texels or blocks, into out, which must fit exactly.
  Result<SquaredError> write_strip(const MipChain& chain, std::uint32_t y, std::uint32_t rows, std::span<std::byte> out,
                                   bool measure) const {
    if (plan_.format == TexelFormat::kRgba16f) {
      chain.read_rgba16f(y, rows, out);
      apply_channels_half(plan_.stored, out);
      return SquaredError{};
    }
    if (plan_.format == TexelFormat::kBc6h) {
      const std::uint32_t width = chain.extent().width_texels;
      const std::size_t bytes = std::size_t{rows} * width * 8;
      const auto halves_buffer = std::make_unique_for_overwrite<std::byte[]>(bytes);
      const std::span<std::byte> halves(halves_buffer.get(), bytes);
      chain.read_rgba16f(y, rows, halves);
      apply_channels_half(plan_.stored, halves);
      Result<void> encoded;
      isolated([&] { encoded = codec::encode_bc6h(codec::tight_rows(halves, width, rows, 8), encode_.effort, out); });
      if (!encoded) return std::unexpected(std::move(encoded).error());
      return SquaredError{};
    }
    if (plan_.format == TexelFormat::kRgba8) {
      chain.read_rgba8(y, rows, out);
      apply_channels_u8(plan_.stored, out);
      return SquaredError{};
    }
    const Extent extent{chain.extent().width_texels, rows};
    const std::size_t count = std::size_t{rows} * extent.width_texels, size = count * 4;
    const bool rg16 = takes_rg16(plan_.format);
    const auto buffer = std::make_unique_for_overwrite<std::byte[]>(rg16 ? 2 * size : size);
    const std::span<std::byte> texels(buffer.get(), size);
    if (rg16) {
      const std::span<std::byte> wide(buffer.get(), 2 * size);
      chain.read_rgba16(y, rows, wide);
      apply_channels_u16(plan_.stored, wide);
      for (std::size_t i = 1; i < count; ++i) std::memmove(&texels[4 * i], &wide[8 * i], 4);
    } else {
      chain.read_rgba8(y, rows, texels);
      apply_channels_u8(plan_.stored, texels);
    }
    // Isolated: while a thread waits for its blocks, it must not start another strip, which needs another buffer.
    Result<void> done;
    isolated([&] {
      done = encode_blocks(plan_.format, plan_.color_space == ColorSpace::kSrgb, texels, extent, encode_, out);
    });
    if (!done) return std::unexpected(std::move(done).error());
    return measure ? squared_error(plan_.format, texels, extent, out, only_visible_) : SquaredError{};
  }

  const StoragePlan& plan_;
  bool only_visible_;
  codec::EncodeOptions encode_;
};

// The texels of a level, of every image.
struct LevelTexels {
  Extent extent;
  std::vector<ByteVector> images;
};

// Adds an image to each of its levels.
void collect(MipChain& chain, const StoragePlan& plan, std::vector<LevelTexels>& levels) {
  do {
    const Extent extent = chain.extent();
    if (chain.level() == levels.size()) levels.push_back({extent, {}});
    ByteVector& texels =
        levels[chain.level()].images.emplace_back(std::size_t{extent.width_texels} * extent.height_texels * 4);
    chain.read_rgba8(0, extent.height_texels, texels);
    apply_channels_u8(plan.stored, texels);
  } while (chain.advance());
}

// Encodes all levels and images together, because they share their codebooks.
Result<void> encode_etc1s(const std::vector<LevelTexels>& levels, const StoragePlan& plan,
                          const CompileOptions& options, EncodedTexture& out) {
  std::vector<codec::TexelView> views;
  for (const LevelTexels& level : levels) {
    for (const ByteVector& image : level.images)
      views.push_back(codec::tight_rows(image, level.extent.width_texels, level.extent.height_texels, 4));
  }
  codec::Etc1sOptions encode;
  encode.quality = options.etc1s_quality;
  encode.has_second_slice = out.channels == UastcChannels::kRgba || out.channels == UastcChannels::kRrrg;
  encode.encode.effort = options.effort;
  encode.encode.metric = metric_of(plan, options.color_metric);
  ASSETC_TRY(const codec::BasisLzTexture made, codec::encode_etc1s(views, encode));
  EncodedBasisLz& basis = out.basis_lz.emplace();
  basis.endpoint_count = made.endpoint_count;
  basis.selector_count = made.selector_count;
  basis.endpoints = made.endpoints;
  basis.selectors = made.selectors;
  basis.tables = made.tables;
  auto image = made.images.begin();
  for (const LevelTexels& level : levels) {
    ByteVector bytes;
    for (std::size_t i = 0; i < level.images.size(); ++i, ++image) {
      basis.images.push_back(
          {static_cast<std::uint32_t>(image->color.size()), static_cast<std::uint32_t>(image->second.size())});
      append_bytes(bytes, image->color);
      append_bytes(bytes, image->second);
    }
    const std::uint64_t size_bytes = bytes.size();
    out.levels.push_back({std::move(bytes), size_bytes});
  }
  return {};
}

MipOptions mip_options(const StoragePlan& plan, const CompileOptions& options) {
  MipOptions mips = options.mips;
  mips.kind = plan.kind;
  mips.normal_z = plan.kind == TexelKind::kNormal && plan.keeps(Channel::kB);
  mips.normal_data = plan.keeps_data;
  return mips;
}

// ETC2 RGBA blocks of an opaque picture become ETC2 RGB blocks when the alpha half is removed. Whether the picture is
// opaque is known only after its last image was read.
bool is_opaque_etc2(const StoragePlan& plan, bool has_alpha) {
  return plan.format == TexelFormat::kEtc2Rgba && plan.stored[3] == Channel::kA && !has_alpha;
}
void drop_alpha_blocks(ByteVector& bytes) {
  constexpr std::size_t kColor = 8, kBoth = 16;
  for (std::size_t from = kColor, to = 0; from < bytes.size(); from += kBoth, to += kColor)
    std::memmove(bytes.data() + to, bytes.data() + from, kColor);
  bytes.resize(bytes.size() / 2);
}

// The size of an 8-bit picture that is stored as texels: exact for one level. Filtered levels have more colors than
// level 0; those of 100 interfaces and tile sheets took two to five times its bytes.
std::uint64_t lossless_bytes(const scene::Image& image, bool has_mips) {
  constexpr std::uint64_t kWithMips = 3;
  const ByteVector level = compression::deflate(image.pixels, {.level = kDefaultRawZstdLevel, .checksum = true});
  return level.size() * (has_mips ? kWithMips : 1);
}

// lossless: of a picture that should be texels, its size as such; otherwise 0.
Result<EncodedTexture> compile_images(const ImageSource& source, Arrangement arrangement, const CompileOptions& options,
                                      std::uint64_t lossless) {
  const std::uint32_t image_count = arrangement.image_count();
  ASSETC_TRY(const StoragePlan plan, plan_storage(options.format, options.mips.kind, options.channels));
  const MipOptions mips = mip_options(plan, options);
  const bool has_rdo = uses_rdo(plan, options);
  const LevelWriter writer(plan, options, !has_rdo);
  const bool measures = has_rdo || (lossless != 0 && plan.format == TexelFormat::kUastc);
  SquaredError lost;
  EncodedTexture out;
  out.color_space = plan.color_space;
  out.swizzle = plan.swizzle;
  out.layer_count = arrangement.layer_count;
  out.face_count = arrangement.face_count;
  out.zstd_level = planned_zstd_level(plan, options);
  const bool is_etc1s = plan.format == TexelFormat::kEtc1s;
  std::vector<LevelTexels> etc1s_levels;
  std::vector<ByteVector> levels;
  Extent first_extent;
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
    if (options.turns_y) turn_y(image);
    // Alpha that is not kept must not weigh the colors.
    if (!plan.keeps(Channel::kA) && image.source_channels % 2 == 0) --image.source_channels;
    MipChain chain(std::move(image), mips);
    has_alpha |= chain.has_alpha();
    if (index == 0) {
      out.width_texels = chain.extent().width_texels;
      out.height_texels = chain.extent().height_texels;
      levels.resize(chain.level_count());
    }
    if (is_etc1s) {
      collect(chain, plan, etc1s_levels);
      continue;
    }
    for (bool more = true; more;) {
      const std::uint32_t at = chain.level();
      ByteVector& level = levels[at];
      const std::uint64_t one = image_bytes(chain.extent(), plan.format);
      if (level.empty()) os::resize_without_pages(level, one * image_count);
      ASSETC_TRY(
          more, writer.write(chain, std::span(level).subspan(one * index, one), measures && at == 0 ? &lost : nullptr));
      if (index + 1 == image_count) {
        if (is_opaque_etc2(plan, has_alpha)) drop_alpha_blocks(level);
        ASSETC_CHECK(out.add_level(std::move(level)));
      }
    }
  }
  out.format = is_opaque_etc2(plan, has_alpha) ? TexelFormat::kEtc2Rgb : plan.format;
  out.channels = channels_of(plan, has_alpha);
  if (is_etc1s) {
    ASSETC_CHECK(encode_etc1s(etc1s_levels, plan, options, out));
    return out;
  }
  if (has_rdo) {
    RdoReport& made = out.rdo.emplace();
    made.psnr_db = lost.psnr_db(plan, has_alpha);
    made.block_bits = 8 * block_shape(out.format).size_bytes / kBlockTexels;
    for (const EncodedTexture::Level& level : out.levels) {
      made.uncompressed_bytes += level.uncompressed_bytes;
      made.compressed_bytes += level.bytes.size();
    }
  }
  if (lossless != 0) {
    GraphicsReport made;
    if (measures) made.psnr_db = lost.psnr_db(plan, has_alpha);
    for (const EncodedTexture::Level& level : out.levels) made.block_bytes += level.bytes.size();
    made.lossless_bytes = lossless;
    constexpr double kUnseenDb = 45;  // blocks of photographs at the usual quality
    if (made.psnr_db < kUnseenDb || made.lossless_bytes < made.block_bytes) out.graphics = made;
  }
  return out;
}

// Whether graphics among the pictures are better compiled with other options.
bool may_lose_graphics(Extent extent, const CompileOptions& options) {
  const Extent stored = level0_extent(extent, options.mips);
  return !is_lossless(options.format) && stored == extent &&
         std::uint64_t{extent.width_texels} * extent.height_texels <= kMostGraphicsTexels;
}

}  // namespace

Result<EncodedTexture> compile_texture(const ImageSource& source, Arrangement arrangement,
                                       const CompileOptions& options) {
  if (arrangement.image_count() != 1 || is_lossless(options.format))
    return compile_images(source, arrangement, options, 0);
  ASSETC_CHECK(plan_storage(options.format, options.mips.kind, options.channels));  // before the picture is read
  ASSETC_TRY(scene::Image image, source(0));
  const CompileOptions decided = options_for(image, options);
  const bool looks_at_it =
      !options.keeps_graphics && may_lose_graphics({image.width_texels, image.height_texels}, options);
  const PictureLooks looks = looks_at_it ? look_at(image, options.mips.kind) : PictureLooks{};
  const bool has_mips = options.mips.all_levels && looks.is != PictureClass::kPixelArt;
  const std::uint64_t lossless = looks.is_at_any_size ? lossless_bytes(image, has_mips) : 0;
  const auto read = [&](std::uint32_t) -> Result<scene::Image> { return std::move(image); };
  return compile_images(read, arrangement, decided, lossless);
}

std::uint64_t compile_peak_bytes(Extent extent, scene::PixelType type, Arrangement arrangement,
                                 const CompileOptions& options) {
  if (options.keeps_graphics) {
    CompileOptions one = options;
    one.keeps_graphics = false;
    const std::uint64_t as_asked = compile_peak_bytes(extent, type, arrangement, one);
    one.format = TargetFormat::kRgba8;
    const Extent stored = level0_extent(extent, options.mips);
    const bool may_be_kept =
        std::uint64_t{stored.width_texels} * stored.height_texels * arrangement.image_count() <= kMostGraphicsTexels;
    return may_be_kept ? std::max(as_asked, compile_peak_bytes(extent, type, arrangement, one)) : as_asked;
  }
  const auto plan = plan_storage(options.format, options.mips.kind, options.channels);
  if (!plan) return 0;
  std::uint64_t payload = 0;
  const Extent level0 = level0_extent(extent, options.mips);
  Extent e = level0;
  for (std::uint32_t levels = options.mips.all_levels ? full_level_count(e) : 1; levels > 0;
       --levels, e = next_level(e)) {
    payload += image_bytes(e, plan->format);
  }
  const std::uint64_t of_one = payload;
  payload *= arrangement.image_count();
  if (plan->format == TexelFormat::kEtc1s) {
    // The texels of all levels and images, their blocks in one or two slices, and the result, which is smaller than
    // blocks of ETC1.
    std::uint64_t blocks = 0;
    Extent of_level = level0;
    for (std::uint32_t left = options.mips.all_levels ? full_level_count(level0) : 1; left > 0;
         --left, of_level = next_level(of_level))
      blocks += image_bytes(of_level, TexelFormat::kBc7) / 16 * arrangement.image_count();
    return mip_peak_bytes(extent, type, mip_options(*plan, options), 64 * blocks) +
           codec::etc1s_peak_bytes(2 * blocks) + 32 * blocks;
  }
  const BlockShape block = block_shape(plan->format);
  const std::uint64_t strips =
      (level0.height_texels + strip_rows(block.height_texels) - 1) / strip_rows(block.height_texels);
  const std::uint64_t encoders = encoder_bytes(plan->format, strips);
  // While mips are made, the payload so far is in memory too. While the file is assembled, the payload is there twice.
  // In the worst case Zstd's output buffer is as large as its input level.
  const bool supercompress = planned_zstd_level(*plan, options) != 0;
  return encoders + std::max(mip_peak_bytes(extent, type, mip_options(*plan, options), of_one) + payload - of_one +
                                 (supercompress ? image_bytes(level0, plan->format) * arrangement.image_count() : 0),
                             2 * payload);
}

}  // namespace assetc::texture
