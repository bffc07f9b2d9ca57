// Archives that `assetc view` and `assetc serve` give.
//
// They are not mapped: another program may replace, overwrite or truncate them while they are served, which would end
// the server. Each request looks whether the file is still the one that was opened.
#pragma once

#include <memory>
#include <string>

#include "cli/serve/view_site.hpp"

namespace assetc::cli {

std::unexpected<Error> no_such(const std::string& path);

// The answer with a part of an open file, read in pieces. The ETag is that of the file. If another program writes into
// the file meanwhile, the connection ends. path: of the answer.
engine::HttpAnswer part_of_file(const std::string& path, std::shared_ptr<const engine::OpenedFile> file,
                                std::uint64_t offset_bytes, std::uint64_t size_bytes);

// Errors: kNotFound, kIo, and those of the format.
Result<std::unique_ptr<ViewRoot>> open_pack_root(const std::string& path, engine::Disk& disk);
Result<std::unique_ptr<ViewRoot>> open_bundle_root(const std::string& path, engine::Disk& disk);

}  // namespace assetc::cli
