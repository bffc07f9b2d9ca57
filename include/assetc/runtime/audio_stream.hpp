// Streams sounds by the chunk: reads and decodes ahead of playback, without gaps between chunks.
//
//   loaders.audio = audio_loader(PartOptions{});
//   AudioStream music(manager, handle, {.loop = true, .decode = decode_vorbis});
//   music.fill();         // on a thread that may work, a few times a second: never waits
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

// Decodes one chunk to interleaved samples. Chunks decode independently. With Ogg Vorbis, each chunk is a complete
// stream.
// Constraints: out has space for all frames of the chunk. The function must fill it.
using AudioDecode = std::function<Result<void>(const aas1::AudioDesc&, ByteSpan chunk, std::span<float> out)>;

struct AudioStreamOptions {
  std::uint32_t ring_frames = 1u << 15;  // decoded ahead; rounded up to a power of two, at most 2^24
  bool loop = false;                     // without end: the sound's first forward loop, or the whole sound
  AudioDecode decode{};                  // for codecs other than PCM; the library has no decoder
  int priority = 0;                      // of the sound and its chunks
};

enum class AudioState : std::uint8_t {
  kStarting,
  kPlaying,
  kEnded,  // the rest of the sound is in the ring or was pulled
  kFailed,
};

// Loads the chunks of a sound through a manager, as ranges of the sound. Two chunks are read ahead of the ring. The
// stream calls want(1) on the sound. After a reload, it continues in the new file at the same frame.
// Errors: the faults of Manager; kUnsupported for a codec without a decoder, and for a new file with another number of
// channels.
// Constraints:
// - The manager's loader of sounds should load in parts: audio_loader(PartOptions). A loader of whole files also works,
//   but keeps the whole file in memory.
// - fill() reads the sound as get() does. If sounds are reloaded, fill() must return before the frame that calls it is
//   over (ManagerOptions::frames_in_flight).
// Thread safety: pull() and is_silent() on one thread, all other functions on one other thread.
class AudioStream {
 public:
  // The manager must outlive the stream.
  AudioStream(Manager& manager, const AssetHandle& sound, AudioStreamOptions options = {});
  // Cancels the loads. Requires that no thread is in pull().
  ~AudioStream();
  AudioStream(const AudioStream&) = delete;
  AudioStream& operator=(const AudioStream&) = delete;

  AudioState fill();
  // Returns null unless the stream failed.
  const Failure* failure() const;
  // Returns null until the sound starts, then its description.
  const aas1::AudioDesc* desc() const;
  // Returns how many frames pull() could not deliver because they were not decoded in time.
  std::uint64_t missed_frames() const;

  // Writes interleaved samples from -1 to 1, of desc()->channel_count channels. Returns the number of frames from the
  // sound; the rest of out is silence.
  // Constraints: out.size() is a multiple of the number of channels.
  std::size_t pull(std::span<float> out);
  // Returns whether the sound has ended and was pulled completely.
  bool is_silent() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assetc::runtime
