// The use of pictures: from a setting, from the end of a name, or from the slot that uses them. Also checks whether
// texels fit the use.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/recipe.hpp"
#include "scene/image.hpp"

namespace assetc::recipes {

// A row of the table of docs/guide/textures.md, which a test compares with these.
struct NameWord {
  std::string_view text;  // suffix_word()
  TextureUsage usage;
  struct Rules {
    bool alone = true;      // also matches if it is the whole name
    bool in_word = false;   // also matches at the end of a word in mixed case: "wallNormal"
    bool capitals = false;  // matches in capitals only: "arrow_r" points to the right
  } rules{};
};
std::span<const NameWord> name_words();

// The form of a suffix for lookup: lower case, without '_', '-', '.' and blanks.
std::string suffix_word(std::string_view text);

// The use that the end of a picture's name gives: its last words, after '_', '-', '.' or a blank, or the whole name.
// A word in mixed case may also end with some words: "wallNormal". Words that only number it or give its size ("01",
// "1001", "2k") are skipped, and so are the qualifiers of a variant ("+low"). `more` is searched first, then the table
// of the manual.
// extension: the ending of the file name after that.
std::optional<TextureUsage> named_usage(std::string_view path, std::string_view extension,
                                        std::span<const NamedUsage> more = {});

// Recipe::mode_of for pictures: the setting, otherwise the suffix of the claim, otherwise the end of the name.
TextureUsage picture_mode(std::string_view path, const Claim& claim, const Settings& settings);

// Recipe::overruled for pictures.
TextureUsage overruled_usage(const Settings& settings, TextureUsage mode);

// Warns if a picture's name ends like a normal map's and the mode of its slot is another, or vice versa.
// what: "the base color texture".
void check_name(std::string_view path, TextureUsage mode, std::string_view what, std::string place,
                std::vector<Diagnostic>& diagnostics);

// Warns if texels contradict the mode of a step.
void check_texels(const scene::Image& image, TextureUsage mode, std::vector<Diagnostic>& diagnostics);

}  // namespace assetc::recipes
