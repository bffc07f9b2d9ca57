// Relative links in the documentation lead to files, and the JSON guide names every event and member.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "places.hpp"

namespace {

namespace fs = std::filesystem;

// The anchor of a heading: lower case, hyphens for spaces, no other punctuation.
std::string anchor_of(const std::string& heading) {
  static const std::regex link(R"(\[([^\]]*)\]\([^)]*\))");
  std::string anchor;
  for (const char c : std::regex_replace(heading, link, "$1")) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '_' || byte >= 0x80) {
      anchor += static_cast<char>(std::tolower(byte));
    } else if (c == ' ') {
      anchor += '-';
    }
  }
  return anchor;
}

std::set<std::string> anchors_of(const fs::path& page) {
  std::set<std::string> anchors;
  std::ifstream file(page);
  static const std::regex id(R"re(<a id="([^"]+)">)re");
  bool in_code = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) in_code = !in_code;
    for (std::sregex_iterator at(line.begin(), line.end(), id), end; at != end; ++at) anchors.insert((*at)[1]);
    const std::size_t text = line.find_first_not_of('#');
    if (in_code || text == 0 || text == line.npos || line[text] != ' ') continue;
    const std::string anchor = anchor_of(line.substr(text + 1));
    std::string numbered = anchor;  // the second heading of a name has -1
    for (int i = 1; !anchors.insert(numbered).second; ++i) numbered = anchor + "-" + std::to_string(i);
  }
  return anchors;
}

TEST(Docs, relative_links_lead_to_files_and_headings) {
  const fs::path root = assetc::places::kSource;
  std::vector<fs::path> pages;
  for (const char* name : {"README.md", "CHANGELOG.md", "CONTRIBUTING.md"}) {
    if (fs::exists(root / name)) pages.push_back(root / name);
  }
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  EXPECT_GT(pages.size(), 10u);
  for (const fs::path& page : pages) {
    std::ifstream file(page);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
      const std::string link = text.substr(at + 2, text.find(')', at) - at - 2);
      if (link.find("://") != std::string::npos || link.find_first_of(" \n") != std::string::npos) continue;
      const std::size_t hash = std::min(link.find('#'), link.size());
      const fs::path target = hash == 0 ? page : page.parent_path() / link.substr(0, hash);
      EXPECT_TRUE(fs::exists(target)) << fs::relative(page, root) << ": " << link;
      if (hash == link.size() || target.extension() != ".md") continue;
      EXPECT_TRUE(anchors_of(target).contains(link.substr(hash + 1)))
          << fs::relative(page, root) << ": no heading for " << link;
    }
  }
}

TEST(Docs, decisions_are_numbered_once_and_listed) {
  std::ifstream file(fs::path(assetc::places::kSource) / "docs/decisions/README.md");
  const std::string index{std::istreambuf_iterator<char>(file), {}};
  std::map<std::string, std::string> by_number;
  for (const auto& entry : fs::directory_iterator(fs::path(assetc::places::kSource) / "docs/decisions")) {
    const std::string name = entry.path().filename();
    if (name == "README.md") continue;
    const auto [other, added] = by_number.emplace(name.substr(0, 4), name);
    EXPECT_TRUE(added) << name << " and " << other->second << " have the same number";
    EXPECT_EQ(name.find_first_not_of("0123456789"), 4u) << name;
    EXPECT_NE(index.find("(" + name + ")"), std::string::npos) << name << " is not listed in docs/decisions/README.md";
  }
  EXPECT_GT(by_number.size(), 10u);
}

TEST(Docs, every_event_of_the_json_output_is_in_its_guide) {
  const fs::path root = assetc::places::kSource;
  std::ifstream page(root / "docs/guide/json.md");
  const std::string guide{std::istreambuf_iterator<char>(page), {}};
  const std::regex name(R"re((?:json_event\(|\.(?:add|raw)\()"([a-z_]{2,})")re");
  std::size_t names = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root / "src/cli")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.find("json_event(") == std::string::npos) continue;
    for (std::sregex_iterator match(text.begin(), text.end(), name); match != std::sregex_iterator(); ++match, ++names)
      EXPECT_NE(guide.find("`" + (*match)[1].str() + "`"), std::string::npos) << entry.path() << ": " << (*match)[1];
  }
  EXPECT_GT(names, 100u);
}

}  // namespace
