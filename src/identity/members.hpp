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

// Converts `text`, whose lines end in "\n", to the line ending of the first line of `file`.
std::string with_line_ends_of(std::string_view file, std::string text);

}  // namespace assetc::identity
