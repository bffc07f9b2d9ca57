// The use of pictures: from a setting, from the end of a name, or from the slot that uses them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/recipe.hpp"

namespace assetc::recipes {

// Where a word of the table counts.
enum class WordCounts : std::uint8_t {
  kNever,
  kInSet,  // only beside a color or normal map of the same set: "wood_mask.png" beside "wood_albedo.png"
  kAlways,
};

// What a picture is in the material of its set.
enum class SetRole : std::uint8_t {
  kNone,  // no texture of a .mat
  kBaseColor,
  kEmissive,
  kNormal,
  kOcclusion,
  kMetallicRoughness,  // roughness in green, metallic in blue
  kAllThree,           // the same, and occlusion in red
};

// A row of the table of docs/guide/textures.md, which a test compares with these.
struct NameWord {
  std::string_view text;  // suffix_word()
  TextureUsage usage;
  struct Rules {
    WordCounts after = WordCounts::kAlways;   // as the last words, after others: "wall_normal"
    WordCounts alone = WordCounts::kAlways;   // as the whole name
    WordCounts in_word = WordCounts::kNever;  // at the end of a word in mixed case: "wallNormal"
    bool capitals = false;                    // matches in capitals only: "arrow_r" points to the right
    bool y_down = false;                      // normals in the convention of DirectX
  } rules{};
  SetRole role = SetRole::kNone;
};
std::span<const NameWord> name_words();

// The form of a suffix for lookup: lower case, without '_', '-', '.' and blanks.
std::string suffix_word(std::string_view text);

// What the name of a picture says.
struct PictureName {
  std::optional<TextureUsage> usage;
  bool y_down = false;    // normals in the convention of DirectX
  std::string_view noun;  // a word of the table at the end that does not count, because no set needs it; else empty
};

// Reads the end of a picture's name: its last words, after '_', '-', '.' or a blank, or the whole name. A word in mixed
// case may also end with some words: "wallNormal". Words that only number it or give its size ("01", "1001", "2k") are
// skipped, and so are the qualifiers of a variant ("+low"). `more` is searched first, then the table of the manual.
// extension: the ending of the file name after that. has_set: see Recipe::params_of.
PictureName read_picture_name(std::string_view path, std::string_view extension, std::span<const NamedUsage> more = {},
                              const HasSet& has_set = {});

// The set that a picture belongs to by the end of its name. The words need no other picture to count.
struct SetMember {
  std::string key;        // of the set: "wood/planks"
  std::string_view stem;  // the name before the ending: "Planks"; empty if the whole name is the ending
  std::string_view word;  // the word of the table; empty if the name has none, so that it is a set's plain name
  SetRole role = SetRole::kNone;
};
// Empty for a variant ("planks_n+low"). more: as for read_picture_name().
std::optional<SetMember> set_member(std::string_view path, std::span<const NamedUsage> more = {});

// Recipe::params_of for pictures. The mode is the setting, otherwise the suffix of the claim, otherwise the end of the
// name.
Params picture_params(std::string_view path, const Claim& claim, const Settings& settings, const HasSet& has_set);
// The params of a step that compiles a picture file for a slot of a material.
Params slot_params(std::string_view path, TextureUsage mode);

// Recipe::overruled for pictures.
TextureUsage overruled_usage(const Settings& settings, TextureUsage mode);

// Warns if a picture's name ends like a normal map's and the mode of its slot is another, or vice versa.
// what: "the base color texture".
void check_name(std::string_view path, TextureUsage mode, std::string_view what, std::string place,
                std::vector<Diagnostic>& diagnostics);

}  // namespace assetc::recipes
