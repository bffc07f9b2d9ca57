// The grammar of the command line: every command, its options, and the members of Arguments that they fill.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments/arguments.hpp"
#include "recipes/settings.hpp"

namespace assetc::cli {

// Adds an option for a setting that a rule of assetc.yml can have.
void add_setting(CLI::App& to, const recipes::SettingField& field,
                 std::vector<std::pair<std::string, std::string>>& settings);

// An option of a build may stand before a command only if the command has it too. parse_arguments() refuses others.
class Parser {
 public:
  // only: the first word of a command, for a parser of that command and of few others, which is made faster. Empty: for
  // a build without a command. Without a value: all commands.
  explicit Parser(std::optional<std::string_view> only = {});
  Parser(const Parser&) = delete;  // options keep pointers to arguments
  Parser& operator=(const Parser&) = delete;

  // Whether a command begins with this word.
  static bool is_command(std::string_view word);
  // The innermost command on the command line; null for a build without a command. Also valid after a parse that threw.
  const CLI::App* chosen() const;
  Command command_of(const CLI::App& chosen) const;

  Arguments arguments;
  CLI::App app{"Compiles the source assets of a game into the files that its engine loads.", "assetc"};

 private:
  // Two example command lines without "assetc", shown at the end of the help of a command.
  using Examples = std::array<std::string_view, 2>;
  CLI::App* add(CLI::App& below, Command command, const char* name, const char* doc, Examples examples);

  void add_build(CLI::App& to);

  void add_build_command();
  void add_init();
  void add_watch();
  void add_import();
  void add_move();
  void add_cook();
  void add_validate();
  void add_clean();
  void add_cache();
  void add_registry();
  void add_looks();
  void add_pack();
  void add_convert();
  void add_optimize();
  void add_ktx();
  void add_diff();
  void add_render();
  void add_view();
  void add_serve();
  void add_bundle();
  void add_descriptions();

  // Commands that are added together, by their first words.
  struct Group {
    std::array<std::string_view, 4> words;
    void (Parser::*add)();
  };
  static const Group kGroups[];

  // Groups of options that several commands share.
  void add_output(CLI::App& to);
  void add_jobs(CLI::App& to);
  void add_memory(CLI::App& to, const std::string& what);
  void add_building(CLI::App& to);
  void add_sharding(CLI::App& to);
  void add_look_at(CLI::App& to);
  void add_preset(CLI::App& to);
  void add_reports(CLI::App& to);
  void add_printing(CLI::App& to);

  std::vector<std::pair<CLI::App*, Command>> commands_;
};

}  // namespace assetc::cli
