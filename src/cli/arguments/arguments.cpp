#include "cli/arguments/arguments.hpp"

#include <algorithm>
#include <span>

#include "cli/arguments/parser.hpp"
#include "engine/config/config.hpp"

namespace assetc::cli {
namespace {

// words: of the command line. at: the command that they named, or the program.
Leave usage_error(const std::string& what, const command_line::Command& at, std::span<const std::string> words) {
  const std::string hint = "run `" + at.path() + " --help` for its options";
  Leave leave{2, "assetc: " + what + "\nassetc: " + hint + "\n", {}};
  if (std::ranges::find(words, "--json") != words.end()) leave.error = Error{ErrorCode::kUsage, {}, {}, what, hint};
  return leave;
}

// The message for an unknown word, with the most similar known word.
std::string unknown_word(const std::string& word, const command_line::Command& at) {
  const command_line::CommandShape shape = at.shape();
  std::vector<std::string_view> known;
  for (const command_line::OptionShape& option : shape.options) {
    if (!option.positional) known.insert(known.end(), option.names.begin(), option.names.end());
  }
  for (const command_line::CommandShape& command : shape.commands) known.push_back(command.name);
  const std::string asked = word.substr(0, word.find('='));
  const std::string_view guess = engine::did_you_mean(asked, known);
  const char* kind = word.starts_with('-') ? "unknown option " : "unexpected argument ";
  return kind + asked + (guess.empty() ? std::string() : "; did you mean " + std::string(guess) + "?");
}

// What is wrong with the arguments of a parser that accepted them one by one; empty: nothing.
std::string fault_of(const Parser& parser) {
  const std::optional<command_line::Command> chosen = parser.words.chosen();
  if (!chosen) return {};
  for (const std::string& name : parser.words.root().given()) {
    if (!chosen->has(name)) return name + " does not apply to `assetc " + chosen->name() + "`";
  }
  if (!parser.arguments.look_at.empty() && parser.arguments.output)
    return "found " + parser.arguments.look_at + " and --output, expected one of them";
  return {};
}

Arguments arguments_of(Parser& parser) {
  if (const auto chosen = parser.words.chosen()) parser.arguments.command = parser.command_of(*chosen);
  return std::move(parser.arguments);
}

// Parses with the options of one command: to define those of all commands takes a millisecond. Nothing if that command
// does not accept the words; the parser of all commands then says why.
std::optional<Arguments> parse_fast(std::span<const std::string> words) {
  const bool is_named = !words.empty() && Parser::is_command(words[0]);
  if (!is_named && std::ranges::any_of(words, Parser::is_command)) return std::nullopt;
  Parser parser(is_named ? words[0] : "");
  if (parser.words.parse(words).kind != command_line::Outcome::Kind::kArguments) return std::nullopt;
  if (!fault_of(parser).empty()) return std::nullopt;
  return arguments_of(parser);
}

}  // namespace

std::variant<Arguments, Leave> parse_arguments(int argc, const char* const* argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (auto parsed = parse_fast(words)) return std::move(*parsed);
  Parser parser;
  const command_line::Outcome outcome = parser.words.parse(words);
  const command_line::Command at = parser.words.chosen().value_or(parser.words.root());
  switch (outcome.kind) {
    case command_line::Outcome::Kind::kHelp:
      return Leave{0, parser.words.help(), {}};
    case command_line::Outcome::Kind::kVersion:
      return Leave{0, outcome.text, {}};
    case command_line::Outcome::Kind::kUnknownWord:
      return usage_error(unknown_word(outcome.word, at), at, words);
    case command_line::Outcome::Kind::kFault:
      return usage_error(outcome.text, at, words);
    case command_line::Outcome::Kind::kArguments:
      break;
  }
  if (const std::string fault = fault_of(parser); !fault.empty()) return usage_error(fault, at, words);
  return arguments_of(parser);
}

command_line::CommandShape parser_shape() { return Parser().words.root().shape(); }

}  // namespace assetc::cli
