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

// Lists only textures, because engines look up nothing else.
Result<std::vector<ByteVector>> write_index(const IndexInputs& inputs) {
  std::vector<hman::Entry> entries;
  for (const IndexedFile& file : inputs.files) {
    if (file.descriptor.kind != recipes::AssetKind::kTexture) continue;
    const auto colorspace = file.descriptor.srgb ? hman::Colorspace::kSrgb : hman::Colorspace::kLinear;
    entries.push_back(hman::texture_entry(file_path(file.stem, file.suffix), colorspace));
  }
  ASSETC_TRY(ByteVector manifest, hman::write(std::move(entries)));
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
