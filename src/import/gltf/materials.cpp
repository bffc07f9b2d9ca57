#include <algorithm>
#include <array>
#include <cmath>

#include "import/gltf/parts.hpp"

namespace assetc::importer {
namespace {

Result<scene::Wrap> read_wrap(const Value& sampler, std::string_view key) {
  ASSETC_TRY(const std::uint64_t code, sampler.uint_or(key, 10497));
  switch (code) {
    case 10497:
      return scene::Wrap::kRepeat;
    case 33071:
      return scene::Wrap::kClamp;
    case 33648:
      return scene::Wrap::kMirror;
    default:
      break;
  }
  return fail_at(ErrorCode::kInvalidData, sampler.pointer() + "/" + std::string(key),
                 "found " + std::to_string(code) + ", expected 10497 (repeat), 33071 (clamp) or 33648 (mirror)");
}

// The filters of glTF's sampler.minFilter: within a mip level, and between levels.
struct MinFilter {
  std::uint64_t code;
  sampling::Filter min;
  sampling::MipFilter mip;
};
constexpr MinFilter kMinFilters[] = {
    {9728, sampling::Filter::kNearest, sampling::MipFilter::kNone},
    {9729, sampling::Filter::kLinear, sampling::MipFilter::kNone},
    {9984, sampling::Filter::kNearest, sampling::MipFilter::kNearest},
    {9985, sampling::Filter::kLinear, sampling::MipFilter::kNearest},
    {9986, sampling::Filter::kNearest, sampling::MipFilter::kLinear},
    {9987, sampling::Filter::kLinear, sampling::MipFilter::kLinear},
};

// An unknown filter gives a warning and is left to the engine. An unknown wrap mode is an error.
Result<scene::Sampler> read_sampler(GltfContext& context, const Value& json) {
  scene::Sampler sampler;
  ASSETC_TRY(sampler.wrap_u, read_wrap(json, "wrapS"));
  ASSETC_TRY(sampler.wrap_v, read_wrap(json, "wrapT"));
  const auto unknown = [&](std::string_view key, std::uint64_t code, std::string_view expected) {
    context.warn(WarningKind::kUnknownFilter, ErrorCode::kInvalidData, json.pointer() + "/" + std::string(key),
                 "found " + std::to_string(code) + ", expected " + std::string(expected) + "; it is ignored");
  };
  if (json.find("magFilter")) {
    ASSETC_TRY(const std::uint64_t code, json.uint_or("magFilter", 0));
    if (code == 9728) {
      sampler.mag = sampling::Filter::kNearest;
    } else if (code == 9729) {
      sampler.mag = sampling::Filter::kLinear;
    } else {
      unknown("magFilter", code, "9728 (nearest) or 9729 (linear)");
    }
  }
  if (json.find("minFilter")) {
    ASSETC_TRY(const std::uint64_t code, json.uint_or("minFilter", 0));
    const auto known = std::ranges::find(kMinFilters, code, &MinFilter::code);
    if (known == std::end(kMinFilters)) {
      unknown("minFilter", code, "9728, 9729 or 9984 to 9987");
    } else {
      sampler.min = known->min;
      sampler.mip = known->mip;
    }
  }
  return sampler;
}

Result<scene::TexcoordTransform> read_transform(const Value& json) {
  scene::TexcoordTransform t;
  std::array<float, 2> offset{0, 0}, scale{1, 1};
  ASSETC_CHECK(json.floats("offset", offset));
  ASSETC_CHECK(json.floats("scale", scale));
  ASSETC_TRY(t.rotation, json.float_or("rotation", 0));
  t.offset = {offset[0], offset[1]};
  t.scale = {scale[0], scale[1]};
  return t;
}

// Source of the three functions below: Khronos' conversion for KHR_materials_pbrSpecularGlossiness. It keeps the
// brightness under head-on light, where a dielectric reflects 4 %.
constexpr float kDielectric = 0.04f;

float brightness(scene::Vec3 c) { return std::sqrt(0.299f * c.x * c.x + 0.587f * c.y * c.y + 0.114f * c.z * c.z); }

float metallic_of(float diffuse, float specular, float one_minus_specular) {
  if (specular < kDielectric) return 0;
  const float b = diffuse * one_minus_specular / (1 - kDielectric) + specular - 2 * kDielectric;
  const float c = kDielectric - specular;
  const float root = std::sqrt(std::max(b * b - 4 * kDielectric * c, 0.0f));
  return std::clamp((root - b) / (2 * kDielectric), 0.0f, 1.0f);
}

scene::Vec3 base_color_of(scene::Vec3 diffuse, scene::Vec3 specular, float one_minus_specular, float metallic) {
  constexpr float kLeast = 1e-6f;
  const scene::Vec3 as_diffuse = diffuse * (one_minus_specular / (1 - kDielectric) / std::max(1 - metallic, kLeast));
  const float dielectric = kDielectric * (1 - metallic);
  const scene::Vec3 as_metal =
      (specular - scene::Vec3{dielectric, dielectric, dielectric}) * (1 / std::max(metallic, kLeast));
  const float t = metallic * metallic;
  const scene::Vec3 c = as_diffuse * (1 - t) + as_metal * t;
  return {std::clamp(c.x, 0.0f, 1.0f), std::clamp(c.y, 0.0f, 1.0f), std::clamp(c.z, 0.0f, 1.0f)};
}

// Converts the older workflow to the newer one. Textures of specular color and glossiness are dropped, because this
// importer does not create pictures from pictures.
Result<void> read_specular_glossiness(GltfContext& context, const Value& json, scene::Material& m) {
  std::array<float, 4> diffuse{1, 1, 1, 1};
  std::array<float, 3> specular_factor{1, 1, 1};
  ASSETC_CHECK(json.floats("diffuseFactor", diffuse));
  ASSETC_CHECK(json.floats("specularFactor", specular_factor));
  ASSETC_TRY(const float glossiness, json.float_or("glossinessFactor", 1));
  ASSETC_TRY(m.base_color_texture, read_texture(context, json, "diffuseTexture"));
  const bool textured = json.find("specularGlossinessTexture").has_value();
  m.base_color = {diffuse[0], diffuse[1], diffuse[2], diffuse[3]};
  m.metallic = 0;
  m.roughness = textured ? 1 : std::clamp(1 - glossiness, 0.0f, 1.0f);
  if (textured) context.drop("specular-glossiness textures", json.pointer() + "/specularGlossinessTexture");
  if (!textured && m.base_color_texture.image == scene::kNone) {
    const scene::Vec3 specular{specular_factor[0], specular_factor[1], specular_factor[2]};
    const scene::Vec3 color{diffuse[0], diffuse[1], diffuse[2]};
    const float one_minus_specular = 1 - std::max({specular.x, specular.y, specular.z});
    m.metallic = metallic_of(brightness(color), brightness(specular), one_minus_specular);
    const scene::Vec3 base = base_color_of(color, specular, one_minus_specular, m.metallic);
    m.base_color = {base.x, base.y, base.z, diffuse[3]};
  }
  return {};
}

Result<scene::Material> read_material(GltfContext& context, const Value& json) {
  scene::Material m;
  ASSETC_TRY(m.name, json.string_or("name", ""));
  if (const auto pbr = json.find("pbrMetallicRoughness")) {
    std::array<float, 4> color{1, 1, 1, 1};
    ASSETC_CHECK(pbr->floats("baseColorFactor", color));
    m.base_color = {color[0], color[1], color[2], color[3]};
    ASSETC_TRY(m.metallic, pbr->float_or("metallicFactor", 1));
    ASSETC_TRY(m.roughness, pbr->float_or("roughnessFactor", 1));
    ASSETC_TRY(m.base_color_texture, read_texture(context, *pbr, "baseColorTexture"));
    ASSETC_TRY(m.metallic_roughness_texture, read_texture(context, *pbr, "metallicRoughnessTexture"));
  }
  // If a file has both, the core material is the author's own conversion.
  const auto older = json.extension("KHR_materials_pbrSpecularGlossiness");
  if (older && !json.find("pbrMetallicRoughness")) {
    ASSETC_CHECK(read_specular_glossiness(context, *older, m));
  } else if (older) {
    context.drop("extension KHR_materials_pbrSpecularGlossiness next to pbrMetallicRoughness", older->pointer());
  }
  ASSETC_TRY(m.normal_texture, read_texture(context, json, "normalTexture", &m.normal_scale, "scale"));
  ASSETC_TRY(m.occlusion_texture, read_texture(context, json, "occlusionTexture", &m.occlusion_strength, "strength"));
  ASSETC_TRY(m.emissive_texture, read_texture(context, json, "emissiveTexture"));
  std::array<float, 3> emissive{0, 0, 0};
  ASSETC_CHECK(json.floats("emissiveFactor", emissive));
  m.emissive = {emissive[0], emissive[1], emissive[2]};
  if (const auto strength = json.extension("KHR_materials_emissive_strength")) {
    ASSETC_TRY(const float factor, strength->float_or("emissiveStrength", 1));
    m.emissive = m.emissive * factor;
  }
  m.unlit = json.extension("KHR_materials_unlit").has_value();
  ASSETC_TRY(m.alpha_cutoff, json.float_or("alphaCutoff", 0.5f));
  ASSETC_TRY(m.double_sided, json.bool_or("doubleSided", false));
  ASSETC_TRY(const std::string mode, json.string_or("alphaMode", "OPAQUE"));
  if (mode == "MASK") {
    m.alpha_mode = scene::AlphaMode::kMask;
  } else if (mode == "BLEND") {
    m.alpha_mode = scene::AlphaMode::kBlend;
  } else if (mode != "OPAQUE") {
    return fail_at(ErrorCode::kInvalidData, json.pointer() + "/alphaMode",
                   "found \"" + mode + "\", expected OPAQUE, MASK or BLEND");
  }
  read_material_extensions(context, json, m);
  return m;
}

Result<scene::ImageSource> read_image(GltfContext& context, const Value& json, std::size_t index) {
  scene::ImageSource image;
  ASSETC_TRY(image.name, json.string_or("name", ""));
  if (const auto uri_json = json.find("uri")) {
    const auto uri = uri_json->text();
    if (!uri) return std::unexpected(uri_json->as_string().error());
    if (auto inline_data = decode_data_uri(*uri)) {
      if (!*inline_data) return std::unexpected(std::move(*inline_data).error().at(uri_json->pointer()));
      image.inline_bytes = std::move(**inline_data);
    } else {
      auto path = resolve_uri(context.source_path, *uri);
      if (!path) return std::unexpected(std::move(path).error().at(uri_json->pointer()));
      image.path = std::move(*path);
      if (image.name.empty()) image.name = file_name(image.path);
    }
  } else if (json.find("bufferView")) {
    ASSETC_TRY(const std::uint32_t view_index, json.get_index("bufferView", context.data.view_count(), "buffer views"));
    ASSETC_TRY(const GltfData::View view, context.data.view(view_index));
    image.inline_bytes = view.bytes;
  } else {
    context.warn(WarningKind::kMissingPicture, ErrorCode::kInvalidData, json.place(),
                 "the image has neither a \"uri\" nor a \"bufferView\"; it is left out");
  }
  if (image.name.empty()) image.name = "image " + std::to_string(index);
  return image;
}

}  // namespace

Result<scene::TextureUse> read_texture_object(GltfContext& context, const Value& texture) {
  scene::TextureUse use;
  ASSETC_TRY(const Value samplers, context.root.array_or_empty("samplers"));
  const std::size_t image_count = context.out.scene.images.size();
  // An extension's image takes precedence; `source` is its fallback.
  ASSETC_TRY(use.image, texture.index_or_none("source", image_count, "images"));
  for (const char* name : {"EXT_texture_webp", "KHR_texture_basisu"}) {
    if (const auto extension = texture.extension(name)) {
      ASSETC_TRY(use.image, extension->get_index("source", image_count, "images"));
    }
  }
  if (use.image == scene::kNone) {
    context.warn(WarningKind::kMissingPicture, ErrorCode::kUnsupported, texture.place(),
                 "the texture names no image that assetc can read; it is left out",
                 "export its image as PNG, JPEG, WebP or KTX2");
  }
  ASSETC_TRY(const std::uint32_t sampler_index, texture.index_or_none("sampler", samplers.size(), "samplers"));
  if (sampler_index != scene::kNone) {
    ASSETC_TRY(use.sampler, read_sampler(context, samplers.item(sampler_index)));
  }
  return use;
}

Result<scene::TextureUse> read_texture(GltfContext& context, const Value& parent, std::string_view key, float* factor,
                                       std::string_view factor_key) {
  const auto info = parent.find(key);
  if (!info) return scene::TextureUse();
  if (!info->is_object()) return info->refuse(ErrorCode::kInvalidData, "expected an object");
  ASSETC_TRY(const Value textures, context.root.array_or_empty("textures"));
  ASSETC_TRY(const std::uint32_t texture_index, info->get_index("index", textures.size(), "textures"));
  ASSETC_TRY(scene::TextureUse use, read_texture_object(context, textures.item(texture_index)));
  ASSETC_TRY(const std::uint64_t texcoord, info->uint_or("texCoord", 0));
  use.texcoord = static_cast<std::uint32_t>(std::min<std::uint64_t>(texcoord, scene::kNone));
  if (const auto transform = info->extension("KHR_texture_transform")) {
    ASSETC_TRY(use.transform, read_transform(*transform));
    ASSETC_TRY(const std::uint64_t override_set, transform->uint_or("texCoord", use.texcoord));
    use.texcoord = static_cast<std::uint32_t>(std::min<std::uint64_t>(override_set, scene::kNone));
  }
  if (factor != nullptr) {
    ASSETC_TRY(*factor, info->float_or(factor_key, *factor));
  }
  return use;
}

Result<void> read_images(GltfContext& context) {
  ASSETC_TRY(const Value images, context.root.array_or_empty("images"));
  for (std::size_t i = 0; i < images.size(); ++i) {
    ASSETC_TRY(scene::ImageSource image, read_image(context, images.item(i), i));
    context.out.scene.images.push_back(std::move(image));
  }
  return {};
}

Result<void> read_materials(GltfContext& context) {
  ASSETC_TRY(const Value materials, context.root.array_or_empty("materials"));
  for (std::size_t i = 0; i < materials.size(); ++i) {
    ASSETC_TRY(scene::Material material, read_material(context, materials.item(i)));
    context.out.scene.materials.push_back(std::move(material));
  }
  return {};
}

}  // namespace assetc::importer
