#include "import/texture/ktx2.hpp"

#include <algorithm>
#include <string>

#include "assetc/runtime/inflate.hpp"
#include "runtime/source/basis_level.hpp"
#include "texture/decode.hpp"
#include "texture/storage.hpp"

namespace assetc::importer {
namespace {

// The bytes of the level in the layout of the format, inflated.
Result<Bytes> inflate(const ktx2::View& view, std::uint32_t index) {
  if (view.supercompression() == ktx2::Supercompression::kNone) return Bytes(nullptr, view.levels()[index].bytes);
  ASSETC_TRY(const std::uint64_t size_bytes, runtime::inflated_size_bytes(view, index));
  ByteVector out(size_bytes);
  ASSETC_CHECK(runtime::inflate_level(view, index, out));
  return Bytes(std::move(out));
}

// The bytes of one image in the layout of the format. Requires an image that exists.
Result<Bytes> stored_image(const ktx2::View& view, const ImageIndex& index) {
  const std::uint64_t image_size = view.image_size_bytes(index.level);
  const std::uint64_t image = std::uint64_t{index.layer} * view.face_count() + index.face;
  const std::uint64_t depth = view.levels()[index.level].depth_texels, slice_size = image_size / depth;
  if (view.basis_lz() != nullptr) {
    ByteVector out(slice_size);
    ASSETC_CHECK(runtime::decode_basis_image(view, index.level, image * depth + index.slice, out));
    return Bytes(std::move(out));
  }
  ASSETC_TRY(const Bytes bytes, inflate(view, index.level));
  return bytes.slice(image * image_size + index.slice * slice_size, slice_size);
}

Result<void> check_index(const ktx2::View& view, const ImageIndex& index) {
  const auto check = [](std::string_view what, std::uint32_t asked, std::size_t count) {
    return check_number(what, asked, count, "the texture has");
  };
  ASSETC_CHECK(check("level", index.level, view.levels().size()));
  ASSETC_CHECK(check("layer", index.layer, std::max(view.layer_count(), 1u)));
  ASSETC_CHECK(check("face", index.face, view.face_count()));
  return check("slice", index.slice, view.levels()[index.level].depth_texels);
}

}  // namespace

Result<void> check_number(std::string_view what, std::uint32_t asked, std::size_t count, std::string_view holder) {
  if (asked < count) return {};
  return fail(
      ErrorCode::kNotFound,
      std::string(what) + " " + std::to_string(asked) + " was asked for, " + std::string(holder) + " " +
          std::to_string(count),
      count == 1 ? "ask for " + std::string(what) + " 0" : "ask for one from 0 to " + std::to_string(count - 1));
}

Result<scene::Image> decode_ktx2(const ktx2::View& view, const ImageIndex& index, Channels channels) {
  ASSETC_CHECK(check_index(view, index));
  if (!view.format() || !texture::can_decode(*view.format())) {
    return fail(
        ErrorCode::kUnsupported,
        "the texture is " +
            (view.format() ? std::string(to_string(*view.format())) : "VkFormat " + std::to_string(view.vk_format())) +
            ", which assetc cannot decode",
        "UASTC, ETC1S, BC1, BC3, BC4, BC5, BC6H, BC7, ETC2, EAC, ASTC and uncompressed formats can be decoded");
  }
  const ktx2::Level& level = view.levels()[index.level];
  if (std::uint64_t{level.width_texels} * level.height_texels > scene::kMaxImageTexels) {
    return fail(ErrorCode::kLimit, "the level has " + std::to_string(level.width_texels) + "x" +
                                       std::to_string(level.height_texels) + " texels, the limit is " +
                                       std::to_string(scene::kMaxImageTexels));
  }
  ASSETC_TRY(const Bytes stored, stored_image(view, index));
  ASSETC_TRY(scene::Image out,
             texture::decode_texels(*view.format(), view.is_srgb(), stored, {level.width_texels, level.height_texels}));
  if (channels == Channels::kSwizzled) {
    // The second slice of ETC1S is always decoded as alpha, whatever its content.
    const bool is_split = view.basis_lz() != nullptr && view.etc1s_channels() == ktx2::Etc1sChannels::kRedGreen;
    const std::string_view said = view.text("KTXswizzle");
    if (const auto map = texture::parse_channels(is_split && said.empty() ? "ra01" : said))
      texture::apply_channels(*map, out);
  }
  return out;
}

Result<scene::Image> decode_ktx2(ByteSpan file, const ImageIndex& index, Channels channels) {
  ASSETC_TRY(const ktx2::View view, ktx2::View::open(file));
  return decode_ktx2(view, index, channels);
}

}  // namespace assetc::importer
