// Places in a text, as error messages show them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace assetc {

// Returns "line 3, column 7" for the byte at an offset. Both count from 1. An offset past the end gives the end.
inline std::string text_place(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t line_start = before.find_last_of('\n');
  const std::size_t column = before.size() - (line_start == before.npos ? 0 : line_start + 1) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace assetc
