// Proves with a single walk that nothing changed since an import that left nothing to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "engine/disk/disk.hpp"

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

}  // namespace assetc::engine
