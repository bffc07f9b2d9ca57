// What pictures are for: said by a setting, by the end of a name, or by the slot that uses them; and whether texels
// agree.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/recipe.hpp"
#include "scene/image.hpp"

namespace assetc::recipes {

// The form in which a suffix is looked up: lower case, without '_', '-', '.' and blanks.
std::string suffix_word(std::string_view text);

// What the end of a picture's name says: its last words, after '_', '-', '.' or a blank, or all of it; those that only
// number it or say its size ("01", "1001", "2k") do not count. `more` is asked first, then the table of the manual.
// extension: how the file's name ends after that.
std::optional<TextureUsage> named_usage(std::string_view path, std::string_view extension,
                                        std::span<const NamedUsage> more = {});

// Recipe::mode_of of what pictures become: the setting, else what the claim's suffix says, else the end of the name.
TextureUsage picture_mode(std::string_view path, const Claim& claim, const Settings& settings);

// Recipe::overruled of what pictures become.
TextureUsage overruled_usage(const Settings& settings, TextureUsage mode);

// Warns where the end of a picture's name says that it is a normal map and the mode of its slot that it is none, or the
// other way around. what: "the base color texture".
void check_name(std::string_view path, TextureUsage mode, std::string_view what, std::string place,
                std::vector<Diagnostic>& diagnostics);

// Warns of texels that contradict the mode of a step.
void check_texels(const scene::Image& image, TextureUsage mode, std::vector<Diagnostic>& diagnostics);

}  // namespace assetc::recipes
