// Virtual paths: what people call an asset, whatever file it is in. "Engine/Textures/Wood_Albedo".
#pragma once

#include <string>
#include <string_view>

#include "assetc/base/result.hpp"

namespace assetc::identity {

// Bytes of a virtual path, and of one of its names.
constexpr std::size_t kMaxVirtualPath = 512, kMaxVirtualName = 128;

// Fails where text breaks a rule: ASCII letters, digits, '_', '-', ' ', '(', ')', '+' and '~' between single forward
// slashes; two names or more; no extension; below "Demo", the name of the demo.
Result<void> check_virtual_path(std::string_view text);

// The spelling that lookups compare: in lower case.
std::string virtual_key(std::string_view virtual_path);

// The virtual path of a source, given relative to the root with '/': "Assets/Textures/Wood.png" is
// "Engine/Textures/Wood", "Demo/Minimal/Assets/Chair.gltf" is "Demo/Minimal/Chair", and "Tools/Assets/Icon.png" is
// "Tools/Icon". Letters beyond ASCII are transliterated, what else a name may not hold becomes '_'; `suffix` is the
// part of the file's name that says its kind.
Result<std::string> virtual_path_of(std::string_view source_path, std::string_view suffix);

// The folder of assets, "Assets/" or "Demo/Minimal/Assets/", that source_path is below; empty when it is below none.
std::string_view asset_root_of(std::string_view source_path);

// source_path below that folder; itself where it is below none.
std::string_view below_asset_root(std::string_view source_path);

// Whether a walk of the root meets assets by this way: below a folder of assets, or a folder that leads to one.
bool leads_to_assets(std::string_view path, bool directory);

// One name of a virtual path, made of any text: "Wood.001" is "Wood_001", "Größe" is "Grosse". Never empty.
std::string virtual_name(std::string_view text);

}  // namespace assetc::identity
