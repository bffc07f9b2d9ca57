// A library of templates has one door: one file of ours includes it, and all others see small types of ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "places.hpp"

namespace {

namespace fs = std::filesystem;

struct Door {
  std::string_view header;  // the begin of its includes
  std::string_view file;    // below the root
};
constexpr Door kDoors[] = {{"nlohmann/", "src/json/json.cpp"},    {"fmt/", "src/text/format.cpp"},
                           {"yaml-cpp/", "src/yaml/yaml.cpp"},    {"CLI/", "src/command_line/command_line.cpp"},
                           {"tbb/", "src/parallel/parallel.cpp"}, {"oneapi/", "src/parallel/parallel.cpp"}};

bool includes(std::string_view text, std::string_view header) {
  for (const char* const open : {"<", "\""}) {
    if (text.find("#include " + (open + std::string(header))) != text.npos) return true;
  }
  return false;
}

TEST(Doors, an_include_is_found) {
  EXPECT_TRUE(includes("#include <vector>\n#include <nlohmann/json_fwd.hpp>\n", "nlohmann/"));
  EXPECT_TRUE(includes("#include \"nlohmann/json.hpp\"\n", "nlohmann/"));
  EXPECT_FALSE(includes("#include \"json/json.hpp\"  // not <nlohmann/json.hpp>\n", "nlohmann/"));
}

TEST(Doors, each_library_is_included_by_one_file) {
  const fs::path root = assetc::places::kSource;
  std::vector<std::set<std::string>> found(std::size(kDoors));
  std::size_t files = 0;
  for (const char* const place : {"src", "include", "tests", "fuzz", "web/codec/native"}) {
    if (!fs::exists(root / place)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / place)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      const std::string name = fs::relative(entry.path(), root).generic_string();
      if (name == "tests/house/doors_test.cpp") continue;
      ++files;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      for (std::size_t i = 0; i < std::size(kDoors); ++i) {
        if (includes(text, kDoors[i].header)) found[i].insert(name);
      }
    }
  }
  EXPECT_GT(files, 500u);
  EXPECT_FALSE(found[0].empty());
  for (std::size_t i = 0; i < std::size(kDoors); ++i) {
    EXPECT_THAT(found[i], testing::Each(std::string(kDoors[i].file)))
        << "only " << kDoors[i].file << " includes " << kDoors[i].header
        << ": docs/decisions/0013-each-library-has-one-door.md";
  }
}

}  // namespace
