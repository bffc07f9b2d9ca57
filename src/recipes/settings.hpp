// Every knob a recipe may read, and the one table that names them all. The configuration file, --preset, rules, the
// cache key, `assetc init` and the reference manual are all driven by the table: a setting exists once.
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
#include "scene/texture_usage.hpp"
#include "shader/shader.hpp"
#include "texture/filter.hpp"
#include "texture/storage.hpp"

namespace assetc::recipes {

// What each channel of the texture holds: 1 to 4 of "rgba01", or none for what the picture's use says.
struct TextureChannels {
  std::array<char, 4> letters{};
  std::uint8_t count = 0;  // 0: auto
  bool operator==(const TextureChannels&) const = default;
};

using scene::TextureUsage;

// What the last word of a name says of a picture, as suffix_word() makes it.
struct NamedUsage {
  std::string word;
  TextureUsage usage = TextureUsage::kAuto;
};

struct TextureSettings {
  // Not kCopy. kAuto: what the slot, the suffix or the end of the picture's name says.
  TextureUsage usage = TextureUsage::kAuto;
  std::vector<NamedUsage> names;  // of the configuration's suffixes:, beside the table of settings
  // Of two keys: texture.format, and texture.compress, which is short for uastc or rgba8. The later one counts.
  texture::TargetFormat format = texture::TargetFormat::kUastc;
  TextureChannels channels;
  codec::Effort quality = codec::Effort::kNormal;
  bool mips = true;
  codec::Metric metric = codec::Metric::kColor;  // of color: kColor or kColorPerceptual
  texture::Filter mip_filter = texture::Filter::kKaiser;
  texture::Wrap wrap = texture::Wrap::kRepeat;
  std::uint32_t max_size_texels = 0;  // 0: no limit
  std::uint32_t zstd_level = 0;       // of block-compressed payloads, 0: none; raw payloads are always compressed
  double rdo = 0;                     // of UASTC: squared error that a bit saved may cost, 0: off; turns Zstd on
  bool standalone = false;            // a picture that models use is compiled on its own, too
};

// Which of a target's mesh containers: see ContainerSet.
enum class MeshFormat : std::uint8_t { kHmesh, kHmeshV1, kGalileo };
inline constexpr std::size_t kMeshFormatCount = 3;

struct MeshSettings {
  MeshFormat container = MeshFormat::kHmesh;
  bool merge = true;
  bool names = true;
  bool tangents = true;
  std::uint32_t lods = 2;
  double lod_ratio = 0.5;  // triangles of a level against the level before
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
};

// Of cubemaps made of a panorama. Sizes are sides of faces, powers of two.
struct EnvironmentSettings {
  std::uint32_t size_texels = 0;              // 0: from the picture
  std::uint32_t specular_size_texels = 256;   // 0: none
  std::uint32_t irradiance_size_texels = 32;  // 0: none
  std::uint32_t samples = 1024;
};

struct Settings {
  TextureSettings texture;
  EnvironmentSettings environment;
  MeshSettings mesh;
  Aas1Settings aas1;
  ShaderSettings shader;
  audio::Options audio;
};

struct SettingField {
  std::string_view key;     // "texture.compress": group, then name
  std::string_view values;  // what it accepts, for messages: "true or false", "fast, normal or best", "0 to 22"
  std::string_view doc;     // one sentence
  std::string (*get)(const Settings&);
  // Sets from text. On error the settings are unchanged and the message says what was found and what is accepted.
  Result<void> (*set)(Settings&, std::string_view);
  bool is_shorthand = false;    // another field says all that this one does
  bool is_of_planning = false;  // it decides which steps there are, not what they make
};

// All fields, in the order of the manual.
std::span<const SettingField> setting_fields();
// The field of that key, or null.
const SettingField* find_setting(std::string_view key);

// Whether two settings said side by side, in this order, can both hold: texture.compress: false and texture.format: bc7
// cannot. Requires keys and values that their fields take.
bool settings_agree(const SettingField& first, std::string_view first_value, const SettingField& second,
                    std::string_view second_value);

// "key=value\n" for every field of the given groups (e.g. {"texture"}) that decides what is made and is no shorthand,
// in table order: the settings part of a step's key.
std::string canonical_settings(const Settings& settings, std::span<const std::string_view> groups);

}  // namespace assetc::recipes
