// Finds the files that a model refers to, without importing it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "import/model/source.hpp"

namespace assetc::importer {

// Returns the buffers and images of a glTF, or the pictures of the materials of an OBJ. For an FBX the list is empty.
// Files are listed even if nothing is drawn with them. Input that cannot be read adds no files.
//
// head: returns at least that many bytes from the start of the model. The result has the size of the whole file, with
// zeros in place of bytes that were not read. read: opens the material libraries of an OBJ.
std::vector<std::string> named_files(std::string_view path, const std::function<Result<Bytes>(std::size_t)>& head,
                                     const FileReader& read);

}  // namespace assetc::importer
