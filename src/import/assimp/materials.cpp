// Converts every kind of FBX material to metallic-roughness.
#include <assimp/GltfMaterial.h>
#include <assimp/material.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>

#include "base/ascii.hpp"
#include "import/assimp/parts.hpp"

namespace assetc::importer::assimp {
namespace {

using scene::kNone;
using scene::Material;
using scene::TextureUse;
using scene::Vec3;

// A property of a material: assimp's key, and its type and index if it belongs to a texture.
struct Key {
  const char* name;
  unsigned type = 0;
  unsigned index = 0;
};

class FbxMaterialReader {
 public:
  FbxMaterialReader(Context& context, const aiMaterial& source) : context_(context), source_(source) {
    aiString name;
    if (source.Get(AI_MATKEY_NAME, name) == aiReturn_SUCCESS) m_.name = view(name);
    place_ = quoted("material", m_.name);
  }

  Material read() {
    read_base_color();
    read_metal_and_roughness();
    read_emission();
    read_normals();
    read_opacity();
    occlusion();
    drop_rest();
    return std::move(m_);
  }

 private:
  std::optional<float> number(std::initializer_list<Key> keys) const {
    for (const Key& key : keys) {
      float value = 0;
      if (source_.Get(key.name, key.type, key.index, value) == aiReturn_SUCCESS && std::isfinite(value)) return value;
    }
    return std::nullopt;
  }
  std::optional<Vec3> color(std::initializer_list<Key> keys) const {
    for (const Key& key : keys) {
      std::array<float, 4> values{};
      auto count = static_cast<unsigned>(values.size());
      if (source_.Get(key.name, key.type, key.index, values.data(), &count) == aiReturn_SUCCESS && count >= 3 &&
          std::ranges::all_of(values, [](float v) { return std::isfinite(v); })) {
        return Vec3{values[0], values[1], values[2]};
      }
    }
    return std::nullopt;
  }

  // The first texture of the first type that has one. None if its Stingray switch is off.
  TextureUse texture(std::initializer_list<aiTextureType> types, std::string_view what, const char* is_used = nullptr) {
    if (is_used != nullptr && number({{is_used}}).value_or(1) == 0) return {};
    for (const aiTextureType type : types) {
      aiString path;
      if (source_.Get(AI_MATKEY_TEXTURE(type, 0), path) != aiReturn_SUCCESS || path.length == 0) continue;
      aiString another;
      if (source_.Get(AI_MATKEY_TEXTURE(type, 1), another) == aiReturn_SUCCESS)
        context_.drop("further layers of textures", place_ + " " + std::string(what));
      TextureUse use;
      use.image = image(view(path));
      int set = 0;
      if (source_.Get(AI_MATKEY_UVWSRC(type, 0), set) == aiReturn_SUCCESS && set >= 0)
        use.texcoord = static_cast<std::uint32_t>(set);
      aiUVTransform t;
      if (source_.Get(AI_MATKEY_UVTRANSFORM(type, 0), t) == aiReturn_SUCCESS) use.transform = transform(t);
      return use;
    }
    return {};
  }

  // FBX measures v from the bottom.
  scene::TexcoordTransform transform(const aiUVTransform& t) {
    for (const float value : {t.mTranslation.x, t.mTranslation.y, t.mScaling.x, t.mScaling.y, t.mRotation}) {
      if (!std::isfinite(value)) return {};
    }
    if (t.mRotation != 0) context_.drop("rotations of textures", place_);
    return {{t.mTranslation.x, 1 - t.mScaling.y - t.mTranslation.y}, 0, {t.mScaling.x, t.mScaling.y}};
  }

  // Finds an image by assimp's name: "*" and a number for an embedded image, else the name in the file, which may also
  // be embedded.
  std::uint32_t image(std::string_view path) {
    auto& images = context_.out.scene.images;
    scene::ImageSource found;
    const aiTexture* embedded = context_.source.GetEmbeddedTexture(std::string(path).c_str());
    if (embedded != nullptr) {
      const std::string_view file = view(embedded->mFilename);
      found.name = std::string(file.substr(file.find_last_of("/\\") + 1));
    } else {
      found.name = found.path = path;
    }
    for (std::uint32_t i = 0; i < images.size(); ++i) {
      if (embedded == nullptr ? images[i].path == path : context_.embedded_of[i] == embedded) return i;
    }
    if (embedded != nullptr && embedded->mHeight == 0 && embedded->mWidth != 0) {
      const auto* bytes = reinterpret_cast<const std::byte*>(embedded->pcData);
      found.inline_bytes = Bytes(ByteVector(bytes, bytes + embedded->mWidth));
    }
    images.push_back(std::move(found));
    context_.embedded_of.push_back(embedded);
    return static_cast<std::uint32_t>(images.size() - 1);
  }

  void read_base_color() {
    m_.base_color_texture =
        texture({aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE}, "base color", "$mat.useColorMap");
    const auto base = color({{"$raw.Maya|baseColor"},
                             {"$raw.3dsMax|Parameters|base_color"},
                             {"$raw.3dsMax|main|basecolor"},
                             {"$clr.base"},
                             {"$clr.diffuse"}});
    const float weight = number({{"$raw.Maya|base"}, {"$raw.3dsMax|Parameters|base_weight"}}).value_or(1);
    // A texture replaces the color.
    const Vec3 c =
        m_.base_color_texture.image != kNone ? Vec3{1, 1, 1} : base.value_or(Vec3{0.8f, 0.8f, 0.8f}) * weight;
    m_.base_color = {clamped(c.x), clamped(c.y), clamped(c.z), 1};
  }

  void read_metal_and_roughness() {
    const TextureUse metal = texture({aiTextureType_METALNESS}, "metalness", "$mat.useMetallicMap");
    const TextureUse rough = texture({aiTextureType_DIFFUSE_ROUGHNESS}, "roughness", "$mat.useRoughnessMap");
    // Only physical materials have this property.
    const auto metallic = number({{"$raw.Maya|metalness"},
                                  {"$raw.3dsMax|Parameters|metalness"},
                                  {"$raw.3dsMax|main|metalness"},
                                  {"$mat.metallicFactor"}});
    m_.metallic = clamped(metallic.value_or(0));
    if (metallic) {
      m_.roughness = clamped(number({{"$raw.Maya|specularRoughness"},
                                     {"$raw.3dsMax|Parameters|roughness"},
                                     {"$raw.3dsMax|main|roughness"},
                                     {"$mat.roughnessFactor"}})
                                 .value_or(1));
    } else {
      // The microfacet width of the same highlight, as for Ns of an OBJ. Without a specular color there is no
      // highlight.
      const auto exponent = number({{"$mat.shininess"}});
      const bool shines = color({{"$clr.specular"}}).value_or(Vec3{1, 1, 1}) != Vec3{};
      m_.roughness = shines && exponent && *exponent >= 0 ? std::sqrt(std::sqrt(2 / (2 + *exponent))) : 1;
    }
    if (metal.image != kNone && metal.image == rough.image) {
      m_.metallic_roughness_texture = metal;
      m_.metallic = m_.roughness = 1;
      return;
    }
    if (rough.image != kNone && metal.image == kNone && m_.metallic == 0) {  // gray: green has the roughness
      m_.metallic_roughness_texture = rough;
      m_.roughness = 1;
      return;
    }
    for (const auto& [use, what] : {std::pair(metal, "metalness textures"), std::pair(rough, "roughness textures")}) {
      if (use.image != kNone) context_.drop(what, place_);
    }
  }

  void read_emission() {
    m_.emissive_texture =
        texture({aiTextureType_EMISSION_COLOR, aiTextureType_EMISSIVE}, "emission", "$mat.useEmissiveMap");
    const auto base = color({{"$raw.Maya|emissionColor"},
                             {"$raw.3dsMax|Parameters|emit_color"},
                             {"$raw.3dsMax|main|emit_color"},
                             {"$clr.emissive"}});
    const float weight =
        number({{"$raw.Maya|emission"}, {"$raw.3dsMax|Parameters|emission"}, {"$mat.emissiveIntensity"}}).value_or(1);
    const Vec3 c = (m_.emissive_texture.image != kNone ? Vec3{1, 1, 1} : base.value_or(Vec3{})) * weight;
    m_.emissive = {positive(c.x), positive(c.y), positive(c.z)};
  }

  void read_normals() {
    m_.normal_texture = texture({aiTextureType_NORMALS, aiTextureType_NORMAL_CAMERA}, "normal map");
    if (m_.normal_texture.image == kNone) {
      // Tools often export normal maps as bump maps. The file name shows which it is.
      const TextureUse bump = texture({aiTextureType_HEIGHT}, "bump map");
      const std::string name =
          bump.image == kNone ? std::string() : ascii_lower(context_.out.scene.images[bump.image].name);
      if (name.find("norm") != name.npos || name.find("_n.") != name.npos || name.find("nrm") != name.npos) {
        m_.normal_texture = bump;
      } else if (bump.image != kNone) {
        context_.drop("bump maps", place_);
      }
    }
    if (const auto scale = number({{"$mat.bumpscaling"}}); scale && *scale > 0 && m_.normal_texture.image != kNone)
      m_.normal_scale = *scale;
  }

  void read_opacity() {
    const TextureUse alpha = texture({aiTextureType_OPACITY}, "opacity");
    const float opacity = clamped(number({{"$mat.opacity"}}).value_or(1));
    if (alpha.image != kNone && alpha.image == m_.base_color_texture.image) {
      m_.alpha_mode = scene::AlphaMode::kBlend;
    } else if (alpha.image != kNone) {
      context_.drop("opacity textures, which are not the alpha of the base color", place_);
    } else if (opacity < 1) {
      m_.alpha_mode = scene::AlphaMode::kBlend;
      m_.base_color.w = opacity;
    }
  }

  void occlusion() { m_.occlusion_texture = texture({aiTextureType_AMBIENT_OCCLUSION}, "occlusion", "$mat.useAOMap"); }

  void drop_rest() {
    constexpr std::pair<aiTextureType, const char*> kRest[] = {{aiTextureType_SPECULAR, "specular textures"},
                                                               {aiTextureType_SHININESS, "gloss textures"},
                                                               {aiTextureType_REFLECTION, "reflection textures"},
                                                               {aiTextureType_DISPLACEMENT, "displacement textures"}};
    for (const auto& [type, what] : kRest) {
      if (source_.GetTextureCount(type) != 0) context_.drop(what, place_);
    }
  }

  static float clamped(float value) { return std::clamp(value, 0.0f, 1.0f); }
  static float positive(float value) { return std::isfinite(value) ? std::max(value, 0.0f) : 0; }

  Context& context_;
  const aiMaterial& source_;
  Material m_;
  std::string place_;
};

// Whether assimp made this material for meshes that have none: it has only a name and a color.
bool is_made_up(const aiMaterial& material) {
  aiString name;
  return material.mNumProperties == 2 && material.Get(AI_MATKEY_NAME, name) == aiReturn_SUCCESS &&
         view(name) == AI_DEFAULT_MATERIAL_NAME;
}

}  // namespace

void read_materials(Context& context) {
  auto& materials = context.out.scene.materials;
  for (const aiMaterial* source : std::span(context.source.mMaterials, context.source.mNumMaterials)) {
    const bool is_none = is_made_up(*source);
    context.material_of.push_back(is_none ? kNone : static_cast<std::uint32_t>(materials.size()));
    if (!is_none) materials.push_back(FbxMaterialReader(context, *source).read());
  }
}

}  // namespace assetc::importer::assimp
