// Messages print counts with plural() or counted(), so that none contains "1 bytes".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "places.hpp"

namespace {

namespace fs = std::filesystem;

// Places where text prints a number before a plural noun directly. Excluded: constants, which are greater than one, and
// products of sides in texels.
std::vector<std::string> bare_counts(const std::string& text) {
  static const std::string nouns =
      "(assets|attributes|blocks|bytes|channels|characters|chunks|components|corners|elements|entries|errors|"
      "extensions|faces|files|folders|frames|indices|items|joints|layers|levels|links|materials|meshes|meshlets|nodes|"
      "numbers|outputs|pictures|sources|skins|steps|submeshes|triangles|values|vertices|warnings)\\b";
  static const std::regex added(
      "(?:to_string|count_text)\\(([^\";+]*)\\)\\s*\\+\\s*\"\\s(?!for |in |of |with )(?:[a-z]+ )?" + nouns);
  static const std::regex listed(",\\s*((?:\\w|->|::|\\.)*(?:count|size|bytes)(?:\\w|\\(\\))*),\\s*\"\\s(?:extra )?" +
                                 nouns);
  static const std::regex formatted("[^f] \\{\\} " + nouns + "|\"\\{\\} " + nouns);
  static const std::regex constant("\\bk[A-Z]");
  std::vector<std::string> found;
  for (const std::regex* pattern : {&added, &listed, &formatted}) {
    for (std::sregex_iterator at(text.begin(), text.end(), *pattern), end; at != end; ++at) {
      if (!std::regex_search((*at)[1].first, (*at)[1].second, constant)) found.push_back(at->str());
    }
  }
  return found;
}

TEST(Plural, finds_counts_that_go_by_themselves) {
  EXPECT_EQ(bare_counts("\"found \" + std::to_string(list.size()) + \" skins; only\"").size(), 1u);
  EXPECT_EQ(bare_counts("message(\"found \", file.size(), \" bytes, expected\")").size(), 1u);
  EXPECT_EQ(bare_counts("fmt::format(\"has {} indices\", count)").size(), 1u);
  EXPECT_EQ(bare_counts("message(\"at most \", kMaxBytes, \" bytes\") + std::to_string(kMaxFiles) + \" files\"").size(),
            0u);
  EXPECT_EQ(bare_counts("plural(files, \"file\") + \" removed\"").size(), 0u);
}

TEST(Plural, every_count_in_a_message_is_of_the_number_of_its_noun) {
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(assetc::places::kSource) / "src")) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(bare_counts(text), testing::IsEmpty())
        << fs::relative(entry.path(), assetc::places::kSource).string() << ": use plural() or counted()";
  }
}

}  // namespace
