// The lines of a text file of Unity: its .meta files and materials.
//
// Unity writes a small part of YAML: a key or a list item on each line, two spaces for each level. A sprite sheet has
// megabytes of it, and a YAML parser takes memory and stack in proportion to a text, so lines are read one by one.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"

namespace assetc::importer {

// Views the text.
struct UnityLine {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::string_view key;          // empty: a plain value of a list, which has the path of the list
  std::uint32_t parent = kNone;  // the number of the line that it is below
  std::uint32_t item = 0;        // the number of the list item that it is in; 0: none
  std::string_view value = {};   // as written
  int line = 0;                  // the first is 1
};
using UnityLines = std::vector<UnityLine>;

// Lines with a key, and items of lists of plain values, in order. Errors, each with a line: kInvalidData for a tab in
// an indentation, git's conflict markers, an outermost line without a key, or a text that is not UTF-8; kLimit for more
// than 64 levels.
Result<UnityLines> unity_lines(std::string_view text);

// Whether a line has this path: "TextureImporter/mipmaps/sRGBTexture", without the items of lists.
bool is_at(const UnityLines& lines, const UnityLine& line, std::string_view path);
// The first line with this path, or null. item: and in this list item, unless it is 0.
const UnityLine* find_unity_line(const UnityLines& lines, std::string_view path, std::uint32_t item = 0);

// "0123" of the key guid in "{fileID: 1, guid: 0123, type: 3}". Empty if there is no such key.
std::string_view flow_value(std::string_view flow, std::string_view key);

}  // namespace assetc::importer
