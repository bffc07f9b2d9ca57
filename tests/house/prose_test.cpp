// What a machine can check of prose: the length of lines, and that commands, options and settings named in it exist.
// Spelling is the test house_spelling (codespell); the code in guides runs in tests/e2e/guide_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/arguments/arguments.hpp"
#include "places.hpp"
#include "recipes/settings.hpp"

namespace assetc {
namespace {

namespace fs = std::filesystem;

struct Line {
  std::string page;
  std::size_t number = 0;
  std::string text;
  bool in_code = false;  // inside a fenced block
};

std::vector<Line> lines_of(const fs::path& page) {
  std::vector<Line> lines;
  std::ifstream file(page);
  bool in_code = false;
  std::size_t number = 0;
  for (std::string text; std::getline(file, text);) {
    const bool is_fence = text.find("```") != text.npos && text.find_first_not_of(" `") >= text.find("```");
    lines.push_back({fs::relative(page, places::kSource).string(), ++number, text, in_code || is_fence});
    if (is_fence) in_code = !in_code;
  }
  return lines;
}

std::vector<Line> all_lines() {
  const fs::path root = places::kSource;
  std::vector<Line> lines;
  const auto add = [&](const fs::path& page) { std::ranges::move(lines_of(page), std::back_inserter(lines)); };
  for (const char* page : {"README.md", "CHANGELOG.md", "CONTRIBUTING.md"}) add(root / page);
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") add(entry.path());
  }
  return lines;
}

std::string place(const Line& line) { return line.page + ":" + std::to_string(line.number); }

std::size_t characters(const std::string& utf8) {
  return static_cast<std::size_t>(std::ranges::count_if(utf8, [](char c) { return (c & 0xC0) != 0x80; }));
}

// `code` of a line of prose.
std::vector<std::string> code_spans(const std::string& text) {
  std::vector<std::string> spans;
  static const std::regex span("`([^`]+)`");
  for (std::sregex_iterator at(text.begin(), text.end(), span), end; at != end; ++at) spans.push_back((*at)[1]);
  return spans;
}

TEST(Prose, lines_are_no_longer_than_120_characters) {
  for (const Line& line : all_lines()) {
    if (line.in_code || line.text.starts_with("|") || line.text.starts_with("![") || line.text.contains("http"))
      continue;
    EXPECT_LE(characters(line.text), 120u) << place(line);
  }
}

const command_line::CommandShape* find(const std::vector<command_line::CommandShape>& commands,
                                       const std::string& name) {
  const auto found = std::ranges::find(commands, name, &command_line::CommandShape::name);
  return found == commands.end() ? nullptr : &*found;
}

bool has_option(const command_line::CommandShape& command, const std::string& name) {
  return std::ranges::any_of(command.options, [&](const command_line::OptionShape& option) {
    return std::ranges::find(option.names, name) != option.names.end();
  });
}

// What a command line names that does not exist; empty where all of it does. Words in capitals stand for others.
std::string unknown_part(const std::string& command_line, const command_line::CommandShape& shape) {
  std::istringstream in(command_line.substr(0, command_line.find_first_of("#|>&;")));
  std::string word;
  in >> word;  // assetc
  const command_line::CommandShape* command = &shape;
  bool in_commands = true;
  while (in >> word) {
    if (word.starts_with("-")) {
      const std::string name = word.substr(0, word.find_first_of("=[],"));
      static const std::regex option("--?[a-z][a-z0-9.-]*");
      if (std::regex_match(name, option) && !has_option(*command, name) && !has_option(shape, name)) return name;
      in_commands = false;
    } else if (in_commands && !command->commands.empty()) {
      const command_line::CommandShape* below = find(command->commands, word);
      static const std::regex name("[a-z][a-z-]*");
      if (below != nullptr) {
        command = below;
      } else if (std::regex_match(word, name)) {
        return word;
      } else {
        in_commands = false;
      }
    }
  }
  return {};
}

TEST(Prose, commands_and_options_that_are_named_exist) {
  const command_line::CommandShape shape = cli::parser_shape();
  EXPECT_EQ(unknown_part("assetc bundle create a.pak --cooked x", shape), "");
  EXPECT_EQ(unknown_part("assetc bundel create", shape), "bundel");
  EXPECT_EQ(unknown_part("assetc cook --platfrom Win64", shape), "--platfrom");
  std::size_t checked = 0;
  const auto check = [&](const Line& line, const std::string& text) {
    if (text != "assetc" && !text.starts_with("assetc ")) return;
    if (text.starts_with("assetc ktx ")) return;  // it has a parser of its own; the end-to-end test runs the guide's
    ++checked;
    EXPECT_EQ(unknown_part(text, shape), "") << place(line) << ": " << text;
  };
  for (const Line& line : all_lines()) {
    if (line.in_code) {
      check(line, line.text);
    } else {
      for (const std::string& span : code_spans(line.text)) check(line, span);
    }
  }
  EXPECT_GT(checked, 100u);
}

TEST(Prose, settings_that_are_named_exist) {
  std::set<std::string> groups;
  for (const recipes::SettingField& field : recipes::setting_fields())
    groups.emplace(field.key.substr(0, field.key.find('.')));
  static const std::regex setting("([a-z0-9]+)\\.[a-z][a-z_0-9]*");
  const std::set<std::string> files{"texture.ktx2", "mesh.hmesh", "mesh.shader", "shader.spv", "mesh.obj", "mesh.glb"};
  std::size_t checked = 0;
  for (const Line& line : all_lines()) {
    if (line.in_code) continue;
    for (const std::string& span : code_spans(line.text)) {
      const std::string key = span.substr(0, span.find(':'));
      std::smatch match;
      if (!std::regex_match(key, match, setting) || !groups.contains(match[1]) || files.contains(key)) continue;
      ++checked;
      EXPECT_NE(recipes::find_setting(key), nullptr) << place(line) << ": " << key;
    }
  }
  EXPECT_GT(checked, 50u);
}

}  // namespace
}  // namespace assetc
