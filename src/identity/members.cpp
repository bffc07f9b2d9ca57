#include "identity/members.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text_file.hpp"
#include "json/json.hpp"

namespace assetc::identity {
namespace {

class MemberScanner {
 public:
  explicit MemberScanner(std::string_view text) : text_(text), at_(text.size() - without_mark(text).size()) {}

  // From the position of an object or an array on, whose items have no key.
  explicit MemberScanner(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  std::vector<Member> members() {
    std::vector<Member> result;
    skip_space();
    const bool has_keys = text_[at_] == '{';
    ++at_;
    for (skip_space(); text_[at_] != '}' && text_[at_] != ']'; skip_space()) {
      if (text_[at_] == ',') {
        ++at_;
        continue;
      }
      Member member;
      member.begin = at_;
      if (has_keys) {
        skip_value();
        member.key = Json::parse(text_.substr(member.begin, at_ - member.begin))->as_string();
        skip_space();
        ++at_;  // :
        skip_space();
      }
      member.value_begin = at_;
      skip_value();
      member.value_end = at_;
      result.push_back(std::move(member));
    }
    return result;
  }

 private:
  void skip_space() {
    while (std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  void skip_string() {
    for (++at_; text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
  }
  void skip_value() {
    if (text_[at_] == '"') return skip_string();
    std::size_t depth = 0;
    do {
      const char c = text_[at_];
      if (c == '"') {
        skip_string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (depth == 0 && std::string_view(",}] \t\r\n").find(c) != std::string_view::npos) return;
      if (c == '}' || c == ']') --depth;
      ++at_;
      if (depth == 0 && (c == '}' || c == ']')) return;
    } while (true);
  }

  std::string_view text_;
  std::size_t at_;
};

std::vector<Member>::const_iterator item(const std::vector<Member>& items, std::string_view index) {
  std::size_t number = 0;
  const auto [end, fault] = std::from_chars(index.data(), index.data() + index.size(), number);
  const bool is_item = fault == std::errc() && end == index.data() + index.size() && number < items.size();
  return is_item ? items.begin() + static_cast<std::ptrdiff_t>(number) : items.end();
}

}  // namespace

std::vector<Member> members_of(std::string_view text) { return MemberScanner(text).members(); }

std::size_t line_of(std::string_view text, std::string_view pointer) {
  if (const auto json = Json::parse(text); !json || !json->is_object()) return 0;
  std::size_t at = text.size() - without_mark(text).size();
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view name = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(name.size());
    while (std::string_view(" \t\r\n").contains(text[at])) ++at;
    if (text[at] != '{' && text[at] != '[') return 0;
    const std::vector<Member> members = MemberScanner(text, at).members();
    const auto found =
        text[at] == '{' ? std::ranges::find(std::as_const(members), name, &Member::key) : item(members, name);
    if (found == members.end()) return 0;
    at = found->value_begin;
  }
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
}

std::string with_line_ends_of(std::string_view file, std::string text) {
  const std::size_t end = file.find('\n');
  if (end == std::string_view::npos || end == 0 || file[end - 1] != '\r') return text;
  std::string ended;
  for (const char c : text) {
    if (c == '\n') ended += '\r';
    ended += c;
  }
  return ended;
}

}  // namespace assetc::identity
