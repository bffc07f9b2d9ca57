// Where the members of a JSON object stand in its text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assetc::identity {

struct Member {
  std::string key;
  std::size_t begin = 0;  // the key's first quote
  std::size_t value_begin = 0, value_end = 0;
};

// Those of the outermost object, in the order of the text. Requires valid JSON that is an object; a byte order mark may
// stand in front of it.
std::vector<Member> members_of(std::string_view text);

// text, whose lines end in "\n", with lines that end as the first line of file does.
std::string with_line_ends_of(std::string_view file, std::string text);

}  // namespace assetc::identity
