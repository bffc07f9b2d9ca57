// Converts every kind of FBX material to metallic-roughness.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/ascii.hpp"
#include "import/fbx/ufbx/parts.hpp"

namespace assetc::importer::fbx {
namespace {

using scene::kNone;
using scene::Material;
using scene::TextureUse;
using scene::Vec3;

constexpr Vec3 kDefaultColor{0.8f, 0.8f, 0.8f};

// The properties of physical materials in files that do not name the shader: of Stingray, of Maya's and Arnold's
// surfaces, of 3ds Max's Physical Material and of its PBR material.
using RawNames = std::array<const char*, 4>;
constexpr RawNames kBaseColor{"Maya|base_color", "Maya|baseColor", "3dsMax|Parameters|base_color",
                              "3dsMax|main|basecolor"};
constexpr RawNames kBaseWeight{"", "Maya|base", "3dsMax|Parameters|base_weight", ""};
constexpr RawNames kMetalness{"Maya|metallic", "Maya|metalness", "3dsMax|Parameters|metalness",
                              "3dsMax|main|metalness"};
constexpr RawNames kRoughness{"Maya|roughness", "Maya|specularRoughness", "3dsMax|Parameters|roughness",
                              "3dsMax|main|roughness"};
constexpr RawNames kEmission{"Maya|emissive", "Maya|emissionColor", "3dsMax|Parameters|emit_color",
                             "3dsMax|main|emit_color"};
constexpr RawNames kEmissionWeight{"Maya|emissive_intensity", "Maya|emission", "3dsMax|Parameters|emission", ""};
constexpr RawNames kBaseColorMaps{"Maya|TEX_color_map", "Maya|baseColor", "3dsMax|Parameters|base_color_map",
                                  "3dsMax|main|base_color_map"};
constexpr RawNames kMetalnessMaps{"Maya|TEX_metallic_map", "Maya|metalness", "3dsMax|Parameters|metalness_map",
                                  "3dsMax|main|metalness_map"};
constexpr RawNames kRoughnessMaps{"Maya|TEX_roughness_map", "Maya|specularRoughness", "3dsMax|Parameters|roughness_map",
                                  "3dsMax|main|roughness_map"};
constexpr RawNames kEmissionMaps{"Maya|TEX_emissive_map", "Maya|emissionColor", "3dsMax|Parameters|emit_color_map",
                                 "3dsMax|main|emit_color_map"};
constexpr RawNames kNormalMaps{"Maya|TEX_normal_map", "Maya|normalCamera", "3dsMax|Parameters|bump_map",
                               "3dsMax|main|norm_map"};
constexpr RawNames kNoNames{"", "", "", ""};

bool has_known_shader(const ufbx_material& source) {
  return source.shader_type > UFBX_SHADER_FBX_PHONG && source.shader_type != UFBX_SHADER_WAVEFRONT_MTL;
}

// What the meshes of a file say about its materials.
class UvSets {
 public:
  explicit UvSets(const ufbx_scene& source) {
    for (const ufbx_node* node : std::span(source.nodes.data, source.nodes.count)) {
      if (node->mesh == nullptr) continue;
      for (const ufbx_material* material : std::span(node->materials.data, node->materials.count)) {
        if (material != nullptr) mesh_of_.try_emplace(material, node->mesh);
      }
    }
  }
  // The number of the UV set of this name in the first mesh that has the material; 0 if it has none.
  std::uint32_t find(const ufbx_material& material, std::string_view name) const {
    const auto found = mesh_of_.find(&material);
    if (found == mesh_of_.end() || name.empty()) return 0;
    const auto sets = std::span(found->second->uv_sets.data, found->second->uv_sets.count);
    for (std::uint32_t i = 0; i < sets.size(); ++i) {
      if (view(sets[i].name) == name) return i;
    }
    return 0;
  }

 private:
  std::unordered_map<const ufbx_material*, const ufbx_mesh*> mesh_of_;
};

class FbxMaterialReader {
 public:
  FbxMaterialReader(Context& context, const UvSets& uv_sets, std::vector<std::uint32_t>& image_of_file,
                    const ufbx_material& source)
      : context_(context),
        uv_sets_(uv_sets),
        image_of_file_(image_of_file),
        source_(source),
        has_known_shader_(has_known_shader(source)),
        is_physical_(has_known_shader_ || raw(kMetalness) != nullptr) {
    m_.name = view(source.name);
    m_.extra = extra_of(source.props);
    place_ = quoted("material", m_.name);
  }

  Material read() {
    if (!m_.extra.empty()) context_.keep("extras", place_);
    read_base_color();
    read_metal_and_roughness();
    read_emission();
    read_normals();
    read_opacity();
    m_.occlusion_texture = texture({&source_.pbr.ambient_occlusion}, "occlusion");
    m_.unlit = source_.features.unlit.enabled;
    drop_rest();
    return std::move(m_);
  }

 private:
  using Map = ufbx_material_map;

  // The first of these properties; only if ufbx does not know the shader.
  const ufbx_prop* raw(const RawNames& names) const {
    if (has_known_shader_) return nullptr;
    for (const char* name : names) {
      const ufbx_prop* property = *name == 0 ? nullptr : ufbx_find_prop(&source_.props, name);
      if (property != nullptr) return property;
    }
    return nullptr;
  }

  std::optional<float> number(const Map& map, const RawNames& names = kNoNames) const {
    const ufbx_prop* property = raw(names);
    if (property == nullptr && (!map.has_value || map.feature_disabled)) return std::nullopt;
    const auto value = static_cast<float>(property == nullptr ? map.value_real : property->value_real);
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  }
  std::optional<Vec3> color(const Map& map, const RawNames& names = kNoNames) const {
    const ufbx_prop* property = raw(names);
    if (property == nullptr && (!map.has_value || map.feature_disabled)) return std::nullopt;
    const Vec3 value = to_vec3(property == nullptr ? map.value_vec3 : property->value_vec3);
    return std::isfinite(value.x + value.y + value.z) ? std::optional(value) : std::nullopt;
  }

  // The texture of the first map that has one. None if the material does not use it.
  TextureUse texture(std::initializer_list<const Map*> maps, std::string_view what, const RawNames& names = kNoNames) {
    if (!has_known_shader_) {
      for (const char* name : names) {
        const ufbx_texture* found = *name == 0 ? nullptr : ufbx_find_prop_texture(&source_, name);
        if (found == nullptr) continue;
        if (const TextureUse use = use_of(*found, what); use.image != kNone) return use;
      }
    }
    for (const Map* map : maps) {
      if (map->texture == nullptr || !map->texture_enabled || map->feature_disabled) continue;
      if (const TextureUse use = use_of(*map->texture, what); use.image != kNone) return use;
    }
    return {};
  }

  TextureUse use_of(const ufbx_texture& texture, std::string_view what) {
    const auto files = std::span(texture.file_textures.data, texture.file_textures.count);
    TextureUse use;
    if (files.empty()) {
      context_.drop("procedural textures", place_ + " " + std::string(what));
      return use;
    }
    if (files.size() > 1) context_.drop("further layers of textures", place_ + " " + std::string(what));
    const ufbx_texture& file = *files.front();
    use.image = image(file);
    if (use.image == kNone) return use;
    use.texcoord = uv_sets_.find(source_, view(file.uv_set));
    if (file.wrap_u == UFBX_WRAP_CLAMP) use.sampler.wrap_u = scene::Wrap::kClamp;
    if (file.wrap_v == UFBX_WRAP_CLAMP) use.sampler.wrap_v = scene::Wrap::kClamp;
    if (file.has_uv_transform) use.transform = transform(file.uv_to_texture);
    return use;
  }

  // u' = a u + c v + x and v' = b u + d v + y, with v measured from the bottom. KHR_texture_transform measures it from
  // the top.
  scene::TexcoordTransform transform(const ufbx_matrix& m) {
    const double a = m.m00, b = -m.m10, c = -m.m01, d = m.m11;
    const double x = m.m03 + m.m01, y = 1 - m.m11 - m.m13;
    const double u_scale = std::hypot(a, b);
    const double v_scale = std::copysign(std::hypot(c, d), a * d - b * c);
    const std::array<double, 5> numbers{x, y, u_scale, v_scale, a * c + b * d};
    if (!std::ranges::all_of(numbers, [](double v) { return std::isfinite(v) && std::fabs(v) < 1e6; })) return {};
    if (std::fabs(a * c + b * d) > 1e-4 * u_scale * std::fabs(v_scale)) context_.drop("sheared textures", place_);
    return {{static_cast<float>(x), static_cast<float>(y)},
            static_cast<float>(std::atan2(-b, a)),
            {static_cast<float>(u_scale), static_cast<float>(v_scale)}};
  }

  // Textures of one file, embedded or not, are one image.
  std::uint32_t image(const ufbx_texture& texture) {
    if (!texture.has_file || texture.file_index >= image_of_file_.size()) return kNone;
    std::uint32_t& known = image_of_file_[texture.file_index];
    if (known != kNone) return known;
    std::string_view path = view(texture.relative_filename);
    if (path.empty()) path = view(texture.absolute_filename);
    if (path.empty()) path = view(texture.filename);
    scene::ImageSource image;
    image.name = path.substr(path.find_last_of("/\\") + 1);  // without a folder of the exporter's machine
    const ufbx_blob& content = context_.source.texture_files.data[texture.file_index].content;
    if (content.size != 0) {
      const auto* bytes = static_cast<const std::byte*>(content.data);
      image.inline_bytes = Bytes(ByteVector(bytes, bytes + content.size));
    } else {
      if (path.empty()) return kNone;
      image.path = path;
    }
    known = static_cast<std::uint32_t>(context_.out.scene.images.size());
    context_.out.scene.images.push_back(std::move(image));
    return known;
  }

  void read_base_color() {
    m_.base_color_texture =
        texture({&source_.pbr.base_color, &source_.fbx.diffuse_color}, "base color", kBaseColorMaps);
    const auto factor = number(source_.pbr.base_factor, kBaseWeight);
    // A texture replaces the color.
    const Vec3 c = m_.base_color_texture.image != kNone
                       ? Vec3{1, 1, 1}
                       : color(source_.pbr.base_color, kBaseColor).value_or(kDefaultColor) * factor.value_or(1);
    m_.base_color = {clamped(c.x), clamped(c.y), clamped(c.z), 1};
  }

  void read_metal_and_roughness() {
    const bool is_gloss = source_.features.roughness_as_glossiness.enabled;
    const Map& rough_map = is_gloss ? source_.pbr.glossiness : source_.pbr.roughness;
    TextureUse metal, rough;
    if (is_physical_) {
      metal = texture({&source_.pbr.metalness}, "metalness", kMetalnessMaps);
      rough = texture({&rough_map}, "roughness", kRoughnessMaps);
    }
    if (is_gloss && rough.image != kNone) {
      context_.drop("gloss textures", place_);
      rough = {};
    }
    m_.metallic = is_physical_ ? clamped(number(source_.pbr.metalness, kMetalness).value_or(0)) : 0;
    if (is_physical_) {
      const float value = number(rough_map, kRoughness).value_or(is_gloss ? 0.0f : 1.0f);
      m_.roughness = clamped(is_gloss ? 1 - value : value);
    } else {
      // The microfacet width of the same highlight, as for Ns of an OBJ. Without a specular color there is no
      // highlight.
      const auto exponent = number(source_.fbx.specular_exponent);
      const bool shines = color(source_.fbx.specular_color).value_or(Vec3{1, 1, 1}) != Vec3{};
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
        texture({&source_.pbr.emission_color, &source_.fbx.emission_color}, "emission", kEmissionMaps);
    const float factor = number(source_.pbr.emission_factor, kEmissionWeight).value_or(1);
    const Vec3 c =
        (m_.emissive_texture.image != kNone ? Vec3{1, 1, 1}
                                            : color(source_.pbr.emission_color, kEmission).value_or(Vec3{})) *
        factor;
    m_.emissive = {positive(c.x), positive(c.y), positive(c.z)};
  }

  void read_normals() {
    m_.normal_texture = texture({&source_.fbx.normal_map}, "normal map", kNormalMaps);
    if (m_.normal_texture.image == kNone) {
      // Tools often export normal maps as bump maps. The file name shows which it is. A physical material has no other
      // property for it.
      const bool is_named = source_.fbx.bump.texture == nullptr && is_physical_;
      const TextureUse bump = texture({&source_.fbx.bump, &source_.pbr.normal_map}, "bump map");
      const std::string name =
          bump.image == kNone ? std::string() : ascii_lower(context_.out.scene.images[bump.image].name);
      if (is_named || name.find("norm") != name.npos || name.find("_n.") != name.npos ||
          name.find("nrm") != name.npos) {
        m_.normal_texture = bump;
      } else if (bump.image != kNone) {
        context_.drop("bump maps", place_);
      }
    }
    if (const auto scale = number(source_.fbx.bump_factor); scale && *scale > 0 && m_.normal_texture.image != kNone)
      m_.normal_scale = *scale;
  }

  float opacity() const {
    if (is_physical_) return number(source_.pbr.opacity).value_or(1);
    const ufbx_prop* property = ufbx_find_prop(&source_.props, "Opacity");
    if (property != nullptr && std::isfinite(property->value_real)) return static_cast<float>(property->value_real);
    const auto transparent = color(source_.fbx.transparency_color);
    if (!transparent) return 1;
    const float mean = (transparent->x + transparent->y + transparent->z) / 3;
    return 1 - mean * number(source_.fbx.transparency_factor).value_or(1);
  }

  void read_opacity() {
    const TextureUse alpha =
        is_physical_ ? texture({&source_.pbr.opacity}, "opacity")
                     : texture({&source_.fbx.transparency_color, &source_.fbx.transparency_factor}, "opacity");
    const float value = clamped(opacity());
    if (alpha.image != kNone && alpha.image == m_.base_color_texture.image) {
      m_.alpha_mode = scene::AlphaMode::kBlend;
    } else if (alpha.image != kNone) {
      context_.drop("opacity textures, which are not the alpha of the base color", place_);
    } else if (value < 1) {
      m_.alpha_mode = scene::AlphaMode::kBlend;
      m_.base_color.w = value;
    }
  }

  void drop_rest() {
    const std::pair<const Map*, const char*> rest[] = {
        {is_physical_ ? &source_.pbr.specular_color : &source_.fbx.specular_color, "specular textures"},
        {is_physical_ ? &source_.pbr.coat_factor : &source_.fbx.specular_exponent,
         is_physical_ ? "coat textures" : "gloss textures"},
        {is_physical_ ? &source_.pbr.transmission_factor : &source_.fbx.reflection_color,
         is_physical_ ? "transmission textures" : "reflection textures"},
        {&source_.pbr.displacement_map, "displacement textures"}};
    for (const auto& [map, what] : rest) {
      if (map->texture != nullptr) context_.drop(what, place_);
    }
  }

  static float clamped(float value) { return std::isfinite(value) ? std::clamp(value, 0.0f, 1.0f) : 1; }
  static float positive(float value) { return std::isfinite(value) ? std::max(value, 0.0f) : 0; }

  Context& context_;
  const UvSets& uv_sets_;
  std::vector<std::uint32_t>& image_of_file_;
  const ufbx_material& source_;
  bool has_known_shader_;
  bool is_physical_;
  Material m_;
  std::string place_;
};

}  // namespace

void read_materials(Context& context) {
  const UvSets uv_sets(context.source);
  std::vector<std::uint32_t> image_of_file(context.source.texture_files.count, kNone);
  for (const ufbx_material* source : std::span(context.source.materials.data, context.source.materials.count)) {
    context.out.scene.materials.push_back(FbxMaterialReader(context, uv_sets, image_of_file, *source).read());
  }
}

}  // namespace assetc::importer::fbx
