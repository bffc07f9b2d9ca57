// Problems as SARIF 2.1.0, which code hosts show beside the lines of a pull request.
#pragma once

#include <span>
#include <string>

#include "assetc/base/result.hpp"

namespace assetc::cli {

// A run of the tool `command` with a result for each error. Files are relative to where the command ran; "line 7,
// column 5" of an error's place becomes its region, any other place a part of the message.
std::string sarif_log(std::string_view command, std::span<const Error> errors);

}  // namespace assetc::cli
