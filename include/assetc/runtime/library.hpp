// Compiled assets by path and by hash: a tree of files, its manifest, and views of its formats.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hman.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/ktx2.hpp"
#include "assetc/runtime/file_tree.hpp"

namespace assetc::runtime {

// A validated view together with the bytes that it points into. It may be moved and copied.
template <class View>
struct Asset {
  std::string path;
  Bytes bytes;
  View view;
};
using Mesh = Asset<hmesh::View>;
using Materials = Asset<hmat::View>;
using Animation = Asset<hanim::View>;
using Texture = Asset<ktx2::View>;

// Opens compiled assets by path or hash.
//
//   auto library = Library::open("game.hpack");
//   auto mesh = library->mesh("models/chair.hmesh");
//   auto materials = library->materials("models/chair.hmat");
//   auto wood = library->texture(materials->view.materials()[0].base_color_texture);
//
// Every call validates the file that it opens. Nothing is cached, so the engine decides what stays loaded.
// Errors: kNotFound for an unknown path or hash, kIo, and those of the format's view. Each names the file.
// Thread safety: const.
class Library {
 public:
  // Mounts a folder or pack and reads its assets.hman. Errors: also kNotFound if there is no manifest.
  static Result<Library> open(const std::string& path);

  const FileTree& files() const { return files_; }
  const hman::View& manifest() const { return manifest_; }
  // Returns the path for a hash from a .hmat or .hmesh.
  Result<std::string_view> path_of(std::uint64_t hash) const;

  Result<Mesh> mesh(std::string_view path) const;
  Result<Materials> materials(std::string_view path) const;
  Result<Animation> animation(std::string_view path) const;
  Result<Texture> texture(std::string_view path) const;
  Result<Texture> texture(std::uint64_t hash) const;

 private:
  Library(FileTree files, Bytes manifest_bytes, hman::View manifest)
      : files_(std::move(files)), manifest_bytes_(std::move(manifest_bytes)), manifest_(std::move(manifest)) {}
  FileTree files_;
  Bytes manifest_bytes_;
  hman::View manifest_;
};

}  // namespace assetc::runtime
