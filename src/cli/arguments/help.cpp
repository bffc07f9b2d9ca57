#include "cli/arguments/help.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace assetc::cli {
namespace {

// The default of CLI11 would list every option of a build.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(26); }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    if (app->get_parent() != nullptr) return CLI::Formatter::make_help(app, std::move(name), mode);
    std::string text =
        "assetc compiles the source assets of a game into the files that its engine loads.\n\n"
        "Usage: assetc [COMMAND] [OPTIONS]\n\n"
        "First steps\n"
        "  assetc init                     write a starter assetc.yml\n"
        "  assetc                          compile assets/ into runtime/\n"
        "  assetc watch                    compile again after every save\n"
        "  assetc check                    verify the outputs\n"
        "  assetc render chair.glb a.png   draw a model to a picture\n\n";
    for (const HelpGroup& group : groups_) {
      std::string_view title = group.title;
      for (const char* command : group.commands) {
        const CLI::App* shown = app->get_subcommand(command);
        text += padded(title, 10) + "  " + padded(command, 11) + " " + shown->get_description() + "\n";
        title = {};
      }
    }
    return text +
           "\nassetc COMMAND --help lists the options of a command; assetc build --help those of a build.\n"
           "assetc --version prints the version. assetc manual prints the manual page.\n";
  }

 private:
  struct HelpGroup {
    std::string_view title;
    std::vector<const char*> commands;
  };
  static std::string padded(std::string_view text, std::size_t width) {
    std::string out(text);
    out.resize(std::max(out.size(), width), ' ');
    return out;
  }

  const std::vector<HelpGroup> groups_{
      {"Build", {"init", "build", "watch", "serve"}},
      {"Inspect", {"info", "check", "view", "render", "diff", "convert", "optimize", "pack", "registry"}},
      {"Cook", {"import", "cook", "validate", "mv", "rm", "merge-meta", "clean"}},
      {"Ship", {"bundle", "keygen", "sign", "verify"}},
      {"Cache", {"cache"}},
      {"Other", {"ktx", "completion", "manual"}},
  };
};

}  // namespace

std::shared_ptr<CLI::Formatter> help_formatter() { return std::make_shared<HelpFormatter>(); }

}  // namespace assetc::cli
