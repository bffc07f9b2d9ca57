#include "import/material.hpp"

#include <algorithm>
#include <array>

#include "assetc/base/spelling.hpp"
#include "assetc/base/uuid.hpp"
#include "import/engines/unity_material.hpp"
#include "import/text/lines.hpp"
#include "import/text/yaml.hpp"

namespace assetc::importer {
namespace {

using scene::Material;
using scene::TextureUse;

constexpr float kLargestNumber = 1e6f;

struct NumberKey {
  std::string_view key;
  float Material::* field;
  float low, high;
  std::string_view expected;
};
constexpr std::array kNumbers{
    NumberKey{"metallic", &Material::metallic, 0, 1, "a number from 0 to 1"},
    NumberKey{"roughness", &Material::roughness, 0, 1, "a number from 0 to 1"},
    NumberKey{"normal_scale", &Material::normal_scale, -kLargestNumber, kLargestNumber, "a number"},
    NumberKey{"occlusion_strength", &Material::occlusion_strength, 0, 1, "a number from 0 to 1"},
    NumberKey{"alpha_cutoff", &Material::alpha_cutoff, 0, kLargestNumber, "a number of 0 or more"},
};

struct FlagKey {
  std::string_view key;
  bool Material::* field;
};
constexpr std::array kFlags{FlagKey{"double_sided", &Material::double_sided}, FlagKey{"unlit", &Material::unlit}};

struct TextureKey {
  std::string_view key;
  TextureUse Material::* field;
};
constexpr std::array kTextures{
    TextureKey{"base_color_texture", &Material::base_color_texture},
    TextureKey{"metallic_roughness_texture", &Material::metallic_roughness_texture},
    TextureKey{"normal_texture", &Material::normal_texture},
    TextureKey{"occlusion_texture", &Material::occlusion_texture},
    TextureKey{"emissive_texture", &Material::emissive_texture},
};

// A word in the file, and the value that it means.
template <class T>
struct Word {
  std::string_view word;
  T value;
};
constexpr std::array kWraps{Word{"repeat", sampling::Wrap::kRepeat}, Word{"clamp", sampling::Wrap::kClamp},
                            Word{"mirror", sampling::Wrap::kMirror}};
constexpr std::array kFilters{Word{"nearest", sampling::Filter::kNearest}, Word{"linear", sampling::Filter::kLinear}};
constexpr std::array kMipFilters{Word{"none", sampling::MipFilter::kNone},
                                 Word{"nearest", sampling::MipFilter::kNearest},
                                 Word{"linear", sampling::MipFilter::kLinear}};
constexpr std::array<std::string_view, 4> kSamplerKeys{"wrap", "mag_filter", "min_filter", "mip_filter"};

// Prefix of an ImageSource::path that holds the name of an asset instead of a path.
constexpr std::string_view kByAsset = "asset:";

bool is_asset_name(std::string_view text) {
  if (const auto uuid = Uuid::parse(text)) return !uuid->is_nil();
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos || slash == 0 || text.starts_with('/') || text.starts_with('.')) return false;
  if (text.contains("/../")) return false;  // a path
  return text.find('.', slash) == std::string_view::npos;
}

class MaterialFileReader {
 public:
  MaterialFileReader(std::string_view path, std::string_view root) : path_(path), root_(root) {}

  Result<Imported> read(const Yaml& root) {
    if (!root.is_block() && !root.is_null()) {
      return fail_at(ErrorCode::kUsage, root.place(),
                     "found " + root.describe() + ", expected keys such as base_color: [1, 1, 1]");
    }
    for (const auto& [key_node, value] : root.members()) {
      if (!key_node.is_text())
        return fail_at(ErrorCode::kUsage, key_node.place(), "found " + key_node.describe() + ", expected a key");
      ASSETC_CHECK(member(key_node, key_node.text(), value));
    }
    material_.emissive = material_.emissive * emissive_strength_;
    for (const TextureKey& t : kTextures) {
      if ((material_.*t.field).image != scene::kNone) (material_.*t.field).sampler = sampler_;
    }
    out_.scene.materials.push_back(std::move(material_));
    return std::move(out_);
  }

 private:
  Result<void> member(const Yaml& key_node, const std::string& key, const Yaml& value) {
    if (std::ranges::find(seen_, key) != seen_.end())
      return fail_at(ErrorCode::kUsage, key_node.place(), "found the key " + key + " twice");
    seen_.push_back(key);
    for (const NumberKey& n : kNumbers) {
      if (key == n.key) return number(value, key, n.low, n.high, n.expected, material_.*n.field);
    }
    for (const FlagKey& f : kFlags) {
      if (key != f.key) continue;
      if (!value.is_text() || (value.text() != "true" && value.text() != "false"))
        return wrong_yaml(value, key, "true or false");
      material_.*f.field = value.text() == "true";
      return {};
    }
    for (const TextureKey& t : kTextures) {
      if (key == t.key) return texture(value, key, material_.*t.field);
    }
    if (key == "name") {
      if (!value.is_text()) return wrong_yaml(value, key, "a name");
      material_.name = value.text();
      return {};
    }
    if (key == "base_color") {
      std::array<float, 4> c{1, 1, 1, 1};
      ASSETC_CHECK(color(value, key, 4, 1, c));
      material_.base_color = {c[0], c[1], c[2], c[3]};
      return {};
    }
    if (key == "emissive") {
      std::array<float, 4> c{};
      ASSETC_CHECK(color(value, key, 3, kLargestNumber, c));
      material_.emissive = {c[0], c[1], c[2]};
      return {};
    }
    if (key == "emissive_strength")
      return number(value, key, 0, kLargestNumber, "a number of 0 or more", emissive_strength_);
    if (key == "alpha_mode") {
      const std::string mode = value.is_text() ? value.text() : "";
      if (mode == "opaque") {
        material_.alpha_mode = scene::AlphaMode::kOpaque;
      } else if (mode == "mask") {
        material_.alpha_mode = scene::AlphaMode::kMask;
      } else if (mode == "blend") {
        material_.alpha_mode = scene::AlphaMode::kBlend;
      } else {
        return wrong_yaml(value, key, "opaque, mask or blend");
      }
      return {};
    }
    if (std::ranges::find(kSamplerKeys, key) != kSamplerKeys.end()) return sampler(value, key);
    unknown(key_node, key);
    return {};
  }

  // Applies to every texture of the material.
  Result<void> sampler(const Yaml& node, std::string_view key) {
    if (key == "mag_filter") return word(node, key, kFilters, "nearest or linear", sampler_.mag);
    if (key == "min_filter") return word(node, key, kFilters, "nearest or linear", sampler_.min);
    if (key == "mip_filter") return word(node, key, kMipFilters, "none, nearest or linear", sampler_.mip);
    constexpr std::string_view kExpected = "repeat, clamp or mirror, or a list of two of them";
    if (!node.is_list()) {
      ASSETC_CHECK(word(node, key, kWraps, kExpected, sampler_.wrap_u));
      sampler_.wrap_v = sampler_.wrap_u;
      return {};
    }
    const std::vector<Yaml> items = node.items();
    if (items.size() != 2) return wrong_yaml(node, key, kExpected);
    ASSETC_CHECK(word(items[0], key, kWraps, kExpected, sampler_.wrap_u));
    return word(items[1], key, kWraps, kExpected, sampler_.wrap_v);
  }

  template <class T, std::size_t N>
  static Result<void> word(const Yaml& node, std::string_view key, const std::array<Word<T>, N>& words,
                           std::string_view expected, T& out) {
    const std::string text = node.is_text() ? node.text() : "";
    const auto found = std::ranges::find(words, text, &Word<T>::word);
    if (found == words.end()) return wrong_yaml(node, key, expected);
    out = found->value;
    return {};
  }

  void unknown(const Yaml& node, const std::string& key) {
    std::vector<std::string_view> known{"name", "base_color", "emissive", "emissive_strength", "alpha_mode"};
    for (const auto& n : kNumbers) known.push_back(n.key);
    for (const auto& f : kFlags) known.push_back(f.key);
    for (const auto& t : kTextures) known.push_back(t.key);
    known.insert(known.end(), kSamplerKeys.begin(), kSamplerKeys.end());
    const std::string_view near = did_you_mean(key, known);
    out_.warnings.push_back({WarningKind::kUnknownKey,
                             ErrorCode::kUsage,
                             {},
                             node.place(),
                             "found the unknown key \"" + key.substr(0, 60) + "\"; it is ignored",
                             near.empty() ? "" : "did you mean " + std::string(near) + "?"});
  }

  Result<void> number(const Yaml& node, std::string_view key, float low, float high, std::string_view expected,
                      float& out) {
    const auto value = node.is_text() ? parse_float(node.text()) : std::nullopt;
    if (!value || *value < low || *value > high) return wrong_yaml(node, key, expected);
    out = *value;
    return {};
  }

  // Reads a list of 3 to `most` numbers.
  Result<void> color(const Yaml& node, std::string_view key, std::size_t most, float high, std::array<float, 4>& out) {
    const std::string expected = std::string("a list of 3") + (most == 4 ? " or 4" : "") + " linear values" +
                                 (high == 1 ? " from 0 to 1" : " of 0 or more");
    const std::vector<Yaml> items = node.items();
    if (items.size() < 3 || items.size() > most) return wrong_yaml(node, key, expected);
    for (std::size_t i = 0; i < items.size(); ++i) ASSETC_CHECK(number(items[i], key, 0, high, expected, out[i]));
    return {};
  }

  Result<void> texture(const Yaml& node, std::string_view key, TextureUse& use) {
    if (!node.is_text() || node.text().empty()) return wrong_yaml(node, key, "the path of a picture");
    auto path = is_asset_name(node.text()) ? Result<std::string>(std::string(kByAsset) + node.text())
                                           : resolve_path(path_, node.text(), root_);
    if (!path) return std::unexpected(std::move(path).error().at(node.place()));
    auto& images = out_.scene.images;
    const auto known = std::ranges::find(images, *path, &scene::ImageSource::path);
    use.image = static_cast<std::uint32_t>(known - images.begin());
    // The line is used as the name, so that messages about the picture point to it.
    if (known == images.end()) images.push_back({node.place(), std::move(*path), {}});
    return {};
  }

  std::string_view path_;
  std::string_view root_;
  Imported out_;
  Material material_;
  scene::Sampler sampler_;
  float emissive_strength_ = 1;
  std::vector<std::string> seen_;
};

}  // namespace

std::optional<std::string_view> asset_name(std::string_view image_path) {
  if (!image_path.starts_with(kByAsset)) return std::nullopt;
  return image_path.substr(kByAsset.size());
}

Result<Imported> import_material(std::string_view source_path, const Bytes& file, std::string_view root) {
  if (is_unity_material(as_text(file))) return import_unity_material(as_text(file));
  ASSETC_TRY(const Yaml node, parse_yaml(file, "material"));
  return MaterialFileReader(source_path, root).read(node);
}

}  // namespace assetc::importer
