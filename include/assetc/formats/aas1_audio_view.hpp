// AAS1 sounds: chunks that decode independently. Specification: docs/formats/aas1.md.
// This header reads files. aas1_audio.hpp also writes them.
#pragma once

#include <cstdint>
#include <span>

#include "assetc/formats/aas1.hpp"

namespace assetc::aas1 {

inline constexpr std::uint32_t kMaxChannels = 64;
inline constexpr std::uint32_t kLoopsId = fourcc("LOOP");  // Loop[]

enum class AudioCodec : std::uint32_t { kPcm = 1, kOggVorbis = 2 };
enum class SampleFormat : std::uint32_t { kS16 = 1, kF32 = 2 };
constexpr std::uint32_t sample_bytes(SampleFormat format) { return format == SampleFormat::kS16 ? 2 : 4; }

struct AudioDesc {
  AudioCodec codec;
  SampleFormat sample_format;  // PCM: the stored format; Vorbis: the format of the source
  std::uint32_t channel_count;
  std::uint32_t sample_rate_hz;
  std::uint32_t frame_count;
  std::uint32_t chunk_count;
  std::uint32_t frames_per_chunk;  // the last chunk has the remaining frames
  std::uint32_t chunk_table_offset_bytes;
  std::uint32_t data_offset_bytes;
  std::uint32_t data_size_bytes;
};
static_assert(sizeof(AudioDesc) == 40);

struct AudioChunk {
  std::uint32_t offset_bytes;  // from the end of the Desc
  std::uint32_t size_bytes;
};
static_assert(sizeof(AudioChunk) == 8);

// The frames [first_frame, end_frame) are repeated. repeats 0: without end.
struct Loop {
  enum class Kind : std::uint32_t { kForward = 0, kAlternating = 1, kBackward = 2 };
  std::uint32_t first_frame;
  std::uint32_t end_frame;
  Kind kind;
  std::uint32_t repeats;
  bool operator==(const Loop&) const = default;
};
static_assert(sizeof(Loop) == 16);

class AudioView {
 public:
  // Checks that chunks of Vorbis begin with the magic of an Ogg page. Does not check that they decode.
  static Result<AudioView> open(ByteSpan file);
  // Opens a blob made with without_data(). chunks() returns where the chunks lie in the data. chunk() must not be
  // called.
  // - data_size_bytes: the size of the missing data.
  // - table: the table of chunks. It must outlive the view.
  static Result<AudioView> open_head(ByteSpan blob, std::uint32_t data_size_bytes, std::span<const AudioChunk> table);
  const Blob& blob() const { return blob_; }
  const AudioDesc& desc() const { return *desc_; }
  // Returns the bytes of a chunk. Requires i < desc().chunk_count.
  ByteSpan chunk(std::size_t i) const;
  std::span<const AudioChunk> chunks() const { return chunks_; }
  std::uint32_t frames_of_chunk(std::size_t i) const;
  std::span<const Loop> loops() const { return loops_; }

 private:
  Result<void> check_head(std::uint64_t data_size_bytes);

  Blob blob_;
  const AudioDesc* desc_ = nullptr;
  std::span<const AudioChunk> chunks_;
  std::span<const Loop> loops_;
};

}  // namespace assetc::aas1
