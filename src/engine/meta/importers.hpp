// How an import examines sources: one row per recipe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"
#include "identity/sub_assets.hpp"
#include "import/model/source.hpp"

namespace assetc::engine {

// What an importer finds in a source: its references to others and its sub-assets.
struct SourceContent {
  std::vector<std::string> source_dependencies;  // sorted; includes files that were not found
  std::vector<identity::FoundSubAsset> sub_assets;
  std::vector<std::string> asset_names = {};  // UUIDs and virtual paths of other assets that it refers to
};

// A file directly inside a source that is a folder.
struct InnerFile {
  std::string name;
  Bytes bytes;
};

struct Importer {
  std::string_view recipe;
  std::string_view type, name;  // as written to the .meta
  std::uint32_t version;        // increase if the .meta of an unchanged source changes
  // Validates a source that is a file. Reads it completely. Null: the file is not examined.
  Result<SourceContent> (*look)(const std::string& path, const Bytes& bytes, const importer::FileReader& read);
  // The same for a source that is a folder. The files directly in the folder are always dependencies; those that it
  // returns are added.
  Result<SourceContent> (*look_inside)(const std::string& path, std::span<const InnerFile> files,
                                       const importer::FileReader& read) = nullptr;
};

std::span<const Importer> importers();
// Hashes everything but files that decides what an import finds.
ContentHash import_environment();

// Requires one of recipes::cooked_recipes(). Each of them has a row.
const Importer& importer_of(std::string_view recipe);

}  // namespace assetc::engine
