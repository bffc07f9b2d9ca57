// Every warning has a kind, and every kind has a warning and a row in the manual.
#include "warnings/warnings.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "places.hpp"

namespace {

namespace fs = std::filesystem;

std::string source_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class F>
void for_each_source(const F& f) {
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(assetc::places::kSource) / "src")) {
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp")
      f(fs::relative(entry.path(), assetc::places::kSource).string(), source_text(entry.path()));
  }
}

// The types prevent this; the test finds code that works around them.
TEST(WarningKinds, nothing_makes_a_warning_of_a_severity) {
  const std::string made = "Severity::kWarning, Error";
  for_each_source([&](const std::string& path, const std::string& text) {
    EXPECT_EQ(text.find(made), std::string::npos) << path << ": name the kind of the warning";
  });
}

bool names_kind(const std::string& text, const std::string& enumerator) {
  const std::string name = "WarningKind::" + enumerator;
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    if (std::isalnum(static_cast<unsigned char>(text[at + name.size()])) == 0) return true;
  }
  return false;
}

TEST(WarningKinds, each_is_of_a_warning_that_is_made) {
  std::string all;
  std::string names;  // of enumerators, in their order
  for_each_source([&](const std::string& path, const std::string& text) {
    if (path == "src/warnings/warnings.hpp") {
      const std::size_t begin = text.find("enum class WarningKind");
      names = text.substr(begin, text.find("};", begin) - begin);
    }
    if (!path.starts_with("src/warnings/")) all += text;
  });
  std::size_t count = 0;
  for (std::size_t at = names.find("\n  k"); at != std::string::npos; at = names.find("\n  k", at + 1), ++count) {
    const std::string enumerator = names.substr(at + 3, names.find(',', at) - at - 3);
    EXPECT_TRUE(names_kind(all, enumerator)) << enumerator;
  }
  EXPECT_EQ(count, assetc::warning_rows().size());
}

TEST(WarningKinds, each_has_its_line_in_the_manual) {
  const std::string page = source_text(fs::path(assetc::places::kSource) / "docs/reference/warnings.md");
  const auto lines = [](bool is_acceptable) {
    std::string text;
    for (const assetc::WarningRow& row : assetc::warning_rows()) {
      if (row.is_acceptable != is_acceptable) continue;
      text.append("| <a id=\"").append(row.name).append("\"></a>`").append(row.name).append("` | ");
      text.append(row.means).append(" | ").append(row.remedy).append(" |\n");
    }
    return text;
  };
  for (const bool is_acceptable : {true, false})
    EXPECT_NE(page.find(lines(is_acceptable)), std::string::npos) << "docs/reference/warnings.md needs these lines:\n"
                                                                  << lines(is_acceptable);
}

}  // namespace
