#include "import/engines/beside.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.hpp"
#include "base/plural.hpp"
#include "base/text_file.hpp"
#include "filetypes/filetypes.hpp"
#include "formats/message.hpp"
#include "identity/meta.hpp"
#include "import/engines/unity_text.hpp"

namespace assetc::importer {
namespace {

// A value of the other engine and what it means here. A row without a value takes any number.
struct Meaning {
  std::string_view importer;  // "TextureImporter"; of Godot, "texture"
  std::string_view place;     // "mipmaps/sRGBTexture"
  std::string_view value;
  std::string_view key, means;  // of our setting; means: its value, empty: the number
};

// Before the place of a value in the list of platformSettings: of all platforms, or of the one that is built for, if it
// overrides them.
constexpr std::string_view kOfAllPlatforms = "all platforms/", kOfThisPlatform = "this platform/";

// Unity's names of platforms, and the names of presets and platforms for which they are meant.
struct UnityPlatform {
  std::string_view target, name;
};
constexpr UnityPlatform kUnityPlatforms[] = {
    {"Standalone", "windows"}, {"Standalone", "win64"}, {"Standalone", "win32"}, {"Standalone", "linux"},
    {"Standalone", "macos"},   {"Standalone", "mac"},   {"Standalone", "osx"},   {"Standalone", "desktop"},
    {"Android", "android"},    {"iPhone", "ios"},       {"iPhone", "iphone"},    {"WebGL", "web"},
    {"WebGL", "webgl"},
};

// Later rows win: a normal map is one even if sRGBTexture is 1, the size for all platforms is a platform's, too, and
// the platform's own size is the last.
constexpr std::array kUnityMeanings{
    Meaning{"TextureImporter", "mipmaps/sRGBTexture", "1", "texture.usage", "color"},
    Meaning{"TextureImporter", "mipmaps/sRGBTexture", "0", "texture.usage", "linear"},
    Meaning{"TextureImporter", "textureType", "1", "texture.usage", "normal"},
    Meaning{"TextureImporter", "bumpmap/flipGreenChannel", "1", "texture.normal_y", "directx"},
    Meaning{"TextureImporter", "mipmaps/enableMipMap", "0", "texture.mips", "false"},
    Meaning{"TextureImporter", "mipmaps/enableMipMap", "1", "texture.mips", "true"},
    Meaning{"TextureImporter", "alphaUsage", "0", "texture.channels", "rgb"},
    Meaning{"TextureImporter", "maxTextureSize", "", "texture.max_size", ""},
    Meaning{"TextureImporter", "all platforms/maxTextureSize", "", "texture.max_size", ""},
    Meaning{"TextureImporter", "all platforms/textureCompression", "0", "texture.compress", "false"},
    Meaning{"TextureImporter", "this platform/maxTextureSize", "", "texture.max_size", ""},
    Meaning{"TextureImporter", "this platform/textureCompression", "0", "texture.compress", "false"},
    Meaning{"TextureImporter", "this platform/textureCompression", "1", "texture.compress", "true"},
    Meaning{"TextureImporter", "this platform/textureCompression", "2", "texture.compress", "true"},
    Meaning{"ModelImporter", "meshes/globalScale", "", "mesh.scale", ""},
};

constexpr std::array kGodotMeanings{
    Meaning{"texture", "compress/normal_map", "1", "texture.usage", "normal"},
    Meaning{"texture", "process/normal_map_invert_y", "true", "texture.normal_y", "directx"},
    Meaning{"texture", "compress/mode", "0", "texture.compress", "false"},
    Meaning{"texture", "compress/mode", "3", "texture.compress", "false"},
    Meaning{"texture", "mipmaps/generate", "true", "texture.mips", "true"},
    Meaning{"texture", "mipmaps/generate", "false", "texture.mips", "false"},
    Meaning{"texture", "process/size_limit", "", "texture.max_size", ""},
    Meaning{"scene", "nodes/root_scale", "", "mesh.scale", ""},
    Meaning{"scene", "meshes/ensure_tangents", "false", "mesh.tangents", "false"},
    Meaning{"scene", "meshes/generate_lods", "false", "mesh.lods", "0"},
};

// Values that change the result in the other engine and not here.
struct Untaken {
  std::string_view importer, place, value, what, hint;
};
constexpr Untaken kUntaken[] = {
    {"TextureImporter", "bumpmap/convertToNormalMap", "1",
     "Unity makes a normal map of this height map; assetc does not", "store the normal map in the file"},
    {"TextureImporter", "alphaUsage", "2", "Unity makes alpha from the gray value of this picture; assetc does not",
     "set texture.channels: rgbr in a rule if the picture is gray, or store alpha in the file"},
    {"TextureImporter", "alphaIsTransparency", "1",
     "Unity spreads colors into transparent texels; assetc does so in mips only",
     "if edges have a fringe, spread the colors in the file"},
    {"texture", "process/premult_alpha", "true", "Godot multiplies colors by alpha; assetc does not",
     "multiply in the shader, or store multiplied colors in the file"},
    {"ModelImporter", "meshes/useFileScale", "0", "Unity ignores the unit of the file; assetc does not",
     "set mesh.scale in a rule if the size differs"},
};

struct BesideValue {
  std::string text;
  int line = 0;
};

bool is_beside_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// value_at(place): the value there, if there is one.
template <class ValueAt>
void translate_beside(std::span<const Meaning> table, std::string_view importer, std::string_view source,
                      const ValueAt& value_at, Beside& out) {
  const filetypes::Row* const row = filetypes::find_row(source);
  const bool is_light = row != nullptr && row->passes_white;
  for (const Meaning& meaning : table) {
    if (meaning.importer != importer) continue;
    // The color space of a picture of light is not a choice.
    if (is_light && meaning.key == "texture.usage") continue;
    const std::optional<BesideValue> value = value_at(meaning.place);
    if (!value || (meaning.value.empty() ? !is_beside_number(value->text) : value->text != meaning.value)) continue;
    const std::string_view means = meaning.means.empty() ? std::string_view(value->text) : meaning.means;
    out.settings.push_back({std::string(meaning.key), std::string(means), value->line});
  }
  const auto is_normal = [](const BesideSetting& s) { return s.key == "texture.usage" && s.value == "normal"; };
  if (std::ranges::any_of(out.settings, is_normal))
    std::erase_if(out.settings, [](const BesideSetting& s) { return s.key == "texture.channels"; });
  for (const Untaken& one : kUntaken) {
    const std::optional<BesideValue> value = one.importer == importer ? value_at(one.place) : std::nullopt;
    if (value && value->text == one.value)
      out.warnings.emplace_back(WarningKind::kEngineSetting, ErrorCode::kUnsupported, std::string(),
                                "line " + std::to_string(value->line), std::string(one.what), std::string(one.hint));
  }
}

// The items of externalObjects of a ModelImporter: the name in the model, and the GUID of the material.
std::vector<BesideMaterial> read_unity_materials(const UnityLines& lines) {
  std::vector<BesideMaterial> out;
  std::string name;
  bool is_material = false;
  // Items have their keys in this order.
  for (const UnityLine& line : lines) {
    if (is_at(lines, line, "ModelImporter/externalObjects/first/type")) {
      is_material = line.value == "UnityEngine:Material";
    } else if (is_at(lines, line, "ModelImporter/externalObjects/first/name")) {
      name = line.value;
    } else if (is_material && is_at(lines, line, "ModelImporter/externalObjects/second")) {
      if (const std::optional<Uuid> guid = parse_guid(flow_value(line.value, "guid")))
        out.push_back({name, *guid, line.line});
    }
  }
  return out;
}

// The list item of platformSettings for a target; 0: none.
std::uint32_t find_unity_target(const UnityLines& lines, std::string_view importer, std::string_view target) {
  const std::string targets = std::string(importer) + "/platformSettings/buildTarget";
  const auto at = std::ranges::find_if(
      lines, [&](const UnityLine& line) { return line.value == target && is_at(lines, line, targets); });
  return at == lines.end() ? 0 : at->item;
}

// The list item with the overrides for the platform that is built for; 0: there are none.
std::uint32_t find_unity_override(const UnityLines& lines, std::string_view importer, std::string_view platform) {
  const std::string name = ascii_lower(platform);
  const auto* const known = std::ranges::find(kUnityPlatforms, name, &UnityPlatform::name);
  if (known == std::end(kUnityPlatforms)) return 0;
  const std::uint32_t item = find_unity_target(lines, importer, known->target);
  const UnityLine* const overrides =
      item == 0 ? nullptr : find_unity_line(lines, std::string(importer) + "/platformSettings/overridden", item);
  return overrides != nullptr && overrides->value == "1" ? item : 0;
}

Result<Beside> read_unity_meta(std::string_view source, std::string_view text, std::string_view platform) {
  ASSETC_TRY(const UnityLines lines, unity_lines(text));
  Beside out;
  out.materials = read_unity_materials(lines);
  if (const UnityLine* const guid = find_unity_line(lines, "guid")) {
    out.guid = parse_guid(guid->value);
    if (!out.guid) {
      return fail_at(
          ErrorCode::kInvalidData, "line " + std::to_string(guid->line),
          "guid: found " + formats::quote(guid->value) + ", expected 32 hexadecimal digits that are not all zero",
          "restore the file from version control, or let Unity write it again");
    }
  }
  for (const std::string_view importer : {"TextureImporter", "ModelImporter"}) {
    if (find_unity_line(lines, importer) == nullptr) continue;
    const std::uint32_t of_all = find_unity_target(lines, importer, "DefaultTexturePlatform");
    const std::uint32_t of_this = find_unity_override(lines, importer, platform);
    const auto value_at = [&](std::string_view place) -> std::optional<BesideValue> {
      std::string path = std::string(importer) + "/";
      std::uint32_t item = 0;
      for (const auto& [prefix, of_platform] : {std::pair{kOfAllPlatforms, of_all}, {kOfThisPlatform, of_this}}) {
        if (!place.starts_with(prefix)) continue;
        if (of_platform == 0) return std::nullopt;
        item = of_platform;
        path += "platformSettings/";
        place.remove_prefix(prefix.size());
        break;
      }
      const UnityLine* const at = find_unity_line(lines, path.append(place), item);
      return at == nullptr ? std::nullopt : std::optional(BesideValue{std::string(at->value), at->line});
    };
    translate_beside(kUnityMeanings, importer, source, value_at, out);
  }
  return out;
}

// A .import is a list of sections with lines "key=value". A value may go on over lines until its brackets close.
Result<Beside> read_godot_import(std::string_view source, std::string_view text) {
  std::vector<std::pair<std::string_view, BesideValue>> params;
  std::string importer;
  std::string_view section;
  int depth = 0;
  bool is_in_text = false;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view words = trimmed(text.substr(0, end), " \t\r");
    text.remove_prefix(std::min(text.size(), end + 1));
    std::string_view rest = words;
    if (depth == 0 && !is_in_text) {
      if (words.empty() || words.starts_with(';')) continue;
      if (words.starts_with('[') && words.ends_with(']')) {
        section = words.substr(1, words.size() - 2);
        continue;
      }
      const std::size_t equals = words.find('=');
      if (equals == words.npos) {
        return fail_at(ErrorCode::kInvalidData, "line " + std::to_string(line),
                       "found a line that is neither [section] nor key=value",
                       "restore the file from version control, or let Godot write it again");
      }
      const std::string_view key = words.substr(0, equals);
      rest = words.substr(equals + 1);
      if (section == "remap" && key == "importer") importer = trimmed(rest, "\"");
      if (section == "params") params.emplace_back(key, BesideValue{std::string(rest), line});
    }
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (is_in_text && rest[i] == '\\') {
        ++i;
      } else if (rest[i] == '"') {
        is_in_text = !is_in_text;
      } else if (!is_in_text && (rest[i] == '{' || rest[i] == '[' || rest[i] == '(')) {
        ++depth;
      } else if (!is_in_text && depth > 0 && (rest[i] == '}' || rest[i] == ']' || rest[i] == ')')) {
        --depth;
      }
    }
  }
  const auto value_at = [&](std::string_view place) -> std::optional<BesideValue> {
    const auto at = std::ranges::find(params, place, [](const auto& param) { return param.first; });
    return at == params.end() ? std::nullopt : std::optional(at->second);
  };
  Beside out;
  translate_beside(kGodotMeanings, importer, source, value_at, out);
  return out;
}

}  // namespace

std::optional<Uuid> parse_guid(std::string_view text) {
  std::string hex = ascii_lower(text);
  if (hex.size() != 32) return std::nullopt;
  for (const std::size_t at : {20u, 16u, 12u, 8u}) hex.insert(at, "-");
  const std::optional<Uuid> guid = Uuid::parse(hex);
  return guid && !guid->is_nil() ? guid : std::nullopt;
}

std::string_view beside_suffix(OtherEngine engine) {
  return engine == OtherEngine::kGodot ? ".import" : identity::kMetaSuffix;
}

bool is_beside(OtherEngine engine, std::string_view text) {
  if (engine == OtherEngine::kUnity) return identity::is_unity_meta(text);
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  return engine == OtherEngine::kGodot && text.starts_with("[remap]");
}

Result<Beside> read_beside(OtherEngine engine, std::string_view source, std::string_view text,
                           std::string_view platform) {
  if (text.size() > kMaxBesideBytes) {
    return fail(ErrorCode::kLimit,
                "has " + counted(text.size(), "byte") + ", expected at most " + std::to_string(kMaxBesideBytes),
                "it is not a file of the engine, or holds data that belongs elsewhere");
  }
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  return engine == OtherEngine::kGodot ? read_godot_import(source, text) : read_unity_meta(source, text, platform);
}

}  // namespace assetc::importer
