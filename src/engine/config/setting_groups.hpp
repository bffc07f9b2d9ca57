// The groups of settings in a configuration: "texture" of texture.quality.
#pragma once

#include <string_view>
#include <vector>

namespace assetc::engine {

// In the order of recipes::setting_fields().
std::vector<std::string_view> setting_groups();

}  // namespace assetc::engine
