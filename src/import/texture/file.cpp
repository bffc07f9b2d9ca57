#include "import/texture/file.hpp"

#include <algorithm>
#include <bit>

#include "base/plural.hpp"
#include "filetypes/filetypes.hpp"
#include "import/texture/parts.hpp"

namespace assetc::importer {

bool is_dds(ByteSpan file) { return has_magic(*filetypes::find_row(".dds"), file); }
bool is_ktx1(ByteSpan file) { return has_magic(*filetypes::find_row(".ktx"), file); }
bool is_ktx2(ByteSpan file) { return has_magic(*filetypes::find_row(".ktx2"), file); }

Result<Bytes> as_ktx2(const Bytes& file, ktx2::Transfer unsaid, std::string* left_out) {
  if (is_ktx2(file)) return file;
  ASSETC_TRY(ByteVector made, is_dds(file) ? ktx2_of_dds(file, unsaid, left_out) : ktx2_of_ktx1(file));
  return Bytes(std::move(made));
}

LevelExtent level_extent(const ktx2::Texture& shape, std::uint32_t level) {
  const auto side = [level](std::uint32_t texels) { return std::max(texels >> level, 1u); };
  return {side(shape.width_texels), side(shape.height_texels), side(shape.depth_texels)};
}

Result<void> check_shape(const ktx2::Texture& shape, std::uint32_t level_count, std::string_view place) {
  const std::uint32_t most = std::max({shape.width_texels, shape.height_texels, shape.depth_texels});
  const auto size = [&] {
    std::string text = std::to_string(shape.width_texels) + "x" + std::to_string(shape.height_texels);
    if (shape.depth_texels != 0) text += "x" + std::to_string(shape.depth_texels);
    return text + " texels";
  };
  if (shape.width_texels == 0 || shape.height_texels == 0) {
    return fail_at(ErrorCode::kInvalidData, std::string(place),
                   "found a texture of " + size() + ", expected at least 1x1", "export the texture again");
  }
  if (most > ktx2::kMaxExtentTexels || shape.layer_count > ktx2::kMaxLayers) {
    return fail_at(ErrorCode::kLimit, std::string(place),
                   "found a texture of " + size() + " with " + counted(shape.layer_count, "layer") +
                       ", the limits are " + std::to_string(ktx2::kMaxExtentTexels) + " texels a side and " +
                       std::to_string(ktx2::kMaxLayers) + " layers",
                   "scale it down or split it");
  }
  const auto possible = static_cast<std::uint32_t>(std::bit_width(most));
  if (level_count > possible) {
    return fail_at(ErrorCode::kInvalidData, std::string(place),
                   "found " + counted(level_count, "mip level") + ", a texture of " + size() + " has at most " +
                       std::to_string(possible),
                   "export the texture again");
  }
  return {};
}

std::uint64_t image_bytes(const ktx2::Texture& shape, std::uint32_t level) {
  const LevelExtent extent = level_extent(shape, level);
  const BlockShape block = block_shape(shape.format);
  const auto blocks = [](std::uint32_t texels, std::uint32_t side) {
    return (std::uint64_t{texels} + side - 1) / side;
  };
  return blocks(extent.width_texels, block.width_texels) * blocks(extent.height_texels, block.height_texels) *
         extent.depth_texels * block.size_bytes;
}

Result<ByteVector> write_ktx2(const StoredTexture& texture) {
  ktx2::Texture out = texture.shape;
  std::vector<ByteVector> levels;
  for (const std::vector<ByteSpan>& images : texture.levels) {
    ByteVector& level = levels.emplace_back();
    for (const ByteSpan image : images) append_bytes(level, image);
  }
  for (const ByteVector& level : levels) out.levels.push_back({level, level.size()});
  return ktx2::write(out);
}

}  // namespace assetc::importer
