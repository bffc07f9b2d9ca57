#include "optimize/pictures.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <tuple>
#include <vector>

#include "assetc/base/hash.hpp"
#include "import/image/image.hpp"
#include "optimize/webp_step.hpp"
#include "parallel/parallel.hpp"
#include "recipes/texture/picture.hpp"

namespace assetc::optimize {
namespace {

using scene::TextureUsage;

constexpr std::uint32_t kBlockSide = 4;
constexpr double kRdoOfNormals = 0.3;  // light makes errors of normals visible

// One way in which an image is used: it becomes one texture.
struct Use {
  std::uint32_t image = 0;
  TextureUsage usage = TextureUsage::kColor;
  bool clamp = true;        // of all slots
  bool only_masked = true;  // all slots are base colors of materials with this cutoff
  float alpha_cutoff = 0;
  std::uint32_t max_size_texels = 0;  // 0: no limit
  bool is_texture = true;             // false: a picture that an extension shows, which stays as it is
};

constexpr std::array<std::string_view, 6> kSlots{"base_color", "metallic_roughness", "normal",
                                                 "occlusion",  "emissive",           "extensions"};

// The word for a slot of scene::for_each_texture.
std::string slot_word(std::string_view name) {
  std::string word(name);
  std::ranges::replace_if(word, [](char c) { return c == ' ' || c == '-'; }, '_');
  return std::ranges::find(kSlots, word) != kSlots.end() ? word : std::string(kSlots.back());
}

std::uint32_t limit_of(const SizeLimits& limits, const std::string& slot) {
  const auto at = std::ranges::find(limits.slots, slot, [](const auto& of) { return of.first; });
  return at == limits.slots.end() ? limits.all_texels : at->second;
}

// Without a usage that leaves out channels, which KHR_texture_basisu does not allow.
TextureUsage stored_usage(TextureUsage usage) {
  return usage == TextureUsage::kColor || usage == TextureUsage::kNormal ? usage : TextureUsage::kLinear;
}

// Gives each use of an image a number, and sets the slots of materials to it.
std::vector<Use> split_uses(scene::Scene& scene, const SizeLimits& limits) {
  std::vector<Use> uses;
  std::map<std::pair<std::uint32_t, TextureUsage>, std::uint32_t> numbers;
  const auto add = [&](const scene::Material* m, std::string_view name, TextureUsage slot, scene::TextureUse& use) {
    if (use.image == scene::kNone) return;
    const TextureUsage usage = stored_usage(slot);
    const auto [at, is_new] = numbers.try_emplace({use.image, usage}, static_cast<std::uint32_t>(uses.size()));
    const std::uint32_t limit = limit_of(limits, slot_word(name));
    const float cutoff = m == nullptr ? 0 : m->alpha_cutoff;
    if (is_new) uses.push_back({.image = use.image, .usage = usage, .alpha_cutoff = cutoff, .max_size_texels = limit});
    Use& of = uses[at->second];
    of.max_size_texels = of.max_size_texels == 0 || limit == 0 ? 0 : std::max(of.max_size_texels, limit);
    of.clamp = of.clamp && use.sampler.wrap_u == scene::Wrap::kClamp && use.sampler.wrap_v == scene::Wrap::kClamp;
    of.only_masked = of.only_masked && m != nullptr && &use == &m->base_color_texture &&
                     m->alpha_mode == scene::AlphaMode::kMask && cutoff == of.alpha_cutoff;
    use.image = at->second;
  };
  scene::for_each_texture_of(scene, add);
  // Pictures without a texture, such as the thumbnail of an avatar.
  for (std::uint32_t i = 0; i < scene.images.size(); ++i) {
    if (scene.images[i].referred_as != scene::kNone) uses.push_back({.image = i, .is_texture = false});
  }
  return uses;
}

// The first use with the same bytes that is encoded in the same way: many images of a file may name the same bytes.
std::vector<std::size_t> first_of_equal(const scene::Scene& scene, const std::vector<Use>& uses) {
  std::vector<ContentHash> hashes(scene.images.size());
  parallel_for(hashes.size(), [&](std::size_t i) { hashes[i] = content_hash(scene.images[i].inline_bytes); });
  using Key = std::tuple<ContentHash, TextureUsage, bool, bool, float, std::uint32_t>;
  std::map<Key, std::size_t> known;
  std::vector<std::size_t> firsts(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Use& use = uses[i];
    firsts[i] = i;
    if (!use.is_texture) continue;
    const Key key{hashes[use.image],  use.usage, use.clamp, use.only_masked, use.only_masked ? use.alpha_cutoff : 0,
                  use.max_size_texels};
    firsts[i] = known.try_emplace(key, i).first->second;
  }
  return firsts;
}

// How an image becomes a file: WebP by a step of its own, KTX 2 by the texture recipe.
recipes::Step step_of(const scene::ImageSource& image, const Use& use, const recipes::Settings& settings,
                      const PictureOptions& options) {
  const bool is_webp = options.format == PictureFormat::kWebp;
  recipes::Step step;
  step.recipe = is_webp ? &kWebpRecipe : recipes::find_recipe("texture");
  step.source = "picture";  // equal pictures of other names give equal products
  step.inline_input = image.inline_bytes;
  step.stem = "picture";
  step.settings = settings;
  step.settings.texture.max_size_texels = use.max_size_texels;
  step.params = recipes::mode_params(use.usage);
  if (use.clamp) step.settings.texture.wrap = texture::Wrap::kClamp;
  if (use.only_masked) {
    char text[32];
    step.params.emplace("alpha_cutoff",
                        std::string(text, std::to_chars(text, text + sizeof text, use.alpha_cutoff).ptr));
  }
  if (is_webp) {
    set_webp_quality(step, options.webp_quality);
    return step;
  }
  step.params.emplace(recipes::kBlockSidesParam, "");
  if (options.format == PictureFormat::kEtc1s && use.usage != TextureUsage::kNormal) {
    step.settings.texture.format = texture::TargetFormat::kEtc1s;
    step.settings.texture.rdo = 0;
  }
  if (use.usage == TextureUsage::kNormal) {
    // X, Y and Z: readers of glTF do not compute Z.
    step.settings.texture.channels = {{'r', 'g', 'b'}, 3};
    step.settings.texture.rdo *= kRdoOfNormals;
  }
  return step;
}

// Whether a picture that glTF holds is no larger than the WebP of it.
bool is_as_small(const scene::ImageSource& image, const importer::ImageInfo& info, const Bytes& webp) {
  using importer::ImageFormat;
  const bool can_stay =
      info.format == ImageFormat::kPng || info.format == ImageFormat::kJpeg || info.format == ImageFormat::kWebp;
  const auto made = importer::read_image_info(webp);
  return can_stay && made && made->width_texels == info.width_texels && made->height_texels == info.height_texels &&
         webp.size() >= image.inline_bytes.size();
}

std::uint64_t video_bytes_of(const scene::ImageSource& image, PictureFormat format, TextureUsage usage) {
  const auto info = importer::read_image_info(image.inline_bytes);
  if (!info) return 0;
  const std::uint64_t texels = std::uint64_t{info->width_texels} * info->height_texels * 4 / 3;
  if (info->format != importer::ImageFormat::kKtx2) return texels * 4;
  return format == PictureFormat::kEtc1s && usage != TextureUsage::kNormal ? texels / 2 : texels;
}

// The encoded picture; empty if it stays as it is.
Result<Bytes> encode(const scene::ImageSource& image, const Use& use, const recipes::Settings& settings,
                     const PictureOptions& options, recipes::Inputs& inputs,
                     std::vector<recipes::Diagnostic>& diagnostics) {
  if (image.inline_bytes.empty()) return Bytes();
  const auto info = importer::read_image_info(image.inline_bytes);
  if (!info) return Bytes();  // convert::embed_images() reports it
  if (info->format == importer::ImageFormat::kKtx2) return Bytes();
  const bool is_webp = options.format == PictureFormat::kWebp;
  if (!is_webp && (info->width_texels < kBlockSide || info->height_texels < kBlockSide)) return Bytes();
  ASSETC_TRY(recipes::Product product, inputs.make(step_of(image, use, settings, options)));
  if (is_webp && is_as_small(image, *info, product.outputs.front().bytes)) return Bytes();
  for (recipes::Diagnostic& d : product.diagnostics) {
    d.what = std::move(d.what).in(image.name);
    diagnostics.push_back(std::move(d));
  }
  return product.outputs.empty() ? Bytes() : product.outputs.front().bytes;
}

}  // namespace

Result<SizeLimits> parse_size_limits(std::string_view text) {
  SizeLimits limits;
  bool has_all = false;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view item = text.substr(at, end - at);
    const std::size_t sign = item.find('=');
    const std::string_view slot = sign == item.npos ? std::string_view() : item.substr(0, sign);
    const std::string_view number = sign == item.npos ? item : item.substr(sign + 1);
    std::uint32_t value = 0;
    const auto [last, fault] = std::from_chars(number.data(), number.data() + number.size(), value);
    const auto is_slot = [&](const auto& of) { return of.first == slot; };
    if (sign == item.npos ? has_all : std::ranges::any_of(limits.slots, is_slot))
      return fail(ErrorCode::kUsage, "found \"" + std::string(item) + "\" after another size for the same slots",
                  "give one of the two");
    if (fault != std::errc() || last != number.data() + number.size() || value > scene::kMaxImageSide ||
        (sign != item.npos && std::ranges::find(kSlots, slot) == kSlots.end())) {
      return fail(ErrorCode::kUsage,
                  "found \"" + std::string(item) + "\", expected 0 to 32768 texels, alone or after a slot and =",
                  "give a size such as 1024, or sizes such as 2048,normal=512; the slots are base_color, "
                  "metallic_roughness, normal, occlusion, emissive and extensions");
    }
    if (sign == item.npos) {
      limits.all_texels = value;
      has_all = true;
    } else {
      limits.slots.emplace_back(slot, value);
    }
    at = end + 1;
  }
  std::ranges::sort(limits.slots);
  return limits;
}

std::string to_string(const SlotLimits& slots) {
  std::string out;
  for (const auto& [slot, size] : slots) out.append(out.empty() ? "" : ",").append(slot + "=" + std::to_string(size));
  return out;
}

std::uint64_t encode_pictures(const std::string& model_path, const recipes::Settings& settings,
                              const PictureOptions& options, recipes::Inputs& inputs, importer::Imported& model,
                              std::vector<recipes::Diagnostic>& diagnostics) {
  scene::Scene& scene = model.scene;
  const std::vector<Use> uses = split_uses(scene, {settings.texture.max_size_texels, options.max_sizes});
  std::vector<scene::ImageSource> images(uses.size());
  std::vector<std::vector<recipes::Diagnostic>> said(uses.size());
  const std::vector<std::size_t> firsts = first_of_equal(scene, uses);
  parallel_for(uses.size(), [&](std::size_t i) {
    images[i] = scene.images[uses[i].image];
    if (!uses[i].is_texture) return;
    images[i].referred_as = scene::kNone;
    if (firsts[i] != i) return;
    auto bytes = encode(images[i], uses[i], settings, options, inputs, said[i]);
    if (!bytes) {
      said[i].push_back({WarningKind::kUnreadablePicture, std::move(bytes).error().in(images[i].name)});
    } else if (!bytes->empty()) {
      images[i].inline_bytes = std::move(*bytes);
    }
  });
  for (std::size_t i = 0; i < uses.size(); ++i) images[i].inline_bytes = images[firsts[i]].inline_bytes;
  scene.images = std::move(images);
  for (std::vector<recipes::Diagnostic>& of_image : said) {
    for (recipes::Diagnostic& d : of_image) {
      d.what.what = "image " + d.what.file + ": " + d.what.what;
      d.what.file = model_path;
      diagnostics.push_back(std::move(d));
    }
  }
  std::uint64_t video_bytes = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i].is_texture && firsts[i] == i)
      video_bytes += video_bytes_of(scene.images[i], options.format, uses[i].usage);
  }
  return video_bytes;
}

}  // namespace assetc::optimize
