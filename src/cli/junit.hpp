// Problems as JUnit XML, which build servers list beside the results of tests.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "assetc/base/result.hpp"

namespace assetc::cli {

// A suite "assetc COMMAND" with a case for each file that has problems, each a failure, and one for all that have none.
// files: how many were looked at. XML 1.0: characters that it has no place for become U+FFFD.
std::string junit_report(std::string_view command, std::uint64_t files, std::span<const Error> errors);

}  // namespace assetc::cli
