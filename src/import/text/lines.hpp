// Splits OBJ and MTL text into lines and words. Omits comments, joins lines that end in '\', reads numbers without a
// locale.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assetc::importer {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

inline std::string line_place(std::uint64_t line) { return "line " + std::to_string(line); }

// The words of one line, from left to right. A word that starts with '#' ends them. rest() includes such words, because
// names may contain them ("Material #25" of 3ds Max).
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) { skip_blanks(); }

  bool empty() const { return rest_.empty() || rest_.front() == '#'; }
  // The next word, empty at the end.
  std::string_view next() {
    if (empty()) return {};
    std::size_t n = 0;
    while (n < rest_.size() && !is_blank(rest_[n])) ++n;
    const std::string_view word = rest_.substr(0, n);
    rest_.remove_prefix(n);
    skip_blanks();
    return word;
  }
  std::string_view peek() const { return Words(*this).next(); }
  // The rest of the line, without blanks at either end.
  std::string_view rest() const {
    std::string_view text = rest_;
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

class Lines {
 public:
  // Lines end in LF or CR LF. If the text has no LF at all, they end in CR. Comments that begin with kept_comment are
  // returned too; empty: none.
  explicit Lines(std::string_view text, std::string_view kept_comment = {})
      : rest_(text), kept_comment_(kept_comment), end_(text.find('\n') == text.npos ? '\r' : '\n') {}

  // The next line with content, or nothing at the end. The view is valid until the next call.
  std::optional<std::string_view> next() {
    while (!rest_.empty()) {
      number_ = next_number_;
      std::string_view line = take();
      if (!kept_comment_.empty() && line.starts_with(kept_comment_)) return line;
      if (is_comment(line)) continue;  // even if it ends in '\', because a path in a comment may
      if (line.ends_with('\\')) {
        joined_.clear();
        while (line.ends_with('\\')) {
          joined_.append(line.substr(0, line.size() - 1)) += ' ';
          if (rest_.empty()) {
            line = {};
            break;
          }
          line = take();
        }
        joined_ += line;
        line = joined_;
      }
      if (!Words(line).empty()) return line;
    }
    return std::nullopt;
  }
  // The number of the line last returned, counted from 1. For joined lines, the first of them.
  std::uint64_t number() const { return number_; }

 private:
  static bool is_comment(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t\r\f\v");
    return first != line.npos && line[first] == '#';
  }
  std::string_view take() {
    const std::size_t end = rest_.find(end_);
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    ++next_number_;
    while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
  }
  std::string_view rest_;
  std::string_view kept_comment_;
  char end_;
  std::string joined_;
  std::uint64_t number_ = 0;
  std::uint64_t next_number_ = 1;
};

// Parses a whole word as a finite number. A value too small for a float is zero.
inline std::optional<float> parse_float(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  float value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size() || word.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // from_chars reports too large and too small alike. A double tells them apart.
    double wide = 0;
    const auto again = std::from_chars(word.data(), word.data() + word.size(), wide);
    const bool tiny =
        again.ec == std::errc() ? std::fabs(wide) < 1 : word.find("e-") != word.npos || word.find("E-") != word.npos;
    return tiny ? std::optional(0.0f) : std::nullopt;
  }
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace assetc::importer
