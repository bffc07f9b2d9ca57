#include "cli/arguments/help.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace assetc::cli {
namespace {

struct HelpGroup {
  std::string_view title;
  std::vector<std::string_view> commands;
};

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  out.resize(std::max(out.size(), width), ' ');
  return out;
}

}  // namespace

std::string first_help_page(const command_line::Command& program) {
  const std::vector<HelpGroup> groups{
      {"Build", {"new", "init", "mat", "build", "watch", "serve"}},
      {"Inspect", {"info", "check", "view", "render", "diff", "convert", "optimize", "pack", "registry"}},
      {"Cook", {"import", "cook", "validate", "mv", "rm", "merge-meta", "clean"}},
      {"Ship", {"bundle", "keygen", "sign", "verify"}},
      {"Cache", {"cache"}},
      {"Other", {"doctor", "ktx", "completion", "manual"}},
  };
  const command_line::CommandShape shape = program.shape();
  std::string text =
      "assetc compiles the source assets of a game into the files that its engine loads.\n\n"
      "Usage: assetc [COMMAND] [OPTIONS]\n\n"
      "First steps\n"
      "  assetc new my-game              make a project with a model, a picture and a program\n"
      "  assetc init                     write a starter assetc.yml\n"
      "  assetc                          compile assets/ into runtime/\n"
      "  assetc watch                    compile again after every save\n"
      "  assetc check                    verify the outputs\n"
      "  assetc render chair.glb a.png   draw a model to a picture\n\n";
  for (const HelpGroup& group : groups) {
    std::string_view title = group.title;
    for (const std::string_view command : group.commands) {
      const auto shown = std::ranges::find(shape.commands, command, &command_line::CommandShape::name);
      text += padded(title, 10) + "  " + padded(command, 11) + " " + shown->doc + "\n";
      title = {};
    }
  }
  return text + "\nassetc COMMAND --help lists the options of a command; assetc --version prints the version.\n";
}

}  // namespace assetc::cli
