// Describes the output format of a build: file names, containers, verification and the index.
//
// Like a recipe, a target is a table of functions. The engine itself contains no suffix or index name of any target.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

class Identities;

// A file of the output tree as an index lists it.
struct IndexedFile {
  std::string_view stem, suffix;  // arguments of Target::file_path() for its path
  recipes::Descriptor descriptor;
  std::string_view params = {};  // of its step, encoded by encode_params()
  bool is_named = false;         // another step asked for it or refers to it by name
};

// The inputs for an index.
struct IndexInputs {
  std::span<const IndexedFile> files;  // in any order; may contain duplicates
  const Identities* identities = nullptr;
  std::function<Result<Bytes>(const std::string& path)> read;  // reads one of the files
  bool integrity = false;                                      // include the SHA-256 of each file
  const std::vector<std::string>* licenses = nullptr;          // that assets may have; null: any
  // Sources failed, and `files` lacks their files: the index says so, and lacks assets that need what is not there.
  bool is_incomplete = false;
  // Called for each output that the index leads to a shared file.
  std::function<void(const std::string& output, const std::string& file)> shares;
};

inline bool is_texture(const recipes::Descriptor& descriptor) {
  return descriptor.kind == recipes::AssetKind::kTexture;
}

struct Target {
  std::string_view name;

  // ---- names ----
  // The path of a step's output below the output directory. A source's stem is its path without its suffix. In a build
  // with identities, it is the UUID as text.
  std::string (*file_path)(std::string_view stem, std::string_view suffix);
  // The value with which files refer to an asset. stem: of the step that makes it.
  std::uint64_t (*asset_ref)(std::string_view stem);

  // Whether the walk of the input looks at an entry. Null: at every entry.
  bool (*covers)(std::string_view path, bool directory) = nullptr;

  // ---- containers ----
  // The containers in which the values of recipes are written.
  const recipes::ContainerSet* containers = &recipes::kRuntimeContainers;
  // Verifies a file with the reader of its container. Succeeds if the file is valid or if no reader for it exists here.
  Result<void> (*verify)(std::string_view path, ByteSpan bytes);

  // ---- references ----
  // Whether products may refer to an output by name, and the word for such outputs in messages.
  bool (*is_referred_to)(const recipes::Descriptor& descriptor) = is_texture;
  std::string_view referred_kind = "texture";

  // ---- index and bundle ----
  // These files are published after all others, and only if nothing failed.
  std::span<const std::string_view> index_paths = {};
  std::string_view index_kind = "manifest";  // the word for the index in messages
  // Makes the bytes of these files, in the same order.
  Result<std::vector<ByteVector>> (*write_index)(const IndexInputs& inputs) = nullptr;
  // The file for outputs with the same bytes, named by their content, which is the name of no output. Null: every
  // output has a file of its own.
  std::string (*shared_file_path)(const ContentHash& content) = nullptr;
  // A bundle contains all files of the output directory. It lies beside the directory and has its name with this
  // suffix. Empty if the target has no bundle. Files with this suffix do not belong to the output tree.
  std::string_view bundle_suffix = {};
  // Writes the bundle, unless it already has the same bytes. without: files that it lacks, in byte order.
  Result<void> (*bundle)(const Target& target, const Profile& profile, std::span<const std::string> without,
                         Disk& disk) = nullptr;
  // Profile::bundles divides the outputs, as the first index file lists them: see update_bundles().
  bool bundles_by_rule = false;
};

// Example: "runtime.hpack" for the output "runtime".
inline std::string bundle_path(const Target& target, const Profile& profile) {
  return profile.output + std::string(target.bundle_suffix);
}

inline bool is_index(const Target& target, std::string_view path) {
  return std::ranges::find(target.index_paths, path) != target.index_paths.end();
}

// The target of builds: files named by the paths of their sources, assets.hman as index and a .hpack as bundle.
const Target& runtime_target();

}  // namespace assetc::engine
