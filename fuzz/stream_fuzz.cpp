// Any bytes as a texture, a mesh and a sound that are streamed from a tree, and as the bundle that they are in: every
// part that is told is valid, and nothing waits for ever.
#include "assetc/runtime/audio_stream.hpp"
#include "assetc/runtime/stream.hpp"
#include "fuzz.hpp"

namespace {

using namespace assetc;
using namespace assetc::runtime;

void stream(const Catalog& catalog, const AssetHandle& asset) {
  Streamer streamer(catalog, {.first_read_bytes = 128, .max_asset_bytes = 1u << 24});
  const auto texture = [](const Outcome<TextureParts>& parts) {
    if (!parts) return;
    for (const TextureData::Level& level : parts->texture.levels) fuzz::touch(level.bytes);
  };
  const auto mesh = [](const Outcome<MeshParts>& parts) {
    if (parts) fuzz::touch(parts->mesh.bytes);
  };
  const StreamId one = streamer.texture(asset, texture, 0, 2);
  streamer.mesh(asset, mesh);
  for (int i = 0; streamer.pump(); ++i) fuzz::require(i < 10'000);
  streamer.want(one, 0);
  for (int i = 0; streamer.pump(); ++i) fuzz::require(i < 10'000);

  const auto decode = [](const aas1::AudioDesc&, ByteSpan chunk, std::span<float>) -> Result<void> {
    fuzz::touch(chunk);
    return {};
  };
  AudioStream sound(catalog, asset, {.ring_frames = 64, .decode = decode});
  std::vector<float> buffer(64 * aas1::kMaxChannels);
  for (int i = 0; i < 1000 && !sound.is_silent(); ++i) {
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
  // No type of ours: a stream of each kind is opened.
  Catalog tree;
  if (tree.mount(all, Layout::kTree, "", {.files = {"x.any"}})) {
    if (const auto asset = tree.find_by_path("x.any")) stream(tree, {.path_hash = asset->path_hash});
  }
  Catalog bundle;
  if (!bundle.mount(all, Layout::kBundle, "x")) return 0;
  for (std::size_t at = 0; at + sizeof(Uuid) <= input.size() && at < 4096; at += 4) {
    if (const auto asset = bundle.find(load<Uuid>(input, at))) stream(bundle, *asset);
  }
  return 0;
}
