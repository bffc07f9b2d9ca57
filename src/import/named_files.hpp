// Which files a model names, without opening it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "import/source.hpp"

namespace assetc::importer {

// Buffers and images of a glTF, pictures of an OBJ's materials; of an FBX, whose text says little, none. Whether
// something is drawn with them is not asked, and what cannot be read names nothing.
// head: at least so many bytes from the start of the model, of all of its size. read: of an OBJ's libraries.
std::vector<std::string> named_files(std::string_view path, const std::function<Result<Bytes>(std::size_t)>& head,
                                     const FileReader& read);

}  // namespace assetc::importer
