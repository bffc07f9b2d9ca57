// Reports the problems that check and validate found, as text, JSON, SARIF or JUnit XML.
#pragma once

#include <span>
#include <string>

#include "cli/commands/commands.hpp"
#include "engine/look/budgets.hpp"

namespace assetc::cli {

// Returns the errors with folder put before the path of each file.
std::vector<Error> below(const std::string& folder, std::span<const Error> errors);

// Prints each problem as a line of text, or with --json as an event `problem`.
void say_problems(const Arguments& arguments, Console& console, std::span<const Error> problems);
// With --json, prints an event `budget` for each limit. Exceeded limits are also problems, which the caller prints.
void say_budgets(const Arguments& arguments, Console& console, const engine::BudgetReport& report);
// Writes the reports that --sarif and --junit ask for. Warnings are written to SARIF only.
//   - project: the project folder, to which paths in SARIF are relative.
//   - files: the number of files checked.
//   - problems: their paths are relative to the working directory.
Result<void> write_reports(const Arguments& arguments, engine::Disk& disk, std::string_view command,
                           const std::string& project, std::uint64_t files, std::span<const Error> problems,
                           std::span<const Warning> warnings = {});
// The folder of the nearest configuration; the working directory if there is none, or if it cannot be read.
std::string project_of(engine::Disk& disk);
// "no problems" or "3 problems", in color.
std::string verdict(const Console& console, std::size_t problems);

}  // namespace assetc::cli
