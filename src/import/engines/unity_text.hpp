// The lines of a text file of Unity: its .meta files and materials.
//
// Unity writes a small part of YAML: a key or a list item on each line, two spaces for each level. A sprite sheet has
// megabytes of it, and a YAML parser takes memory and stack in proportion to a text, so lines are read one by one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"

namespace assetc::importer {

struct UnityLine {
  std::string path;             // "TextureImporter/mipmaps/sRGBTexture", without the items of lists
  std::size_t item = 0;         // the number of the list item that it is in; 0: none
  std::string_view value = {};  // as written; views the text
  int line = 0;                 // the first is 1
};

// Lines with a key, and items of lists of plain values, in order. Errors: kInvalidData with a line, for a tab in an
// indentation, git's conflict markers, or an outermost line without a key; kLimit for more than 64 levels.
Result<std::vector<UnityLine>> unity_lines(std::string_view text);

// The first line with this path, or null. item: and in this list item, unless it is 0.
const UnityLine* find_unity_line(const std::vector<UnityLine>& lines, std::string_view path, std::size_t item = 0);

// "0123" of the key guid in "{fileID: 1, guid: 0123, type: 3}". Empty if there is no such key.
std::string_view flow_value(std::string_view flow, std::string_view key);

}  // namespace assetc::importer
