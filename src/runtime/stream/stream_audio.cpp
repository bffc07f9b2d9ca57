#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <deque>
#include <optional>
#include <vector>

#include "assetc/runtime/audio_stream.hpp"
#include "base/plural.hpp"
#include "runtime/mount/mount_point.hpp"
#include "runtime/mount/wrong_type.hpp"
#include "runtime/stream/stream_parts.hpp"

namespace assetc::runtime {
namespace {

constexpr std::uint64_t kFirstReadBytes = 16u << 10;
constexpr std::uint64_t kMaxChunkSamples = 16u << 20;
constexpr std::uint32_t kMaxRingFrames = 1u << 24;
constexpr std::size_t kChunksAhead = 2;
// Loops that are no longer are played from memory: a read and a decode each time around would not keep up.
constexpr std::uint64_t kHeldLoopSamples = 64u << 10;

Result<void> decode_pcm(const aas1::AudioDesc& desc, ByteSpan chunk, std::span<float> out) {
  if (desc.sample_format == aas1::SampleFormat::kF32) {
    std::memcpy(out.data(), chunk.data(), out.size_bytes());
    return {};
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(load<std::int16_t>(chunk, i * sizeof(std::int16_t))) / 32768.0f;
  return {};
}

// Samples from one thread to another. Positions count frames and never come back, so that all of the ring is used.
class Ring {
 public:
  Ring(std::uint32_t frames, std::uint32_t channels)
      : frames_(frames), channels_(channels), samples_(std::size_t{frames} * channels) {}

  std::size_t space() const {
    return frames_ - (end_.load(std::memory_order_relaxed) - begin_.load(std::memory_order_acquire));
  }
  // Requires no more frames than there is space for.
  void push(std::span<const float> samples) {
    const std::size_t at = end_.load(std::memory_order_relaxed), count = samples.size() / channels_;
    const std::size_t first = std::min(count, frames_ - at % frames_) * channels_;
    std::copy_n(samples.begin(), first, samples_.begin() + static_cast<std::ptrdiff_t>(at % frames_ * channels_));
    std::copy(samples.begin() + static_cast<std::ptrdiff_t>(first), samples.end(), samples_.begin());
    end_.store(at + count, std::memory_order_release);
  }
  std::size_t pull(std::span<float> out) {
    const std::size_t at = begin_.load(std::memory_order_relaxed);
    const std::size_t count = std::min(end_.load(std::memory_order_acquire) - at, out.size() / channels_);
    const std::size_t first = std::min(count, frames_ - at % frames_) * channels_;
    std::copy_n(samples_.begin() + static_cast<std::ptrdiff_t>(at % frames_ * channels_), first, out.begin());
    std::copy_n(samples_.begin(), count * channels_ - first, out.begin() + static_cast<std::ptrdiff_t>(first));
    begin_.store(at + count, std::memory_order_release);
    return count;
  }
  bool is_empty() const { return begin_.load(std::memory_order_relaxed) == end_.load(std::memory_order_acquire); }

 private:
  const std::size_t frames_;  // a power of two, so that positions may wrap
  const std::size_t channels_;
  std::vector<float> samples_;
  std::atomic<std::size_t> begin_ = 0, end_ = 0;
};

}  // namespace

class AudioStream::Impl {
 public:
  Impl(Catalog catalog, const AssetHandle& sound, AudioStreamOptions options)
      : catalog_(std::move(catalog)), options_(std::move(options)) {
    const auto known = sound.uuid.is_nil() ? catalog_.find(sound.path_hash) : catalog_.find(sound.uuid);
    asset_ = catalog_.desc(known.value_or(sound)).value_or(AssetDesc{.handle = known.value_or(sound)});
    place_ = catalog_.locate(asset_.handle);
    const AssetType type = asset_.handle.type;
    if (place_.mount == nullptr) {
      end(Fault::kMissing, {ErrorCode::kNotFound, {}, {}, "no mount has it", "cook it, or mount what has it"});
    } else if (type != kUnknownType && type != AssetType::kAudio) {
      end(Fault::kWrongType, wrong_type(type, "a sound"));
    } else {
      content_bytes_ = place_.mount->size_bytes(place_.entry);
    }
  }

  ~Impl() {
    for (const Read& read : reads_) {
      for (const Ticket ticket : read.tickets) place_.mount->source().cancel(ticket);
    }
    while (unanswered_ > 0) {
      completions_.wait();
      --unanswered_;
    }
  }

  AudioState fill() {
    do {
      while (auto completion = completions_.poll()) on_answer(std::move(*completion));
    } while (step());
    if (failure_) return AudioState::kFailed;
    if (has_ended_.load(std::memory_order_relaxed)) return AudioState::kEnded;
    return ring_ == nullptr ? AudioState::kStarting : AudioState::kPlaying;
  }

  const Failure* failure() const { return failure_ ? &*failure_ : nullptr; }
  const aas1::AudioDesc* desc() const { return ring_ == nullptr ? nullptr : &view_->desc(); }
  std::uint64_t missed_frames() const { return missed_frames_.load(std::memory_order_relaxed); }

  std::size_t pull(std::span<float> out) {
    std::size_t got = 0, channels = 1;
    if (is_playing_.load(std::memory_order_acquire)) {
      channels = view_->desc().channel_count;
      const bool has_ended = has_ended_.load(std::memory_order_acquire);
      got = ring_->pull(out);
      const std::size_t missed = out.size() / channels - got;
      if (missed > 0 && !has_ended) missed_frames_.fetch_add(missed, std::memory_order_relaxed);
    }
    std::ranges::fill(out.subspan(got * channels), 0.0f);
    return got;
  }
  bool is_silent() const {
    return has_ended_.load(std::memory_order_acquire) &&
           (!is_playing_.load(std::memory_order_acquire) || ring_->is_empty());
  }

 private:
  // Frames [begin, end) of a chunk, which is being read.
  struct Piece {
    std::uint32_t chunk;
    std::uint32_t begin_frame, end_frame;
  };
  struct Read {
    ContentRange range;
    std::vector<StoredRange> parts{};
    std::vector<Bytes> answers{};
    std::vector<Ticket> tickets{};
    std::size_t unanswered = 0;
    Piece piece{};
  };

  void end(Fault fault, Error error) {
    failure_ = {fault, asset_.handle, std::string(asset_.virtual_path), std::move(error)};
    has_ended_.store(true, std::memory_order_release);
  }
  void end(Error error) {
    const Fault fault = fault_of(error.code);
    end(fault, std::move(error));
  }

  void ask(const ContentRange& range, const Piece& piece = {}) {
    Read& read = reads_.emplace_back(Read{.range = range, .piece = piece});
    const MountPoint& mount = *place_.mount;
    if (range.size_bytes != 0) {
      mount.cover(place_.entry, range.offset_bytes, range.size_bytes, read.parts);
    } else if (content_bytes_ == kToEnd) {
      mount.parts(place_.entry, read.parts);  // only the file's size is asked for
      read.parts.resize(1);
      read.parts[0].size_bytes = read.parts[0].offset_bytes = 0;
    }
    read.answers.resize(read.parts.size());
    read.unanswered = read.parts.size();
    const std::uint64_t number = first_read_ + reads_.size() - 1;
    for (std::size_t i = 0; i < read.parts.size(); ++i) {
      const StoredRange& part = read.parts[i];
      ++unanswered_;
      const std::uint64_t user = number << 32 | i;
      read.tickets.push_back(
          mount.source().submit({mount.file(part.file), part.offset_bytes, part.size_bytes, user}, completions_));
    }
  }

  void on_answer(Completion completion) {
    --unanswered_;
    Read& read = reads_[static_cast<std::size_t>((completion.user >> 32) - first_read_)];
    const auto part = static_cast<std::uint32_t>(completion.user);
    --read.unanswered;
    if (failure_) return;
    if (!completion.answer) return end(std::move(completion.answer).error());
    if (auto same = files_.check(read.parts[part].file, *completion.answer); !same) return end(std::move(same).error());
    if (content_bytes_ == kToEnd) content_bytes_ = completion.answer->file_size_bytes;
    if (completion.answer->bytes.size() != read.parts[part].size_bytes)
      return end({ErrorCode::kTruncated, {}, {}, "found fewer bytes than were asked for", {}});
    read.answers[part] = std::move(completion.answer->bytes);
  }

  // Whether there is more that can be done without waiting.
  bool step() {
    if (failure_ || has_ended_.load(std::memory_order_relaxed)) return false;
    auto stepped = ring_ == nullptr ? start() : play();
    if (stepped) return *stepped;
    end(std::move(stepped).error());
    return false;
  }

  // Takes the oldest read, where all of it is there.
  Result<std::optional<Bytes>> take(Piece* piece = nullptr) {
    if (reads_.empty() || reads_.front().unanswered > 0) return std::nullopt;
    const Read read = std::move(reads_.front());
    reads_.pop_front();
    ++first_read_;
    if (piece != nullptr) *piece = read.piece;
    if (read.range.size_bytes == 0) return Bytes();
    ASSETC_TRY(Bytes bytes, place_.mount->assemble_range(place_.entry, read.range.offset_bytes, read.range.size_bytes,
                                                         read.answers));
    if (piece == nullptr) windows_.push_back({read.range, bytes});
    return std::optional(std::move(bytes));
  }

  // Null where it is not there yet, and is then asked for.
  const Bytes* window(const ContentRange& range) {
    if (range.size_bytes == 0) {
      found_ = {};
      return &found_;
    }
    for (const ContentPart& part : windows_) {
      if (range.offset_bytes < part.range.offset_bytes || range.end() > part.range.end()) continue;
      found_ = part.bytes.slice(static_cast<std::size_t>(range.offset_bytes - part.range.offset_bytes),
                                static_cast<std::size_t>(range.size_bytes));
      return &found_;
    }
    ask(range);
    return nullptr;
  }

  // Everything but chunks.
  Result<bool> start() {
    if (!reads_.empty()) {
      ASSETC_TRY(const std::optional<Bytes> taken, take());
      if (!taken) return false;
    }
    if (content_bytes_ == kToEnd) {
      ask({});
      return true;
    }
    if (content_bytes_ < sizeof(aas1::BlobHeader))
      return fail(ErrorCode::kTruncated, "found " + counted(content_bytes_, "byte") + ", expected a header");
    const Bytes* first = window({0, std::min(kFirstReadBytes, content_bytes_)});
    if (first == nullptr) return true;
    const Bytes head = *first;
    const auto header = load<aas1::BlobHeader>(head);
    const std::uint64_t data = sizeof header + std::uint64_t{header.desc_size_bytes};
    const std::uint64_t data_end = data + header.data_size_bytes;
    if (header.magic != aas1::kMagic || header.desc_size_bytes < sizeof(aas1::AudioDesc) || data > head.size() ||
        data_end > content_bytes_)
      return fail(ErrorCode::kInvalidData, "found no head of an AAS1 sound", "cook its source again");
    const auto desc = load<aas1::AudioDesc>(head, sizeof header);
    const std::uint64_t table_bytes = std::uint64_t{desc.chunk_count} * sizeof(aas1::AudioChunk);
    if (!range_fits(desc.chunk_table_offset_bytes, table_bytes, header.data_size_bytes))
      return fail(ErrorCode::kTruncated, "found a table of chunks that leaves the data");
    if (table_bytes > kMaxHeadBytes || content_bytes_ - data_end > kMaxHeadBytes)
      return fail(ErrorCode::kLimit, "found more than " + counted(kMaxHeadBytes, "byte") + " beside the sound");
    const Bytes* found = window({data + desc.chunk_table_offset_bytes, table_bytes});
    if (found == nullptr) return true;
    table_.resize(desc.chunk_count);
    if (!table_.empty()) std::memcpy(table_.data(), found->data(), found->size());
    found = window({data_end, content_bytes_ - data_end});
    if (found == nullptr) return true;
    ASSETC_TRY(ByteVector blob, aas1::without_data(head.span().first(static_cast<std::size_t>(data)), *found));
    blob_ = Bytes(std::move(blob));
    ASSETC_TRY(view_, aas1::AudioView::open_head(blob_, header.data_size_bytes, table_));
    return open_sound(data);
  }

  Result<bool> open_sound(std::uint64_t data) {
    const aas1::AudioDesc& d = view_->desc();
    const std::uint64_t samples = std::uint64_t{view_->frames_of_chunk(0)} * d.channel_count;
    if (samples > kMaxChunkSamples)
      return fail(ErrorCode::kLimit, "found chunks of " + counted(samples, "sample") + ", expected at most " +
                                         std::to_string(kMaxChunkSamples));
    if (d.codec != aas1::AudioCodec::kPcm && !options_.decode)
      return fail(ErrorCode::kUnsupported, "found Ogg Vorbis, and the stream was given no decoder",
                  "set AudioStreamOptions::decode, or cook with audio.codec: pcm");
    data_place_ = data;
    end_frame_ = d.frame_count;
    for (const aas1::Loop& loop : view_->loops()) {
      if (!options_.loop || loop.kind != aas1::Loop::Kind::kForward) continue;
      loop_frame_ = loop.first_frame;
      end_frame_ = loop.end_frame;
      break;
    }
    holds_loop_ = options_.loop && std::uint64_t{end_frame_ - loop_frame_} * d.channel_count <= kHeldLoopSamples;
    windows_.clear();
    ring_ =
        std::make_unique<Ring>(std::bit_ceil(std::clamp(options_.ring_frames, 1u, kMaxRingFrames)), d.channel_count);
    is_playing_.store(true, std::memory_order_release);
    return true;
  }

  // The next frames, all of one chunk; nothing after the last that is to be read.
  std::optional<Piece> next_piece() {
    if (frame_ == end_frame_) {
      if (!options_.loop || holds_loop_) return std::nullopt;
      frame_ = loop_frame_;
    }
    const std::uint32_t per_chunk = view_->desc().frames_per_chunk, chunk = frame_ / per_chunk;
    const std::uint32_t first = chunk * per_chunk, begin = frame_ - first;
    const std::uint32_t end = std::min(view_->frames_of_chunk(chunk), end_frame_ - first);
    frame_ = first + end;
    return Piece{chunk, begin, end};
  }

  Result<bool> play() {
    const std::size_t channels = view_->desc().channel_count;
    while (reads_.size() < kChunksAhead) {
      const std::optional<Piece> piece = next_piece();
      if (!piece) break;
      const aas1::AudioChunk& chunk = view_->chunks()[piece->chunk];
      ask({data_place_ + chunk.offset_bytes, chunk.size_bytes}, *piece);
    }
    if (!left_.empty()) {
      const std::size_t frames = std::min(ring_->space(), left_.size() / channels);
      ring_->push(left_.first(frames * channels));
      left_ = left_.subspan(frames * channels);
      if (!left_.empty()) return false;
    }
    if (reads_.empty() && !loop_samples_.empty()) {
      left_ = loop_samples_;
      return true;
    }
    if (reads_.empty()) {
      has_ended_.store(true, std::memory_order_release);
      return false;
    }
    Piece piece{};
    ASSETC_TRY(const std::optional<Bytes> chunk, take(&piece));
    if (!chunk) return false;
    decoded_.resize(view_->frames_of_chunk(piece.chunk) * channels);
    const AudioDecode& decode = options_.decode;
    ASSETC_CHECK(view_->desc().codec == aas1::AudioCodec::kPcm ? decode_pcm(view_->desc(), *chunk, decoded_)
                                                               : decode(view_->desc(), *chunk, decoded_));
    left_ = std::span<const float>(decoded_).subspan(piece.begin_frame * channels,
                                                     (piece.end_frame - piece.begin_frame) * channels);
    if (holds_loop_) {
      const std::uint32_t begin = piece.chunk * view_->desc().frames_per_chunk + piece.begin_frame;
      const std::uint32_t before = loop_frame_ > begin ? loop_frame_ - begin : 0;
      const auto looped = left_.subspan(std::min(before * channels, left_.size()));
      loop_samples_.insert(loop_samples_.end(), looped.begin(), looped.end());
    }
    return true;
  }

  const Catalog catalog_;
  const AudioStreamOptions options_;
  AssetDesc asset_;
  Catalog::Place place_;
  Completions completions_;
  StreamFiles files_;
  std::uint64_t content_bytes_ = kToEnd;
  std::deque<Read> reads_;        // in the order in which they are taken
  std::uint64_t first_read_ = 0;  // the number of reads_.front()
  std::size_t unanswered_ = 0;
  std::vector<ContentPart> windows_;
  Bytes found_, blob_;
  std::vector<aas1::AudioChunk> table_;
  std::optional<aas1::AudioView> view_;
  std::uint64_t data_place_ = 0;
  std::uint32_t frame_ = 0, loop_frame_ = 0, end_frame_ = 0;
  bool holds_loop_ = false;
  std::vector<float> decoded_, loop_samples_;
  std::span<const float> left_;  // of one of them
  std::optional<Failure> failure_;

  std::unique_ptr<Ring> ring_;  // set before is_playing_
  std::atomic<bool> is_playing_ = false, has_ended_ = false;
  std::atomic<std::uint64_t> missed_frames_ = 0;
};

AudioStream::AudioStream(Catalog catalog, const AssetHandle& sound, AudioStreamOptions options)
    : impl_(std::make_unique<Impl>(std::move(catalog), sound, std::move(options))) {}
AudioStream::~AudioStream() = default;
AudioState AudioStream::fill() { return impl_->fill(); }
const Failure* AudioStream::failure() const { return impl_->failure(); }
const aas1::AudioDesc* AudioStream::desc() const { return impl_->desc(); }
std::uint64_t AudioStream::missed_frames() const { return impl_->missed_frames(); }
std::size_t AudioStream::pull(std::span<float> out) { return impl_->pull(out); }
bool AudioStream::is_silent() const { return impl_->is_silent(); }

}  // namespace assetc::runtime
