// Two clones in different folders share the compiler cache: what is compiled contains no absolute path of the project.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "places.hpp"

namespace {

namespace fs = std::filesystem;

// The first definition of a compiler command that contains a path; empty if there is none.
std::string definition_with(std::string_view command, std::string_view path) {
  for (std::size_t at = command.find(" -D"); at != command.npos; at = command.find(" -D", at + 1)) {
    const std::string_view definition = command.substr(at + 1, command.find(' ', at + 1) - at - 1);
    if (definition.find(path) != definition.npos) return std::string(definition);
  }
  return {};
}

TEST(Relocatable, a_definition_with_a_path_is_found) {
  EXPECT_EQ(definition_with("c++ -DA=1 -I/home/me/src -DB=\\\"/home/me/x\\\" -c /home/me/a.cpp", "/home/me"),
            "-DB=\\\"/home/me/x\\\"");
  EXPECT_EQ(definition_with("c++ -DA=1 -I/home/me/src -c /home/me/a.cpp", "/home/me"), "");
}

TEST(Relocatable, no_definition_contains_a_path_of_the_project) {
  std::ifstream file(fs::path(assetc::places::kBinary) / "compile_commands.json");
  std::size_t commands = 0;
  for (std::string line; std::getline(file, line); ++commands)
    EXPECT_EQ(definition_with(line, assetc::places::kSource), "");
  EXPECT_GT(commands, 100u);
}

TEST(Relocatable, joined_sources_include_others_by_relative_paths) {
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(assetc::places::kBinary) / "src")) {
    if (entry.path().parent_path().filename() != "joined" || entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) EXPECT_FALSE(line.starts_with("#include \"/")) << entry.path();
  }
}

}  // namespace
