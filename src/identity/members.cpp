#include "identity/members.hpp"

#include "base/text_file.hpp"
#include "json/json.hpp"

namespace assetc::identity {
namespace {

class MemberScanner {
 public:
  explicit MemberScanner(std::string_view text) : text_(text), at_(text.size() - without_mark(text).size()) {}

  std::vector<Member> members() {
    std::vector<Member> result;
    skip_space();
    ++at_;  // {
    for (skip_space(); text_[at_] != '}'; skip_space()) {
      if (text_[at_] == ',') {
        ++at_;
        continue;
      }
      Member member;
      member.begin = at_;
      skip_value();
      member.key = Json::parse(text_.substr(member.begin, at_ - member.begin))->as_string();
      skip_space();
      ++at_;  // :
      skip_space();
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

}  // namespace

std::vector<Member> members_of(std::string_view text) { return MemberScanner(text).members(); }

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
