#include "recipes/settings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/ascii.hpp"
#include "formats/text.hpp"

namespace assetc::recipes {
namespace {

Result<void> refuse(std::string_view key, std::string_view found, std::string_view values) {
  return fail(ErrorCode::kUsage,
              std::string(key) + ": found \"" + std::string(found) + "\", expected " + std::string(values));
}

template <class T>
struct EnumValue {
  std::string_view name;
  T value;
};

// Specialized for each enum of Settings: the names that the configuration uses.
template <class T>
struct EnumNames;
template <>
struct EnumNames<codec::Effort> {
  static constexpr std::array values{EnumValue{"fast", codec::Effort::kFast},
                                     EnumValue{"normal", codec::Effort::kNormal},
                                     EnumValue{"best", codec::Effort::kBest}};
};
template <>
struct EnumNames<codec::Metric> {
  static constexpr std::array values{EnumValue{"rgb", codec::Metric::kColor},
                                     EnumValue{"perceptual", codec::Metric::kColorPerceptual}};
};

template <>
struct EnumNames<TextureUsage> {
  static constexpr auto values = scene::kSettingUsages;
};

template <>
struct EnumNames<NormalY> {
  static constexpr std::array values{EnumValue{"auto", NormalY::kAuto}, EnumValue{"opengl", NormalY::kOpenGl},
                                     EnumValue{"directx", NormalY::kDirectX}};
};

template <>
struct EnumNames<texture::Filter> {
  static constexpr std::array values{EnumValue{"kaiser", texture::Filter::kKaiser},
                                     EnumValue{"box", texture::Filter::kBox},
                                     EnumValue{"lanczos", texture::Filter::kLanczos}};
};
template <>
struct EnumNames<texture::Wrap> {
  static constexpr std::array values{EnumValue{"repeat", texture::Wrap::kRepeat},
                                     EnumValue{"clamp", texture::Wrap::kClamp}};
};
template <>
struct EnumNames<shader::Target> {
  static constexpr std::array values{
      EnumValue{"vulkan1.0", shader::Target::kVulkan10}, EnumValue{"vulkan1.1", shader::Target::kVulkan11},
      EnumValue{"vulkan1.2", shader::Target::kVulkan12}, EnumValue{"vulkan1.3", shader::Target::kVulkan13}};
};

template <>
struct EnumNames<shader::HlslCompiler> {
  static constexpr std::array values{EnumValue{"auto", shader::HlslCompiler::kAuto},
                                     EnumValue{"dxc", shader::HlslCompiler::kDxc},
                                     EnumValue{"glslang", shader::HlslCompiler::kGlslang}};
};

template <>
struct EnumNames<audio::Codec> {
  static constexpr std::array values{EnumValue{"auto", audio::Codec::kAuto}, EnumValue{"pcm", audio::Codec::kPcm},
                                     EnumValue{"vorbis", audio::Codec::kVorbis}};
};

template <>
struct EnumNames<MeshFormat> {
  static constexpr std::array values{EnumValue{"hmesh", MeshFormat::kHmesh},
                                     EnumValue{"hmesh-v1", MeshFormat::kHmeshV1},
                                     EnumValue{"galileo", MeshFormat::kGalileo}};
};

template <>
struct EnumNames<MeshLod> {
  static constexpr std::array values{EnumValue{"levels", MeshLod::kLevels}, EnumValue{"cluster", MeshLod::kCluster},
                                     EnumValue{"auto", MeshLod::kAuto}};
};

template <>
struct EnumNames<MeshCompression> {
  static constexpr std::array values{EnumValue{"none", MeshCompression::kNone},
                                     EnumValue{"meshopt", MeshCompression::kMeshopt},
                                     EnumValue{"meshopt-zstd", MeshCompression::kMeshoptZstd}};
};

template <>
struct EnumNames<ClipFormat> {
  static constexpr std::array values{EnumValue{"auto", ClipFormat::kAuto}, EnumValue{"hanim-v1", ClipFormat::kHanimV1},
                                     EnumValue{"hanim", ClipFormat::kHanim}};
};

template <>
struct EnumNames<SplineFormat> {
  static constexpr std::array values{EnumValue{"sampled", SplineFormat::kSampled},
                                     EnumValue{"exact", SplineFormat::kExact}};
};

template <>
struct EnumNames<TextureShare> {
  static constexpr std::array values{EnumValue{"content", TextureShare::kContent},
                                     EnumValue{"source", TextureShare::kSource}};
};

template <>
struct EnumNames<SceneMode> {
  static constexpr std::array values{EnumValue{"auto", SceneMode::kAuto}, EnumValue{"true", SceneMode::kAlways},
                                     EnumValue{"false", SceneMode::kNever}};
};

template <>
struct EnumNames<FrameFormat> {
  static constexpr std::array values{EnumValue{"octahedral", FrameFormat::kOctahedral},
                                     EnumValue{"float", FrameFormat::kFloat}};
};

template <>
struct EnumNames<texture::TargetFormat> {
  using T = texture::TargetFormat;
  static constexpr std::array values{
      EnumValue{"auto", T::kAuto},       EnumValue{"uastc", T::kUastc},     EnumValue{"etc1s", T::kEtc1s},
      EnumValue{"bc7", T::kBc7},         EnumValue{"bc6h", T::kBc6h},       EnumValue{"bc5", T::kBc5},
      EnumValue{"bc4", T::kBc4},         EnumValue{"bc3", T::kBc3},         EnumValue{"bc1", T::kBc1},
      EnumValue{"astc4x4", T::kAstc4x4}, EnumValue{"astc6x6", T::kAstc6x6}, EnumValue{"astc8x8", T::kAstc8x8},
      EnumValue{"etc2", T::kEtc2},       EnumValue{"rgba8", T::kRgba8},     EnumValue{"rgba16f", T::kRgba16f}};
};

bool parse(std::string_view text, TextureChannels& out) {
  TextureChannels channels;
  if (text == "auto") return out = channels, true;
  if (text.empty() || text.size() > channels.letters.size()) return false;
  for (const char c : text) {
    if (std::string_view("rgba01").find(c) == std::string_view::npos) return false;
    channels.letters[channels.count++] = c;
  }
  return out = channels, true;
}
std::string print(const TextureChannels& channels) {
  return channels.count == 0 ? "auto" : std::string(channels.letters.data(), channels.count);
}

bool parse(std::string_view text, LayerName& out) {
  constexpr std::size_t kLongest = 255;  // of a name in an EXR
  const auto shown = [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != 0x7F; };
  if (text.empty() || text.size() > kLongest || !std::ranges::all_of(text, shown)) return false;
  return out.text = text == "auto" ? std::string() : std::string(text), true;
}
std::string print(const LayerName& layer) { return layer.text.empty() ? "auto" : layer.text; }

constexpr std::array<std::pair<std::string_view, AttributeSelection::Mode>, 3> kSelections{
    {{"auto", AttributeSelection::Mode::kAuto},
     {"all", AttributeSelection::Mode::kAll},
     {"none", AttributeSelection::Mode::kNone}}};

bool is_attribute_name(std::string_view name) {
  constexpr std::size_t kLongest = 256;
  const auto plain = [](char c) { return static_cast<unsigned char>(c) > ' ' && c != ',' && c != 0x7F; };
  if (name.empty() || name.size() > kLongest || !std::ranges::all_of(name, plain)) return false;
  if (name.front() == '_') return name.size() > 1;
  for (std::string_view prefix : {"TEXCOORD_", "COLOR_", "JOINTS_"}) {
    if (name.size() == prefix.size() + 1 && name.starts_with(prefix)) return name.back() >= '0' && name.back() <= '7';
  }
  return false;
}

bool parse(std::string_view text, AttributeSelection& out) {
  for (const auto& [name, mode] : kSelections) {
    if (text == name) return out = {mode, {}}, true;
  }
  AttributeSelection listed{AttributeSelection::Mode::kListed, {}};
  while (true) {
    const std::size_t comma = text.find(',');
    std::string_view name = text.substr(0, comma);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (!is_attribute_name(name)) return false;
    listed.names.emplace_back(name);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return out = std::move(listed), true;
}
std::string print(const AttributeSelection& selection) {
  for (const auto& [name, mode] : kSelections) {
    if (selection.mode == mode) return std::string(name);
  }
  std::string text;
  for (const std::string& name : selection.names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

bool parse(std::string_view text, SearchFolders& out) {
  SearchFolders listed;
  for (std::string_view rest = text; text != "all";) {
    const std::size_t comma = rest.find(',');
    std::string_view folder = trimmed(rest.substr(0, comma));
    if (folder.ends_with('/')) folder.remove_suffix(1);
    if (!formats::path_fault(folder).empty()) return false;
    listed.folders.emplace_back(folder);
    if (comma == rest.npos) break;
    rest.remove_prefix(comma + 1);
  }
  return out = std::move(listed), true;
}
std::string print(const SearchFolders& search) {
  std::string text;
  for (const std::string& folder : search.folders) text.append(text.empty() ? "" : ", ").append(folder);
  return text.empty() ? "all" : text;
}

// "b0 s16 t32 u160": each letter once, in any order.
bool parse(std::string_view text, shader::Registers& out) {
  shader::Registers registers;
  std::string seen;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) break;
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    std::uint32_t first = 0;
    const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), first);
    if (error != std::errc() || end != word.data() + word.size() || first > shader::kMaxFirstRegister) return false;
    if (seen.find(word.front()) != std::string::npos) return false;
    seen += word.front();
    switch (word.front()) {
      case 'b':
        registers.b = first;
        break;
      case 's':
        registers.s = first;
        break;
      case 't':
        registers.t = first;
        break;
      case 'u':
        registers.u = first;
        break;
      default:
        return false;
    }
  }
  if (seen.size() != 4) return false;
  return out = registers, true;
}
std::string print(const shader::Registers& registers) {
  const auto one = [](const char* kind, std::uint32_t first) { return kind + std::to_string(first); };
  return one("b", registers.b) + one(" s", registers.s) + one(" t", registers.t) + one(" u", registers.u);
}

template <class T>
bool parse(std::string_view text, T& out) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text != "true" && text != "false") return false;
    out = text == "true";
    return true;
  } else if constexpr (std::is_enum_v<T>) {
    for (const auto& v : EnumNames<T>::values) {
      if (v.name == text) return out = v.value, true;
    }
    return false;
  } else {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size();
  }
}

template <class T>
std::string print(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    for (const auto& v : EnumNames<T>::values) {
      if (v.value == value) return std::string(v.name);
    }
    return {};
  } else {
    char buffer[32];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
  }
}

template <std::size_t N>
struct FixedString {
  char text[N]{};
  constexpr FixedString(const char (&s)[N]) { std::copy_n(s, N, text); }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

template <auto Group, auto Member, FixedString Key, FixedString Values, double Low = 0.0,
          double High = std::numeric_limits<double>::max()>
constexpr SettingField field(std::string_view doc) {
  return {Key.view(),
          Values.view(),
          doc,
          [](const Settings& s) { return print(s.*Group.*Member); },
          [](Settings& s, std::string_view text) -> Result<void> {
            std::remove_cvref_t<decltype(s.*Group.*Member)> value{};
            bool good = parse(text, value);
            if constexpr (std::is_arithmetic_v<decltype(value)> && !std::is_same_v<decltype(value), bool>) {
              good = good && static_cast<double>(value) >= Low && static_cast<double>(value) <= High;
            }
            if (!good) return refuse(Key.view(), text, Values.view());
            s.*Group.*Member = value;
            return {};
          },
          false};
}

// 0, or a power of two from Low to High.
template <auto Member, std::uint32_t Low, std::uint32_t High, FixedString Key, FixedString Values>
constexpr SettingField size_field(std::string_view doc) {
  return {Key.view(),
          Values.view(),
          doc,
          [](const Settings& s) { return print(s.environment.*Member); },
          [](Settings& s, std::string_view text) -> Result<void> {
            std::uint32_t value = 0;
            if (!parse(text, value) || (value != 0 && (value < Low || value > High || !std::has_single_bit(value))))
              return refuse(Key.view(), text, Values.view());
            s.environment.*Member = value;
            return {};
          },
          false};
}

bool is_uncompressed(texture::TargetFormat format) {
  return format == texture::TargetFormat::kRgba8 || format == texture::TargetFormat::kRgba16f;
}

constexpr SettingField list(SettingField field) {
  field.is_list = true;
  return field;
}

constexpr SettingField of_planning(SettingField field) {
  field.is_of_planning = true;
  return field;
}

// A shorthand with a value that no other field contains.
constexpr SettingField only_here(std::string_view value, SettingField field) {
  field.only_here = value;
  return field;
}

// texture.compress tells whether texture.format is a block format, and whether all pictures get it. Setting it changes
// texture.format only if the two disagree.
constexpr SettingField kCompressField =
    only_here("auto", {"texture.compress", "auto, true or false",
                       "Block compression: true: of all pictures; false: none, short for texture.format: rgba8; auto: "
                       "of photographs, while "
                       "pixel art and other graphics keep their texels.",
                       [](const Settings& s) {
                         if (is_uncompressed(s.texture.format)) return std::string("false");
                         return std::string(s.texture.keeps_graphics ? "auto" : "true");
                       },
                       [](Settings& s, std::string_view text) -> Result<void> {
                         bool compress = true;
                         const bool is_auto = text == "auto";
                         if (!is_auto && !parse(text, compress))
                           return refuse("texture.compress", text, "auto, true or false");
                         s.texture.keeps_graphics = is_auto;
                         if (compress == is_uncompressed(s.texture.format))
                           s.texture.format = compress ? texture::TargetFormat::kUastc : texture::TargetFormat::kRgba8;
                         return {};
                       },
                       true});

// mesh.quantize tells whether any attribute is rounded. true: sets each number of bits that is 0 to its default; false:
// sets all to 0.
constexpr SettingField kQuantizeField{"mesh.quantize",
                                      "true or false",
                                      "Round positions to 14 bits, texture coordinates to 12, and normals, tangents, "
                                      "colors and weights to 8, unless the next settings say otherwise.",
                                      [](const Settings& s) { return print(s.mesh.rounds()); },
                                      [](Settings& s, std::string_view text) -> Result<void> {
                                        bool on = false;
                                        if (!parse(text, on)) return refuse("mesh.quantize", text, "true or false");
                                        MeshSettings& m = s.mesh;
                                        const auto choose = [on](std::uint32_t& bits, std::uint32_t usual) {
                                          bits = !on ? 0 : bits == 0 ? usual : bits;
                                        };
                                        choose(m.position_bits, 14);
                                        choose(m.texcoord_bits, 12);
                                        choose(m.normal_bits, 8);
                                        choose(m.color_bits, 8);
                                        choose(m.weight_bits, 8);
                                        return {};
                                      },
                                      true};

// 0, or a number of bits from Low to High.
template <auto Member, std::uint32_t Low, std::uint32_t High, FixedString Key, FixedString Values>
constexpr SettingField bits_field(std::string_view doc) {
  return {Key.view(),
          Values.view(),
          doc,
          [](const Settings& s) { return print(s.mesh.*Member); },
          [](Settings& s, std::string_view text) -> Result<void> {
            std::uint32_t value = 0;
            if (!parse(text, value) || (value != 0 && (value < Low || value > High)))
              return refuse(Key.view(), text, Values.view());
            s.mesh.*Member = value;
            return {};
          },
          false};
}

constexpr auto kTexture = &Settings::texture;
constexpr auto kEnvironment = &Settings::environment;
constexpr auto kMesh = &Settings::mesh;
constexpr auto kAnimation = &Settings::animation;
constexpr auto kAas1 = &Settings::aas1;
constexpr auto kShader = &Settings::shader;
constexpr auto kAudio = &Settings::audio;
constexpr auto kFont = &Settings::font;

constexpr std::array kFields{
    of_planning(field<kTexture, &TextureSettings::usage, "texture.usage",
                      "auto, color, linear, normal, gray, orm, hdr or lut">(
        "How a picture's texels are used, unless a model's slot decides; auto: from the end of the picture's name.")),
    kCompressField,
    field<kTexture, &TextureSettings::format, "texture.format",
          "auto, uastc, etc1s, bc7, bc6h, bc5, bc4, bc3, bc1, astc4x4, astc6x6, astc8x8, etc2, rgba8 or rgba16f">(
        "How texels are stored; auto: BC5 for normal maps, BC4 for one channel, BC6H for HDR, otherwise BC7."),
    field<kTexture, &TextureSettings::channels, "texture.channels", "auto or 1 to 4 of r, g, b, a, 0 and 1">(
        "Content of the texture's channels, e.g. rgb, rg, a, rrr1 or bgra; auto: the channels that the picture's use "
        "needs."),
    field<kTexture, &TextureSettings::layer, "texture.layer", "auto or the name of a layer or part">(
        "The layer or part of an EXR to read; auto: the one without a name, or the only one."),
    field<kTexture, &TextureSettings::normal_y, "texture.normal_y", "auto, opengl or directx">(
        "Where Y of a normal map points: up (opengl) or down (directx), which is turned up; auto: from its name."),
    field<kTexture, &TextureSettings::quality, "texture.quality", "fast, normal or best">(
        "Encoder effort: better quality takes more time."),
    field<kTexture, &TextureSettings::metric, "texture.metric", "rgb or perceptual">(
        "How color errors are weighted: all channels equally, or by their effect on luma."),
    field<kTexture, &TextureSettings::mips, "texture.mips", "true or false">("Write the full mip chain."),
    field<kTexture, &TextureSettings::mip_filter, "texture.mip_filter", "kaiser, box or lanczos">(
        "The filter that makes each mip level."),
    field<kTexture, &TextureSettings::wrap, "texture.wrap", "repeat or clamp">(
        "How the mip filter reads beyond an edge; use the wrap mode of the sampler."),
    field<kTexture, &TextureSettings::max_size_texels, "texture.max_size", "0 (no limit) or 1 to 32768 texels", 0.0,
          32768.0>("Scale the image down until neither side is longer than this."),
    field<kTexture, &TextureSettings::zstd_level, "texture.zstd", "0 (off) or a level from 1 to 22", 0.0, 22.0>(
        "Zstd supercompression of block-compressed levels."),
    field<kTexture, &TextureSettings::rdo, "texture.rdo", "0 (off) to 100", 0.0, 100.0>(
        "Reduce the quality of UASTC, ETC2 and BC (not BC6H) for a smaller size after Zstd, which this turns on: 5 is "
        "light, 20 medium, 100 heavy."),
    field<kTexture, &TextureSettings::etc1s_quality, "texture.etc1s_quality", "1 to 255", 1.0, 255.0>(
        "Quality and size of ETC1S: 64 is small, 128 usual, 255 close to the best that the format holds."),
    of_planning(field<kTexture, &TextureSettings::share, "texture.share", "content or source">(
        "Names of the textures of models in builds: content: models with the same picture share one texture; source: "
        "each model has its own.")),
    of_planning(field<kTexture, &TextureSettings::standalone, "texture.standalone", "true or false">(
        "Compile a picture on its own even if models use it.")),
    size_field<&EnvironmentSettings::size_texels, 16, 8192, "environment.size",
               "0 (from the picture) or a power of two from 16 to 8192 texels">(
        "Face size of the cubemap made from a panorama; six faces are scaled down to it, never up."),
    size_field<&EnvironmentSettings::specular_size_texels, 16, 2048, "environment.specular_size",
               "0 (none) or a power of two from 16 to 2048 texels">(
        "Face size of the prefiltered cubemap for reflections; a small picture gives a smaller one."),
    size_field<&EnvironmentSettings::irradiance_size_texels, 4, 128, "environment.irradiance_size",
               "0 (none) or a power of two from 4 to 128 texels">("Face size of the cubemap of diffuse light."),
    field<kEnvironment, &EnvironmentSettings::samples, "environment.samples", "16 to 65536", 16.0, 65536.0>(
        "Number of samples of each texel's reflection lobe."),
    field<kMesh, &MeshSettings::container, "mesh.container", "hmesh, hmesh-v1 or galileo">(
        "File format of geometry: .hmesh version 2 or 1, or Galileo (.gali)."),
    field<kMesh, &MeshSettings::scene, "mesh.scene", "auto, true or false">(
        "Write a .hscene with the node tree and everything at its nodes; auto: beside the mesh, if the mesh alone "
        "would "
        "lose something; true: instead of it."),
    field<kMesh, &MeshSettings::scale, "mesh.scale", "0.0001 to 10000", 0.0001, 10000.0>(
        "Multiply the size of a model: its positions, its skeleton and its clips."),
    field<kMesh, &MeshSettings::merge, "mesh.merge", "true or false">(
        "Bake glTF node transforms into one world-space mesh; false: keep geometry in the source's local space."),
    field<kMesh, &MeshSettings::names, "mesh.names", "true or false">(
        "Keep the names of submeshes, materials, joints and nodes in a NAME chunk."),
    field<kMesh, &MeshSettings::tangents, "mesh.tangents", "true or false">(
        "Generate MikkTSpace tangents if the source has none."),
    field<kMesh, &MeshSettings::lod, "mesh.lod", "levels, cluster or auto">(
        "Whole levels of detail, or clusters that change from place to place (.hcluster); auto: clusters from "
        "mesh.cluster_triangles on; meshes with material variants keep levels."),
    field<kMesh, &MeshSettings::cluster_triangles, "mesh.cluster_triangles", "1 to 1000000000 triangles", 1.0, 1e9>(
        "Number of triangles from which mesh.lod: auto makes clusters."),
    field<kMesh, &MeshSettings::keep_area, "mesh.keep_area", "true or false">(
        "In clusters of meshes that are mostly small open pieces, such as leaves, let coarse levels have fewer and "
        "larger pieces; false: pieces become smaller and vanish."),
    field<kMesh, &MeshSettings::lods, "mesh.lods", "0 to 8 levels", 0.0, 8.0>(
        "Number of reduced levels of detail below the full mesh; of .hmesh version 2 and cooked meshes."),
    field<kMesh, &MeshSettings::lod_ratio, "mesh.lod_ratio", "0.05 to 0.95", 0.05, 0.95>(
        "Triangles of a level of detail, as a fraction of the level before."),
    list(field<kMesh, &MeshSettings::attributes, "mesh.attributes",
               "auto, all, none, or attributes such as [TEXCOORD_1, COLOR_0, JOINTS_1, _TEMPERATURE]">(
        "Vertex attributes to keep beyond those that every mesh has; auto: those that materials and skins use.")),
    list(field<kMesh, &MeshSettings::search, "mesh.search", "all, or folders such as [textures, art/shared]">(
        "Folders below the input in which to look for a picture by its name, if nothing is at the path that a model "
        "gives.")),
    field<kMesh, &MeshSettings::compress, "mesh.compress", "none, meshopt or meshopt-zstd">(
        "How .hmesh version 2 stores vertices and triangles: as an engine draws them, as meshopt streams, or those in "
        "Zstd; loaders decode."),
    kQuantizeField,
    bits_field<&MeshSettings::position_bits, 4, 16, "mesh.position_bits", "0 (exact) or 4 to 16 bits">(
        "Round positions to this many bits along the longest side of the mesh."),
    bits_field<&MeshSettings::texcoord_bits, 4, 16, "mesh.texcoord_bits", "0 (exact) or 4 to 16 bits">(
        "Round texture coordinates to this many bits along the longest side of their box."),
    bits_field<&MeshSettings::normal_bits, 4, 15, "mesh.normal_bits", "0 (exact) or 4 to 15 bits">(
        "Round both octahedral components of normals and tangents to this many bits."),
    bits_field<&MeshSettings::color_bits, 2, 16, "mesh.color_bits", "0 (exact) or 2 to 16 bits">(
        "Round each channel of vertex colors to this many bits."),
    bits_field<&MeshSettings::weight_bits, 4, 16, "mesh.weight_bits", "0 (exact) or 4 to 16 bits">(
        "Round the weights of skins to this many bits."),
    field<kAnimation, &AnimationSettings::container, "animation.container", "auto, hanim or hanim-v1">(
        "File format of clips: .hanim version 2, which is compressed, or version 1; auto: version 2 for scenes and for "
        "what version 1 cannot hold."),
    field<kAnimation, &AnimationSettings::error_meters, "animation.error", "0 (auto) or up to 1000 meters", 0.0,
          1000.0>(
        "Largest distance of a point near a joint from its place in the source; auto: the model's size / 18000, which "
        "is 0.1 mm for a human."),
    field<kAnimation, &AnimationSettings::radius_meters, "animation.radius", "0 (auto) or up to 1000 meters", 0.0,
          1000.0>("Distance from each joint at which the error is measured; auto: the model's size / 60."),
    field<kAnimation, &AnimationSettings::splines, "animation.splines", "sampled or exact">(
        "Cubic splines in .hanim version 2: as samples within the error, or with their keys and tangents."),
    field<kAas1, &Aas1Settings::normals, "aas1.normals", "octahedral or float">(
        "Normals and tangents of cooked meshes: packed in 4 bytes each, or as floats, which any shader can read."),
    field<kShader, &ShaderSettings::optimize, "shader.optimize", "true or false">("Optimize SPIR-V for speed."),
    field<kShader, &ShaderSettings::debug, "shader.debug", "true or false">("Keep names and line numbers in SPIR-V."),
    field<kShader, &ShaderSettings::target, "shader.target", "vulkan1.0, vulkan1.1, vulkan1.2 or vulkan1.3">(
        "Vulkan version that SPIR-V is written for; mesh and task stages need 1.2."),
    field<kShader, &ShaderSettings::hlsl, "shader.hlsl", "auto, dxc or glslang">(
        "Compiler of HLSL; auto: dxc if it is on PATH, otherwise glslang."),
    field<kShader, &ShaderSettings::registers, "shader.registers",
          "b, s, t and u, each with a number up to 30000, e.g. b0 s16 t32 u160">(
        "First binding of each kind of HLSL register; a register's space is its set."),
    field<kAudio, &audio::Options::codec, "audio.codec", "auto, pcm or vorbis">(
        "How cooked sounds are stored; auto: Ogg Vorbis if they have more than one chunk, otherwise PCM."),
    field<kAudio, &audio::Options::quality, "audio.quality", "0 to 10", 0.0, 10.0>("Quality of Ogg Vorbis."),
    field<kAudio, &audio::Options::chunk_seconds, "audio.chunk", "0.1 to 60 seconds", 0.1, 60.0>(
        "Length of the chunks of a sound; each chunk decodes independently."),
    field<kFont, &FontSettings::size_texels, "font.size", "8 to 256 texels", 8.0, 256.0>(
        "Size of the glyphs of a font in its atlas: texels per em."),
    field<kFont, &FontSettings::range_texels, "font.range", "1 to 64 texels", 1.0, 64.0>(
        "Width of the distance field around outlines; wide effects such as glow need more."),
    list(field<kFont, &FontSettings::characters, "font.characters", "none or ranges such as [U+20-U+7E, U+20AC]">(
        "Characters of a font to compile, besides those of font.strings.")),
    list(field<kFont, &FontSettings::strings, "font.strings", "none or paths of text files such as [ui/strings.txt]">(
        "Text files in the input folder, in UTF-8, whose characters are compiled too.")),
    field<kFont, &FontSettings::padding_texels, "font.padding", "0 to 64 texels", 0.0, 64.0>(
        "Free texels between the glyphs of an atlas."),
    field<kFont, &FontSettings::max_size_texels, "font.max_size", "64 to 16384 texels", 64.0, 16384.0>(
        "Longest side of an atlas; a font that needs more is an error."),
};

}  // namespace

bool SearchFolders::has(std::string_view path) const {
  return folders.empty() || std::ranges::any_of(folders, [&](std::string_view folder) {
           return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
         });
}

bool AttributeSelection::keeps(std::string_view name) const {
  return mode == Mode::kAll || (mode == Mode::kListed && std::ranges::find(names, name) != names.end());
}

std::span<const SettingField> setting_fields() { return kFields; }

const SettingField* find_setting(std::string_view key) {
  for (const SettingField& f : kFields) {
    if (f.key == key) return &f;
  }
  return nullptr;
}

void set_lines(Settings& settings, std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const std::size_t equals = line.find('=');
    const SettingField* field = find_setting(line.substr(0, equals));
    if (field != nullptr && equals != std::string_view::npos) (void)field->set(settings, line.substr(equals + 1));
  }
}

bool settings_agree(const SettingField& first, std::string_view first_value, const SettingField& second,
                    std::string_view second_value) {
  Settings alone;
  if (!first.set(alone, first_value)) return true;
  Settings both = alone;
  return !second.set(both, second_value) || first.get(both) == first.get(alone);
}

std::string canonical_settings(const Settings& settings, std::span<const std::string_view> groups) {
  std::string text;
  for (const SettingField& f : kFields) {
    const bool is_repeated = f.is_shorthand && (f.only_here.empty() || f.get(settings) != f.only_here);
    if (is_repeated || f.is_of_planning) continue;
    for (std::string_view group : groups) {
      if (f.key.size() > group.size() && f.key.starts_with(group) && f.key[group.size()] == '.') {
        text.append(f.key).append("=").append(f.get(settings)).append("\n");
      }
    }
  }
  return text;
}

}  // namespace assetc::recipes
