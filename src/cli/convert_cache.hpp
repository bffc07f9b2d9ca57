// Conversions that were done before, by the store of what was compiled.
#pragma once

#include "cli/commands.hpp"
#include "convert/convert.hpp"

namespace assetc::cli {

// convert::convert_file, or what the user's store has of it: made by the same program of the same options and bytes.
Result<convert::Converted> convert_or_restore(const Arguments& arguments, Console& console, engine::Disk& disk,
                                              const std::string& input, const std::string& output,
                                              const importer::FileReader& read, const convert::ConvertOptions& options);

}  // namespace assetc::cli
