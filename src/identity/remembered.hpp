// What an import saw on this disk: a file in the disposable cache, so that the next one reads what changed only, and
// knows a file again that moved without its .meta.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/hash.hpp"
#include "identity/sub_assets.hpp"

namespace assetc::identity {

struct Remembered {
  std::string path;
  std::string signature;  // of the file on the disk, as who remembers it spells it
  ContentHash content;
  // What its importer said, and the state of everything that it read.
  std::vector<std::string> source_dependencies = {};
  std::string dependency_signature = {};
  std::vector<FoundSubAsset> sub_assets = {};
};

std::string write_remembered(const std::vector<Remembered>& all);
// Nothing of a text that is damaged or of another version: it is a cache.
std::vector<Remembered> parse_remembered(std::string_view text);

}  // namespace assetc::identity
