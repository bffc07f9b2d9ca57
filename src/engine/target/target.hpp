// Where a build's outputs go: what they are called, what reads them, and what is written last.
//
// A target is a row of functions, as a recipe is: the engine knows the suffixes and indexes of none by heart.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

// A file of the output tree, as an index sees it.
struct IndexedFile {
  std::string path;  // below the output directory
  recipes::Descriptor descriptor;
};

struct Target {
  std::string_view name;

  // ---- names ----
  // The file of a step's output, below the output directory.
  std::string (*file_path)(std::string_view stem, std::string_view suffix);
  // How files refer to an asset, given by a step's stem.
  std::uint64_t (*asset_ref)(std::string_view stem);

  // ---- containers ----
  // What the values of recipes are written as.
  const recipes::ContainerSet* containers = &recipes::kRuntimeContainers;
  // The error of the reader of a file's container; nothing for a valid file and for one that has no reader here.
  Result<void> (*verify)(std::string_view path, ByteSpan bytes);

  // ---- what is written last ----
  // The file that is published after all others and only when nothing failed; empty where the target has none.
  std::string_view index_path = {};
  // Its bytes; files: the outputs that are listed or referred to, in any order, some perhaps twice.
  Result<ByteVector> (*write_index)(std::span<const IndexedFile> files) = nullptr;
  // All files of the output directory in one file beside it, of the directory's name and this suffix; empty where the
  // target has none. Files of this suffix are no part of the output tree.
  std::string_view bundle_suffix = {};
  // Writes the bundle unless it has its bytes already.
  Result<void> (*bundle)(const Target& target, const Profile& profile, Disk& disk) = nullptr;
};

// "runtime.hpack" for the output "runtime".
inline std::string bundle_path(const Target& target, const Profile& profile) {
  return profile.output + std::string(target.bundle_suffix);
}

// Folders of files named by their sources' paths, with assets.hman as their index and a .hpack as their bundle.
const Target& runtime_target();

}  // namespace assetc::engine
