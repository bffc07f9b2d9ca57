// The folder in which all files that a model refers to have to lie. A model that someone else made must not put other
// files of this machine into an output.
#pragma once

#include <string>

#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

// Whether a folder or file is a folder, or lies below it. Both are absolute paths without links.
bool is_in_folder(std::string_view path, std::string_view folder);
// Fails with kConflict if a file is not below the root, also through links. root: an absolute path without links;
// empty: any file is good.
Result<void> check_in_root(const std::string& path, const std::string& root, Disk& disk);

}  // namespace assetc::engine
