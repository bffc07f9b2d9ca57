// Opens sounds of cooks: a description, a table of chunks and their bytes. Each chunk decodes alone, so that a game can
// start anywhere and stream; therefore every chunk of Vorbis must begin with a page of its own.
#include <algorithm>

#include "assetc/formats/aas1_audio.hpp"
#include "base/plural.hpp"
#include "formats/aas1/desc_table.hpp"
#include "formats/aas1/layout.hpp"
#include "formats/hmesh/rules.hpp"

namespace assetc::aas1 {
namespace {

using namespace formats;

constexpr std::string_view kOggCapture = "OggS";

Result<void> check_desc(const AudioDesc& d, Places place) {
  ASSETC_CHECK(check_records(table::kAudio, object_bytes(d), place(d), {}));
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
  ASSETC_CHECK(view.check_head(view.blob_.data().size()));
  if (d.codec == AudioCodec::kPcm) return view;
  for (std::size_t i = 0; i < view.chunks_.size(); ++i) {
    if (!as_text(view.chunk(i)).starts_with(kOggCapture))
      return invalid(place(view.chunks_[i]), message("chunk ", i, " does not begin with an Ogg page"));
  }
  return view;
}

Result<AudioView> AudioView::open_head(ByteSpan blob, std::uint32_t data_size_bytes,
                                       std::span<const AudioChunk> table) {
  AudioView view;
  ASSETC_TRY(view.blob_, Blob::open(blob, Type::kAudio, sizeof(AudioDesc)));
  view.desc_ = reinterpret_cast<const AudioDesc*>(view.blob_.desc().data());
  ASSETC_CHECK(check_desc(*view.desc_, Places(blob)));
  if (table.size() != view.desc_->chunk_count)
    return fail(ErrorCode::kUsage,
                message("found a table of ", counted(table.size(), "chunk"), ", expected ", view.desc_->chunk_count));
  view.chunks_ = table;
  ASSETC_CHECK(view.check_head(data_size_bytes));
  return view;
}

// Checks chunks and loops, but not the content of chunks.
Result<void> AudioView::check_head(std::uint64_t data_size_bytes) {
  const AudioDesc& d = *desc_;
  const Places place(blob_.file());
  const std::uint64_t table = blob_.data_place() + d.chunk_table_offset_bytes;
  const std::uint64_t sound_end = std::uint64_t{d.data_offset_bytes} + d.data_size_bytes;
  if (!range_fits(d.data_offset_bytes, d.data_size_bytes, data_size_bytes)) {
    return fail_at(ErrorCode::kTruncated, byte_place(place(d.data_offset_bytes)),
                   message(counted(d.data_size_bytes, "byte"), " of sound at ", d.data_offset_bytes,
                           " do not fit in the data of ", counted(data_size_bytes, "byte")),
                   kDamagedHint);
  }
  std::uint64_t end = d.data_offset_bytes;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const AudioChunk& chunk = chunks_[i];
    const std::uint64_t at = table + i * sizeof chunk;
    if (chunk.offset_bytes != end) {
      return invalid(
          at, message("chunk ", i, " lies at ", chunk.offset_bytes, ", expected ", end, ", where the one before ends"));
    }
    end += chunk.size_bytes;
    if (end > sound_end)
      return invalid(at, message("chunk ", i, " of ", counted(chunk.size_bytes, "byte"), " does not fit in the sound"));
    if (d.codec != AudioCodec::kPcm) continue;
    const std::uint64_t size = std::uint64_t{frames_of_chunk(i)} * d.channel_count * sample_bytes(d.sample_format);
    if (chunk.size_bytes != size)
      return invalid(at, message("chunk ", i, " has ", counted(chunk.size_bytes, "byte"), ", expected ", size));
  }
  if (end != sound_end)
    return invalid(place(d.data_size_bytes), message("chunks end at ", end, ", expected ", sound_end));
  const ByteSpan loops = blob_.extension(kLoopsId);
  if (loops.size() % sizeof(Loop) != 0) return invalid(place(loops.front()), "found an incomplete loop");
  loops_ = {reinterpret_cast<const Loop*>(loops.data()), loops.size() / sizeof(Loop)};
  if (loops_.empty()) return {};
  ASSETC_CHECK(check_records(table::kLoop, loops, place(loops_[0]), {}));
  for (const Loop& loop : loops_) {
    if (loop.first_frame < loop.end_frame && loop.end_frame <= d.frame_count) continue;
    return invalid(place(loop), message("a loop runs from ", loop.first_frame, " to ", loop.end_frame, " of ",
                                        counted(d.frame_count, "frame")));
  }
  return {};
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
