// The disk path of a source path.
#pragma once

#include <string>
#include <string_view>

namespace assetc::engine {

inline std::string in_root(const std::string& root, std::string_view path) { return root + "/" + std::string(path); }

}  // namespace assetc::engine
