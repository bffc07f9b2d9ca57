// Proves with a single walk that nothing changed since an import that left nothing to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "engine/disk/disk.hpp"
#include "engine/disk/path_index.hpp"

namespace assetc::engine {

struct ImportMark {
  ContentHash environment;  // everything but files that affects imports
  ContentHash tree;         // Tree::fingerprint of the folders of assets
  std::uint64_t sources = 0, sub_assets = 0;
  // Files outside the walk that models read or looked for, with their signatures. No signature: the file was missing.
  std::vector<std::pair<std::string, std::optional<FileSignature>>> uncovered;
};

ByteVector encode_mark(const ImportMark& mark);
// Nothing if the bytes are damaged.
std::optional<ImportMark> decode_mark(ByteSpan bytes);

// The files that an import wrote, with their signatures afterwards.
using PublishedFiles = std::map<std::string, FileSignature, std::less<>>;

// Whether a tree is as an import left it: as it walked it before, but for the files that it wrote and removed. As for
// outputs of builds, files that it wrote must have the signature that publishing them returned.
bool is_as_left(const Tree& now, const Tree& before, const PathIndex& before_index, const PublishedFiles& published,
                std::size_t removed);

}  // namespace assetc::engine
