// Finds the byte positions of the members of a JSON object in its text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assetc::identity {

struct Member {
  std::string key;
  std::size_t begin = 0;  // the opening quote of the key
  std::size_t value_begin = 0, value_end = 0;
};

// The members of the outermost object, in the order of the text. Requires valid JSON whose root is an object. A byte
// order mark may precede it.
std::vector<Member> members_of(std::string_view text);

// The line of the value that a JSON pointer names, such as "/SubAssets/2/VirtualPath"; the first line is 1. 0 if there
// is none. The text may be any bytes.
std::size_t line_of(std::string_view text, std::string_view pointer);

// Converts `text`, whose lines end in "\n", to the line ending of the first line of `file`.
std::string with_line_ends_of(std::string_view file, std::string text);

}  // namespace assetc::identity
