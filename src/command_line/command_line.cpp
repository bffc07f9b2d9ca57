#include "command_line/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace assetc::command_line {
namespace {

class Formatter : public CLI::Formatter {
 public:
  Formatter(HelpStyle style, Command program) : style_(style), program_(program) { column_width(style_.column_width); }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    if (app->get_parent() == nullptr && style_.first_page != nullptr) return style_.first_page(program_);
    return CLI::Formatter::make_help(app, std::move(name), mode);
  }

 private:
  HelpStyle style_;
  Command program_;
};

// CLI11 represents an option group as an app without a name. Its options belong to the command that contains it.
bool is_group(const CLI::App& app) { return app.get_name().empty(); }

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

OptionShape shape_of(const CLI::Option& option) {
  OptionShape shape{names_of(option), {}, option.get_description(), {}, option.get_positional(), option.get_required()};
  if (shape.positional) shape.names = {option.get_name()};
  if (option.get_items_expected_max() > 0) shape.value = option.get_type_name();
  // CLI11 appends what a check accepts to the name of the type: "WHEN:{auto,always,never}", "INT in [1 - 1024]".
  if (const std::size_t open = shape.value.find(":{"); open != std::string::npos) {
    std::string_view list = std::string_view(shape.value).substr(open + 2);
    list = list.substr(0, list.find('}'));
    while (!list.empty()) {
      const std::size_t comma = list.find(',');
      shape.choices.emplace_back(list.substr(0, comma));
      list = comma == list.npos ? std::string_view{} : list.substr(comma + 1);
    }
  }
  shape.value = shape.value.substr(0, shape.value.find_first_of(": "));
  return shape;
}

CommandShape shape_of(const CLI::App& app) {
  CommandShape shape{app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (!is_group(app) || option != app.get_help_ptr()) shape.options.push_back(shape_of(*option));
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

// Calls f(option) for each option with one of the type names; Command::change_values has the rule.
template <class F>
void for_each_option(CLI::App& app, std::span<const std::string_view> type_names, const F& f) {
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (std::ranges::find(type_names, type.substr(0, type.find('.'))) != type_names.end()) f(*option);
  }
  for (CLI::App* command : app.get_subcommands({})) for_each_option(*command, type_names, f);
}

// "-o,--output" -> "--output"
std::string last_name(const std::string& names) { return names.substr(names.rfind(',') + 1); }

}  // namespace

Option Option::type_name(std::string_view name) const { return Option(option_->type_name(std::string(name))); }
Option Option::group(std::string_view title) const { return Option(option_->group(std::string(title))); }
Option Option::required() const { return Option(option_->required()); }
Option Option::one_of(std::initializer_list<const char*> words) const {
  return Option(option_->check(CLI::IsMember(std::vector<std::string>(words.begin(), words.end()))));
}
Option Option::one_of_any_case(std::initializer_list<const char*> words) const {
  return Option(option_->check(CLI::IsMember(std::vector<std::string>(words.begin(), words.end()), CLI::ignore_case)));
}
Option Option::between(int low, int high) const { return Option(option_->check(CLI::Range(low, high))); }
Option Option::between(double low, double high) const { return Option(option_->check(CLI::Range(low, high))); }
Option Option::check(std::string (*fault)(const std::string& value)) const { return Option(option_->check(fault)); }
Option Option::needs(Option other) const { return Option(option_->needs(other.option_)); }
Option Option::needs(const std::string& name) const { return Option(option_->needs(name)); }
Option Option::excludes(Option other) const { return Option(option_->excludes(other.option_)); }
Option Option::split_at(char separator) const { return Option(option_->delimiter(separator)); }
Option Option::one_each() const { return Option(option_->allow_extra_args(false)); }

template <class T>
Option Command::add(const std::string& names, T& to, const std::string& doc) const {
  return Option(app_->add_option(names, to, doc));
}
template Option Command::add(const std::string&, std::string&, const std::string&) const;
template Option Command::add(const std::string&, std::vector<std::string>&, const std::string&) const;
template Option Command::add(const std::string&, std::vector<float>&, const std::string&) const;
template Option Command::add(const std::string&, int&, const std::string&) const;
template Option Command::add(const std::string&, float&, const std::string&) const;
template Option Command::add(const std::string&, double&, const std::string&) const;
template Option Command::add(const std::string&, std::uint16_t&, const std::string&) const;
template Option Command::add(const std::string&, std::uint32_t&, const std::string&) const;
template Option Command::add(const std::string&, std::optional<std::string>&, const std::string&) const;
template Option Command::add(const std::string&, std::optional<int>&, const std::string&) const;
template Option Command::add(const std::string&, std::optional<float>&, const std::string&) const;
template Option Command::add(const std::string&, std::optional<std::uint32_t>&, const std::string&) const;
template Option Command::add(const std::string&, std::optional<std::uint64_t>&, const std::string&) const;

template <class T>
Option Command::add_taken(const std::string& names,
                          std::function<std::string(const std::type_identity_t<T>& value)> take,
                          const std::string& doc) const {
  const auto checked = [take = std::move(take), name = last_name(names)](const T& value) {
    if (const std::string fault = take(value); !fault.empty()) throw CLI::ValidationError(name, fault);
  };
  return Option(app_->add_option_function<T>(names, checked, doc));
}
template Option Command::add_taken<std::string>(const std::string&, std::function<std::string(const std::string&)>,
                                                const std::string&) const;
template Option Command::add_taken<int>(const std::string&, std::function<std::string(const int&)>,
                                        const std::string&) const;
template Option Command::add_taken<std::uint16_t>(const std::string&, std::function<std::string(const std::uint16_t&)>,
                                                  const std::string&) const;

Option Command::add_switch(const std::string& names, bool& to, const std::string& doc) const {
  return Option(app_->add_flag(names, to, doc));
}
Option Command::add_switch(const std::string& names, std::function<void()> then, const std::string& doc) const {
  return Option(app_->add_flag_callback(names, std::move(then), doc));
}

Command Command::add_command(const std::string& name, const std::string& doc) const {
  return Command(app_->add_subcommand(name, doc));
}
Command Command::add_group(const std::string& title, std::size_t least, std::size_t most) const {
  CLI::Option_group* group = app_->add_option_group(title);
  group->require_option(least, most);
  return Command(group);
}

void Command::require_command() const { app_->require_subcommand(1); }
void Command::footer(const std::string& text) const { app_->footer(text); }
void Command::leave_rest() const { app_->prefix_command(); }
void Command::check(std::function<std::string()> fault) const {
  app_->callback([fault = std::move(fault)] {
    if (const std::string found = fault(); !found.empty())
      throw CLI::ValidationError(found, CLI::ExitCodes::ValidationError);
  });
}

void Command::change_values(std::span<const std::string_view> type_names,
                            std::string (*change)(std::string value)) const {
  for_each_option(*app_, type_names, [&](CLI::Option& option) { option.transform(change, ""); });
}

void Command::check_values(std::span<const std::string_view> type_names,
                           std::string (*fault)(const std::string& value)) const {
  for_each_option(*app_, type_names, [&](CLI::Option& option) { option.check(fault); });
}

std::string Command::name() const { return app_->get_name(); }

std::string Command::path() const {
  std::string path = app_->get_name();
  for (const CLI::App* parent = app_->get_parent(); parent != nullptr; parent = parent->get_parent())
    path = parent->get_name() + " " + path;
  return path;
}

bool Command::has(const std::string& name) const { return app_->get_option_no_throw(name) != nullptr; }

std::vector<std::string> Command::given() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->count() != 0 && !option->get_lnames().empty()) names.push_back("--" + option->get_lnames().front());
  }
  return names;
}

CommandShape Command::shape() const { return shape_of(*app_); }

Parser::Parser(const std::string& program, const std::string& doc, HelpStyle style)
    : app_(std::make_unique<CLI::App>(doc, program)) {
  app_->formatter(std::make_shared<Formatter>(style, root()));
  app_->allow_windows_style_options(false);  // "/a" is a path; commands do the same
}
Parser::~Parser() = default;

Command Parser::root() const { return Command(app_.get()); }

void Parser::set_version(const std::string& text) {
  app_->set_version_flag("--version", text, "Print the version and exit");
  app_->require_subcommand(0, 1);
}

Outcome Parser::parse(std::span<const std::string> words) {
  using enum Outcome::Kind;
  try {
    app_->parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes the last word first
  } catch (const CLI::CallForHelp&) {
    return {kHelp};
  } catch (const CLI::CallForVersion& version) {
    return {kVersion, version.what() + std::string("\n")};
  } catch (const CLI::ExtrasError& fault) {
    const std::vector<std::string> left = app_->remaining(true);
    return {left.empty() ? kFault : kUnknownWord, fault.what(), left.empty() ? std::string() : left.front()};
  } catch (const std::exception& fault) {
    return {kFault, fault.what()};
  }
  return {};
}

std::string Parser::help() const { return app_->help(); }

std::optional<Command> Parser::chosen() const {
  std::optional<Command> innermost;
  for (CLI::App* at = app_.get(); !at->get_subcommands().empty();)
    innermost = Command(at = at->get_subcommands().front());
  return innermost;
}

std::string wrapped(std::string_view help, std::size_t columns) {
  constexpr std::size_t kLeastColumns = 40;
  columns = std::max(columns, kLeastColumns);
  std::string out;
  bool is_example = false;
  std::size_t options_column = 0;  // of the texts of options
  while (!help.empty()) {
    std::string_view line = help.substr(0, help.find('\n'));
    help.remove_prefix(std::min(help.size(), line.size() + 1));
    is_example = line == "Examples:" || (is_example && line.starts_with(' '));
    // Names end with two spaces or more. What follows them has a column of its own.
    std::size_t column = std::min(line.find_first_not_of(' '), line.size());
    for (std::size_t gap = line.find("  ", column); gap < columns / 2; gap = line.find("  ", column))
      column = std::min(line.find_first_not_of(' ', gap), line.size());
    if (line.starts_with("  -")) {
      const bool has_gap = column > line.find_first_not_of(' ');
      if (has_gap) options_column = column;
      // A name that ends one space before the column.
      if (!has_gap && options_column != 0 && options_column < line.size() && line[options_column - 1] == ' ')
        column = options_column;
    }
    if (column + kLeastColumns / 2 > columns) column = 0;
    std::string indent;
    while (!is_example && indent.size() + line.size() > columns) {
      const std::size_t first = indent.empty() ? column : 0;
      const std::size_t end = line.rfind(' ', columns - indent.size());
      const std::size_t at = end != line.npos && end > first ? end : line.find(' ', first);
      if (at == line.npos) break;
      out.append(indent).append(line.substr(0, at)).append("\n");
      line.remove_prefix(at + 1);
      indent.assign(column, ' ');
    }
    out.append(indent).append(line).append("\n");
  }
  return out;
}

}  // namespace assetc::command_line
