#include "assetc/runtime/library.hpp"

#include "runtime/mount/hash_text.hpp"

namespace assetc::runtime {
namespace {

constexpr std::string_view kManifestPath = "assets.hman";

template <class View>
Result<Asset<View>> open_asset(const FileTree& files, std::string_view path) {
  ASSETC_TRY(Bytes bytes, files.read(path));
  auto view = View::open(bytes);
  if (!view) return std::unexpected(std::move(view).error().in(path));
  return Asset<View>{std::string(path), std::move(bytes), std::move(*view)};
}

}  // namespace

Result<Library> Library::open(const std::string& path) {
  ASSETC_TRY(FileTree files, FileTree::open(path));
  auto bytes = files.read(kManifestPath);
  if (!bytes) {
    Error error = std::move(bytes).error();
    if (error.code == ErrorCode::kNotFound)
      error.hint = "build with assetc until nothing fails: the manifest is written last";
    return std::unexpected(std::move(error));
  }
  auto manifest = hman::View::open(*bytes);
  if (!manifest) return std::unexpected(std::move(manifest).error().in(kManifestPath));
  return Library(std::move(files), std::move(*bytes), std::move(*manifest));
}

Result<std::string_view> Library::path_of(std::uint64_t hash) const {
  if (const hman::EntryView* entry = manifest_.find(hash)) return entry->path;
  return fail(ErrorCode::kNotFound, "hash " + hash_text(hash) + " is not in " + std::string(kManifestPath));
}

Result<Mesh> Library::mesh(std::string_view path) const { return open_asset<hmesh::View>(files_, path); }
Result<Materials> Library::materials(std::string_view path) const { return open_asset<hmat::View>(files_, path); }
Result<Animation> Library::animation(std::string_view path) const { return open_asset<hanim::View>(files_, path); }
Result<Texture> Library::texture(std::string_view path) const { return open_asset<ktx2::View>(files_, path); }
Result<Texture> Library::texture(std::uint64_t hash) const {
  ASSETC_TRY(const std::string_view path, path_of(hash));
  return texture(path);
}

}  // namespace assetc::runtime
