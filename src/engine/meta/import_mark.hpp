// Proves with one walk that nothing changed since an import that left nothing to do.
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
  ContentHash environment;  // what decides imports, besides files
  ContentHash tree;         // Tree::fingerprint of the folders of assets
  std::uint64_t sources = 0, sub_assets = 0;
  // What models read, or missed, where the walk does not look.
  std::vector<std::pair<std::string, std::optional<FileSignature>>> uncovered;
};

ByteVector encode_mark(const ImportMark& mark);
// Nothing of bytes that are damaged.
std::optional<ImportMark> decode_mark(ByteSpan bytes);

}  // namespace assetc::engine
