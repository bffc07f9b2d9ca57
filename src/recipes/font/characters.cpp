#include "recipes/font/characters.hpp"

#include <algorithm>
#include <charconv>

#include "formats/text.hpp"

namespace assetc::recipes {
namespace {

constexpr std::string_view kNoItems = "none";
constexpr std::string_view kPrefix = "U+";
constexpr std::uint32_t kLastCodePoint = 0x10FFFF;

// Calls take(item) for the items between commas, without spaces around them, until it returns false.
template <class Take>
bool each_item(std::string_view text, Take take) {
  while (true) {
    const std::size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (!take(item)) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

bool parse_code_point(std::string_view text, std::uint32_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, 16);
  return error == std::errc() && end == text.data() + text.size() && out <= kLastCodePoint;
}

bool parse_range(std::string_view text, CharacterRange& out) {
  if (!text.starts_with(kPrefix) && !text.starts_with("u+")) return false;
  text.remove_prefix(kPrefix.size());
  const std::size_t dash = text.find('-');
  if (!parse_code_point(text.substr(0, dash), out.first)) return false;
  if (dash == std::string_view::npos) return out.last = out.first, true;
  text.remove_prefix(dash + 1);
  if (text.starts_with(kPrefix) || text.starts_with("u+")) text.remove_prefix(kPrefix.size());
  return parse_code_point(text, out.last) && out.first <= out.last;
}

std::string hexadecimal(std::uint32_t value) {
  char digits[8];
  std::string text(digits, std::to_chars(digits, digits + sizeof digits, value, 16).ptr);
  for (char& c : text) c = c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

}  // namespace

std::vector<CharacterRange> usual_characters() { return {{0x20, 0x7E}, {0xA0, 0xFF}}; }

bool parse(std::string_view text, CharacterRanges& out) {
  std::vector<CharacterRange> ranges;
  if (text != kNoItems &&
      !each_item(text, [&](std::string_view item) { return parse_range(item, ranges.emplace_back()); }))
    return false;
  std::ranges::sort(ranges, {}, &CharacterRange::first);
  out.ranges.clear();
  for (const CharacterRange& range : ranges) {
    if (!out.ranges.empty() && range.first <= out.ranges.back().last + 1)
      out.ranges.back().last = std::max(out.ranges.back().last, range.last);
    else
      out.ranges.push_back(range);
  }
  return true;
}

std::string print(const CharacterRanges& ranges) {
  if (ranges.ranges.empty()) return std::string(kNoItems);
  std::string text;
  for (const CharacterRange& range : ranges.ranges) {
    text.append(text.empty() ? "" : ", ").append(kPrefix).append(hexadecimal(range.first));
    if (range.last != range.first) text.append("-").append(kPrefix).append(hexadecimal(range.last));
  }
  return text;
}

bool parse(std::string_view text, TextFiles& out) {
  out.paths.clear();
  return text == kNoItems || each_item(text, [&](std::string_view item) {
           out.paths.emplace_back(item);
           const std::string_view name = item.substr(item.rfind('/') + 1);
           return formats::path_fault(item).empty() && name.find('.') != std::string_view::npos;
         });
}

std::string print(const TextFiles& files) {
  if (files.paths.empty()) return std::string(kNoItems);
  std::string text;
  for (const std::string& path : files.paths) text.append(text.empty() ? "" : ", ").append(path);
  return text;
}

}  // namespace assetc::recipes
