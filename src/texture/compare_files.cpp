// Pairs the images of two files for compare.hpp.
#include <algorithm>

#include "assetc/formats/ktx2.hpp"
#include "texture/compare.hpp"
#include "texture/decode.hpp"

namespace assetc::texture {
namespace {

using scene::Image;
using scene::PixelType;

// A file to compare: a texture that is decoded image by image, or a picture whose mips are made.
struct Side {
  ByteSpan file;
  std::optional<ktx2::View> view;
  std::optional<Image> picture;  // where the file is no texture
  Extent extent;
  std::uint32_t level_count = 1, layer_count = 1, face_count = 1, depth = 1;
};

Result<Side> open_side(ByteSpan file, PictureReader read_picture) {
  Side side{file, {}, {}, {}};
  const bool is_ktx2 = file.size() >= ktx2::kIdentifier.size() &&
                       std::memcmp(file.data(), ktx2::kIdentifier.data(), ktx2::kIdentifier.size()) == 0;
  if (!is_ktx2) {
    ASSETC_TRY(side.picture, read_picture(file));
    side.extent = {side.picture->width_texels, side.picture->height_texels};
    side.level_count = full_level_count(side.extent);
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
    if (side->view->format() == ktx2::Format::kRgba16f || side->view->format() == ktx2::Format::kRgba32f ||
        side->view->format() == ktx2::Format::kBc6h)
      return TexelKind::kHdr;
    if (side->view->is_srgb()) return TexelKind::kColor;
    const bool uastc = side->view->color_model() == ktx2::ColorModel::kUastc;
    if ((uastc && side->view->first_channel() == static_cast<std::uint8_t>(ktx2::UastcChannels::kRg)) ||
        side->view->format() == ktx2::Format::kBc5 || side->view->format() == ktx2::Format::kEacRg11) {
      return TexelKind::kNormal;
    }
    if (side->view->format() == ktx2::Format::kBc4 || side->view->format() == ktx2::Format::kEacR11)
      return TexelKind::kGray;
    return TexelKind::kLinear;
  }
  return TexelKind::kColor;
}

Result<void> check_shapes(const Side& a, const Side& b) {
  const auto shape = [](const Side& s) {
    std::string text = std::to_string(s.extent.width_texels) + "x" + std::to_string(s.extent.height_texels);
    if (s.depth > 1) text += "x" + std::to_string(s.depth);
    if (s.face_count > 1) text += ", " + std::to_string(s.face_count) + " faces";
    if (s.layer_count > 1) text += ", " + std::to_string(s.layer_count) + " layers";
    return text;
  };
  if (a.extent == b.extent && a.depth == b.depth && a.face_count == b.face_count && a.layer_count == b.layer_count)
    return {};
  return fail(ErrorCode::kInvalidData, "found " + shape(a) + " and " + shape(b) + ", expected files of one shape",
              "compare a texture with the picture that it was made of");
}

// The images of a side, asked for by rising level. Equal texels must compare equal, so a picture is shown the way that
// the compiler writes it: as many bits as the texture has, the channels of its kind.
class Images {
 public:
  // flatten: write level 0 of a picture like a texture's too; off where both sides are pictures. type: the texture's.
  Images(Side& side, const MipOptions& mips, bool flatten, PixelType type)
      : side_(side), mips_(mips), flatten_(flatten), type_(type) {}

  Result<Image> read(const ImageIndex& index) {
    if (side_.view) return decode_ktx2(side_.file, index, Channels::kStored);
    if (!flatten_) return std::move(*side_.picture);  // asked for once: there is one image
    if (!chain_) chain_.emplace(std::move(*side_.picture), mips_);
    while (chain_->level() < index.level && chain_->advance()) {
    }
    const Extent extent = chain_->extent();
    Image out{extent.width_texels, extent.height_texels, type_, 4, {}};
    out.pixels.resize(out.row_bytes() * extent.height_texels);
    if (type_ == PixelType::kU16) {
      chain_->read_rgba16(0, extent.height_texels, out.pixels);
    } else {
      chain_->read_rgba8(0, extent.height_texels, out.pixels);
    }
    return out;
  }

 private:
  Side& side_;
  MipOptions mips_;
  bool flatten_;
  PixelType type_;
  std::optional<MipChain> chain_;
};

struct Comparison {
  Side a, b;
  TexelKind kind = TexelKind::kColor;
  std::uint32_t level_count = 1;

  // A float picture is compared as it is, level 0 alone; so are two plain pictures.
  bool as_they_are() const { return (!a.view && !b.view) || kind == TexelKind::kHdr; }
  bool has_picture() const { return a.picture || b.picture; }
  // Of a picture whose mips are made. Colour has 8 bits.
  PixelType picture_type() const {
    const std::optional<ktx2::View>& texture = a.view ? a.view : b.view;
    const bool wide = texture && texture->format() && decoded_type(*texture->format()) == PixelType::kU16;
    return wide && kind != TexelKind::kColor ? PixelType::kU16 : PixelType::kU8;
  }
  Images images(Side& side, const CompareOptions& options) const {
    return {side, MipOptions{.kind = kind, .filter = options.filter, .wrap = options.wrap}, !as_they_are(), picture_type()};
  }
};

Result<Comparison> open_comparison(ByteSpan reference, ByteSpan other, PictureReader read_picture,
                                   const CompareOptions& options) {
  Comparison c;
  {
    auto a = open_side(reference, read_picture);
    if (!a) return std::unexpected(std::move(a).error().in("the first file"));
    auto b = open_side(other, read_picture);
    if (!b) return std::unexpected(std::move(b).error().in("the second file"));
    c.a = std::move(*a);
    c.b = std::move(*b);
  }
  ASSETC_CHECK(check_shapes(c.a, c.b));
  c.kind = kind_of(c.a, c.b, options);
  c.level_count = c.as_they_are() && c.has_picture() ? 1 : std::min(c.a.level_count, c.b.level_count);
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
          ASSETC_TRY(const Difference difference, compare_images(a, b));
          differences.push_back({level, layer, face, slice, {a.width_texels, a.height_texels}, c.kind, difference});
        }
      }
    }
  }
  return differences;
}

Result<ImagePair> read_pair(ByteSpan reference, ByteSpan other, PictureReader read_picture, std::uint32_t level,
                            const CompareOptions& options) {
  ASSETC_TRY(Comparison c, open_comparison(reference, other, read_picture, options));
  if (level >= c.level_count) {
    return fail(ErrorCode::kNotFound,
                "level " + std::to_string(level) + " was asked for, the files share " + std::to_string(c.level_count),
                "ask for level 0");
  }
  ImagePair pair{{}, {}, c.kind};
  ASSETC_TRY(pair.reference, c.images(c.a, options).read({.level = level}));
  ASSETC_TRY(pair.other, c.images(c.b, options).read({.level = level}));
  return pair;
}

}  // namespace assetc::texture
