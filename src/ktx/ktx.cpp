#include "ktx/ktx.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/exceptions.hpp"
#include "ktx/commands.hpp"

namespace assetc::ktx {
namespace {

// The release of KTX-Software whose interface this is. Pipelines compare it with the one they need.
constexpr std::string_view kVersion = "ktx version: v4.4.0\n";

struct Command {
  std::string_view name;
  std::string_view doc;
  Run (*add)(const command_line::Command& app);
};
constexpr Command kCommands[] = {
    {"create", "Create a KTX2 file from various input files", add_create},
    {"extract", "Extract selected images from a KTX2 file", add_extract},
    {"transcode", "Transcode a KTX2 file", add_transcode},
    {"info", "Print information about a KTX2 file", add_info},
    {"validate", "Validate a KTX2 file", add_validate},
};
// Commands of the program that are not here.
constexpr std::string_view kMissing[] = {"encode", "deflate", "compare", "convert", "patch"};

std::string help() {
  std::string text =
      "Usage: ktx <command> [option...]\n\nAnswers to the commands of Khronos' KTX-Software 4.4. It is part of "
      "assetc.\n\n";
  for (const Command& command : kCommands)
    text +=
        "  " + std::string(command.name) + std::string(11 - command.name.size(), ' ') + std::string(command.doc) + "\n";
  return text + "\nktx <command> --help lists the options of a command.\n";
}

int code_of(Exit exit) { return static_cast<int>(exit); }

Exit exit_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::kUsage:
      return Exit::kUsage;
    case ErrorCode::kIo:
    case ErrorCode::kNotFound:
      return Exit::kIo;
    case ErrorCode::kInvalidData:
    case ErrorCode::kTruncated:
    case ErrorCode::kVersion:
      return Exit::kInvalidFile;
    case ErrorCode::kUnsupported:
      return Exit::kUnsupported;
    default:
      return Exit::kFailed;
  }
}

int run_command(const Command& command, std::span<const std::string> arguments, const Io& io) {
  const Context context("ktx " + std::string(command.name), io);
  command_line::Parser parser(context.command(), std::string(command.doc));
  const Run run = command.add(parser.root());
  const command_line::Outcome outcome = parser.parse(arguments);
  if (outcome.kind == command_line::Outcome::Kind::kHelp) {
    io.out(parser.help());
    return code_of(Exit::kSuccess);
  }
  if (outcome.kind != command_line::Outcome::Kind::kArguments) {
    context.fatal(outcome.text + " See '" + context.command() + " --help'.");
    return code_of(Exit::kUsage);
  }
  const auto done = catch_exceptions(context.command(), "use a smaller picture", [&] { return run(context); });
  if (done) return code_of(*done);
  context.fatal(done.error().to_string());
  return code_of(exit_of(done.error()));
}

}  // namespace

std::unexpected<Error> usage(std::string what) { return fail(ErrorCode::kUsage, std::move(what)); }
std::unexpected<Error> unsupported(std::string what, std::string_view hint) {
  return fail(ErrorCode::kUnsupported, std::move(what), hint);
}

void add_zstd(const command_line::Command& app, std::optional<int>& level) {
  app.add("--zstd", level, "Compress levels with Zstandard, 1 to 22").between(1, 22);
  app.add_taken<int>(
      "--zlib", [](int) { return std::string("is not supported: few readers have it; use --zstd"); }, "Not supported");
}

void add_report(const command_line::Command& app, Report& report) {
  app.add_taken(
         "--format",
         [&report](const std::string& name) {
           report = name == "json" ? Report::kJson : name == "mini-json" ? Report::kMiniJson : Report::kText;
           return std::string();
         },
         "text (default), json or mini-json")
      .one_of({"text", "json", "mini-json"});
}

int run(std::span<const std::string> given, const Io& io) {
  // Tests of KTX-Software give --testrun to all commands, so that files hold no version. Ours never do.
  std::vector<std::string> words(given.begin(), given.end());
  std::erase(words, "--testrun");
  const std::span<const std::string> arguments = words;
  if (arguments.empty()) {
    io.err("ktx: Missing command.\n" + help());
    return code_of(Exit::kUsage);
  }
  const std::string& first = arguments.front();
  if (std::ranges::find(arguments, "--version") != arguments.end() || first == "-v") {
    io.out(kVersion);
    return code_of(Exit::kSuccess);
  }
  const auto find = [](std::string_view name) { return std::ranges::find(kCommands, name, &Command::name); };
  if (first == "help" || first == "--help" || first == "-h") {
    const auto* command = arguments.size() > 1 ? find(arguments[1]) : std::end(kCommands);
    if (first == "help" && arguments.size() > 1 && command == std::end(kCommands) && arguments[1] != "--help") {
      io.err("ktx help: Unrecognized command: \"" + arguments[1] + "\"\n" + help());
      return code_of(Exit::kUsage);
    }
    if (command == std::end(kCommands)) {
      io.out(help());
      return code_of(Exit::kSuccess);
    }
    const std::string option = "--help";
    return run_command(*command, std::span(&option, 1), io);
  }
  if (const auto* command = find(first); command != std::end(kCommands))
    return run_command(*command, arguments.subspan(1), io);
  if (std::ranges::find(kMissing, first) != std::end(kMissing)) {
    io.err("ktx fatal: the command \"" + first + "\" of KTX-Software is not part of assetc\n");
    return code_of(Exit::kNotImplemented);
  }
  io.err("ktx: Unrecognized command: \"" + first + "\"\n" + help());
  return code_of(Exit::kUsage);
}

}  // namespace assetc::ktx
