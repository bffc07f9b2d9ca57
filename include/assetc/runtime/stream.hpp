// Parts of an asset before the rest: the small levels of a texture, a coarse mesh. Sounds: audio_stream.hpp.
//
//   Streamer streamer(catalog, {.textures = {.bc = true}, .jobs = pool.jobs()});
//   const StreamId wood = streamer.texture(handle, [&](const Outcome<TextureParts>& parts) {
//     if (parts) device.replace(wood_image, parts->texture, parts->first_level);  // levels first_level to the smallest
//   });
//   streamer.pump();                    // once a frame: calls the above with each level that came
//   streamer.want(wood, 2);             // far away: two levels less than there are
//
// The first read of a texture has the levels that fit into it, the next ones are larger and larger. A mesh comes as one
// of its levels of detail after the other, each a whole mesh, and last as it is in its file.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/handle.hpp"
#include "assetc/runtime/jobs.hpp"
#include "assetc/runtime/trace.hpp"

namespace assetc::runtime {

struct StreamOptions {
  TextureOptions textures{};
  JobSystem jobs{};  // decodes; unset: pump() does
  // Of an asset's first read; also of its second where small levels lie at the end of the file (AAS1).
  std::uint64_t first_read_bytes = 64u << 10;
  // Read or decoded, and not told of yet. One part that alone is larger is read alone.
  std::uint64_t in_flight_bytes = 32u << 20;
  // Larger assets are Fault::kLimit.
  std::uint64_t max_asset_bytes = 1ull << 30;
  Tracer trace{};
};

struct TextureParts {
  TextureData texture;            // the levels that there are, largest first; shares their bytes
  std::uint32_t first_level = 0;  // that texture.levels[0] is of the whole texture, whose largest is 0
  std::uint32_t level_count = 1;  // of the whole texture
};

struct MeshParts {
  MeshData mesh;                // of a level other than 0: without levels, meshlets and names of its own
  std::uint32_t lod = 0;        // 0: the file as it is
  std::uint32_t lod_count = 1;  // that will come at most, lod 0 among them
};

enum class StreamId : std::uint64_t {};

struct StreamStats {
  std::size_t streams = 0;  // that are open
  std::size_t reads = 0;    // that went to sources
  std::uint64_t read_bytes = 0;
  std::uint64_t in_flight_bytes = 0, peak_in_flight_bytes = 0;
};

// Every layout of a catalog streams: of trees, packs and cooked folders the ranges themselves are read, of a bundle the
// blocks that hold them (content of up to 128 KiB is one). Galileo meshes, and meshes without levels of detail, come
// whole.
// Of what waits the highest priority is read first, of equal ones what has the fewest reads behind it.
// What a file says is validated before anybody sees it: each level when it comes, a mesh as each of its levels.
// Errors: the faults of Manager; the first one is told, and ends the stream.
// Thread safety: one thread, which is the one that sinks are called on. A sink may call everything but pump().
class Streamer {
 public:
  using TextureSink = std::function<void(const Outcome<TextureParts>&)>;
  using MeshSink = std::function<void(const Outcome<MeshParts>&)>;

  explicit Streamer(Catalog catalog, StreamOptions options = {});
  // Cancels, and waits for reads and jobs that run.
  ~Streamer();
  Streamer(const Streamer&) = delete;
  Streamer& operator=(const Streamer&) = delete;

  StreamId texture(const AssetHandle& asset, TextureSink sink, int priority = 0, std::uint32_t first_level = 0);
  StreamId mesh(const AssetHandle& asset, MeshSink sink, int priority = 0, std::uint32_t lod = 0);

  // Levels from this one on, no larger ones. Those that are there and are not wanted any more are dropped, which is
  // told too; a texture keeps what its first reads had, and a mesh what came.
  void want(StreamId stream, std::uint32_t first_level);
  void set_priority(StreamId stream, int priority);
  // Cancels what is under way; its sink is not called again. A stream that is not closed keeps its levels.
  void close(StreamId stream);

  // Once a frame. Returns whether there is more to come. Stops before it decodes for longer than that, but for one
  // part.
  bool pump(std::chrono::microseconds time = std::chrono::microseconds(1000));
  StreamStats stats() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assetc::runtime
