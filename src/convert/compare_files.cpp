#include "convert/compare_files.hpp"

#include <algorithm>
#include <cstring>

#include "assetc/formats/ktx2.hpp"
#include "base/plural.hpp"
#include "filetypes/filetypes.hpp"
#include "texture/color.hpp"
#include "texture/decode.hpp"
#include "texture/normal_map.hpp"

namespace assetc::convert {
namespace {

using importer::ImageIndex;
using scene::Image;
using scene::PixelType;
using texture::Extent;
using texture::MipOptions;
using texture::TexelKind;

// A file to compare: a texture that is decoded image by image, or a picture whose mips are generated.
struct Side {
  std::optional<ktx2::View> view;
  std::optional<Image> picture;  // if the file is not a texture
  Extent extent;
  std::uint32_t level_count = 1, layer_count = 1, face_count = 1, depth = 1;
};

Result<Side> open_side(ByteSpan file, PictureReader read_picture) {
  Side side;
  if (filetypes::find_magic(file) != filetypes::find_row(".ktx2")) {
    ASSETC_TRY(side.picture, read_picture(file));
    side.extent = {side.picture->width_texels, side.picture->height_texels};
    side.level_count = texture::full_level_count(side.extent);
    return side;
  }
  ASSETC_TRY(side.view, ktx2::View::open(file));
  side.extent = {side.view->width_texels(), std::max(side.view->height_texels(), 1u)};
  side.level_count = static_cast<std::uint32_t>(side.view->levels().size());
  side.layer_count = std::max(side.view->layer_count(), 1u);
  side.face_count = side.view->face_count();
  side.depth = std::max(side.view->depth_texels(), 1u);
  return side;
}

TexelKind kind_of(const Side& a, const Side& b, const CompareOptions& options) {
  if (options.kind) return *options.kind;
  for (const Side* side : {&a, &b}) {
    if (!side->view) continue;
    if (side->view->format() == TexelFormat::kRgba16f || side->view->format() == TexelFormat::kRgba32f ||
        side->view->format() == TexelFormat::kBc6h) {
      const Side& from = side == &a ? b : a;
      return from.picture && from.picture->type != PixelType::kF32 ? TexelKind::kColor : TexelKind::kHdr;
    }
    if (side->view->is_srgb()) return TexelKind::kColor;
    const bool uastc = side->view->color_model() == ktx2::ColorModel::kUastc;
    if ((uastc && side->view->first_channel() == static_cast<std::uint8_t>(UastcChannels::kRg)) ||
        side->view->format() == TexelFormat::kBc5 || side->view->format() == TexelFormat::kEacRg11) {
      return TexelKind::kNormal;
    }
    if (side->view->format() == TexelFormat::kBc4 || side->view->format() == TexelFormat::kEacR11)
      return TexelKind::kGray;
    return TexelKind::kLinear;
  }
  return TexelKind::kColor;
}

Result<void> check_shapes(const Side& a, const Side& b) {
  const auto shape = [](const Side& s) {
    std::string text = std::to_string(s.extent.width_texels) + "x" + std::to_string(s.extent.height_texels);
    if (s.depth > 1) text += "x" + std::to_string(s.depth);
    if (s.face_count > 1) text += ", " + counted(s.face_count, "face");
    if (s.layer_count > 1) text += ", " + counted(s.layer_count, "layer");
    return text;
  };
  if (a.extent == b.extent && a.depth == b.depth && a.face_count == b.face_count && a.layer_count == b.layer_count)
    return {};
  return fail(ErrorCode::kInvalidData, "found " + shape(a) + " and " + shape(b) + ", expected files of the same shape",
              "compare a texture with the picture that it was made from");
}

// The images of a side, requested by rising level. Equal texels must compare equal, so a picture is converted as the
// compiler stores it: with the bits of the texture and the channels of its kind.
class Images {
 public:
  // flatten: also convert level 0 of a picture like that of a texture; false if both sides are pictures.
  // type: the texture's pixel type.
  Images(Side& side, const MipOptions& mips, bool flatten, PixelType type)
      : side_(side), mips_(mips), flatten_(flatten), type_(type) {}

  Result<Image> read(const ImageIndex& index) {
    if (side_.view) return importer::decode_ktx2(*side_.view, index, importer::Channels::kStored);
    if (!flatten_) return std::move(*side_.picture);  // requested only once: there is one image
    if (index.level == 0 && is_light_of_its_own_size()) return *side_.picture;
    if (!chain_) chain_.emplace(std::move(*side_.picture), mips_);
    while (chain_->level() < index.level && chain_->advance()) {
    }
    const Extent extent = chain_->extent();
    Image out{extent.width_texels, extent.height_texels, type_, 4, {}};
    out.pixels.resize(out.row_bytes() * extent.height_texels);
    switch (type_) {
      case PixelType::kU8:
        chain_->read_rgba8(0, extent.height_texels, out.pixels);
        break;
      case PixelType::kU16:
        chain_->read_rgba16(0, extent.height_texels, out.pixels);
        break;
      case PixelType::kF32: {
        ByteVector halves(out.pixels.size() / 2);
        chain_->read_rgba16f(0, extent.height_texels, halves);
        for (std::size_t i = 0; i < halves.size() / 2; ++i) {
          const float value = texture::float_from_half(load<std::uint16_t>(halves, i * 2));
          std::memcpy(out.pixels.data() + i * sizeof value, &value, sizeof value);
        }
        break;
      }
    }
    return out;
  }

 private:
  // Values that half floats cannot hold count as loss for such a picture.
  bool is_light_of_its_own_size() const {
    return side_.picture->type == PixelType::kF32 && mips_.kind == TexelKind::kHdr && mips_.max_size_texels == 0;
  }

  Side& side_;
  MipOptions mips_;
  bool flatten_;
  PixelType type_;
  std::optional<texture::MipChain> chain_;
};

struct Comparison {
  Side a, b;
  TexelKind kind = TexelKind::kColor;
  std::uint32_t level_count = 1;
  std::uint32_t max_size_texels = 0;  // the size that the picture was scaled down to

  bool are_pictures() const { return !a.view && !b.view; }
  // The pixel type of a picture whose mips are generated. Color has 8 bits, unless the texture holds linear light.
  PixelType picture_type() const {
    const std::optional<ktx2::View>& texture = a.view ? a.view : b.view;
    if (!texture || !texture->format()) return PixelType::kU8;
    const PixelType type = texture::decoded_type(*texture->format());
    return type == PixelType::kU16 && kind == TexelKind::kColor ? PixelType::kU8 : type;
  }
  // Formats with raw texels keep all channels of a picture, whatever its use (plan_storage).
  bool keeps_every_channel() const {
    const std::optional<ktx2::View>& texture = a.view ? a.view : b.view;
    if (!texture || !texture->format()) return false;
    const TexelFormat format = *texture->format();
    return format == TexelFormat::kRgba8 || format == TexelFormat::kRgba16f;
  }
  Images images(Side& side, const CompareOptions& options) const {
    MipOptions mips{.kind = kind, .filter = options.filter, .wrap = options.wrap, .max_size_texels = max_size_texels};
    if (keeps_every_channel()) {
      mips.normal_data = kind == TexelKind::kNormal;
      if (kind == TexelKind::kGray) mips.kind = TexelKind::kLinear;
    }
    return {side, mips, !are_pictures(), picture_type()};
  }
};

// If a picture is larger than the texture because of texture.max_size, the size that it was scaled down to; otherwise
// 0.
std::uint32_t scaled_down_to(const Side& picture, const Side& texture) {
  if (!picture.picture || !texture.view || texture.face_count > 1 || texture.layer_count > 1 || texture.depth > 1)
    return 0;
  const std::uint32_t longer = std::max(texture.extent.width_texels, texture.extent.height_texels);
  return picture.extent != texture.extent && texture::limited_extent(picture.extent, longer) == texture.extent ? longer
                                                                                                               : 0;
}

Result<Comparison> open_comparison(ByteSpan reference, ByteSpan other, PictureReader read_picture,
                                   const CompareOptions& options) {
  Comparison c;
  {
    auto a = open_side(reference, read_picture);
    if (!a) return std::unexpected(std::move(a).error().in(options.reference_name));
    auto b = open_side(other, read_picture);
    if (!b) return std::unexpected(std::move(b).error().in(options.other_name));
    c.a = std::move(*a);
    c.b = std::move(*b);
  }
  for (const auto& [picture, texture] : {std::pair{&c.a, &c.b}, std::pair{&c.b, &c.a}}) {
    const std::uint32_t size = scaled_down_to(*picture, *texture);
    if (size == 0) continue;
    c.max_size_texels = size;
    picture->extent = texture->extent;
    picture->level_count = texture::full_level_count(picture->extent);
  }
  ASSETC_CHECK(check_shapes(c.a, c.b));
  c.kind = kind_of(c.a, c.b, options);
  for (Side* side : {&c.a, &c.b}) {
    if (options.turns_y && c.kind == TexelKind::kNormal && side->picture && !c.are_pictures())
      texture::turn_y(*side->picture);
  }
  c.level_count = c.are_pictures() ? 1 : std::min(c.a.level_count, c.b.level_count);
  return c;
}

}  // namespace

Result<std::vector<ImageDifference>> compare_files(ByteSpan reference, ByteSpan other, PictureReader read_picture,
                                                   const CompareOptions& options) {
  ASSETC_TRY(Comparison c, open_comparison(reference, other, read_picture, options));
  Images first = c.images(c.a, options), second = c.images(c.b, options);
  std::vector<ImageDifference> differences;
  for (std::uint32_t level = 0; level < c.level_count; ++level) {
    const std::uint32_t depth = std::max(c.a.depth >> level, 1u);
    for (std::uint32_t layer = 0; layer < c.a.layer_count; ++layer) {
      for (std::uint32_t face = 0; face < c.a.face_count; ++face) {
        for (std::uint32_t slice = 0; slice < depth; ++slice) {
          const ImageIndex index{level, layer, face, slice};
          ASSETC_TRY(const Image a, first.read(index));
          ASSETC_TRY(const Image b, second.read(index));
          ASSETC_TRY(const texture::Difference difference, texture::compare_images(a, b));
          differences.push_back({level, layer, face, slice, {a.width_texels, a.height_texels}, c.kind, difference});
        }
      }
    }
  }
  return differences;
}

Result<ImagePair> read_pair(ByteSpan reference, ByteSpan other, PictureReader read_picture, const ImageIndex& index,
                            const CompareOptions& options) {
  ASSETC_TRY(Comparison c, open_comparison(reference, other, read_picture, options));
  const auto check = [](std::string_view what, std::uint32_t asked, std::size_t count) {
    return importer::check_number(what, asked, count, "the files share");
  };
  ASSETC_CHECK(check("level", index.level, c.level_count));
  ASSETC_CHECK(check("layer", index.layer, c.a.layer_count));
  ASSETC_CHECK(check("face", index.face, c.a.face_count));
  ASSETC_CHECK(check("slice", index.slice, std::max(c.a.depth >> index.level, 1u)));
  ImagePair pair{{}, {}, c.kind};
  ASSETC_TRY(pair.reference, c.images(c.a, options).read(index));
  ASSETC_TRY(pair.other, c.images(c.b, options).read(index));
  return pair;
}

}  // namespace assetc::convert
