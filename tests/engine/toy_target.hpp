// A target unlike runtime/: one flat folder, a text index, no bundle.
#pragma once

#include <algorithm>

#include "engine/target/target.hpp"

namespace assetc::engine::toy {

inline std::string flat_path(std::string_view stem, std::string_view suffix) {
  std::string path = std::string(stem).append(suffix);
  std::ranges::replace(path, '/', '+');
  return path;
}
inline std::uint64_t ref_by_length(std::string_view stem) { return stem.size(); }

inline Result<std::vector<ByteVector>> write_list(const IndexInputs& inputs) {
  std::vector<std::string> lines;
  for (const IndexedFile& file : inputs.files) lines.push_back(flat_path(file.stem, file.suffix) + "\n");
  std::ranges::sort(lines);
  lines.erase(std::ranges::unique(lines).begin(), lines.end());
  ByteVector bytes;
  for (const std::string& line : lines) append_bytes(bytes, as_bytes(line));
  return std::vector<ByteVector>{bytes};
}

inline constexpr std::string_view kList[] = {"list.txt"};
inline constexpr Target kFlatTarget{
    .name = "flat",
    .file_path = flat_path,
    .asset_ref = ref_by_length,
    .verify = [](std::string_view, ByteSpan) { return Result<void>(); },
    .index_paths = kList,
    .write_index = write_list,
};

// A target with neither an index nor a bundle.
inline constexpr Target kBareTarget{
    .name = "bare",
    .file_path = flat_path,
    .asset_ref = ref_by_length,
    .verify = [](std::string_view, ByteSpan) { return Result<void>(); },
};

}  // namespace assetc::engine::toy
