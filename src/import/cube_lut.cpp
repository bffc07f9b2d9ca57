#include "import/cube_lut.hpp"

#include <charconv>
#include <cmath>

#include "base/plural.hpp"
#include "base/text_file.hpp"

namespace assetc::importer {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

// Removes the next word from a line and returns it. Empty at the end.
std::string_view take_word(std::string_view& line) {
  while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
  std::size_t end = 0;
  while (end < line.size() && !is_space(line[end])) ++end;
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 40;
  return "\"" + std::string(text.substr(0, kMost)) + (text.size() > kMost ? "…\"" : "\"");
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(without_mark(text)) {}

  Result<CubeLut> run() {
    while (!text_.empty()) {
      const std::size_t end = text_.find('\n');
      const std::string_view line = text_.substr(0, end);
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
      ++line_number_;
      ASSETC_CHECK(parse_line(line));
    }
    if (lut_.size == 0) return fail_at(ErrorCode::kTruncated, place(), "the file ends without LUT_3D_SIZE");
    if (lut_.values.size() < wanted()) {
      return fail_at(ErrorCode::kTruncated, place(),
                     "the file ends after " + counted(lut_.values.size() / 3, "sample") + ", expected " +
                         std::to_string(wanted() / 3) + " for LUT_3D_SIZE " + std::to_string(lut_.size),
                     "export the table again");
    }
    for (std::size_t c = 0; c < 3; ++c) {
      if (!(lut_.domain_min[c] < lut_.domain_max[c])) {
        return fail(ErrorCode::kInvalidData, "DOMAIN_MIN is not below DOMAIN_MAX in each channel",
                    "leave both out for 0 to 1");
      }
    }
    return std::move(lut_);
  }

 private:
  std::string place() const { return "line " + std::to_string(line_number_); }
  std::size_t wanted() const { return std::size_t{lut_.size} * lut_.size * lut_.size * 3; }

  std::unexpected<Error> invalid(std::string what, std::string_view hint = {}) const {
    return fail_at(ErrorCode::kInvalidData, place(), std::move(what), hint);
  }

  Result<float> number(std::string_view word) const {
    std::string_view digits = word;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    float value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (word.empty()) return invalid("found the end of the line, expected a number");
    if (end == digits.data() + digits.size() && error == std::errc::result_out_of_range)
      return invalid("found " + quoted(word) + ", a number out of range");
    if (error != std::errc() || end != digits.data() + digits.size())
      return invalid("found " + quoted(word) + ", expected a number");
    if (!std::isfinite(value))
      return invalid("found " + quoted(word) + ", expected a finite number", "export the table again");
    return value;
  }

  Result<std::array<float, 3>> triple(std::string_view rest) const {
    std::array<float, 3> values{};
    for (float& value : values) {
      ASSETC_TRY(value, number(take_word(rest)));
    }
    ASSETC_CHECK(end_of_line(rest));
    return values;
  }

  Result<void> end_of_line(std::string_view rest) const {
    if (const std::string_view word = take_word(rest); !word.empty())
      return invalid("found " + quoted(word) + " after the last value of the line");
    return {};
  }

  Result<void> parse_line(std::string_view line) {
    std::string_view rest = line;
    const std::string_view word = take_word(rest);
    if (word.empty() || word.front() == '#') return {};
    // "NaN" and "Inf" look like keywords, but a broken tool writes them as samples.
    const bool is_capital = word.front() >= 'A' && word.front() <= 'Z';
    float value = 0;
    if (is_capital && std::from_chars(word.data(), word.data() + word.size(), value).ptr != word.data() + word.size()) {
      return parse_keyword(word, rest);
    }
    if (lut_.size == 0) return invalid("found a sample before LUT_3D_SIZE");
    if (lut_.values.size() == wanted()) {
      return invalid("found more than the " + counted(wanted() / 3, "sample") + " of LUT_3D_SIZE " +
                     std::to_string(lut_.size));
    }
    ASSETC_TRY(const auto sample, triple(line));
    lut_.values.insert(lut_.values.end(), sample.begin(), sample.end());
    return {};
  }

  Result<void> parse_keyword(std::string_view word, std::string_view rest) {
    if (word == "TITLE") {
      while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
      while (!rest.empty() && is_space(rest.back())) rest.remove_suffix(1);
      if (rest.size() >= 2 && rest.front() == '"' && rest.back() == '"') rest = rest.substr(1, rest.size() - 2);
      lut_.title = rest;
      return {};
    }
    if (!lut_.values.empty()) return invalid("found " + quoted(word) + " between samples, expected it above them");
    if (word == "LUT_3D_SIZE") return parse_size(rest);
    if (word == "LUT_1D_SIZE") {
      return fail_at(ErrorCode::kUnsupported, place(), "found a one-dimensional table, expected LUT_3D_SIZE",
                     "export the grade as a 3D LUT");
    }
    if (word == "DOMAIN_MIN" || word == "DOMAIN_MAX") {
      auto& domain = word == "DOMAIN_MIN" ? lut_.domain_min : lut_.domain_max;
      ASSETC_TRY(domain, triple(rest));
      return {};
    }
    if (word == "LUT_3D_INPUT_RANGE") {
      ASSETC_TRY(const float low, number(take_word(rest)));
      ASSETC_TRY(const float high, number(take_word(rest)));
      ASSETC_CHECK(end_of_line(rest));
      lut_.domain_min.fill(low);
      lut_.domain_max.fill(high);
      return {};
    }
    constexpr std::size_t kMostNotes = 16;
    if (lut_.notes.size() < kMostNotes) {
      lut_.notes.push_back({ErrorCode::kUnsupported,
                            {},
                            place(),
                            "the keyword " + quoted(word) + " is not supported; it is ignored",
                            {}});
    }
    return {};
  }

  Result<void> parse_size(std::string_view rest) {
    const std::string_view word = take_word(rest);
    std::uint32_t size = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (error != std::errc() || end != word.data() + word.size() || size < 2)
      return invalid("found LUT_3D_SIZE " + quoted(word) + ", expected 2 to 256");
    if (size > kMaxCubeLutSize) {
      return fail_at(ErrorCode::kLimit, place(), "found LUT_3D_SIZE " + std::string(word) + ", the limit is 256",
                     "export the grade at 33 or 65");
    }
    if (lut_.size != 0) return invalid("found LUT_3D_SIZE a second time");
    ASSETC_CHECK(end_of_line(rest));
    // A sample takes at least six characters ("0 0 0" and a line end), so a short file cannot cause a large allocation.
    lut_.size = size;
    lut_.values.reserve(std::min(wanted(), text_.size() / 2 + 3));
    return {};
  }

  std::string_view text_;
  std::size_t line_number_ = 0;
  CubeLut lut_;
};

}  // namespace

Result<CubeLut> parse_cube_lut(ByteSpan file) { return Parser(as_text(file)).run(); }

}  // namespace assetc::importer
