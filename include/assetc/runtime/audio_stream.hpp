// Sounds by the chunk: read and decoded ahead of where they are heard, without a gap between chunks.
//
//   loaders.audio = audio_loader(PartOptions{});
//   AudioStream music(manager, handle, {.loop = true, .decode = decode_vorbis});
//   music.fill();         // on a thread that may work, some times a second: never waits
//   music.pull(buffer);   // on the audio thread: never locks, never allocates
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "assetc/formats/aas1_audio.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/handle.hpp"
#include "assetc/runtime/manager.hpp"

namespace assetc::runtime {

// Interleaved samples of one chunk, which decodes on its own; out has room for all of its frames and must be filled. Of
// Ogg Vorbis a chunk is a whole stream.
using AudioDecode = std::function<Result<void>(const aas1::AudioDesc&, ByteSpan chunk, std::span<float> out)>;

struct AudioStreamOptions {
  std::uint32_t ring_frames = 1u << 15;  // that are decoded ahead; rounded up to a power of two, 2^24 at most
  bool loop = false;                     // for ever: the sound's first forward loop, or all of it
  AudioDecode decode{};                  // of what is not PCM; the library has no decoder
  int priority = 0;                      // of the sound and its chunks
};

enum class AudioState : std::uint8_t {
  kStarting,
  kPlaying,
  kEnded,  // all of it is in the ring, or was pulled
  kFailed,
};

// Loads chunks through a manager, as ranges of the sound: two are read ahead of the ring. A sound that is loaded anew
// goes on in its new file, at the same frame. The manager's loader of sounds is one in parts
// (audio_loader(PartOptions)); one that loads whole files works too, and holds the file. The stream wants level 1 of
// the sound. Errors: the faults of Manager; kUnsupported for a codec without a decoder, and for a new file with another
// number of channels. Thread safety: pull() and is_silent() on one thread, everything else on one other. fill() reads
// the sound as get() does: where sounds are loaded anew, no frame that calls it is over before it returns
// (ManagerOptions::frames_in_flight).
class AudioStream {
 public:
  // Outlived by the manager.
  AudioStream(Manager& manager, const AssetHandle& sound, AudioStreamOptions options = {});
  // Cancels. Nobody may be pulling.
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
