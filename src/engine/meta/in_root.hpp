// Where a path of the sources lies on the disk.
#pragma once

#include <string>
#include <string_view>

namespace assetc::engine {

inline std::string in_root(const std::string& root, std::string_view path) { return root + "/" + std::string(path); }

}  // namespace assetc::engine
