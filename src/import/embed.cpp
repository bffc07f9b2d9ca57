#include "import/embed.hpp"

#include <algorithm>

#include "assetc/base/spelling.hpp"
#include "base/ascii.hpp"
#include "import/model/source.hpp"
#include "import/text/yaml.hpp"

namespace assetc::importer {
namespace {

constexpr std::string_view kSuffix = ".embed.yml";

bool is_letter(char c) { return (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') || c == '_'; }

// Names that C++ reserves are left out; a compiler then reports them.
bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

// "a::b"
bool is_namespace(std::string_view text) {
  while (true) {
    const std::size_t end = std::min(text.find("::"), text.size());
    if (!is_identifier(text.substr(0, end))) return false;
    if (end == text.size()) return true;
    text.remove_prefix(end + 2);
  }
}

// "drops table.csv" -> "drops_table_csv"
std::string identifier_of(std::string_view name) {
  std::string out = name.empty() || is_digit(name.front()) ? "_" : "";
  for (const char c : name) out += is_letter(c) || is_digit(c) ? c : '_';
  return out;
}

Result<void> read_member(const Yaml& key_node, const Yaml& value, std::string_view source_path, Embed& out) {
  if (!key_node.is_text())
    return fail_at(ErrorCode::kUsage, key_node.place(), "found " + key_node.describe() + ", expected a key");
  const std::string& key = key_node.text();
  const std::string text = value.is_text() ? value.text() : "";
  if (key == "file") {
    if (text.empty()) return wrong_yaml(value, key, "the path of a file");
    auto path = resolve_path(source_path, text, "");
    if (!path) return std::unexpected(std::move(path).error().at(value.place()));
    out.file = std::move(*path);
  } else if (key == "as") {
    if (text != "file" && text != "header") return wrong_yaml(value, key, "file or header");
    out.as = text == "header" ? Embed::As::kHeader : Embed::As::kFile;
  } else if (key == "name") {
    if (!is_identifier(text)) return wrong_yaml(value, key, "a C++ identifier");
    out.name = text;
  } else if (key == "namespace") {
    if (!is_namespace(text)) return wrong_yaml(value, key, "a C++ namespace such as game::data");
    out.name_space = text;
  } else {
    const std::string_view near = did_you_mean(key, {"file", "as", "name", "namespace"});
    out.warnings.push_back({WarningKind::kUnknownKey,
                            ErrorCode::kUsage,
                            {},
                            key_node.place(),
                            "found the unknown key \"" + key.substr(0, 60) + "\"; it is ignored",
                            near.empty() ? "" : "did you mean " + std::string(near) + "?"});
  }
  return {};
}

}  // namespace

Result<Embed> import_embed(std::string_view source_path, const Bytes& file) {
  ASSETC_TRY(const Yaml root, parse_yaml(file, "description of an embed"));
  if (!root.is_block() && !root.is_null()) {
    return fail_at(ErrorCode::kUsage, root.place(), "found " + root.describe() + ", expected keys such as as: header");
  }
  Embed out;
  std::vector<std::string> seen;
  for (const auto& [key_node, value] : root.members()) {
    ASSETC_CHECK(read_member(key_node, value, source_path, out));
    if (std::ranges::find(seen, key_node.text()) != seen.end())
      return fail_at(ErrorCode::kUsage, key_node.place(), "found the key " + key_node.text() + " twice");
    seen.push_back(key_node.text());
  }
  if (out.file.empty())
    out.file = source_path.substr(0, source_path.size() - std::min(kSuffix.size(), source_path.size()));
  if (out.name.empty()) out.name = identifier_of(file_name(out.file));
  return out;
}

}  // namespace assetc::importer
