// Files of the shared corpus, for tests that skip where it is absent.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::importer::testing {

inline std::filesystem::path corpus_folder(std::string_view part) {
  return std::filesystem::path(ASSETC_CORPUS_DIR) / part;
}

inline Result<Bytes> read_disk(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || !std::filesystem::is_regular_file(path)) return fail(ErrorCode::kNotFound, "no such file");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return Bytes(ByteVector(as_bytes(text).begin(), as_bytes(text).end()));
}

// Paths below a folder with one of the extensions, relative to it, sorted.
inline std::vector<std::string> list_models(const std::filesystem::path& folder,
                                            std::initializer_list<std::string_view> extensions) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
    for (std::string_view extension : extensions) {
      if (entry.path().extension() == extension)
        found.push_back(std::filesystem::relative(entry.path(), folder).generic_string());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace assetc::importer::testing
