#include "cli/sarif.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "base/json_line.hpp"

namespace assetc::cli {
namespace {

constexpr std::string_view kRoot = "SRCROOT";

// The number that follows `word` in a place; 0 for none.
int number_after(std::string_view place, std::string_view word) {
  const std::size_t at = place.find(word);
  if (at == std::string_view::npos) return 0;
  int number = 0;
  std::from_chars(place.data() + at + word.size(), place.data() + place.size(), number);
  return number;
}

// A path of RFC 3986: what is not unreserved is percent-encoded, byte by byte.
std::string uri(std::string_view path) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string text;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) {
      text += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      text += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return text;
}

JsonObject message_of(const Error& error, bool located) {
  std::string text = located || error.place.empty() ? error.what : error.place + ": " + error.what;
  if (!error.hint.empty()) text += "; " + error.hint;
  return JsonObject().add("text", text);
}

std::string folder_of(const std::string& path) { return path.ends_with('/') ? path : path + "/"; }

// root ends in a slash.
JsonObject artifact_of(const std::string& file, const std::string& root, const std::string& here) {
  const std::string path = (std::filesystem::path(here) / file).lexically_normal().generic_string();
  JsonObject location;
  if (!path.starts_with(root)) return location.add("uri", "file://" + uri(path));
  return location.add("uri", uri(std::string_view(path).substr(root.size()))).add("uriBaseId", kRoot);
}

std::string result_of(const Error& error, const std::string& root, const std::string& here) {
  JsonObject result;
  const int line = number_after(error.place, "line "), column = number_after(error.place, "column ");
  result.add("ruleId", to_string(error.code)).add("level", "error").add("message", message_of(error, line > 0));
  if (!error.file.empty()) {
    JsonObject physical, region;
    physical.add("artifactLocation", artifact_of(error.file, root, here));
    // GitHub shows no result without a line. What has none, as a binary file, says its place in its message.
    region.add("startLine", std::max(line, 1));
    if (line > 0 && column > 0) region.add("startColumn", column);
    physical.add("region", region);
    result.raw("locations", "[" + JsonObject().add("physicalLocation", physical).str() + "]");
  }
  return result.str();
}

}  // namespace

std::string sarif_log(std::string_view command, std::span<const Error> errors, const std::string& root,
                      const std::string& here) {
  const std::string base = folder_of(root);
  std::set<std::string_view> rules;
  for (const Error& error : errors) rules.insert(to_string(error.code));
  std::string rule_list, results;
  for (const std::string_view rule : rules)
    rule_list += (rule_list.empty() ? "" : ",") + JsonObject().add("id", rule).str();
  for (const Error& error : errors) results += (results.empty() ? "\n" : ",\n") + result_of(error, base, here);
  JsonObject driver;
  driver.add("name", "assetc " + std::string(command))
      .add("version", ASSETC_VERSION)
      .raw("rules", "[" + rule_list + "]");
  JsonObject run;
  run.add("tool", JsonObject().add("driver", driver))
      .add("columnKind", "utf16CodeUnits")
      .add("originalUriBaseIds", JsonObject().add(kRoot, JsonObject().add("uri", "file://" + uri(base))))
      .raw("results", "[" + results + "]");
  return JsonObject()
             .add("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
             .add("version", "2.1.0")
             .raw("runs", "[" + run.str() + "]")
             .str() +
         "\n";
}

}  // namespace assetc::cli
