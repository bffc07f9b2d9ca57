#include "convert/embed.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "assetc/formats/ktx2.hpp"
#include "export/png.hpp"
#include "import/image/image.hpp"
#include "import/texture/ktx2.hpp"
#include "parallel/parallel.hpp"
#include "recipes/texture/picture.hpp"
#include "texture/normal_map.hpp"

namespace assetc::convert {
namespace {

struct Uses {
  bool color = false;  // base color, emission: sRGB
  bool data = false;   // all other uses, including normals
  bool normal = false, other = false;

  bool is_normal_map() const { return normal && !other; }
};

std::vector<Uses> uses_by_image(const scene::Scene& scene) {
  std::vector<Uses> uses(scene.images.size());
  scene::for_each_texture_of(scene, [&](auto, std::string_view, scene::TextureUsage usage, const auto& use) {
    if (use.image == scene::kNone) return;
    Uses& of = uses[use.image];
    (usage == scene::TextureUsage::kColor ? of.color : of.data) = true;
    (usage == scene::TextureUsage::kNormal ? of.normal : of.other) = true;
  });
  return uses;
}

struct Refusal {
  std::string why;  // "is bc7"
  std::string hint;
  bool operator==(const Refusal&) const = default;
};

// The reason why KHR_texture_basisu does not allow a KTX 2 for these uses; empty if it does.
Result<std::optional<Refusal>> find_refusal(const ktx2::View& view, const Uses& uses) {
  const bool uastc = view.format() == TexelFormat::kUastc;
  if (!uastc && view.format() != TexelFormat::kEtc1s) {
    const std::string format =
        view.format() ? std::string(to_string(*view.format())) : "VkFormat " + std::to_string(view.vk_format());
    return Refusal{"is " + format, "build it with texture.format: uastc"};
  }
  if (view.width_texels() % 4 != 0 || view.height_texels() % 4 != 0) {
    return Refusal{"has " + std::to_string(view.width_texels()) + "x" + std::to_string(view.height_texels()) +
                       " texels, which are not multiples of 4",
                   "scale the picture"};
  }
  if (view.height_texels() == 0 || view.depth_texels() != 0 || view.layer_count() != 0 || view.face_count() != 1)
    return Refusal{"is not two-dimensional", {}};
  const std::string_view swizzle = view.text("KTXswizzle"), orientation = view.text("KTXorientation");
  if (!swizzle.empty() && swizzle != "rgba") return Refusal{"has the swizzle " + std::string(swizzle), {}};
  if (!orientation.empty() && orientation != "rd") return Refusal{"is not stored from the top left", {}};
  if (view.is_alpha_premultiplied()) return Refusal{"is premultiplied by alpha", {}};
  const auto is_of = [&](ktx2::Transfer transfer, ktx2::Primaries primaries) {
    return view.transfer() == transfer && view.primaries() == static_cast<std::uint8_t>(primaries);
  };
  if (uses.color && !is_of(ktx2::Transfer::kSrgb, ktx2::Primaries::kBt709))
    return Refusal{"is color that is not sRGB of BT.709", {}};
  if (uses.data && !is_of(ktx2::Transfer::kLinear, ktx2::Primaries::kUnspecified))
    return Refusal{"is data that is not linear without primaries", {}};
  Refusal lacks_z{"is a normal map without Z", "build it with texture.channels: rgb"};
  const auto channels = static_cast<UastcChannels>(view.first_channel());
  if (uastc && channels != UastcChannels::kRgb && channels != UastcChannels::kRgba)
    return uses.is_normal_map() ? lacks_z : Refusal{"has channels other than RGB or RGBA", {}};
  if (uastc && uses.is_normal_map()) {
    ASSETC_TRY(const scene::Image image, importer::decode_ktx2(view));
    if (texture::find_normal_layout(image) != texture::NormalLayout::kXyz) return lacks_z;
  }
  return std::nullopt;
}

// One warning for each reason, however many pictures share it.
class Refusals {
 public:
  void add(const std::string& image, Refusal refusal) {
    const auto known = std::ranges::find(found_, refusal, &Found::refusal);
    if (known != found_.end()) {
      ++known->count;
    } else {
      found_.push_back({image, std::move(refusal)});
    }
  }
  void tell(std::vector<Warning>& warnings) const {
    for (const Found& f : found_) {
      const std::string others = f.count == 1 ? " is" : " and " + std::to_string(f.count - 1) + " more are";
      warnings.push_back({WarningKind::kTextureAsPng,
                          ErrorCode::kUnsupported,
                          f.first,
                          {},
                          "the texture " + f.refusal.why + ", which KHR_texture_basisu does not allow; it" + others +
                              " written as PNG",
                          f.refusal.hint});
    }
  }

 private:
  struct Found {
    std::string first;
    Refusal refusal;
    std::size_t count = 1;
  };
  std::vector<Found> found_;
};

Result<ByteVector> as_png(const ktx2::View& view, const Uses& uses) {
  ASSETC_TRY(scene::Image pixels, importer::decode_ktx2(view));
  if (uses.is_normal_map() && pixels.type != scene::PixelType::kF32)
    texture::complete_normals(pixels, texture::find_normal_layout(pixels));
  return exporter::write_png(pixels);
}

// The bytes to embed for a KTX 2: the file itself if that is allowed, otherwise a PNG.
Result<Bytes> embed_ktx2(const Bytes& file, const Uses& uses, bool keep, std::optional<Refusal>& refusal) {
  ASSETC_TRY(const ktx2::View view, ktx2::View::open(file));
  if (keep) {
    ASSETC_TRY(refusal, find_refusal(view, uses));
    if (!refusal) return file;
  }
  ASSETC_TRY(ByteVector png, as_png(view, uses));
  return Bytes(std::move(png));
}

// The bytes to embed for a picture of another format.
Result<Bytes> embed_picture(const Bytes& file, const Uses& uses, std::vector<recipes::Diagnostic>& said) {
  ASSETC_TRY(const scene::Image pixels, recipes::decode_for_picture(file, uses.color && !uses.data, said));
  ASSETC_TRY(ByteVector png, exporter::write_png(pixels));
  return Bytes(std::move(png));
}

// What a picture becomes.
struct Embedded {
  importer::ImageInfo info;
  Result<Bytes> file;
  std::optional<Refusal> refusal;
  std::vector<recipes::Diagnostic> said;  // what a build says of the picture, too
};

bool stays(importer::ImageFormat format) {
  using importer::ImageFormat;
  return format == ImageFormat::kPng || format == ImageFormat::kJpeg || format == ImageFormat::kWebp;
}

std::vector<Embedded> embed(const std::vector<scene::ImageSource>& images, const std::vector<Uses>& uses,
                            bool keep_ktx2) {
  std::vector<Embedded> embedded(images.size());
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < images.size(); ++i) {
    embedded[i].file = images[i].inline_bytes;
    if (images[i].inline_bytes.empty()) continue;
    if (auto info = importer::read_image_info(images[i].inline_bytes); !info) {
      embedded[i].file = std::unexpected(std::move(info).error());
    } else if (embedded[i].info = *info; !stays(info->format)) {
      rest.push_back(i);
    }
  }
  parallel_for(rest.size(), [&](std::size_t r) {
    Embedded& e = embedded[rest[r]];
    const Bytes& file = images[rest[r]].inline_bytes;
    e.file = e.info.format == importer::ImageFormat::kKtx2 ? embed_ktx2(file, uses[rest[r]], keep_ktx2, e.refusal)
                                                           : embed_picture(file, uses[rest[r]], e.said);
  });
  return embedded;
}

}  // namespace

void embed_images(importer::Imported& model, bool keep_ktx2) {
  scene::Scene& scene = model.scene;
  std::vector<Embedded> embedded = embed(scene.images, uses_by_image(scene), keep_ktx2);
  std::vector<std::uint32_t> number(scene.images.size(), scene::kNone);
  std::vector<scene::ImageSource> kept;
  Refusals refusals;
  for (std::size_t i = 0; i < scene.images.size(); ++i) {
    scene::ImageSource image = std::move(scene.images[i]);
    if (image.inline_bytes.empty()) continue;
    auto& [info, file, refusal, said] = embedded[i];
    if (refusal) refusals.add(image.name, std::move(*refusal));
    if (!file) {
      model.warnings.push_back({WarningKind::kUnreadablePicture, std::move(file).error().in(image.name)});
      continue;
    }
    for (recipes::Diagnostic& d : said) {
      if (d.kind) model.warnings.push_back({*d.kind, std::move(d.what).in(image.name)});
    }
    image.inline_bytes = std::move(*file);
    number[i] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(std::move(image));
  }
  refusals.tell(model.warnings);
  scene.images = std::move(kept);
  scene::for_each_texture_of(scene, [&](auto, std::string_view, scene::TextureUsage, scene::TextureUse& use) {
    if (use.image != scene::kNone) use.image = number[use.image];
  });
}

}  // namespace assetc::convert
