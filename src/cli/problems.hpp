// What check and validate found: for people, for programs and for code hosts.
#pragma once

#include <span>
#include <string>

#include "cli/commands.hpp"
#include "engine/look/budgets.hpp"

namespace assetc::cli {

// The files of errors, put below folder.
std::vector<Error> below(const std::string& folder, std::span<const Error> errors);

// A `problem` each in JSON, or a line of text.
void say_problems(const Arguments& arguments, Console& console, std::span<const Error> problems);
// In JSON a `budget` for every bound; those that do not hold are problems, which the caller says.
void say_budgets(const Arguments& arguments, Console& console, const engine::BudgetReport& report);
// Where --sarif and --junit ask for them. Files of problems are relative to where the command runs; files: how many
// were looked at; project: its folder, which SARIF names them from. Warnings are in SARIF alone.
Result<void> write_reports(const Arguments& arguments, engine::Disk& disk, std::string_view command,
                           const std::string& project, std::uint64_t files, std::span<const Error> problems,
                           std::span<const Warning> warnings = {});
// The folder of the nearest configuration; where there is none, or none that can be read, the working directory.
std::string project_of(engine::Disk& disk);
// "no problem" or "3 problems", painted.
std::string verdict(const Console& console, std::size_t problems);

}  // namespace assetc::cli
