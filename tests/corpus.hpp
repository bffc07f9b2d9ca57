// The test files: tests/data/corpus, which tests/data/make_corpus makes, and then the folder in ASSETC_CORPUS of CMake,
// if it exists. Both have the folders images, ktx2, models and bad.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "places.hpp"

namespace assetc::corpus {

inline std::filesystem::path own_folder(std::string_view part) {
  return std::filesystem::path(places::kSource) / "tests/data/corpus" / part;
}

// The folders of a part, our own first.
inline std::vector<std::filesystem::path> folders(std::string_view part) {
  std::vector<std::filesystem::path> found{own_folder(part)};
  const auto more = std::filesystem::path(places::kCorpus) / part;
  if (std::filesystem::is_directory(more)) found.push_back(more);
  return found;
}

inline Result<Bytes> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || !std::filesystem::is_regular_file(path)) return fail(ErrorCode::kNotFound, "no such file");
  ByteVector bytes(std::filesystem::file_size(path));
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return Bytes(std::move(bytes));
}

// Paths below a folder with one of the extensions, relative to it, sorted.
inline std::vector<std::string> list_files(const std::filesystem::path& folder,
                                           std::initializer_list<std::string_view> extensions) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    for (std::string_view extension : extensions) {
      if (entry.path().extension() == extension)
        found.push_back(std::filesystem::relative(entry.path(), folder).generic_string());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Whether a file of "bad" must be refused: true below refused/, false below repaired/, nullopt for other folders.
inline std::optional<bool> must_be_refused(std::string_view path) {
  if (path.starts_with("refused/")) return true;
  if (path.starts_with("repaired/")) return false;
  return std::nullopt;
}

}  // namespace assetc::corpus
