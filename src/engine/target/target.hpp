// Where a build's outputs go: what they are called, what reads them, and what is written last.
//
// A target is a row of functions, as a recipe is: the engine knows the suffixes and indexes of none by heart.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

class Identities;

// A file of the output tree, as an index sees it.
struct IndexedFile {
  std::string_view stem, suffix;  // its path is Target::file_path() of them
  recipes::Descriptor descriptor;
  std::string_view params = {};  // of its step, as encode_params() has them
};

// What an index is made of.
struct IndexInputs {
  std::span<const IndexedFile> files;  // in any order, some perhaps twice
  const Identities* identities = nullptr;
  std::function<Result<Bytes>(const std::string& path)> read;  // one of the files
  bool integrity = false;                                      // the index has the SHA-256 of each file
};

inline bool is_texture(const recipes::Descriptor& descriptor) {
  return descriptor.kind == recipes::AssetKind::kTexture;
}

struct Target {
  std::string_view name;

  // ---- names ----
  // The file of a step's output, below the output directory. A source's stem is its path without its suffix, or, in a
  // build with identities, the text of its UUID.
  std::string (*file_path)(std::string_view stem, std::string_view suffix);
  // How files refer to an asset, given by a step's stem.
  std::uint64_t (*asset_ref)(std::string_view stem);

  // Whether the walk of the input looks at an entry; null: at all.
  bool (*covers)(std::string_view path, bool directory) = nullptr;

  // ---- containers ----
  // What the values of recipes are written as.
  const recipes::ContainerSet* containers = &recipes::kRuntimeContainers;
  // The error of the reader of a file's container; nothing for a valid file and for one that has no reader here.
  Result<void> (*verify)(std::string_view path, ByteSpan bytes);

  // ---- references ----
  // Whether products may refer to an output by its name, and the word for such outputs in messages.
  bool (*is_referred_to)(const recipes::Descriptor& descriptor) = is_texture;
  std::string_view referred_kind = "texture";

  // ---- what is written last ----
  // The files that are published after all others and only when nothing failed.
  std::span<const std::string_view> index_paths = {};
  std::string_view index_kind = "manifest";  // the word for them in messages
  // Their bytes, in that order.
  Result<std::vector<ByteVector>> (*write_index)(const IndexInputs& inputs) = nullptr;
  // Whether they are told of every output, not only of those that are listed or referred to.
  bool indexes_all = false;
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

inline bool is_index(const Target& target, std::string_view path) {
  return std::ranges::find(target.index_paths, path) != target.index_paths.end();
}

// Folders of files named by their sources' paths, with assets.hman as their index and a .hpack as their bundle.
const Target& runtime_target();

}  // namespace assetc::engine
