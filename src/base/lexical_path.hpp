// Paths as text: nothing here looks at the disk.
#pragma once

#include <string>
#include <string_view>

namespace assetc {

// The path as seen from the folder, without "." and "..": "a/../b" in "/c" is "/c/b". An absolute path stays.
std::string path_in(std::string_view folder, std::string_view path);
// How the folder refers to the path: "../b/c" for "/b/c" in "/a". Both are absolute.
std::string path_from(std::string_view folder, std::string_view path);

}  // namespace assetc
