#include "convert/small_pictures.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <vector>

#include "import/image.hpp"
#include "recipes/picture.hpp"

namespace assetc::convert {
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
};

// Without a usage that leaves out channels, which KHR_texture_basisu does not allow.
TextureUsage stored_usage(TextureUsage usage) {
  return usage == TextureUsage::kColor || usage == TextureUsage::kNormal ? usage : TextureUsage::kLinear;
}

// Gives each use of an image a number, and sets the slots of materials to it.
std::vector<Use> split_uses(scene::Scene& scene) {
  std::vector<Use> uses;
  std::map<std::pair<std::uint32_t, TextureUsage>, std::uint32_t> numbers;
  for (scene::Material& m : scene.materials) {
    scene::for_each_texture(m, [&](std::string_view, TextureUsage slot, scene::TextureUse& use) {
      if (use.image == scene::kNone) return;
      const TextureUsage usage = stored_usage(slot);
      const auto [at, is_new] = numbers.try_emplace({use.image, usage}, static_cast<std::uint32_t>(uses.size()));
      if (is_new) uses.push_back({.image = use.image, .usage = usage, .alpha_cutoff = m.alpha_cutoff});
      Use& of = uses[at->second];
      of.clamp = of.clamp && use.sampler.wrap_u == scene::Wrap::kClamp && use.sampler.wrap_v == scene::Wrap::kClamp;
      of.only_masked = of.only_masked && &use == &m.base_color_texture && m.alpha_mode == scene::AlphaMode::kMask &&
                       m.alpha_cutoff == of.alpha_cutoff;
      use.image = at->second;
    });
  }
  return uses;
}

// The files that a step of a picture reads: none, because its input is inline.
class NoInputs final : public recipes::Inputs {
 public:
  Result<Bytes> read(std::string_view path) override {
    return fail(ErrorCode::kNotFound, std::string(path) + " is no part of the picture");
  }
  bool exists(std::string_view) override { return false; }
  Result<std::vector<std::string>> list(std::string_view directory) override {
    return fail(ErrorCode::kNotFound, std::string(directory) + " is no part of the picture");
  }
  std::optional<recipes::SourceAsset> asset(std::string_view) override { return std::nullopt; }
  std::uint64_t ref(std::string_view) override { return 0; }
};

recipes::Step step_of(const scene::ImageSource& image, const Use& use, const recipes::Settings& settings) {
  recipes::Step step;
  step.recipe = recipes::find_recipe("texture");
  step.source = image.name;
  step.inline_input = image.inline_bytes;
  step.stem = "picture";
  step.settings = settings;
  step.params = recipes::mode_params(use.usage);
  step.params.emplace(recipes::kBlockSidesParam, "");
  if (use.clamp) step.settings.texture.wrap = texture::Wrap::kClamp;
  if (use.usage == TextureUsage::kNormal) {
    // X, Y and Z: readers of glTF do not compute Z.
    step.settings.texture.channels = {{'r', 'g', 'b'}, 3};
    step.settings.texture.rdo *= kRdoOfNormals;
  }
  if (use.only_masked) {
    char text[32];
    step.params.emplace("alpha_cutoff",
                        std::string(text, std::to_chars(text, text + sizeof text, use.alpha_cutoff).ptr));
  }
  return step;
}

// The encoded picture; empty if it stays as it is.
Result<Bytes> encode(const scene::ImageSource& image, const Use& use, const recipes::Settings& settings,
                     std::vector<recipes::Diagnostic>& diagnostics) {
  if (image.inline_bytes.empty()) return Bytes();
  const auto info = importer::read_image_info(image.inline_bytes);
  if (!info) return Bytes();  // embed_images() reports it
  if (info->format == importer::ImageFormat::kKtx2 || info->width_texels < kBlockSide ||
      info->height_texels < kBlockSide)
    return Bytes();
  const recipes::Step step = step_of(image, use, settings);
  NoInputs inputs;
  ASSETC_TRY(recipes::Product product, step.recipe->cook(step, inputs));
  for (recipes::Diagnostic& d : product.diagnostics) {
    d.what = std::move(d.what).in(image.name);
    diagnostics.push_back(std::move(d));
  }
  return product.outputs.empty() ? Bytes() : product.outputs.front().bytes;
}

}  // namespace

void encode_pictures(const std::string& model_path, const recipes::Settings& settings, importer::Imported& model,
                     std::vector<recipes::Diagnostic>& diagnostics) {
  scene::Scene& scene = model.scene;
  const std::vector<Use> uses = split_uses(scene);
  std::vector<scene::ImageSource> images(uses.size());
  std::vector<std::vector<recipes::Diagnostic>> said(uses.size());
  tbb::parallel_for(std::size_t{0}, uses.size(), [&](std::size_t i) {
    images[i] = scene.images[uses[i].image];
    auto bytes = encode(images[i], uses[i], settings, said[i]);
    if (!bytes) {
      said[i].push_back({WarningKind::kUnreadablePicture, std::move(bytes).error().in(images[i].name)});
    } else if (!bytes->empty()) {
      images[i].inline_bytes = std::move(*bytes);
    }
  });
  scene.images = std::move(images);
  for (std::vector<recipes::Diagnostic>& of_image : said) {
    for (recipes::Diagnostic& d : of_image) {
      d.what.what = "image " + d.what.file + ": " + d.what.what;
      d.what.file = model_path;
      diagnostics.push_back(std::move(d));
    }
  }
}

}  // namespace assetc::convert
