#include "import/engines/unity_material.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/plural.hpp"
#include "import/engines/beside.hpp"
#include "import/engines/unity_text.hpp"

namespace assetc::importer {
namespace {

using scene::Material;
using scene::TextureUse;

constexpr std::string_view kUnityObject = "--- !u!21 ";
constexpr std::string_view kUnitySaved = "Material/m_SavedProperties/";

// Properties that name one picture, the best first: those of URP and HDRP, then that of the Standard shader.
struct UnitySlot {
  std::array<std::string_view, 3> properties;
  TextureUse Material::* use;
};
constexpr std::array kUnitySlots{
    UnitySlot{{"_BaseMap", "_BaseColorMap", "_MainTex"}, &Material::base_color_texture},
    UnitySlot{{"_BumpMap", "_NormalMap"}, &Material::normal_texture},
    UnitySlot{{"_OcclusionMap"}, &Material::occlusion_texture},
    UnitySlot{{"_EmissionMap", "_EmissiveColorMap"}, &Material::emissive_texture},
};

// Pictures with channels in an order that glTF does not have.
constexpr std::string_view kUnityPacked[] = {"_MetallicGlossMap", "_SpecGlossMap", "_MaskMap"};

class UnityMaterialReader {
 public:
  explicit UnityMaterialReader(UnityLines lines) : lines_(std::move(lines)) {}

  Imported read() {
    Material m;
    if (const UnityLine* const name = find_unity_line(lines_, "Material/m_Name")) m.name = name->value;
    for (const UnitySlot& slot : kUnitySlots) {
      for (const std::string_view property : slot.properties) {
        if (!property.empty() && (m.*slot.use).image == scene::kNone) picture(property, m.*slot.use);
      }
    }
    for (const std::string_view property : kUnityPacked) {
      const UnityLine* const line = texture(property);
      if (line == nullptr || guid_of(*line).empty()) continue;
      warn(*line,
           std::string(property) +
               " is not taken: its channels are metallic and smoothness, and a .hmat has roughness and metallic",
           "convert the picture, and write a .mat of assetc");
    }
    if (!color("_BaseColor", m.base_color)) color("_Color", m.base_color);
    m.metallic = clamped(number("_Metallic").value_or(0));
    m.roughness = 1 - clamped(number("_Smoothness").value_or(number("_Glossiness").value_or(0.5f)));
    m.normal_scale = number("_BumpScale").value_or(number("_NormalScale").value_or(1));
    m.occlusion_strength = clamped(number("_OcclusionStrength").value_or(1));
    m.alpha_cutoff = clamped(number("_AlphaCutoff").value_or(number("_Cutoff").value_or(0.5f)));
    const bool is_cut = number("_Mode") == 1.0f || number("_AlphaClip") == 1.0f || number("_AlphaCutoffEnable") == 1.0f;
    const bool is_blended =
        number("_Mode").value_or(0) >= 2 || number("_Surface") == 1.0f || number("_SurfaceType") == 1.0f;
    m.alpha_mode = is_blended ? scene::AlphaMode::kBlend : is_cut ? scene::AlphaMode::kMask : scene::AlphaMode::kOpaque;
    m.double_sided = number("_Cull") == 0.0f || number("_DoubleSidedEnable") == 1.0f;
    if (has_keyword("_EMISSION")) {
      scene::Vec4 emissive{0, 0, 0, 1};
      color("_EmissionColor", emissive);
      m.emissive = {emissive.x, emissive.y, emissive.z};
    } else {
      m.emissive_texture = {};
    }
    out_.scene.materials.push_back(std::move(m));
    return std::move(out_);
  }

 private:
  static float clamped(float value) { return std::clamp(value, 0.0f, 1.0f); }
  static std::optional<float> parsed(std::string_view text) {
    float value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
  }
  const UnityLine* property(std::string_view list, std::string_view name, std::string_view member = {}) const {
    std::string path(kUnitySaved);
    path.append(list).append("/").append(name).append(member);
    return find_unity_line(lines_, path);
  }
  const UnityLine* texture(std::string_view name) const { return property("m_TexEnvs", name, "/m_Texture"); }
  std::optional<float> number(std::string_view name) const {
    const UnityLine* const line = property("m_Floats", name);
    return line == nullptr ? std::nullopt : parsed(line->value);
  }
  // Unity stores colors as sRGB values.
  bool color(std::string_view name, scene::Vec4& out) const {
    const UnityLine* const line = property("m_Colors", name);
    if (line == nullptr) return false;
    std::array<float, 4> values{};
    constexpr std::string_view kChannels[] = {"r", "g", "b", "a"};
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto value = parsed(flow_value(line->value, kChannels[i]));
      if (!value) return false;
      values[i] = std::max(*value, 0.0f);
    }
    const auto linear = [](float c) {
      return c <= 0.04045f ? c / 12.92f : static_cast<float>(std::pow((c + 0.055) / 1.055, 2.4));
    };
    out = {linear(values[0]), linear(values[1]), linear(values[2]), clamped(values[3])};
    return true;
  }
  bool has_keyword(std::string_view word) const {
    return std::ranges::any_of(lines_, [&](const UnityLine& line) {
      return (is_at(lines_, line, "Material/m_ShaderKeywords") || is_at(lines_, line, "Material/m_ValidKeywords")) &&
             (" " + std::string(line.value) + " ").contains(" " + std::string(word) + " ");
    });
  }
  static std::string_view guid_of(const UnityLine& line) {
    const std::string_view guid = flow_value(line.value, "guid");
    return guid.find_first_not_of('0') == guid.npos ? std::string_view() : guid;
  }

  void picture(std::string_view name, TextureUse& use) {
    const UnityLine* const line = texture(name);
    const std::string_view guid = line == nullptr ? std::string_view() : guid_of(*line);
    if (guid.empty()) return;
    const std::optional<Uuid> uuid = parse_guid(guid);
    if (!uuid) return warn(*line, std::string(name) + " has a GUID that is not 32 hexadecimal digits", "correct it");
    std::string path = "asset:" + std::string(kUnityName) + uuid->to_string();
    auto& images = out_.scene.images;
    const auto known = std::ranges::find(images, path, &scene::ImageSource::path);
    use.image = static_cast<std::uint32_t>(known - images.begin());
    if (known == images.end()) images.push_back({"line " + std::to_string(line->line), std::move(path), {}});
    for (const auto& [member, usual] : {std::pair("/m_Scale", 1.0f), std::pair("/m_Offset", 0.0f)}) {
      const UnityLine* const at = property("m_TexEnvs", name, member);
      if (at == nullptr) continue;
      if (parsed(flow_value(at->value, "x")) != usual || parsed(flow_value(at->value, "y")) != usual)
        warn(*at, std::string(name) + " is tiled or moved, which a .hmat cannot hold",
             "change the texture coordinates");
    }
  }

  void warn(const UnityLine& line, std::string what, std::string hint) {
    out_.warnings.emplace_back(WarningKind::kEngineSetting, ErrorCode::kUnsupported, std::string(),
                               "line " + std::to_string(line.line), std::move(what), std::move(hint));
  }

  const UnityLines lines_;
  Imported out_;
};

}  // namespace

bool is_unity_material(std::string_view text) {
  return text.starts_with(kUnityObject) || text.contains("\n" + std::string(kUnityObject));
}

Result<Imported> import_unity_material(std::string_view text) {
  if (text.size() > kMaxBesideBytes) {
    return fail(ErrorCode::kLimit,
                "has " + counted(text.size(), "byte") + ", expected at most " + std::to_string(kMaxBesideBytes),
                "is this the right file?");
  }
  ASSETC_TRY(UnityLines lines, unity_lines(text));
  return UnityMaterialReader(std::move(lines)).read();
}

}  // namespace assetc::importer
