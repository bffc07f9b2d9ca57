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

// ASSETC_FLOORS: "base|formats|...|scene runtime|...": folders by floor, lowest first.
std::map<std::string, int> read_floors() {
  std::map<std::string, int> floors;
  std::istringstream list(ASSETC_FLOORS);
  std::string floor;
  for (int number = 0; std::getline(list, floor, '|'); ++number) {
    std::istringstream folders(floor);
    for (std::string folder; folders >> folder;) floors.emplace(folder, number);
  }
  return floors;
}
const std::map<std::string, int> kFloors = read_floors();

// The folder with a floor that a path below src/ or include/assetc/ lies in: the longest that is listed.
std::optional<std::string> folder_of(std::string_view path) {
  for (std::size_t slash = path.rfind('/'); slash != path.npos && slash != 0; slash = path.rfind('/', slash - 1)) {
    std::string folder(path.substr(0, slash));
    if (kFloors.contains(folder)) return folder;
  }
  return std::nullopt;
}
// The folder that an include names, if it is one of ours: "assetc/base/bytes.hpp" and "base/x.hpp" are both base.
// The codec's public headers stand on the floor of its lowest wing, the version on the ground.
std::optional<std::string> folder_included(std::string_view included) {
  if (included.starts_with("assetc/codec/")) return "codec/block";
  if (included == "assetc/version.hpp") return "base";
  if (included.starts_with("assetc/")) included.remove_prefix(7);
  return folder_of(included);
}

// Every include of text that a file of `folder` may not have, one message each.
std::vector<std::string> climbs(const std::string& folder, const std::string& file, std::istream& text) {
  std::vector<std::string> found;
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    const std::size_t open = line.find_first_of("\"<");
    if (!line.starts_with("#include") || open == line.npos) continue;
    const std::string included = line.substr(open + 1, line.find_first_of("\">", open + 1) - open - 1);
    const auto target = folder_included(included);
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
  for (const fs::path& place : {root / "src", root / "include/assetc"}) {
    for (const fs::path& file : sources_below(place)) {
      const std::string path = fs::relative(file, place).generic_string();
      const auto folder = place.filename() == "assetc" ? folder_included("assetc/" + path) : folder_of(path);
      ASSERT_TRUE(folder) << file
                          << " is on no floor: add its folder to cmake/AssetcFloors.cmake and docs/architecture.md";
      ++files;
      std::ifstream text(file);
      for (const std::string& climb : climbs(*folder, fs::relative(file, root).string(), text)) ADD_FAILURE() << climb;
    }
  }
  EXPECT_GT(files, 100u) << "the sources were not found below " << root;
}

TEST(Floors, every_floor_has_a_folder) {
  for (const auto& [folder, floor] : kFloors) {
    EXPECT_TRUE(fs::is_directory(fs::path(ASSETC_SOURCE_DIR) / "src" / folder))
        << folder << " is listed and is not there";
  }
}

TEST(Floors, a_climbing_include_is_found_and_named) {
  std::istringstream text(
      "#include <vector>\n#include \"assetc/base/bytes.hpp\"\n#include \"engine/disk/disk.hpp\"\n#include "
      "\"mesh/weld.hpp\"\n");
  EXPECT_EQ(climbs("texture", "src/texture/mips.cpp", text),
            (std::vector<std::string>{
                "src/texture/mips.cpp:3: includes \"engine/disk/disk.hpp\": texture is on floor 8, engine on floor 11",
                "src/texture/mips.cpp:4: includes \"mesh/weld.hpp\": texture is on floor 8, mesh on floor 8",
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
