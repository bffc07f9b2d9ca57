#include "identity/stamp.hpp"

#include <algorithm>

#include "identity/members.hpp"
#include "json/json.hpp"

namespace assetc::identity {
namespace {

std::string json_text(std::string_view text) { return Json(text).text(); }

std::string with_member(std::string text, std::string_view name, const std::string& value) {
  const std::vector<Member> members = members_of(text);
  const auto at = std::ranges::find(members, name, &Member::key);
  if (at == members.end())
    return text.insert(members.back().value_end, with_line_ends_of(text, ",\n  " + json_text(name) + ": " + value));
  return text.replace(at->value_begin, at->value_end - at->value_begin, value);
}

}  // namespace

std::optional<std::string> stamped(const std::string& text, std::string_view key, std::string_view when) {
  const std::string value = json_text(key);
  for (const Member& member : members_of(text)) {
    const std::string_view written =
        std::string_view(text).substr(member.value_begin, member.value_end - member.value_begin);
    if (member.key == kCookKeyMember && written == value) return std::nullopt;
  }
  return with_member(with_member(text, kCookKeyMember, value), kLastCookedMember, json_text(when));
}

}  // namespace assetc::identity
