#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "assetc/base/hash.hpp"
#include "assetc/formats/hman.hpp"
#include "engine/target/pack.hpp"
#include "engine/target/target.hpp"
#include "filetypes/filetypes.hpp"

namespace assetc::engine {
namespace {

std::string file_path(std::string_view stem, std::string_view suffix) { return std::string(stem).append(suffix); }

// Source: docs/formats/hman.md.
std::uint64_t asset_ref(std::string_view stem) { return hash_asset_ref(stem); }

// Lists every file, so that a tree whose files nobody can list, on a web server, is known completely. If the hashes of
// two paths are equal, hman::write() fails and names both: a game would get the wrong one of them.
Result<std::vector<ByteVector>> write_index(const IndexInputs& inputs) {
  std::vector<hman::Entry> entries, others;
  for (const IndexedFile& file : inputs.files) {
    const bool is_texture = file.descriptor.kind == recipes::AssetKind::kTexture;
    const auto colorspace = file.descriptor.srgb ? hman::Colorspace::kSrgb : hman::Colorspace::kLinear;
    std::string path = file_path(file.stem, file.suffix);
    hman::Entry entry = is_texture ? hman::texture_entry(std::move(path), colorspace)
                                   : hman::file_entry(std::move(path), file.descriptor.kind);
    (is_texture && file.is_named ? entries : others).push_back(std::move(entry));
  }
  std::unordered_map<std::uint64_t, std::string> paths;  // by their hashes
  for (const hman::Entry& entry : entries) paths.emplace(entry.hash, entry.path);
  std::ranges::sort(others, {}, [](const hman::Entry& entry) { return std::tie(entry.path, entry.colorspace); });
  for (hman::Entry& entry : others) {
    const auto [at, is_new] = paths.emplace(entry.hash, entry.path);
    if (is_new || at->second != entry.path) entries.push_back(std::move(entry));
  }
  ASSETC_TRY(ByteVector manifest, hman::write(std::move(entries), inputs.is_incomplete));
  std::vector<ByteVector> files;
  files.push_back(std::move(manifest));
  return files;
}

constexpr std::string_view kManifestPaths[] = {"assets.hman"};

constexpr Target kRuntime{.name = "runtime",
                          .file_path = file_path,
                          .asset_ref = asset_ref,
                          .verify = filetypes::check_file,
                          .index_paths = kManifestPaths,
                          .write_index = write_index,
                          .bundle_suffix = ".hpack",
                          .bundle = write_pack};

}  // namespace

const Target& runtime_target() { return kRuntime; }

}  // namespace assetc::engine
