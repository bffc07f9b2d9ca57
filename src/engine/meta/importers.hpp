// What an import does with sources: a row a recipe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "identity/sub_assets.hpp"
#include "import/source.hpp"

namespace assetc::engine {

// What a source says of others and of what is in it.
struct SourceContent {
  std::vector<std::string> source_dependencies;  // sorted; also those that were looked for in vain
  std::vector<identity::FoundSubAsset> sub_assets;
  std::vector<std::string> asset_names = {};  // UUIDs and virtual paths by which it refers to others
};

// A file directly in a folder that is a source.
struct InnerFile {
  std::string name;
  Bytes bytes;
};

struct Importer {
  std::string_view recipe;
  std::string_view type, name;  // as a .meta says
  std::uint32_t version;        // raise it when what a .meta says for the same source changes
  // Whether a source that is a file is valid: it is read as a whole. Null: nothing is looked at.
  Result<SourceContent> (*look)(const std::string& path, const Bytes& bytes, const importer::FileReader& read);
  // The same of a source that is a folder. What it says of dependencies is added to the files directly in the folder.
  Result<SourceContent> (*look_inside)(const std::string& path, std::span<const InnerFile> files,
                                       const importer::FileReader& read) = nullptr;
};

std::span<const Importer> importers();

// Requires one of recipes::cooked_recipes(): each has a row.
const Importer& importer_of(std::string_view recipe);

}  // namespace assetc::engine
