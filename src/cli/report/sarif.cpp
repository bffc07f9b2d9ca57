#include "cli/report/sarif.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/json_line.hpp"
#include "base/lexical_path.hpp"
#include "base/percent.hpp"
#include "cli/report/version.hpp"

namespace assetc::cli {
namespace {

constexpr std::string_view kRoot = "SRCROOT";

// Descriptions of the error codes, in the order of ErrorCode.
constexpr std::string_view kErrorTexts[] = {
    "The bytes of a file break a rule of its format.",
    "A file ends too early for its format.",
    "A file has a version that this program does not read.",
    "A file is valid, but uses a feature that this program does not support.",
    "Something is larger than a named limit.",
    "A file, an entry or the target of a reference does not exist.",
    "The operating system reported an error.",
    "Two things cannot both exist, such as two sources for one output.",
    "The command line or the configuration is wrong.",
    "The work was canceled.",
};
static_assert(std::size(kErrorTexts) == static_cast<std::size_t>(ErrorCode::kCanceled) + 1);
constexpr std::string_view kErrorHelp =
    "The message of each result says what was found, what was expected and what to do.";

struct Rule {
  std::string_view id, means, help;
  recipes::Severity level;  // of results that have no level of their own
};

Rule rule_of(const Finding& finding) {
  if (finding.kind) {
    const WarningRow& row = row_of(*finding.kind);
    return {row.name, row.means, row.remedy, recipes::Severity::kWarning};
  }
  const ErrorCode code = finding.what.code;
  return {to_string(code), kErrorTexts[static_cast<std::size_t>(code)], kErrorHelp, recipes::Severity::kError};
}

std::string_view level_name(recipes::Severity severity) {
  return severity == recipes::Severity::kError ? "error" : severity == recipes::Severity::kWarning ? "warning" : "note";
}

JsonObject text_object(std::string_view text) { return JsonObject().add("text", text); }

JsonObject rule_object(const Rule& rule) {
  JsonObject object;
  object.add("id", rule.id)
      .add("shortDescription", text_object(rule.means))
      .add("fullDescription", text_object(std::string(rule.means) + " " + std::string(rule.help)))
      .add("help", text_object(rule.help))
      .add("helpUri", std::string(kDocumentation) + "#" + std::string(rule.id))
      .add("defaultConfiguration", JsonObject().add("level", level_name(rule.level)));
  return object;
}

// The number after `word` in a place; 0 if there is none.
int number_after(std::string_view place, std::string_view word) {
  const std::size_t at = place.find(word);
  if (at == std::string_view::npos) return 0;
  int number = 0;
  std::from_chars(place.data() + at + word.size(), place.data() + place.size(), number);
  return number;
}

std::string uri(std::string_view path) { return percent_encoded(path, kUnreservedAndSlash); }

JsonObject message_of(const Error& error, bool located) {
  std::string text = located || error.place.empty() ? error.what : error.place + ": " + error.what;
  if (!error.hint.empty()) text += "; " + error.hint;
  return JsonObject().add("text", text);
}

std::string folder_of(const std::string& path) { return path.ends_with('/') ? path : path + "/"; }

// Requires a root that ends in a slash.
JsonObject artifact_of(const std::string& file, const std::string& root, const std::string& here) {
  const std::string path = path_in(here, file);
  JsonObject location;
  if (!path.starts_with(root)) return location.add("uri", (path.starts_with('/') ? "file://" : "file:///") + uri(path));
  return location.add("uri", uri(std::string_view(path).substr(root.size()))).add("uriBaseId", kRoot);
}

std::string result_of(const Finding& finding, std::size_t rule_index, const std::string& root,
                      const std::string& here) {
  const Error& error = finding.what;
  JsonObject result;
  const int line = number_after(error.place, "line "), column = number_after(error.place, "column ");
  result.add("ruleId", rule_of(finding).id)
      .add("ruleIndex", rule_index)
      .add("level", level_name(finding.severity))
      .add("message", message_of(error, line > 0));
  if (finding.accepted) {
    const JsonObject suppression = JsonObject().add("kind", "external").add("justification", *finding.accepted);
    result.raw("suppressions", "[" + suppression.str() + "]");
  }
  if (!error.file.empty()) {
    JsonObject physical, region;
    physical.add("artifactLocation", artifact_of(error.file, root, here));
    // GitHub does not show a result without a line. If there is none, as in a binary file, the message has the place.
    region.add("startLine", std::max(line, 1));
    if (line > 0 && column > 0) region.add("startColumn", column);
    physical.add("region", region);
    result.raw("locations", "[" + JsonObject().add("physicalLocation", physical).str() + "]");
  }
  return result.str();
}

}  // namespace

std::vector<Finding> findings_of(std::span<const Error> errors) {
  std::vector<Finding> findings;
  findings.reserve(errors.size());
  for (const Error& error : errors) findings.push_back({recipes::Severity::kError, std::nullopt, error, std::nullopt});
  return findings;
}

std::string sarif_log(std::string_view command, std::span<const Finding> findings, const std::string& root,
                      const std::string& here) {
  const std::string base = folder_of(root);
  std::map<std::string_view, Rule> rules;
  for (const Finding& finding : findings) rules.emplace(rule_of(finding).id, rule_of(finding));
  std::string rule_list, results;
  for (const auto& [id, rule] : rules) rule_list += (rule_list.empty() ? "\n" : ",\n") + rule_object(rule).str();
  for (const Finding& finding : findings) {
    const auto index = static_cast<std::size_t>(std::distance(rules.begin(), rules.find(rule_of(finding).id)));
    results += (results.empty() ? "\n" : ",\n") + result_of(finding, index, base, here);
  }
  JsonObject driver;
  driver.add("name", "assetc " + std::string(command))
      .add("version", kVersion)
      .add("informationUri", kDocumentation)
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
