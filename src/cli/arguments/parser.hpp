// The grammar of the command line: every command, its options, and the members of Arguments that they fill.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments/arguments.hpp"
#include "command_line/command_line.hpp"
#include "recipes/settings.hpp"

namespace assetc::cli {

// Adds an option for a setting that a rule of assetc.yml can have.
void add_setting(const command_line::Command& to, const recipes::SettingField& field,
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
  Command command_of(const command_line::Command& chosen) const;

  Arguments arguments;
  command_line::Parser words;

 private:
  // Two example command lines without "assetc", shown at the end of the help of a command.
  using Examples = std::array<std::string_view, 2>;
  command_line::Command add(const command_line::Command& below, Command command, const char* name, const char* doc,
                            Examples examples);

  void add_build(const command_line::Command& to);

  void add_build_command();
  void add_init();
  void add_mat();
  void add_new();
  void add_doctor();
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
  static void add_allow_shared_key(const command_line::Command& to, bool& value);
  void add_bundle();
  void add_descriptions();

  // Commands that are added together, by their first words.
  struct Group {
    std::array<std::string_view, 4> words;
    void (Parser::*add)();
  };
  static const Group kGroups[];

  // Groups of options that several commands share.
  command_line::Option add_output(const command_line::Command& to);
  void add_jobs(const command_line::Command& to);
  void add_memory(const command_line::Command& to, const std::string& what);
  void add_no_cache(const command_line::Command& to);
  // verbose: what --verbose does.
  void add_verbosity(const command_line::Command& to, const std::string& verbose);
  void add_building(const command_line::Command& to);
  void add_sharding(const command_line::Command& to);
  void add_look_at(const command_line::Command& to);
  command_line::Option add_preset(const command_line::Command& to);
  void add_reports(const command_line::Command& to);
  void add_printing(const command_line::Command& to);

  const command_line::Command app = words.root();
  std::vector<std::pair<command_line::Command, Command>> commands_;
};

}  // namespace assetc::cli
