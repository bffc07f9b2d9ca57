// The words of a command line: commands, their options, and the variables that they fill.
//
// command_line.cpp is the only file that includes CLI11, because its templates take seconds in each file that includes
// them, and because it reports faults by exceptions. Here a parser is described with handles, and parse() returns what
// happened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace assetc::command_line {

// What a parser accepts, for completion scripts and manuals.
struct OptionShape {
  std::vector<std::string> names;  // "-o", "--output"; a positional argument has one name without dashes
  std::string value;               // "DIR"; empty for a switch
  std::string doc;
  std::vector<std::string> choices;
  bool positional = false;
  bool required = false;
};
struct CommandShape {
  std::string name;  // "assetc", "info"
  std::string doc;
  std::vector<OptionShape> options;
  std::vector<CommandShape> commands;
};

// An option or a positional argument. A handle: valid as long as its parser. Each function returns the same handle.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  // What help calls the value: "DIR".
  Option type_name(std::string_view name) const;
  // The title below which help lists the option.
  Option group(std::string_view title) const;
  Option required() const;
  // The words that are accepted.
  Option one_of(std::initializer_list<const char*> words) const;
  Option one_of_any_case(std::initializer_list<const char*> words) const;
  Option between(int low, int high) const;
  Option between(double low, double high) const;
  // fault: what is wrong with a value; empty: nothing.
  Option check(std::string (*fault)(const std::string& value)) const;
  // The option is accepted only beside the other one, or only without it.
  Option needs(Option other) const;
  Option needs(const std::string& name) const;
  Option excludes(Option other) const;
  // One argument has several values with this character between them.
  Option split_at(char separator) const;
  // Of a list: each use takes one argument. Otherwise it takes all that follow it.
  Option one_each() const;

 private:
  CLI::Option* option_;
};

// A command, or a group of options within one. A handle: valid as long as its parser.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  // names: "-o,--output"; a positional argument has one name without dashes. to: filled by the parse; must outlive it.
  // T: std::string, bool, int, float, double, an unsigned integer, a vector of texts or floats, or an
  // optional of one of them. command_line.cpp lists the types; a missing one is an error of the linker.
  template <class T>
  Option add(const std::string& names, T& to, const std::string& doc) const;
  // take: receives the value and returns what is wrong with it; empty: nothing. T: std::string, int or std::uint16_t.
  template <class T = std::string>
  Option add_taken(const std::string& names, std::function<std::string(const std::type_identity_t<T>& value)> take,
                   const std::string& doc) const;
  // An option without a value.
  Option add_switch(const std::string& names, bool& to, const std::string& doc) const;
  Option add_switch(const std::string& names, std::function<void()> then, const std::string& doc) const;

  Command add_command(const std::string& name, const std::string& doc) const;
  // Options of which between `least` and `most` must be given.
  Command add_group(const std::string& title, std::size_t least, std::size_t most) const;

  // One of the commands must follow.
  void require_command() const;
  // What help ends with.
  void footer(const std::string& text) const;
  // Every word after the command is left for another parser.
  void leave_rest() const;
  // Called after a parse of the command without faults; fault: as in Option::check.
  void check(std::function<std::string()> fault) const;
  // Changes the values of options whose type_name() is one of the names, here and in all commands below. A name ends
  // before a dot: "OUT" stands for "OUT.pak".
  void change_values(std::span<const std::string_view> type_names, std::string (*change)(std::string value)) const;

  // Adds a check to the same values.
  void check_values(std::span<const std::string_view> type_names, std::string (*fault)(const std::string& value)) const;

  std::string name() const;
  // With the commands that contain it: "assetc bundle create".
  std::string path() const;
  // Has the command an option of this name ("--output")?
  bool has(const std::string& name) const;
  // The long names of its options that the command line had.
  std::vector<std::string> given() const;
  CommandShape shape() const;

  friend bool operator==(const Command&, const Command&) = default;

 private:
  CLI::App* app_;
};

// How help looks.
struct HelpStyle {
  std::size_t column_width = 30;  // of the names of options, in characters
  // Makes the help of the program itself; null: made as that of a command.
  std::string (*first_page)(const Command& program) = nullptr;
};

// What a parse found.
struct Outcome {
  enum class Kind : std::uint8_t {
    kArguments,    // all variables have their values
    kHelp,         // print help()
    kVersion,      // print the text
    kUnknownWord,  // as kFault; `word` is a word that no command or option has
    kFault,        // the text says what is wrong
  };
  Kind kind = Kind::kArguments;
  std::string text{};
  std::string word{};
};

// Not thread-safe. Options keep pointers to the parser, so it cannot be moved.
class Parser {
 public:
  Parser(const std::string& program, const std::string& doc, HelpStyle style = {});
  ~Parser();
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // The program itself, as the command that contains all others.
  Command root() const;
  // --version prints this text. With it, a command is optional.
  void set_version(const std::string& text);

  // words: those after the program's name. May be called once. Never throws.
  Outcome parse(std::span<const std::string> words);
  // Of the command that the words named.
  std::string help() const;
  // The innermost command that the words named, also after a fault; nothing: none.
  std::optional<Command> chosen() const;

 private:
  std::unique_ptr<CLI::App> app_;
};

// Help with lines of at most so many columns, where words allow it. The text of an option stays in its column. Examples
// are not changed, because people copy them.
std::string wrapped(std::string_view help, std::size_t columns);

}  // namespace assetc::command_line
