// The floors of docs/architecture.md: a file includes its own folder and folders on floors below its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const std::map<std::string, int> kFloors{
    {"base", 0},    {"formats", 1},  {"codec", 2},  {"scene", 3},   {"runtime", 3}, {"import", 4},
    {"mesh", 4},    {"texture", 4},  {"shader", 4}, {"audio", 4},   {"export", 4},  {"render", 4},
    {"recipes", 5}, {"identity", 5}, {"build", 6},  {"convert", 6}, {"cli", 7},
};

// The folder that an include names, if it is one of ours: "assetc/base/bytes.hpp" and "base/x.hpp" are both base.
std::optional<std::string> folder_of(std::string_view included) {
  if (included.starts_with("assetc/")) included.remove_prefix(7);
  const std::size_t slash = included.find('/');
  if (slash == included.npos) return std::nullopt;
  const std::string folder(included.substr(0, slash));
  if (!kFloors.contains(folder)) return std::nullopt;
  return folder;
}

// Every include of text that a file of `folder` may not have, one message each.
std::vector<std::string> climbs(const std::string& folder, const std::string& file, std::istream& text) {
  std::vector<std::string> found;
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    const std::size_t open = line.find_first_of("\"<");
    if (!line.starts_with("#include") || open == line.npos) continue;
    const std::string included = line.substr(open + 1, line.find_first_of("\">", open + 1) - open - 1);
    const auto target = folder_of(included);
    if (!target || *target == folder) continue;
    if (kFloors.at(*target) < kFloors.at(folder)) continue;
    found.push_back(file + ":" + std::to_string(number) + ": includes \"" + included + "\": " + folder +
                    " is on floor " + std::to_string(kFloors.at(folder)) + ", " + *target + " on floor " +
                    std::to_string(kFloors.at(*target)));
  }
  return found;
}

std::vector<fs::path> sources_below(const fs::path& root) {
  std::vector<fs::path> files;
  if (!fs::exists(root)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

TEST(Floors, no_include_climbs) {
  const fs::path root = ASSETC_SOURCE_DIR;
  std::size_t files = 0;
  for (const auto& [folder, floor] : kFloors) {
    for (const fs::path& place : {root / "src" / folder, root / "include" / "assetc" / folder}) {
      for (const fs::path& file : sources_below(place)) {
        ++files;
        std::ifstream text(file);
        for (const std::string& climb : climbs(folder, fs::relative(file, root).string(), text)) ADD_FAILURE() << climb;
      }
    }
  }
  EXPECT_GT(files, 100u) << "the sources were not found below " << root;
}

TEST(Floors, every_folder_has_a_floor) {
  for (const char* place : {"src", "include/assetc"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(ASSETC_SOURCE_DIR) / place)) {
      if (entry.is_directory()) {
        EXPECT_TRUE(kFloors.contains(entry.path().filename().string()))
            << entry.path() << " is on no floor: add it here and to docs/architecture.md";
      }
    }
  }
}

TEST(Floors, a_climbing_include_is_found_and_named) {
  std::istringstream text(
      "#include <vector>\n#include \"assetc/base/bytes.hpp\"\n#include \"build/disk.hpp\"\n#include "
      "\"mesh/weld.hpp\"\n");
  EXPECT_EQ(climbs("texture", "src/texture/mips.cpp", text),
            (std::vector<std::string>{
                "src/texture/mips.cpp:3: includes \"build/disk.hpp\": texture is on floor 4, build on floor 6",
                "src/texture/mips.cpp:4: includes \"mesh/weld.hpp\": texture is on floor 4, mesh on floor 4",
            }));
}

// An engine that links formats gets the standard library and nothing else.
TEST(Floors, public_headers_include_the_standard_library_and_each_other_only) {
  for (const fs::path& file : sources_below(fs::path(ASSETC_SOURCE_DIR) / "include")) {
    std::ifstream text(file);
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
      if (!line.starts_with("#include")) continue;
      const bool ours = line.starts_with("#include \"assetc/");
      const bool standard =
          line.starts_with("#include <") && line.find('.') == line.npos && line.find('/') == line.npos;
      EXPECT_TRUE(ours || standard) << file << ":" << number << ": " << line;
    }
  }
}

}  // namespace
