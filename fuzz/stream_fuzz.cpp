// Any bytes as a texture, a mesh and a sound that are loaded in parts from a tree, and as the bundle that holds them.
// Every part that becomes ready is valid, and nothing waits forever.
#include "assetc/runtime/all_loaders.hpp"
#include "assetc/runtime/audio_stream.hpp"
#include "assetc/runtime/source.hpp"
#include "fuzz.hpp"

namespace {

using namespace assetc;
using namespace assetc::runtime;

void load_parts(const Catalog& catalog, const AssetHandle& asset) {
  const PartOptions parts{.first_read_bytes = 128};
  Manager manager(catalog, {.io_thread = false, .max_asset_bytes = 1u << 24});
  Loaders loaders{.texture = texture_loader({}, parts), .mesh = mesh_loader(parts), .audio = audio_loader(parts)};
  add_loaders(manager, loaders);
  const auto pump = [&] {
    for (int i = 0; i < 8 || manager.stats().loading > 0; ++i) {
      fuzz::require(i < 10'000);
      manager.pump();
    }
  };
  const AssetRef<TextureData> texture = manager.load_async<TextureData>(asset);
  texture.want(2);
  pump();
  texture.want(0);
  pump();
  if (texture.is_ready()) {
    for (const TextureData::Level& level : texture.get()->levels) fuzz::touch(level.bytes);
  }
  const AssetRef<MeshData> mesh = manager.load_async<MeshData>(asset);
  pump();
  if (mesh.is_ready()) fuzz::touch(mesh.get()->bytes);

  const auto decode = [](const aas1::AudioDesc&, ByteSpan chunk, std::span<float>) -> Result<void> {
    fuzz::touch(chunk);
    return {};
  };
  AudioStream sound(manager, asset, {.ring_frames = 64, .decode = decode});
  std::vector<float> buffer(64 * aas1::kMaxChannels);
  for (int i = 0; i < 1000 && !sound.is_silent(); ++i) {
    manager.pump();
    sound.fill();
    const aas1::AudioDesc* desc = sound.desc();
    sound.pull(std::span(buffer).first(desc == nullptr ? 64 : std::size_t{64} * desc->channel_count));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan input = fuzz::bytes(data, size);
  const Bytes file(ByteVector(input.begin(), input.end()));
  const std::shared_ptr<Source> all =
      make_source([&](const ReadRequest& request, const std::atomic<bool>&) { return read_range(request, file); }, 0);
  // None of our types, so the input is loaded as each kind.
  Catalog tree;
  if (tree.mount(all, Layout::kTree, "", {.files = {"x.any"}})) {
    if (const auto asset = tree.find_by_path("x.any")) load_parts(tree, {.path_hash = asset->path_hash});
  }
  Catalog bundle;
  if (!bundle.mount(all, Layout::kBundle, "x")) return 0;
  for (std::size_t at = 0; at + sizeof(Uuid) <= input.size() && at < 4096; at += 4) {
    if (const auto asset = bundle.find(load<Uuid>(input, at))) load_parts(bundle, *asset);
  }
  return 0;
}
