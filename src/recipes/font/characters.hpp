// The settings that choose the characters of a font.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assetc::recipes {

struct CharacterRange {
  std::uint32_t first = 0, last = 0;  // code points, both included
  bool operator==(const CharacterRange&) const = default;
};

// ASCII and Latin-1, without control characters.
std::vector<CharacterRange> usual_characters();

// font.characters. Ascending, apart from one another.
struct CharacterRanges {
  std::vector<CharacterRange> ranges = usual_characters();
  bool operator==(const CharacterRanges&) const = default;
};

// font.strings: paths in the input folder, in the order of the setting.
struct TextFiles {
  std::vector<std::string> paths;
  bool operator==(const TextFiles&) const = default;
};

// "none", or ranges: "U+20-U+7E, U+A0-FF, U+20AC". Returns false for other text.
bool parse(std::string_view text, CharacterRanges& out);
std::string print(const CharacterRanges& ranges);

// "none", or paths: "ui/a.txt, ui/b.txt". Returns false for a path that leaves the input folder, or whose
// file has no suffix.
bool parse(std::string_view text, TextFiles& out);
std::string print(const TextFiles& files);

}  // namespace assetc::recipes
