#include "import/engines/unity_text.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "formats/text.hpp"

namespace assetc::importer {
namespace {

constexpr std::size_t kMaxUnityLevels = 64;

// The end of the key of "key: value" or "key:", or npos.
std::size_t end_of_key(std::string_view words) {
  for (std::size_t colon = words.find(':'); colon != words.npos; colon = words.find(':', colon + 1)) {
    if (colon + 1 == words.size() || words[colon + 1] == ' ') return colon;
  }
  return std::string_view::npos;
}

}  // namespace

Result<UnityLines> unity_lines(std::string_view text) {
  struct Level {
    std::size_t indent;
    std::uint32_t line;  // its number in lines
  };
  struct Item {
    std::size_t indent;
    std::uint32_t number;
  };
  UnityLines lines;
  std::vector<Level> levels;
  std::vector<Item> items;
  std::uint32_t item_count = 0;
  const auto parent = [&] { return levels.empty() ? UnityLine::kNone : levels.back().line; };
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view words = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    const auto refuse = [&](ErrorCode code, std::string what) {
      return fail_at(code, "line " + std::to_string(line), std::move(what),
                     "restore the file from version control, or let Unity write it again");
    };
    if (!formats::is_utf8(words)) return refuse(ErrorCode::kInvalidData, "found a text that is not UTF-8");
    std::size_t indent = std::min(words.find_first_not_of(' '), words.size());
    words = trimmed(words.substr(indent), " \r");
    if (words.starts_with('\t')) return refuse(ErrorCode::kInvalidData, "found a tab, expected spaces");
    if (words.empty() || words.starts_with('#') || words.starts_with('%') || words.starts_with("---")) continue;
    bool is_item = false;
    while (words.starts_with("- ")) {
      is_item = true;
      indent += 2;
      words.remove_prefix(2);
    }
    while (!items.empty() && items.back().indent > indent - (is_item ? 1 : 0)) items.pop_back();
    if (is_item) items.push_back({indent, ++item_count});
    const std::size_t colon = end_of_key(words);
    if (colon == words.npos) {
      if (indent == 0) return refuse(ErrorCode::kInvalidData, "found a line without a key, expected \"key: value\"");
      if (is_item && !levels.empty()) {  // of a list of plain values
        while (!levels.empty() && levels.back().indent >= indent) levels.pop_back();
        lines.push_back({{}, parent(), item_count, words, line});
      }
      continue;  // or a text goes on
    }
    while (!levels.empty() && levels.back().indent >= indent) levels.pop_back();
    if (levels.size() == kMaxUnityLevels)
      return refuse(ErrorCode::kLimit, "found more than " + std::to_string(kMaxUnityLevels) + " levels");
    const std::uint32_t item = items.empty() ? 0 : items.back().number;
    lines.push_back({words.substr(0, colon), parent(), item, trimmed(words.substr(colon + 1), " "), line});
    levels.push_back({indent, static_cast<std::uint32_t>(lines.size() - 1)});
  }
  return lines;
}

bool is_at(const UnityLines& lines, const UnityLine& line, std::string_view path) {
  for (const UnityLine* at = &line;; at = &lines[at->parent]) {
    if (!path.ends_with(at->key)) return false;
    path.remove_suffix(at->key.size());
    if (at->parent == UnityLine::kNone) return path.empty();
    if (at->key.empty()) continue;
    if (!path.ends_with('/')) return false;
    path.remove_suffix(1);
  }
}

const UnityLine* find_unity_line(const UnityLines& lines, std::string_view path, std::uint32_t item) {
  const auto at = std::ranges::find_if(
      lines, [&](const UnityLine& line) { return (item == 0 || line.item == item) && is_at(lines, line, path); });
  return at == lines.end() ? nullptr : &*at;
}

std::string_view flow_value(std::string_view flow, std::string_view key) {
  if (!flow.starts_with('{')) return {};
  flow.remove_prefix(1);
  while (!flow.empty()) {
    const std::size_t end = std::min(flow.find_first_of(",}"), flow.size());
    const std::string_view member = trimmed(flow.substr(0, end));
    flow.remove_prefix(std::min(flow.size(), end + 1));
    if (member.starts_with(key) && member.substr(key.size()).starts_with(':'))
      return trimmed(member.substr(key.size() + 1));
  }
  return {};
}

}  // namespace assetc::importer
