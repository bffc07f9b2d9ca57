// AAS1 sounds: chunks that decode on their own. Specification: docs/formats/aas1.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assetc/formats/aas1.hpp"

namespace assetc::aas1 {

inline constexpr std::uint32_t kMaxChannels = 64;
inline constexpr std::uint32_t kLoopsId = fourcc("LOOP");  // Loop[]

enum class AudioCodec : std::uint32_t { kPcm = 1, kOggVorbis = 2 };
enum class SampleFormat : std::uint32_t { kS16 = 1, kF32 = 2 };
constexpr std::uint32_t sample_bytes(SampleFormat format) { return format == SampleFormat::kS16 ? 2 : 4; }

struct AudioDesc {
  AudioCodec codec;
  SampleFormat sample_format;  // of PCM as stored; of Vorbis what it was made of
  std::uint32_t channel_count;
  std::uint32_t sample_rate_hz;
  std::uint32_t frame_count;
  std::uint32_t chunk_count;
  std::uint32_t frames_per_chunk;  // the last has the rest
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

// [first_frame, end_frame) again and again; repeats 0: for ever.
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
  // Chunks of Vorbis begin like an Ogg page; whether they decode is for whoever decodes them.
  static Result<AudioView> open(ByteSpan file);
  // Of without_data(), the size of what it lacks, and the table of chunks, which outlives the view: there is no
  // chunk(), chunks() says where they lie in the data.
  static Result<AudioView> open_head(ByteSpan blob, std::uint32_t data_size_bytes, std::span<const AudioChunk> table);
  const Blob& blob() const { return blob_; }
  const AudioDesc& desc() const { return *desc_; }
  // Requires i < desc().chunk_count.
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

struct Audio {
  AudioCodec codec = AudioCodec::kPcm;
  SampleFormat sample_format = SampleFormat::kS16;
  std::uint32_t channel_count = 1;
  std::uint32_t sample_rate_hz = 48000;
  std::uint32_t frame_count = 0;
  std::uint32_t frames_per_chunk = 0;
  std::vector<ByteSpan> chunks;
  std::vector<Loop> loops;
};
// The bytes of a file that AudioView::open accepts, or its error about the sound. Deterministic.
Result<ByteVector> write(const Audio& audio);

}  // namespace assetc::aas1
