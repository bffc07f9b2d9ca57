#include "cli/report/junit.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "base/json_line.hpp"
#include "base/plural.hpp"

namespace assetc::cli {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::string xml_escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text.front();
    // XML does not allow U+FFFE and U+FFFF.
    const bool is_none = text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF");
    if (length == 0 || is_none || (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n')) {
      out += kReplacement;
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string failure(const Error& error) {
  return "      <failure type=\"" + xml_escaped(to_string(error.code)) + "\" message=\"" + xml_escaped(error.what) +
         "\">" + xml_escaped(error.to_string()) + "</failure>\n";
}

}  // namespace

std::string junit_report(std::string_view command, std::uint64_t files, std::span<const Error> errors) {
  std::map<std::string_view, std::vector<const Error*>> by_file;
  for (const Error& error : errors) by_file[error.file].push_back(&error);
  const std::uint64_t good = files - std::min<std::uint64_t>(files, by_file.size());
  const std::string name = "assetc " + std::string(command);
  std::string cases;
  if (good > 0)
    cases += "    <testcase classname=\"" + name + "\" name=\"" + plural(good, "file") + " without problems\"/>\n";
  for (const auto& [file, problems] : by_file) {
    cases += "    <testcase classname=\"" + name + "\" name=\"" +
             xml_escaped(file.empty() ? "all files together" : file) + "\">\n";
    for (const Error* error : problems) cases += failure(*error);
    cases += "    </testcase>\n";
  }
  const std::string counts = "tests=\"" + std::to_string(by_file.size() + (good > 0 ? 1 : 0)) + "\" failures=\"" +
                             std::to_string(by_file.size()) + "\"";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites " + counts + ">\n  <testsuite name=\"" + name +
         "\" " + counts + ">\n" + cases + "  </testsuite>\n</testsuites>\n";
}

}  // namespace assetc::cli
