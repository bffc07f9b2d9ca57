// Help and manual are generated from the parser, so they cannot differ from it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "cli/commands/commands.hpp"
#include "places.hpp"
#include "recipes/settings.hpp"

namespace assetc::cli {
namespace {

std::string file_text(const std::string& path) {
  std::ifstream file(std::string(places::kSource) + "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class F>
void for_each_option(const command_line::CommandShape& shape, const F& f) {
  for (const command_line::OptionShape& option : shape.options) f(shape, option);
  for (const command_line::CommandShape& sub : shape.commands) for_each_option(sub, f);
}

TEST(ManualPage, the_committed_one_is_what_the_program_prints) {
  EXPECT_TRUE(file_text("docs/man/assetc.1") == manual_page(parser_shape()))
      << "run: build/release/assetc manual > docs/man/assetc.1";
}

TEST(ManualPage, names_every_option_and_setting) {
  const std::string page = manual_page(parser_shape());
  for_each_option(parser_shape(), [&](const command_line::CommandShape&, const command_line::OptionShape& option) {
    if (option.positional) return;
    for (const std::string& name : option.names)
      EXPECT_NE(page.find("Fl " + name.substr(1)), std::string::npos) << name;
  });
  for (const recipes::SettingField& field : recipes::setting_fields())
    EXPECT_NE(page.find(".It Cm " + std::string(field.key)), std::string::npos);
}

TEST(Completion, every_shell_knows_every_option) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(parser_shape(), shell);
    for_each_option(
        parser_shape(), [&](const command_line::CommandShape& command, const command_line::OptionShape& option) {
          if (option.positional) return;
          const std::string name = option.names.back();
          const std::string written =
              std::string(shell) == "fish" && name.starts_with("--") ? "-l " + name.substr(2) : name;
          EXPECT_NE(script.find(written), std::string::npos) << shell << ": " << command.name << " " << name;
        });
  }
}

TEST(Shape, options_of_a_group_are_those_of_its_command) {
  const command_line::CommandShape shape = parser_shape();
  const auto render = std::ranges::find(shape.commands, "render", &command_line::CommandShape::name);
  ASSERT_NE(render, shape.commands.end());
  EXPECT_TRUE(render->commands.empty());
  for (const char* style : {"--textured", "--shaded", "--normals", "--uv", "--wire", "--meshlets"})
    EXPECT_EQ(std::ranges::count(render->options, std::vector<std::string>{style}, &command_line::OptionShape::names),
              1)
        << style;
  EXPECT_EQ(
      std::ranges::count(render->options, std::vector<std::string>{"-h", "--help"}, &command_line::OptionShape::names),
      1);
}

TEST(Shape, choices_and_values_are_told_apart) {
  const command_line::CommandShape shape = parser_shape();
  for_each_option(shape, [&](const command_line::CommandShape& command, const command_line::OptionShape& option) {
    const std::string& name = option.names.back();
    if (name == "--color") {
      EXPECT_EQ(option.choices, (std::vector<std::string>{"auto", "always", "never"}));
    }
    if (command.name == "assetc" && (name == "--jobs" || name == "--verify" || name == "--output")) {
      EXPECT_EQ(option.value, name == "--jobs" ? "N" : name == "--output" ? "DIR" : "");
    }
  });
}

TEST(Guide, every_setting_has_its_row) {
  const std::string guide = file_text("docs/guide/configuration.md");
  for (const recipes::SettingField& field : recipes::setting_fields()) {
    const std::string row = "| `" + std::string(field.key) + "` | " + std::string(field.values) + " | `" +
                            field.get({}) + "` | " + std::string(field.doc) + " |\n";
    EXPECT_NE(guide.find(row), std::string::npos) << "docs/guide/configuration.md lacks this row:\n" << row;
  }
}

}  // namespace
}  // namespace assetc::cli
