// Virtual paths: names of assets that do not depend on the file format. Example: "Engine/Textures/Wood_Albedo".
#pragma once

#include <string>
#include <string_view>

#include "assetc/base/result.hpp"

namespace assetc::identity {

// Maximum bytes of a virtual path, and of one name in it.
constexpr std::size_t kMaxVirtualPath = 512, kMaxVirtualName = 128;

// Checks the rules of virtual paths:
//
// - at least two names, separated by single forward slashes; below "Demo", the name of the demo comes first;
// - only ASCII letters, digits, '_', '-', ' ', '(', ')', '+' and '~' in a name;
// - no extension.
Result<void> check_virtual_path(std::string_view text);

// The lower-case spelling that lookups compare.
std::string virtual_key(std::string_view virtual_path);

// The virtual path of a source. The source path is relative to the root, with '/'. "Assets/Textures/Wood.png" is
// "Engine/Textures/Wood", "Demo/Minimal/Assets/Chair.gltf" is "Demo/Minimal/Chair", and "Tools/Assets/Icon.png" is
// "Tools/Icon". Letters beyond ASCII are transliterated. Other characters that a name may not hold become '_'. `suffix`
// is the end of the file name that gives its kind.
Result<std::string> virtual_path_of(std::string_view source_path, std::string_view suffix);

// The asset folder that contains source_path, "Assets/" or "Demo/Minimal/Assets/"; empty if there is none.
std::string_view asset_root_of(std::string_view source_path);

// source_path relative to that folder; unchanged if there is none.
std::string_view below_asset_root(std::string_view source_path);

// Whether a walk of the root must enter this path: it is in an asset folder, or it is a folder above one.
bool leads_to_assets(std::string_view path, bool directory);

// Makes one name of a virtual path from any text: "Wood.001" becomes "Wood_001", "Größe" becomes "Grosse". Never empty.
std::string virtual_name(std::string_view text);

}  // namespace assetc::identity
