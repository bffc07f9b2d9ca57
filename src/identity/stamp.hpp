// CookKey and LastCooked: members of a .meta that imports keep and do not read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assetc::identity {

constexpr std::string_view kCookKeyMember = "CookKey";
constexpr std::string_view kLastCookedMember = "LastCooked";

// The same text with these two; nothing where it has the key already, whenever that was written. Requires a text that
// MetaFile::parse takes.
std::optional<std::string> stamped(const std::string& text, std::string_view key, std::string_view when);

}  // namespace assetc::identity
