// assetc completion: scripts for shells, made of the options that the parser knows. So they cannot miss one.
#include "cli/commands/commands.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

bool wants_folder(const command_line::OptionShape& option) { return option.value == "DIR"; }
bool wants_file(const command_line::OptionShape& option) { return option.value == "FILE"; }

struct Flat {
  std::string path;  // "assetc pack info"
  const command_line::CommandShape* command;
};
void flatten(const command_line::CommandShape& command, const std::string& prefix, std::vector<Flat>& out) {
  const std::string path = prefix.empty() ? command.name : prefix + " " + command.name;
  out.push_back({path, &command});
  for (const command_line::CommandShape& sub : command.commands) flatten(sub, path, out);
}

std::string bash_script(const command_line::CommandShape& shape) {
  std::vector<Flat> all;
  flatten(shape, {}, all);
  std::string script =
      "# bash completion for assetc: source this file, or copy it to a bash-completion folder.\n"
      "_assetc() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path=assetc word\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case \"$path $word\" in\n";
  for (const Flat& flat : all) {
    if (flat.path != shape.name) script += formatted("      '{}') path='{}' ;;\n", flat.path, flat.path);
  }
  script += "    esac\n  done\n  COMPREPLY=()\n  case \"$path:$previous\" in\n";
  for (const Flat& flat : all) {
    for (const command_line::OptionShape& option : flat.command->options) {
      if (option.value.empty() || option.positional) continue;
      std::string patterns;
      for (const std::string& name : option.names)
        patterns += (patterns.empty() ? "'" : "|'") + flat.path + ":" + name + "'";
      std::string action = "return";
      if (!option.choices.empty()) {
        action = "COMPREPLY=($(compgen -W '" + joined(option.choices) + "' -- \"$current\")); return";
      } else if (wants_folder(option)) {
        action = "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$current\")); return";
      } else if (option.value == "NAME") {
        action =
            "COMPREPLY=($(compgen -W \"$(assetc --list-presets -q 2>/dev/null | sed 's/ (default)$//')\" -- "
            "\"$current\")); return";
      }
      script += formatted("    {}) {} ;;\n", patterns, action);
    }
  }
  script += "  esac\n  case $path in\n";
  for (const Flat& flat : all) {
    std::vector<std::string> words;
    bool files = false;
    for (const command_line::OptionShape& option : flat.command->options) {
      const std::vector<std::string>& from = option.positional ? option.choices : option.names;
      words.insert(words.end(), from.begin(), from.end());
      files = files || (option.positional && wants_file(option));
    }
    for (const command_line::CommandShape& sub : flat.command->commands) words.push_back(sub.name);
    script += formatted("    '{}') COMPREPLY=($(compgen -W '{}' {}-- \"$current\")){} ;;\n", flat.path, joined(words),
                        files ? "-f " : "", files ? "; compopt -o filenames" : "");
  }
  return script + "  esac\n}\ncomplete -F _assetc assetc\n";
}

// Escapes text inside '...' and inside the brackets of _arguments in zsh.
std::string zsh_escaped(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '\'') {
      escaped += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

std::string zsh_function_name(std::string path) {
  for (char& c : path) {
    if (c == ' ') c = '_';
  }
  return "_" + path;
}

void zsh_functions(const command_line::CommandShape& command, const std::string& path, std::string& script) {
  for (const command_line::CommandShape& sub : command.commands) zsh_functions(sub, path + " " + sub.name, script);
  script += zsh_function_name(path) + "() {\n  local line state\n  _arguments -C \\\n";
  for (const command_line::OptionShape& option : command.options) {
    std::string action;
    if (!option.value.empty()) {
      action = ":" + option.value + ":";
      if (!option.choices.empty()) {
        action += "(" + joined(option.choices) + ")";
      } else if (wants_folder(option)) {
        action += "_files -/";
      } else if (wants_file(option)) {
        action += "_files";
      }
    }
    if (option.positional) {
      script += "    '1" + action + "' \\\n";
      continue;
    }
    for (const std::string& name : option.names)
      script += formatted("    '{}[{}]{}' \\\n", name, zsh_escaped(option.doc), action);
  }
  if (command.commands.empty()) {
    script += "    && return\n}\n";
    return;
  }
  script +=
      "    '1:command:->command' '*::argument:->argument' && return\n  case $state in\n    command)\n      local -a "
      "commands=(\n";
  for (const command_line::CommandShape& sub : command.commands)
    script += formatted("        '{}:{}'\n", sub.name, zsh_escaped(sub.doc));
  script += "      )\n      _describe command commands ;;\n    argument)\n      case $line[1] in\n";
  for (const command_line::CommandShape& sub : command.commands) {
    script += formatted("        {}) {} ;;\n", sub.name, zsh_function_name(path + " " + sub.name));
  }
  script += "      esac ;;\n  esac\n}\n";
}

std::string zsh_script(const command_line::CommandShape& shape) {
  std::string script =
      "#compdef assetc\n# zsh completion for assetc: copy this file as _assetc to a folder of $fpath.\n";
  zsh_functions(shape, shape.name, script);
  return script + "if [ \"$funcstack[1]\" = _assetc ]; then _assetc \"$@\"; else compdef _assetc assetc; fi\n";
}

std::string fish_escaped(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '\'' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void fish_lines(const command_line::CommandShape& command, const std::vector<std::string>& path, std::string& script) {
  std::string condition;
  if (path.empty()) {
    condition = "__fish_use_subcommand";
  } else {
    for (const std::string& word : path)
      condition += (condition.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
  }
  for (const command_line::OptionShape& option : command.options) {
    std::string line = "complete -c assetc -n '" + condition + "'";
    if (option.positional) {
      if (!option.choices.empty()) script += line + " -f -a '" + joined(option.choices) + "'\n";
      if (wants_file(option)) script += line + " -F\n";
      continue;
    }
    for (const std::string& name : option.names) {
      line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (!option.choices.empty()) {
      line += " -x -a '" + joined(option.choices) + "'";
    } else if (wants_folder(option)) {
      line += " -x -a '(__fish_complete_directories)'";
    } else if (!option.value.empty()) {
      line += " -x";
    }
    script += line + " -d '" + fish_escaped(option.doc) + "'\n";
  }
  for (const command_line::CommandShape& sub : command.commands) {
    script += "complete -c assetc -n '" + condition + "' -f -a " + sub.name + " -d '" + fish_escaped(sub.doc) + "'\n";
    std::vector<std::string> below = path;
    below.push_back(sub.name);
    fish_lines(sub, below, script);
  }
}

std::string fish_script(const command_line::CommandShape& shape) {
  std::string script =
      "# fish completion for assetc: copy this file as assetc.fish to the completions folder.\ncomplete -c assetc -f\n";
  fish_lines(shape, {}, script);
  return script;
}

}  // namespace

std::string completion_script(const command_line::CommandShape& shape, std::string_view shell) {
  if (shell == "bash") return bash_script(shape);
  if (shell == "zsh") return zsh_script(shape);
  return fish_script(shape);
}

int run_completion(const Arguments& arguments, Console& console, engine::Disk&) {
  console.out(completion_script(parser_shape(), arguments.shell));
  return kExitOk;
}

}  // namespace assetc::cli
