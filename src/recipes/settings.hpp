// All settings that recipes read, in one table. The configuration file, --preset, rules, the cache key, `assetc init`
// and the reference manual are all generated from this table, so each setting is defined once.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "audio/options.hpp"
#include "codec/encode/common/encode_options.hpp"
#include "recipes/font/characters.hpp"
#include "scene/texture_usage.hpp"
#include "shader/shader.hpp"
#include "texture/filter.hpp"
#include "texture/storage.hpp"

namespace assetc::recipes {

// The content of each channel of the texture: 1 to 4 letters of "rgba01", or none if the picture's use decides.
struct TextureChannels {
  std::array<char, 4> letters{};
  std::uint8_t count = 0;  // 0: auto
  bool operator==(const TextureChannels&) const = default;
};

// Where Y of a normal map points: up in OpenGL and glTF, down in DirectX. kAuto: up, unless the picture's name says
// down.
enum class NormalY : std::uint8_t { kAuto, kOpenGl, kDirectX };

// The name of a layer; empty: auto.
struct LayerName {
  std::string text;
  bool operator==(const LayerName&) const = default;
};

using scene::TextureUsage;

// The usage that a suffix word of a picture's name means; the word is in the form of suffix_word().
struct NamedUsage {
  std::string word;
  TextureUsage usage = TextureUsage::kAuto;
};

// How builds name the textures of models. kSource: after the model and the number of the picture. kContent: after the
// picture itself, so that models with the same picture have one texture.
enum class TextureShare : std::uint8_t { kSource, kContent };

struct TextureSettings {
  // Not kCopy. kAuto: the slot, the suffix or the end of the picture's name decides.
  TextureUsage usage = TextureUsage::kAuto;
  std::vector<NamedUsage> names;  // from suffixes: in the configuration, which is not part of the table of settings
  // Two keys set this: texture.format, and texture.compress, which is short for uastc or rgba8. The last one wins.
  texture::TargetFormat format = texture::TargetFormat::kUastc;
  bool keeps_graphics = false;  // texture.compress: auto: pictures that are no photographs are stored as texels
  TextureChannels channels;
  LayerName layer;  // of pictures with several: EXR
  NormalY normal_y = NormalY::kAuto;
  codec::Effort quality = codec::Effort::kNormal;
  bool mips = true;
  codec::Metric metric = codec::Metric::kColor;  // for color: kColor or kColorPerceptual
  texture::Filter mip_filter = texture::Filter::kKaiser;
  texture::Wrap wrap = texture::Wrap::kRepeat;
  std::uint32_t max_size_texels = 0;  // 0: no limit
  std::uint32_t zstd_level = 0;       // for block-compressed payloads, 0: none; raw payloads are always compressed
  double rdo = 0;                     // codec::EncodeOptions::rdo; turns Zstd on
  std::uint32_t etc1s_quality = 128;  // for ETC1S: 1 (smallest) to 255
  TextureShare share = TextureShare::kSource;
  bool standalone = false;  // compile a picture on its own even if models use it
};

// The mesh container of a target: see ContainerSet.
enum class MeshFormat : std::uint8_t { kHmesh, kHmeshV1, kGalileo };
inline constexpr std::size_t kMeshFormatCount = 3;

// Levels of detail of a mesh: whole levels in its container, or clusters in a container of their own. kAuto: clusters
// from MeshSettings::cluster_triangles on.
enum class MeshLod : std::uint8_t { kLevels, kCluster, kAuto };

// Whether a model becomes a scene (.hscene): kAuto: if a flattened mesh would lose something, in addition to that mesh.
// kAlways: instead of the mesh.
enum class SceneMode : std::uint8_t { kAuto, kAlways, kNever };

// Which vertex attributes a mesh keeps, beyond positions, normals, tangents, the texture coordinates of the material
// and the four largest influences of a vertex. Attributes have the names of glTF.
struct AttributeSelection {
  enum class Mode : std::uint8_t { kAuto, kAll, kNone, kListed };
  Mode mode = Mode::kAuto;
  std::vector<std::string> names;  // of kListed

  // Requires mode != kAuto.
  bool keeps(std::string_view name) const;
  bool operator==(const AttributeSelection&) const = default;
};

// Folders below the input in which to look for a model's pictures by name. Empty: all.
struct SearchFolders {
  std::vector<std::string> folders;

  bool has(std::string_view path) const;
  bool operator==(const SearchFolders&) const = default;
};

// How the chunks of a .hmesh are stored. kMeshoptZstd: each stream also as a Zstd frame, if that is smaller.
enum class MeshCompression : std::uint8_t { kNone, kMeshopt, kMeshoptZstd };

struct MeshSettings {
  MeshFormat container = MeshFormat::kHmesh;
  SceneMode scene = SceneMode::kAuto;
  double scale = 1;
  bool merge = true;
  bool names = true;
  bool tangents = true;
  MeshLod lod = MeshLod::kLevels;
  std::uint32_t cluster_triangles = 1'000'000;
  bool keep_area = true;
  std::uint32_t lods = 2;
  double lod_ratio = 0.5;  // triangles of a level / triangles of the level before
  AttributeSelection attributes{};
  SearchFolders search{};
  MeshCompression compress = MeshCompression::kNone;
  // mesh::Precision. 0: as in the source.
  std::uint32_t position_bits = 0, texcoord_bits = 0, normal_bits = 0, color_bits = 0, weight_bits = 0;

  bool rounds() const { return (position_bits | texcoord_bits | normal_bits | color_bits | weight_bits) != 0; }
};

// The format of clips. kAuto: .hanim version 2 for clips that version 1 cannot hold, and for those of scenes; otherwise
// version 1.
enum class ClipFormat : std::uint8_t { kAuto, kHanimV1, kHanim };
enum class SplineFormat : std::uint8_t { kSampled, kExact };

struct AnimationSettings {
  ClipFormat container = ClipFormat::kAuto;
  double error_meters = 0;   // animation::Options; 0: from the size of the model
  double radius_meters = 0;  // 0: from the size of the model
  SplineFormat splines = SplineFormat::kSampled;
};

// How normals and tangents of AAS1 meshes are stored.
enum class FrameFormat : std::uint8_t { kOctahedral, kFloat };

struct Aas1Settings {
  FrameFormat normals = FrameFormat::kOctahedral;
};

struct ShaderSettings {
  bool optimize = true;
  bool debug = false;
  shader::Target target = shader::Target::kVulkan12;
  shader::HlslCompiler hlsl = shader::HlslCompiler::kAuto;
  shader::Registers registers;
};

// For cubemaps. Sizes are sides of faces, powers of two.
struct EnvironmentSettings {
  std::uint32_t size_texels = 0;              // 0: from the picture
  std::uint32_t specular_size_texels = 256;   // 0: none
  std::uint32_t irradiance_size_texels = 32;  // 0: none
  std::uint32_t samples = 1024;
};

struct FontSettings {
  double size_texels = 40;  // per em
  double range_texels = 4;
  std::uint32_t padding_texels = 1;
  std::uint32_t max_size_texels = 4096;
  CharacterRanges characters;
  TextFiles strings;
};

struct Settings {
  TextureSettings texture;
  EnvironmentSettings environment;
  MeshSettings mesh;
  AnimationSettings animation;
  Aas1Settings aas1;
  ShaderSettings shader;
  audio::Options audio;
  FontSettings font;
};

struct SettingField {
  std::string_view key;     // "texture.compress": group, then name
  std::string_view values;  // the accepted values, for messages: "true or false", "fast, normal or best", "0 to 22"
  std::string_view doc;     // one sentence
  std::string (*get)(const Settings&);
  // Sets the value from text. On error, the settings are unchanged, and the message says what was found and what is
  // accepted.
  Result<void> (*set)(Settings&, std::string_view);
  bool is_shorthand = false;    // another field contains the same information, unless the value is `only_here`
  bool is_of_planning = false;  // decides which steps exist, not what they make
  bool is_list = false;         // the configuration may give a list; its items are joined by ", "
  std::string_view only_here = {};
};

// All fields, in the order of the manual.
std::span<const SettingField> setting_fields();
// The field with that key, or null.
const SettingField* find_setting(std::string_view key);

// Sets each "key=value" of a text of lines; ignores a key or value that the table does not have.
void set_lines(Settings& settings, std::string_view lines);

// Whether two settings written next to each other, in this order, can both hold. texture.compress: false and
// texture.format: bc7 cannot. Requires keys and values that their fields accept.
bool settings_agree(const SettingField& first, std::string_view first_value, const SettingField& second,
                    std::string_view second_value);

// "key=value\n" for every field of the given groups (e.g. {"texture"}) that affects outputs and is no shorthand, in
// table order. This is the settings part of a step's key.
std::string canonical_settings(const Settings& settings, std::span<const std::string_view> groups);

}  // namespace assetc::recipes
