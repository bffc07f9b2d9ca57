#include "runtime/source/basis_level.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "assetc/codec/basis_lz.hpp"
#include "base/plural.hpp"

namespace assetc::runtime {
namespace {

// The images of a level, and their common properties.
struct LevelImages {
  std::span<const ktx2::BasisLz::Image> images;
  std::uint32_t width_blocks = 0, height_blocks = 0;
  std::size_t images_per_layer = 0;
  std::size_t block_bytes = 8;
  std::uint64_t block_count() const { return std::uint64_t{width_blocks} * height_blocks; }
};

LevelImages images_of(const ktx2::View& texture, std::size_t level) {
  const auto count = [&](std::size_t i) { return texture.images_per_level() * texture.levels()[i].depth_texels; };
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < level; ++i) first += count(i);
  const ktx2::Level& extent = texture.levels()[level];
  LevelImages out;
  out.images = std::span(texture.basis_lz()->images).subspan(first, count(level));
  out.width_blocks = (extent.width_texels + 3) / 4;
  out.height_blocks = (extent.height_texels + 3) / 4;
  out.images_per_layer = std::size_t{texture.face_count()} * extent.depth_texels;
  out.block_bytes = texture.block().size_bytes;
  return out;
}

std::unexpected<Error> at(std::size_t level, std::size_t image, Error error) {
  error.place = "level " + std::to_string(level) + ", image " + std::to_string(image) +
                (error.place.empty() ? "" : ", " + error.place);
  return std::unexpected(std::move(error));
}

Result<BasisLzDecoder> open_decoder(const ktx2::BasisLz& data) {
  return BasisLzDecoder::open({data.endpoint_count, data.selector_count, data.endpoints, data.selectors, data.tables});
}

// Decodes the slices of images into blocks.
class ImageDecoder {
 public:
  ImageDecoder(const BasisLzDecoder& decoder, const LevelImages& level, ByteSpan stored)
      : decoder_(decoder), level_(level), stored_(stored) {
    const bool has_p_frames =
        std::any_of(level.images.begin(), level.images.end(), [](const auto& image) { return image.is_p_frame; });
    if (!has_p_frames) return;
    // Images of the same face and depth slice refer to one another.
    previous_.resize(level.images_per_layer * (level.block_bytes / 8) * level.block_count());
  }

  // Call it for images in order. out: empty, or the blocks of the image.
  Result<void> decode(std::size_t image, std::span<std::byte> out) {
    const ktx2::BasisLz::Image& slices = level_.images[image];
    const bool has_alpha = level_.block_bytes == 16;
    ASSETC_CHECK(decode(image, 0, {slices.color_offset_bytes, slices.color_size_bytes},
                        out.empty() || !has_alpha ? out : out.subspan(8)));
    if (!has_alpha) return {};
    return decode(image, 1, {slices.alpha_offset_bytes, slices.alpha_size_bytes},
                  out.empty() ? out : out.first(out.size() - 8));
  }

 private:
  struct Range {
    std::uint32_t offset_bytes, size_bytes;
  };
  Result<void> decode(std::size_t image, std::size_t slice_index, Range range, std::span<std::byte> out) {
    BasisLzDecoder::Slice slice{.bytes = stored_.subspan(range.offset_bytes, range.size_bytes),
                                .width_blocks = level_.width_blocks,
                                .height_blocks = level_.height_blocks};
    if (!previous_.empty()) {
      const std::size_t state = image % level_.images_per_layer * (level_.block_bytes / 8) + slice_index;
      slice.previous = std::span(previous_).subspan(state * level_.block_count(), level_.block_count());
      slice.is_p_frame = level_.images[image].is_p_frame;
    }
    return decoder_.decode_slice(slice, out, level_.block_bytes);
  }

  const BasisLzDecoder& decoder_;
  const LevelImages& level_;
  ByteSpan stored_;
  std::vector<BasisLzBlock> previous_;
};

// A run of equal blocks takes a few bytes, however long it is. Up to this many blocks, any number of stored bytes is
// accepted.
constexpr std::uint64_t kAnyBlocks = 1u << 24;
constexpr std::uint64_t kMaxBlocksPerByte = 1u << 12;

}  // namespace

Result<std::uint64_t> basis_level_bytes(const ktx2::View& texture, std::size_t level) {
  const LevelImages images = images_of(texture, level);
  // View::open has checked that this does not overflow.
  const std::uint64_t blocks = images.images.size() * images.block_count();
  if (blocks > kAnyBlocks && blocks / kMaxBlocksPerByte > texture.levels()[level].size_bytes) {
    return fail_at(
        ErrorCode::kInvalidData, "level " + std::to_string(level),
        "found " + counted(texture.levels()[level].size_bytes, "byte") + ", too few for its " + plural(blocks, "block"),
        "write the texture again");
  }
  return blocks * images.block_bytes;
}

Result<void> decode_basis_level(const ktx2::View& texture, std::size_t level, ByteSpan stored,
                                std::span<std::byte> out) {
  ASSETC_CHECK(basis_level_bytes(texture, level));
  const LevelImages images = images_of(texture, level);
  const auto decoder = open_decoder(*texture.basis_lz());
  if (!decoder) return at(level, 0, decoder.error());
  ImageDecoder decode(*decoder, images, stored);
  const std::size_t image_bytes = out.size() / images.images.size();
  for (std::size_t i = 0; i < images.images.size(); ++i) {
    if (auto done = decode.decode(i, out.subspan(i * image_bytes, image_bytes)); !done)
      return at(level, i, std::move(done).error());
  }
  return {};
}

Result<void> decode_basis_image(const ktx2::View& texture, std::size_t level, std::size_t image,
                                std::span<std::byte> out) {
  ASSETC_CHECK(basis_level_bytes(texture, level));
  const LevelImages images = images_of(texture, level);
  const auto decoder = open_decoder(*texture.basis_lz());
  if (!decoder) return at(level, image, decoder.error());
  ImageDecoder decode(*decoder, images, texture.levels()[level].bytes);
  // Starts at the last image that refers to no earlier one.
  std::size_t first = image;
  while (images.images[first].is_p_frame) first -= images.images_per_layer;
  for (std::size_t i = first; i <= image; i += images.images_per_layer) {
    if (auto done = decode.decode(i, i == image ? out : std::span<std::byte>()); !done)
      return at(level, i, std::move(done).error());
  }
  return {};
}

}  // namespace assetc::runtime
