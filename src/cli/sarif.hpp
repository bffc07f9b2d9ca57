// Problems as SARIF 2.1.0, which code hosts show beside the lines of a pull request.
#pragma once

#include <span>
#include <string>

#include "assetc/base/result.hpp"

namespace assetc::cli {

// A run of the tool `command` with a result for each error. root and here are absolute: what URIs are relative to
// (SRCROOT), and what relative files of errors start from; a file that is not below root has an absolute URI.
// "line 7, column 5" or "byte 48" of an error's place becomes its region, any other place a part of the message.
std::string sarif_log(std::string_view command, std::span<const Error> errors, const std::string& root,
                      const std::string& here);

}  // namespace assetc::cli
