#include "cli/arguments/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>

#include "cli/arguments/parser.hpp"
#include "engine/config/config.hpp"

namespace assetc::cli {
namespace {

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

// CLI11 represents an option group as an app without a name. Its options belong to the command that contains it.
bool is_group(const CLI::App& app) { return app.get_name().empty(); }

CommandShape shape_of(const CLI::App& app) {
  CommandShape shape{app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (is_group(app) && option == app.get_help_ptr()) continue;
    OptionShape described{names_of(*option),     {}, option->get_description(), {}, option->get_positional(),
                          option->get_required()};
    if (described.positional) described.names = {option->get_name()};
    if (option->get_items_expected_max() > 0) described.value = option->get_type_name();
    // CLI11 appends what a check accepts to the name of the type: "WHEN:{auto,always,never}", "INT in [1 - 1024]".
    if (const std::size_t open = described.value.find(":{"); open != std::string::npos) {
      std::string_view list = std::string_view(described.value).substr(open + 2);
      list = list.substr(0, list.find('}'));
      while (!list.empty()) {
        const std::size_t comma = list.find(',');
        described.choices.emplace_back(list.substr(0, comma));
        list = comma == list.npos ? std::string_view{} : list.substr(comma + 1);
      }
    }
    described.value = described.value.substr(0, described.value.find_first_of(": "));
    shape.options.push_back(std::move(described));
  }
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandShape inner = shape_of(*sub);
    if (is_group(*sub)) {
      std::ranges::move(inner.options, std::back_inserter(shape.options));
    } else {
      shape.commands.push_back(std::move(inner));
    }
  }
  return shape;
}

Leave usage_error(const std::string& what, const CLI::App* app, std::span<const char* const> words) {
  std::string path = app ? app->get_name() : "";
  for (const CLI::App* parent = app ? app->get_parent() : nullptr; parent; parent = parent->get_parent()) {
    path = parent->get_name() + " " + path;
  }
  const std::string hint = "run `" + (path.empty() ? std::string("assetc") : path) + " --help` for its options";
  Leave leave{2, "assetc: " + what + "\nassetc: " + hint + "\n", {}};
  if (std::ranges::find(words, std::string_view("--json")) != words.end())
    leave.error = Error{ErrorCode::kUsage, {}, {}, what, hint};
  return leave;
}

// The message for an unknown word, with the most similar known word.
std::string unknown_word(const std::string& word, const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (std::string& name : names_of(*option)) known.push_back(std::move(name));
  }
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!is_group(*sub)) {
      known.push_back(sub->get_name());
      continue;
    }
    for (const CLI::Option* option : sub->get_options()) {
      for (std::string& name : names_of(*option)) known.push_back(std::move(name));
    }
  }
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const std::string asked = word.substr(0, word.find('='));
  const std::string_view guess = engine::did_you_mean(asked, candidates);
  const char* kind = word.starts_with('-') ? "unknown option " : "unexpected argument ";
  return kind + asked + (guess.empty() ? std::string() : "; did you mean " + std::string(guess) + "?");
}

// The first option given before the command that this command does not have; empty if there is none.
std::string misplaced_option(const CLI::App& app, const CLI::App& chosen) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const std::string name = "--" + option->get_lnames().front();
    if (!chosen.get_option_no_throw(name)) return name;
  }
  return {};
}

// What is wrong with the arguments of a parser that accepted them one by one; empty: nothing.
std::string fault_of(const Parser& parser) {
  const CLI::App* chosen = parser.chosen();
  if (chosen == nullptr) return {};
  if (const std::string name = misplaced_option(parser.app, *chosen); !name.empty())
    return name + " does not apply to `assetc " + chosen->get_name() + "`";
  if (!parser.arguments.look_at.empty() && parser.arguments.output)
    return "found " + parser.arguments.look_at + " and --output, expected one of them";
  return {};
}

Arguments arguments_of(Parser& parser) {
  if (const CLI::App* chosen = parser.chosen()) parser.arguments.command = parser.command_of(*chosen);
  return std::move(parser.arguments);
}

// Parses with the options of one command: to define those of all commands takes a millisecond. Nothing if that command
// does not accept the words; the parser of all commands then says why.
std::optional<Arguments> parse_fast(std::span<const char* const> words) {
  const bool is_named = words.size() > 1 && Parser::is_command(words[1]);
  if (!is_named && std::ranges::any_of(words.subspan(std::min<std::size_t>(1, words.size())), Parser::is_command))
    return std::nullopt;
  Parser parser(is_named ? words[1] : "");
  try {
    parser.app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::Error&) {
    return std::nullopt;
  }
  if (!fault_of(parser).empty()) return std::nullopt;
  return arguments_of(parser);
}

}  // namespace

std::variant<Arguments, Leave> parse_arguments(int argc, const char* const* argv) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  if (auto parsed = parse_fast(words)) return std::move(*parsed);
  Parser parser;
  try {
    parser.app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    // help() of the parser prints the help of the command that was named.
    return Leave{0, parser.app.help(), {}};
  } catch (const CLI::CallForVersion& version) {
    return Leave{0, std::string(version.what()) + "\n", {}};
  } catch (const CLI::ExtrasError&) {
    const CLI::App* at = parser.chosen() ? parser.chosen() : &parser.app;
    const std::vector<std::string> left = parser.app.remaining(true);
    return usage_error(left.empty() ? "unexpected argument" : unknown_word(left.front(), *at), at, words);
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what(), parser.chosen() ? parser.chosen() : &parser.app, words);
  }

  if (const std::string fault = fault_of(parser); !fault.empty()) return usage_error(fault, parser.chosen(), words);
  return arguments_of(parser);
}

CommandShape parser_shape() { return shape_of(Parser().app); }

}  // namespace assetc::cli
