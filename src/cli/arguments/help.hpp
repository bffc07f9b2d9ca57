// The help text of `assetc --help`.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace assetc::cli {

// Lists the commands in groups, on one screen. Help of a command is formatted by CLI11.
std::shared_ptr<CLI::Formatter> help_formatter();

}  // namespace assetc::cli
