// Sounds by the chunk: read and decoded ahead of where they are heard, without a gap between chunks.
//
//   AudioStream music(catalog, handle, {.loop = true, .decode = decode_vorbis});
//   music.fill();         // on a thread that may work, some times a second: never waits
//   music.pull(buffer);   // on the audio thread: never locks, never allocates
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "assetc/formats/aas1_audio.hpp"
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/handle.hpp"

namespace assetc::runtime {

// Interleaved samples of one chunk, which decodes on its own; out has room for all of its frames and must be filled. Of
// Ogg Vorbis a chunk is a whole stream.
using AudioDecode = std::function<Result<void>(const aas1::AudioDesc&, ByteSpan chunk, std::span<float> out)>;

struct AudioStreamOptions {
  std::uint32_t ring_frames = 1u << 15;  // that are decoded ahead; rounded up to a power of two, 2^24 at most
  bool loop = false;                     // for ever: the sound's first forward loop, or all of it
  AudioDecode decode{};                  // of what is not PCM; the library has no decoder
};

enum class AudioState : std::uint8_t {
  kStarting,
  kPlaying,
  kEnded,  // all of it is in the ring, or was pulled
  kFailed,
};

// Reads ranges of every layout of a catalog, as Streamer does; two chunks are read ahead of the ring.
// Errors: the faults of Manager; kUnsupported for a codec without a decoder.
// Thread safety: pull() and is_silent() on one thread, everything else on one other.
class AudioStream {
 public:
  AudioStream(Catalog catalog, const AssetHandle& sound, AudioStreamOptions options = {});
  // Cancels, and waits for reads that run. Nobody may be pulling.
  ~AudioStream();
  AudioStream(const AudioStream&) = delete;
  AudioStream& operator=(const AudioStream&) = delete;

  AudioState fill();
  // Null unless it failed.
  const Failure* failure() const;
  // Null while it is starting; then as the sound says.
  const aas1::AudioDesc* desc() const;
  // How many frames pull() could not give because they were not there in time.
  std::uint64_t missed_frames() const;

  // Interleaved samples from -1 to 1, of desc()->channel_count channels: out.size() is a multiple of it. Returns how
  // many frames it got; the rest is silence.
  std::size_t pull(std::span<float> out);
  // Whether it has ended and all of it was pulled.
  bool is_silent() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assetc::runtime
