// The commands of `ktx`, each parsed and run by one function.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "command_line/command_line.hpp"
#include "ktx/ktx.hpp"

namespace assetc::ktx {

// A command while it runs: its name, for messages, and its streams.
class Context {
 public:
  Context(std::string command, const Io& streams) : io(streams), command_(std::move(command)) {}
  void warn(std::string_view text) const { io.err(command_ + " warning: " + std::string(text) + "\n"); }
  void fatal(std::string_view text) const { io.err(command_ + " fatal: " + std::string(text) + "\n"); }
  const std::string& command() const { return command_; }

  const Io& io;

 private:
  std::string command_;
};

// Each adds its options to an empty parser, and returns what to run after a successful parse. Results: the exit code,
// or an error, which the caller prints.
using Run = std::function<Result<Exit>(const Context& context)>;
Run add_create(const command_line::Command& app);
Run add_extract(const command_line::Command& app);
Run add_transcode(const command_line::Command& app);
Run add_info(const command_line::Command& app);
Run add_validate(const command_line::Command& app);

// Options that several commands have.
void add_zstd(const command_line::Command& app, std::optional<int>& level);
// --format text | json | mini-json
enum class Report : std::uint8_t { kText, kJson, kMiniJson };
void add_report(const command_line::Command& app, Report& report);

// The error of an option's value, as a usage error.
std::unexpected<Error> usage(std::string what);
// The error of something that the program knows and this one does not.
std::unexpected<Error> unsupported(std::string what, std::string_view hint = {});

}  // namespace assetc::ktx
