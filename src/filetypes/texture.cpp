// .ktx2.
#include "assetc/formats/ktx2.hpp"
#include "assetc/runtime/inflate.hpp"
#include "compression/zlib.hpp"
#include "filetypes/levels.hpp"
#include "filetypes/readers.hpp"

namespace assetc::filetypes {
namespace {

FileContent describe(const ktx2::View& texture) {
  TextureInfo info{.format = texture.format() ? std::string(to_string(*texture.format()))
                                              : "VkFormat " + std::to_string(texture.vk_format()),
                   .supercompression = std::string(to_string(texture.supercompression())),
                   .width_texels = texture.width_texels(),
                   .height_texels = texture.height_texels(),
                   .depth_texels = texture.depth_texels(),
                   .layers = texture.layer_count(),
                   .faces = texture.face_count(),
                   .levels = static_cast<std::uint32_t>(texture.levels().size()),
                   .srgb = texture.is_srgb()};
  const std::span<const ktx2::Level> levels = texture.levels();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    // BasisLZ states no sizes. These are the sizes as ETC1 and ETC2.
    info.gpu_bytes += texture.basis_lz() != nullptr ? texture.image_size_bytes(i) * texture.images_per_level()
                                                    : levels[i].uncompressed_size_bytes;
  }
  return info;
}

Result<void> check_ktx2(ByteSpan file) {
  ASSETC_TRY(const ktx2::View texture, ktx2::View::open(file));
  auto checked = check_levels(texture);
  if (!checked) checked.error().hint = "build again with --no-cache";
  return checked;
}

}  // namespace

Result<void> check_level(const ktx2::View& texture, std::size_t level) {
  if (texture.supercompression() != ktx2::Supercompression::kZlib) return runtime::check_level(texture, level);
  const ktx2::Level& of = texture.levels()[level];
  auto checked = compression::check_zlib(of.bytes, of.uncompressed_size_bytes);
  if (!checked) checked.error().place = "level " + std::to_string(level);
  return checked;
}

Result<void> check_levels(const ktx2::View& texture) {
  for (std::size_t i = 0; i < texture.levels().size(); ++i) ASSETC_CHECK(check_level(texture, i));
  return {};
}

constinit const Reader kKtx2Reader{
    .open = open_with<ktx2::View>, .inspect = inspect_with<ktx2::View, describe>, .check = check_ktx2};

}  // namespace assetc::filetypes
