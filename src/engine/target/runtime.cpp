#include "assetc/formats/hman.hpp"
#include "engine/target/pack.hpp"
#include "engine/target/target.hpp"
#include "filetypes/filetypes.hpp"

namespace assetc::engine {
namespace {

constexpr std::string_view kTextureSuffix = ".ktx2";

std::string file_path(std::string_view stem, std::string_view suffix) { return std::string(stem).append(suffix); }

// Refs are hashes of paths without the suffix. Source: docs/formats/hman.md.
std::string_view asset_name(std::string_view path) {
  if (path.ends_with(kTextureSuffix)) path.remove_suffix(kTextureSuffix.size());
  return path;
}

// Engines look up textures alone.
Result<ByteVector> write_index(std::span<const IndexedFile> files) {
  std::vector<hman::Entry> entries;
  for (const IndexedFile& file : files) {
    if (file.descriptor.kind != recipes::AssetKind::kTexture) continue;
    const auto colorspace = file.descriptor.srgb ? hman::Colorspace::kSrgb : hman::Colorspace::kLinear;
    entries.push_back(hman::texture_entry(file.path, colorspace));
  }
  return hman::write(std::move(entries));
}

constexpr Target kRuntime{.name = "runtime",
                          .file_path = file_path,
                          .asset_name = asset_name,
                          .verify = filetypes::open_file,
                          .index_path = "assets.hman",
                          .write_index = write_index,
                          .bundle_suffix = ".hpack",
                          .bundle = write_pack};

}  // namespace

const Target& runtime_target() { return kRuntime; }

}  // namespace assetc::engine
