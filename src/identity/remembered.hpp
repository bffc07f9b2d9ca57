// What an import saw on this disk: a file in the disposable cache, so that the next one reads what changed only, and
// knows a file again that moved without its .meta.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "identity/meta.hpp"
#include "identity/sub_assets.hpp"

namespace assetc::identity {

// Signatures are of files on the disk, as who remembers them takes them; zero is that of none, or proves nothing.
struct Remembered {
  std::string path;
  ContentHash signature = {};
  ContentHash content = {};
  // What its importer said, and the state of everything that it read.
  std::vector<std::string> source_dependencies = {};
  ContentHash dependency_signature = {};
  std::vector<FoundSubAsset> sub_assets = {};
  std::vector<std::string> asset_names = {};  // UUIDs and virtual paths by which it refers to others
  // What its .meta said.
  ContentHash meta_signature = {};
  Meta meta = {};
};

// environment: what decides what importers say, besides files. Rows may come in any order.
ByteVector write_remembered(const ContentHash& environment, std::span<const Remembered> all);
// Nothing of bytes that are damaged: it is a cache. Of another environment paths, contents and what .meta files said
// alone.
std::vector<Remembered> parse_remembered(ByteSpan bytes, const ContentHash& environment);

}  // namespace assetc::identity
