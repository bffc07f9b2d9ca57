// Writes problems as JUnit XML, which build servers show beside test results.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "assetc/base/result.hpp"

namespace assetc::cli {

// Returns a suite "assetc COMMAND". Each file with problems is a case with a failure per problem. All other files
// together are one case that passes. files: the number of files checked. Characters that XML 1.0 does not allow become
// U+FFFD.
std::string junit_report(std::string_view command, std::uint64_t files, std::span<const Error> errors);

}  // namespace assetc::cli
