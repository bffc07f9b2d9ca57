// The state of the files at the last import, stored in the disposable cache. The next import then reads only files that
// changed, and recognizes a source that moved without its .meta.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "identity/meta.hpp"
#include "identity/sub_assets.hpp"

namespace assetc::identity {

// Signatures are of files on the disk, as the caller computes them. Zero means that there is no file, or that it must
// be read again.
struct Remembered {
  std::string path;
  ContentHash signature = {};
  ContentHash content = {};
  // The result of its importer, and the state of all files that the importer read.
  std::vector<std::string> source_dependencies = {};
  ContentHash dependency_signature = {};
  std::vector<FoundSubAsset> sub_assets = {};
  std::vector<std::string> asset_names = {};  // UUIDs and virtual paths of other assets that it refers to
  // The content of its .meta.
  ContentHash meta_signature = {};
  Meta meta = {};
};

// environment: a hash of everything besides files that decides the result of importers. Rows may come in any order.
ByteVector write_remembered(const ContentHash& environment, std::span<const Remembered> all);
// Returns nothing if the bytes are damaged, because this is a cache. If the environment differs, returns only paths,
// contents and .meta values.
std::vector<Remembered> parse_remembered(ByteSpan bytes, const ContentHash& environment);

}  // namespace assetc::identity
