#include "assetc/formats/aas1_audio.hpp"

#include <algorithm>

#include "base/plural.hpp"
#include "formats/aas1_layout.hpp"
#include "formats/mesh_rules.hpp"

namespace assetc::aas1 {
namespace {

using namespace formats;

constexpr std::string_view kOggCapture = "OggS";

Result<void> check_desc(const AudioDesc& d, Places place) {
  if (d.codec != AudioCodec::kPcm && d.codec != AudioCodec::kOggVorbis) {
    return invalid(place(d.codec), message("found audio codec ", static_cast<std::uint32_t>(d.codec),
                                           ", expected 1 (PCM) or 2 (Ogg Vorbis)"));
  }
  if (d.sample_format != SampleFormat::kS16 && d.sample_format != SampleFormat::kF32) {
    return invalid(place(d.sample_format), message("found sample format ", static_cast<std::uint32_t>(d.sample_format),
                                                   ", expected 1 (s16) or 2 (f32)"));
  }
  if (d.channel_count == 0 || d.channel_count > kMaxChannels || d.sample_rate_hz == 0 || d.frame_count == 0 ||
      d.frames_per_chunk == 0) {
    return invalid(place(d.channel_count),
                   message("found ", counted(d.channel_count, "channel"), ", ", d.sample_rate_hz, " Hz and ",
                           counted(d.frame_count, "frame"), " in chunks of ", d.frames_per_chunk,
                           ", expected some of each and at most ", kMaxChannels, " channels"));
  }
  const std::uint64_t chunks = (std::uint64_t{d.frame_count} + d.frames_per_chunk - 1) / d.frames_per_chunk;
  if (d.chunk_count != chunks)
    return invalid(place(d.chunk_count), message("found ", counted(d.chunk_count, "chunk"), ", expected ", chunks));
  return {};
}

}  // namespace

Result<AudioView> AudioView::open(ByteSpan file) {
  AudioView view;
  ASSETC_TRY(view.blob_, Blob::open(file, Type::kAudio, sizeof(AudioDesc)));
  view.desc_ = reinterpret_cast<const AudioDesc*>(view.blob_.desc().data());
  const AudioDesc& d = *view.desc_;
  const Places place(file);
  ASSETC_CHECK(check_desc(d, place));
  ASSETC_TRY(view.chunks_, array_at<AudioChunk>(view.blob_, d.chunk_table_offset_bytes, d.chunk_count,
                                                place(d.chunk_table_offset_bytes), "chunks"));
  ASSETC_CHECK(
      bytes_at(view.blob_, d.data_offset_bytes, d.data_size_bytes, place(d.data_offset_bytes), "bytes of sound"));
  std::uint64_t end = d.data_offset_bytes;
  for (std::size_t i = 0; i < view.chunks_.size(); ++i) {
    const AudioChunk& chunk = view.chunks_[i];
    if (chunk.offset_bytes != end) {
      return invalid(place(chunk), message("chunk ", i, " lies at ", chunk.offset_bytes, ", expected ", end,
                                           ", where the one before ends"));
    }
    end += chunk.size_bytes;
    if (end > std::uint64_t{d.data_offset_bytes} + d.data_size_bytes)
      return invalid(place(chunk),
                     message("chunk ", i, " of ", counted(chunk.size_bytes, "byte"), " leaves the sound"));
    if (d.codec == AudioCodec::kPcm) {
      const std::uint64_t size =
          std::uint64_t{view.frames_of_chunk(i)} * d.channel_count * sample_bytes(d.sample_format);
      if (chunk.size_bytes != size)
        return invalid(place(chunk),
                       message("chunk ", i, " has ", counted(chunk.size_bytes, "byte"), ", expected ", size));
    } else if (!as_text(view.chunk(i)).starts_with(kOggCapture)) {
      return invalid(place(chunk), message("chunk ", i, " does not begin with an Ogg page"));
    }
  }
  if (end != std::uint64_t{d.data_offset_bytes} + d.data_size_bytes)
    return invalid(place(d.data_size_bytes), message("chunks end at ", end, ", expected ",
                                                     std::uint64_t{d.data_offset_bytes} + d.data_size_bytes));
  const ByteSpan loops = view.blob_.extension(kLoopsId);
  if (loops.size() % sizeof(Loop) != 0) return invalid(place(loops.front()), "found a part of a loop");
  view.loops_ = {reinterpret_cast<const Loop*>(loops.data()), loops.size() / sizeof(Loop)};
  for (const Loop& loop : view.loops_) {
    if (loop.first_frame >= loop.end_frame || loop.end_frame > d.frame_count || loop.kind > Loop::Kind::kBackward) {
      return invalid(place(loop),
                     message("a loop of kind ", static_cast<std::uint32_t>(loop.kind), " runs from ", loop.first_frame,
                             " to ", loop.end_frame, " of ", counted(d.frame_count, "frame")));
    }
  }
  return view;
}

ByteSpan AudioView::chunk(std::size_t i) const {
  return blob_.data().subspan(chunks_[i].offset_bytes, chunks_[i].size_bytes);
}

std::uint32_t AudioView::frames_of_chunk(std::size_t i) const {
  const std::uint64_t first = std::uint64_t{desc_->frames_per_chunk} * i;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(desc_->frames_per_chunk, desc_->frame_count - first));
}

Result<ByteVector> write(const Audio& audio) {
  std::vector<AudioChunk> table;
  std::vector<ByteSpan> data(1);
  std::uint64_t size = 0;
  const std::uint64_t table_size = audio.chunks.size() * sizeof(AudioChunk);
  for (const ByteSpan chunk : audio.chunks) {
    table.push_back({static_cast<std::uint32_t>(table_size + size), static_cast<std::uint32_t>(chunk.size())});
    data.push_back(chunk);
    size += chunk.size();
  }
  data.front() = std::as_bytes(std::span(table));
  const AudioDesc desc{audio.codec,
                       audio.sample_format,
                       audio.channel_count,
                       audio.sample_rate_hz,
                       audio.frame_count,
                       static_cast<std::uint32_t>(table.size()),
                       audio.frames_per_chunk,
                       0,
                       static_cast<std::uint32_t>(table_size),
                       static_cast<std::uint32_t>(size)};
  const Extension extensions[] = {{kLoopsId, std::as_bytes(std::span(audio.loops))}};
  ASSETC_TRY(ByteVector file, write_blob(Type::kAudio, 0, object_bytes(desc), data, extensions));
  ASSETC_CHECK(AudioView::open(file));
  return file;
}

}  // namespace assetc::aas1
