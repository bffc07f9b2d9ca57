#include "recipes/container/ktx2.hpp"

#include "recipes/texture/words.hpp"

namespace assetc::recipes {
namespace {

ktx2::Primaries primaries_of(texture::ColorSpace space) {
  return space == texture::ColorSpace::kNone ? ktx2::Primaries::kUnspecified : ktx2::Primaries::kBt709;
}

ktx2::Etc1sChannels etc1s_channels_of(UastcChannels channels) {
  switch (channels) {
    case UastcChannels::kRgba:
      return ktx2::Etc1sChannels::kRgba;
    case UastcChannels::kRrr:
      return ktx2::Etc1sChannels::kRed;
    case UastcChannels::kRrrg:
      return ktx2::Etc1sChannels::kRedGreen;
    default:
      return ktx2::Etc1sChannels::kRgb;
  }
}

ktx2::BasisLz basis_lz_of(const texture::EncodedBasisLz& from, std::size_t level_count) {
  ktx2::BasisLz out{from.endpoint_count, from.selector_count, from.endpoints, from.selectors, from.tables, {}};
  const std::size_t images_per_level = level_count == 0 ? 1 : from.images.size() / level_count;
  std::uint32_t offset = 0;  // in the level
  for (std::size_t i = 0; i < from.images.size(); ++i) {
    const texture::EncodedBasisLz::Image& image = from.images[i];
    if (i % images_per_level == 0) offset = 0;
    ktx2::BasisLz::Image& to = out.images.emplace_back();
    to.color_offset_bytes = offset;
    to.color_size_bytes = image.color_bytes;
    offset += image.color_bytes;
    to.alpha_size_bytes = image.second_bytes;
    if (image.second_bytes != 0) to.alpha_offset_bytes = offset;
    offset += image.second_bytes;
  }
  return out;
}

}  // namespace

ktx2::Texture ktx2_texture(const texture::EncodedTexture& from) {
  ktx2::Texture texture;
  texture.format = from.format;
  texture.transfer = from.is_srgb() ? ktx2::Transfer::kSrgb : ktx2::Transfer::kLinear;
  texture.primaries = primaries_of(from.color_space);
  texture.channels = from.channels;
  texture.swizzle = swizzle_text(from.swizzle);
  texture.width_texels = from.width_texels;
  texture.height_texels = from.height_texels;
  texture.depth_texels = from.depth_texels;
  texture.layer_count = from.layer_count;
  texture.face_count = from.face_count;
  if (from.zstd_level != 0) {
    texture.supercompression = ktx2::Supercompression::kZstd;
    texture.writer_params = "zstd " + std::to_string(from.zstd_level);
  }
  if (from.basis_lz) {
    texture.supercompression = ktx2::Supercompression::kBasisLz;
    texture.etc1s_channels = etc1s_channels_of(from.channels);
    texture.basis_lz = basis_lz_of(*from.basis_lz, from.levels.size());
  }
  texture.metadata = key_values(from);
  for (const texture::EncodedTexture::Level& level : from.levels)
    texture.levels.push_back({level.bytes, level.uncompressed_bytes});
  return texture;
}

Result<ByteVector> write_ktx2(const texture::EncodedTexture& from) { return ktx2::write(ktx2_texture(from)); }

}  // namespace assetc::recipes
