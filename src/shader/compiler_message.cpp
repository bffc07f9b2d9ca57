#include "shader/compiler_message.hpp"

#include <algorithm>
#include <utility>

namespace assetc::shader {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

}  // namespace

std::optional<CompilerMessage> parse_compiler_message(std::string_view line) {
  for (const auto& [word, is_error] :
       {std::pair<std::string_view, bool>{": error", true}, {": fatal error", true}, {": warning", false}}) {
    const std::size_t at = line.find(word);
    if (at == line.npos) continue;
    std::string_view where = line.substr(0, at);
    std::string_view rest = line.substr(at + word.size());
    const std::size_t colon = rest.find(": ");  // slangc prints a number after the word
    if (colon == rest.npos || !(colon == 0 || is_number(trimmed(rest.substr(0, colon))))) continue;
    CompilerMessage message{is_error,
                            Error{ErrorCode::kInvalidData, {}, {}, std::string(trimmed(rest.substr(colon + 2))), {}}};

    std::string_view number;
    if (where.ends_with(')')) {
      const std::size_t open = where.rfind('(');
      if (open == where.npos) continue;
      number = where.substr(open + 1, where.size() - open - 2);
      number = number.substr(0, number.find(','));
      where = where.substr(0, open);
    } else if (const std::size_t mark = where.rfind(':'); mark != where.npos && is_number(where.substr(mark + 1))) {
      number = where.substr(mark + 1);
      where = where.substr(0, mark);
      // Before a column is the line.
      if (const std::size_t line_mark = where.rfind(':');
          line_mark != where.npos && is_number(where.substr(line_mark + 1))) {
        number = where.substr(line_mark + 1);
        where = where.substr(0, line_mark);
      }
    }
    if (where.starts_with("./")) where.remove_prefix(2);
    message.error.file = where;
    if (is_number(number)) message.error.place = "line " + std::string(number);
    return message;
  }
  return std::nullopt;
}

CompilerMessages parse_compiler_output(std::string_view text) {
  CompilerMessages messages;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (auto message = parse_compiler_message(text.substr(0, end))) {
      (message->is_error ? messages.errors : messages.warnings).push_back(std::move(message->error));
    }
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);
  }
  return messages;
}

CompilerMessages located(CompilerMessages messages, const std::set<std::string, std::less<>>& files,
                         std::string_view path) {
  for (std::vector<Error>* const list : {&messages.errors, &messages.warnings}) {
    for (Error& error : *list) {
      if (error.file.empty() || files.contains(error.file)) continue;
      error.what += " (a #line calls this place " + std::exchange(error.file, std::string(path));
      if (!error.place.empty()) error.what += ", " + std::exchange(error.place, {});
      error.what += ")";
    }
  }
  return messages;
}

Error first_error(CompilerMessages messages, std::string_view text, std::string_view fallback) {
  if (messages.errors.empty()) {
    return Error{
        ErrorCode::kInvalidData, std::string(fallback), {}, std::string(trimmed(text.substr(0, text.find('\n')))), {}};
  }
  Error error = std::move(messages.errors.front());
  if (const std::size_t more = messages.errors.size() - 1) {
    error.what += " (and " + std::to_string(more) + (more == 1 ? " more error)" : " more errors)");
  }
  return error;
}

}  // namespace assetc::shader
