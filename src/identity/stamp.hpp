// CookKey and LastCooked: members of a .meta that imports preserve but do not read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assetc::identity {

constexpr std::string_view kCookKeyMember = "CookKey";
constexpr std::string_view kLastCookedMember = "LastCooked";

// Returns the text with both members set, or nothing if the key is already there, whatever its date. Requires a text
// that MetaFile::parse accepts.
std::optional<std::string> stamped(const std::string& text, std::string_view key, std::string_view when);

}  // namespace assetc::identity
