// The first page of the help: `assetc --help`.
#pragma once

#include <string>

#include "command_line/command_line.hpp"

namespace assetc::cli {

// Lists the commands in groups, on one screen. CLI11's page would list every option of a build.
std::string first_help_page(const command_line::Command& program);

}  // namespace assetc::cli
