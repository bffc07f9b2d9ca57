#include "import/obj/mtl.hpp"

#include <algorithm>
#include <cmath>

#include "base/ascii.hpp"
#include "import/text/encoding.hpp"
#include "import/text/lines.hpp"

namespace assetc::importer {
namespace {

using scene::Material;
using scene::TextureUse;

struct Map {
  TextureUse use;
  float bump = 1;
  std::uint64_t line = 0;
};

// The statements of one newmtl block; unset if absent.
struct Block {
  std::string name;
  std::uint64_t line = 0;
  std::optional<scene::Vec3> diffuse, specular, emission;
  std::optional<float> shininess, roughness, metallic, opacity;
  std::optional<Map> diffuse_map, emission_map, normal_map, bump_map, roughness_map, metallic_map, opacity_map;
};

// Converts a Blinn-Phong exponent to roughness. The microfacet alpha of the same highlight is sqrt(2 / (Ns + 2)), and
// roughness is its square root. Source: B. Walter et al., Microfacet Models for Refraction, 2007.
float roughness_of(float shininess) { return std::sqrt(std::sqrt(2.0f / (std::max(shininess, 0.0f) + 2.0f))); }

class MtlReader {
 public:
  MtlReader(std::string_view path, Imported& out) : path_(path), out_(out) {}

  void read(std::string_view text) {
    Lines lines(text);
    while (const auto line = lines.next()) {
      line_ = lines.number();
      Words words(*line);
      const std::string key = ascii_lower(words.next());
      if (key == "newmtl") {
        finish();
        block_ = Block{};
        block_->name = words.rest();
        block_->line = line_;
      } else if (!block_) {
        warn(WarningKind::kUnknownStatement, "found \"" + key + "\" before the first newmtl; it is ignored");
      } else {
        statement(key, words);
      }
    }
    finish();
  }

 private:
  void warn(WarningKind kind, std::string what, std::string hint = {}) {
    out_.warnings.push_back(
        {kind, ErrorCode::kInvalidData, path_, line_place(line_), std::move(what), std::move(hint)});
  }

  std::optional<float> number(Words& words) {
    const std::string_view word = words.next();
    const auto value = parse_float(word);
    if (!value)
      warn(WarningKind::kUnknownStatement,
           "found \"" + std::string(word) + "\", expected a finite number; the statement is ignored");
    return value;
  }

  std::optional<scene::Vec3> color(Words& words) {
    const auto first = ascii_lower(words.peek());
    if (first == "spectral" || first == "xyz") {
      warn(WarningKind::kUnknownStatement,
           "found a color given as \"" + first + "\", expected red, green and blue; it is ignored");
      return std::nullopt;
    }
    const auto r = number(words);
    if (!r) return std::nullopt;
    if (words.empty()) return scene::Vec3{*r, *r, *r};
    const auto g = number(words);
    const auto b = g ? number(words) : std::nullopt;
    if (!b) return std::nullopt;
    return scene::Vec3{*r, *g, *b};
  }

  // Reads one or more numbers after -o, -s, -t. Missing numbers get the fallback; the third is ignored.
  scene::Vec2 vector_option(Words& words, float fallback) {
    scene::Vec2 v{fallback, fallback};
    for (int i = 0; i < 3; ++i) {
      const auto value = parse_float(words.peek());
      if (!value) break;
      words.next();
      if (i == 0) v.x = *value;
      if (i == 1) v.y = *value;
    }
    return v;
  }

  std::optional<Map> map(Words& words, std::string_view key) {
    Map m;
    m.line = line_;
    bool clamp = false;
    while (words.peek().starts_with('-') && words.peek().size() > 1) {
      const std::string option = ascii_lower(words.peek());
      if (option == "-blendu" || option == "-blendv" || option == "-cc" || option == "-clamp" || option == "-imfchan" ||
          option == "-texres" || option == "-boost" || option == "-type" || option == "-bm" ||
          option == "-colorspace") {
        words.next();
        const std::string_view value = words.next();
        if (option == "-clamp") clamp = value == "on";
        if (option == "-bm") m.bump = parse_float(value).value_or(1);
      } else if (option == "-mm") {
        words.next(), words.next(), words.next();
        out_dropped("MTL map options -mm", key);
      } else if (option == "-o" || option == "-s" || option == "-t") {
        words.next();
        const scene::Vec2 v = vector_option(words, option == "-s" ? 1.0f : 0.0f);
        if (option == "-s") m.use.transform.scale = v;
        if (option == "-o") m.use.transform.offset = v;
      } else {
        break;  // a file name may start with '-'
      }
    }
    const std::string_view name = words.rest();
    if (name.empty()) {
      warn(WarningKind::kUnknownStatement, "found " + std::string(key) + " without a file; it is ignored");
      return std::nullopt;
    }
    auto path = resolve_path(path_, name);
    if (!path) {
      // This is a path on the exporter's machine. A shipped picture is usually beside the library.
      const std::string reason = path.error().what;
      path = resolve_path(path_, name.substr(std::min(name.find_last_of("/\\") + 1, name.size())));
      if (!path) {
        warn(WarningKind::kMissingPicture, reason + "; the texture is left out", path.error().hint);
        return std::nullopt;
      }
      warn(WarningKind::kMovedPicture, reason + "; a file of that name is looked for instead",
           "write the path relative to this file");
    }
    // MTL's v points up from the bottom, the scene's v points down from the top. (u, 1 - v) turns s * v + o into s * v
    // + 1 - s - o.
    auto& t = m.use.transform;
    if (!(t == scene::TexcoordTransform{})) t.offset.y = 1 - t.scale.y - t.offset.y;
    if (clamp) m.use.sampler.wrap_u = m.use.sampler.wrap_v = scene::Wrap::kClamp;
    m.use.image = image(*path);
    return m;
  }

  std::uint32_t image(const std::string& path) {
    auto& images = out_.scene.images;
    const auto known = std::ranges::find(images, path, &scene::ImageSource::path);
    if (known != images.end()) return static_cast<std::uint32_t>(known - images.begin());
    images.push_back({std::string(file_name(path)), path, {}});
    return static_cast<std::uint32_t>(images.size() - 1);
  }

  void out_dropped(std::string_view what, std::string_view key) {
    add_dropped(out_.scene.dropped, what,
                std::string(file_name(path_)) + " " + line_place(line_) + ", " + std::string(key));
  }

  void statement(const std::string& key, Words& words) {
    Block& b = *block_;
    if (key == "kd") {
      b.diffuse = color(words);
    } else if (key == "ks") {
      b.specular = color(words);
    } else if (key == "ke") {
      b.emission = color(words);
    } else if (key == "ns") {
      b.shininess = number(words);
    } else if (key == "pr") {
      b.roughness = number(words);
    } else if (key == "pm") {
      b.metallic = number(words);
    } else if (key == "d") {
      if (words.peek() == "-halo") words.next();
      b.opacity = number(words);
    } else if (key == "tr") {
      // Exporters write both d and Tr. If they disagree, d counts.
      const auto transparency = number(words);
      if (transparency && !b.opacity) b.opacity = 1 - *transparency;
    } else if (key == "map_kd") {
      b.diffuse_map = map(words, key);
    } else if (key == "map_ke" || key == "map_emissive") {
      b.emission_map = map(words, key);
    } else if (key == "norm" || key == "map_kn") {
      b.normal_map = map(words, key);
    } else if (key == "map_bump" || key == "bump") {
      b.bump_map = map(words, key);
    } else if (key == "map_pr") {
      b.roughness_map = map(words, key);
    } else if (key == "map_pm") {
      b.metallic_map = map(words, key);
    } else if (key == "map_d" || key == "map_opacity") {
      b.opacity_map = map(words, key);
    } else if (key == "ka" || key == "ni" || key == "illum" || key == "tf" || key == "sharpness") {
      // These belong to lighting models that PBR replaces.
    } else if (key.starts_with("map_") || key == "disp" || key == "decal" || key == "refl" || key == "aniso" ||
               key == "anisor" || key == "ps" || key == "pc" || key == "pcr") {
      out_dropped("MTL statements " + key, key);
    } else {
      warn(WarningKind::kUnknownStatement, "found the unknown statement \"" + key + "\"; it is ignored");
    }
  }

  void finish() {
    if (!block_) return;
    const Block b = std::move(*block_);
    block_.reset();
    line_ = b.line;
    if (std::ranges::find(out_.scene.materials, b.name, &Material::name) != out_.scene.materials.end()) {
      warn(WarningKind::kRepeatedMaterial, "found a second material \"" + b.name + "\"; the first counts");
      return;
    }
    Material m;
    m.name = b.name;
    m.metallic = b.metallic.value_or(0.0f);
    const bool shiny = !b.specular || b.specular->x > 0 || b.specular->y > 0 || b.specular->z > 0;
    m.roughness = b.roughness ? *b.roughness : b.shininess && shiny ? roughness_of(*b.shininess) : 1.0f;
    scene::Vec3 diffuse = b.diffuse.value_or(b.diffuse_map ? scene::Vec3{1, 1, 1} : scene::Vec3{0.8f, 0.8f, 0.8f});
    // Exporters write black for a texture that should be used unchanged.
    if (b.diffuse_map && diffuse == scene::Vec3{}) diffuse = {1, 1, 1};
    m.base_color = {diffuse.x, diffuse.y, diffuse.z, std::clamp(b.opacity.value_or(1.0f), 0.0f, 1.0f)};
    if (m.base_color.w < 1) m.alpha_mode = scene::AlphaMode::kBlend;
    m.emissive = b.emission.value_or(b.emission_map ? scene::Vec3{1, 1, 1} : scene::Vec3{});
    if (b.diffuse_map) m.base_color_texture = b.diffuse_map->use;
    if (b.emission_map) m.emissive_texture = b.emission_map->use;
    if (const auto& normal = b.normal_map ? b.normal_map : b.bump_map) {
      m.normal_texture = normal->use;
      m.normal_scale = normal->bump;
    }
    if (b.opacity_map) {
      if (b.diffuse_map && b.opacity_map->use.image == b.diffuse_map->use.image) {
        if (m.alpha_mode == scene::AlphaMode::kOpaque) m.alpha_mode = scene::AlphaMode::kBlend;
      } else {
        line_ = b.opacity_map->line;
        out_dropped("opacity maps that are not their material's color map", "map_d");
      }
    }
    pack_metallic_roughness(b, m);
    out_.scene.materials.push_back(std::move(m));
  }

  // One texture holds both: roughness in green, metallic in blue. If nothing is metal, a gray roughness map also works.
  void pack_metallic_roughness(const Block& b, Material& m) {
    const bool packed = b.roughness_map && b.metallic_map && b.roughness_map->use.image == b.metallic_map->use.image;
    if (packed) {
      m.metallic_roughness_texture = b.roughness_map->use;
      m.metallic = b.metallic.value_or(1.0f);
      m.roughness = b.roughness.value_or(1.0f);
      return;
    }
    if (b.roughness_map) {
      if (m.metallic == 0 && !b.metallic_map) {
        m.metallic_roughness_texture = b.roughness_map->use;
        m.roughness = b.roughness.value_or(1.0f);
      } else {
        line_ = b.roughness_map->line;
        out_dropped("roughness maps beside separate metalness", "map_Pr");
      }
    }
    if (b.metallic_map) {
      line_ = b.metallic_map->line;
      out_dropped("metalness maps unlike their material's roughness map", "map_Pm");
    }
  }

  std::string path_;
  Imported& out_;
  std::uint64_t line_ = 0;
  std::optional<Block> block_;
};

}  // namespace

void warn_of_latin1(std::string_view path, Imported& imported) {
  imported.warnings.push_back(
      {WarningKind::kTextEncoding,
       ErrorCode::kInvalidData,
       std::string(path),
       {},
       "the text is not UTF-8 and was read as Latin-1; names and paths in another encoding come out wrong",
       "save it as UTF-8"});
}

void read_mtl(std::string_view mtl_path, std::string_view bytes, Imported& imported) {
  std::string storage;
  const auto [text, encoding] = read_text(bytes, storage);
  if (encoding == TextEncoding::kLatin1) warn_of_latin1(mtl_path, imported);
  MtlReader(mtl_path, imported).read(text);
}

}  // namespace assetc::importer
