#include "assetc/runtime/audio_stream.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <deque>
#include <optional>
#include <vector>

#include "base/plural.hpp"
#include "runtime/mount/mount_point.hpp"

namespace assetc::runtime {
namespace {

constexpr std::uint64_t kMaxChunkSamples = 16u << 20;
constexpr std::uint32_t kMaxRingFrames = 1u << 24;
constexpr std::size_t kChunksAhead = 2;
// Loops up to this length are played from memory, because a read and a decode in each repetition would be too slow.
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

// Passes samples from one thread to another. Positions count frames and only increase, so the whole ring can be used.
class Ring {
 public:
  Ring(std::uint32_t frames, std::uint32_t channels)
      : frames_(frames), channels_(channels), samples_(std::size_t{frames} * channels) {}

  std::size_t space() const {
    return frames_ - (end_.load(std::memory_order_relaxed) - begin_.load(std::memory_order_acquire));
  }
  // Requires space for these frames.
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
  const std::size_t frames_;  // a power of two, so that positions may wrap around
  const std::size_t channels_;
  std::vector<float> samples_;
  std::atomic<std::size_t> begin_ = 0, end_ = 0;
};

}  // namespace

class AudioStream::Impl {
 public:
  Impl(Manager& manager, const AssetHandle& sound, AudioStreamOptions options)
      : manager_(manager),
        options_(std::move(options)),
        sound_(manager.load_async<AudioData>(sound, options_.priority)) {
    sound_.want(1);
    if (const auto desc = manager.catalog().desc(sound_.handle())) path_ = desc->virtual_path;
  }

  AudioState fill() {
    while (step()) continue;
    if (failure_) return AudioState::kFailed;
    if (has_ended_.load(std::memory_order_relaxed)) return AudioState::kEnded;
    return ring_ == nullptr ? AudioState::kStarting : AudioState::kPlaying;
  }

  const Failure* failure() const { return failure_ ? &*failure_ : nullptr; }
  const aas1::AudioDesc* desc() const { return ring_ == nullptr ? nullptr : &head_->view.desc(); }
  std::uint64_t missed_frames() const { return missed_frames_.load(std::memory_order_relaxed); }

  std::size_t pull(std::span<float> out) {
    std::size_t got = 0, channels = 1;
    if (is_playing_.load(std::memory_order_acquire)) {
      channels = channel_count_;
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
  // Frames [begin, end) of a chunk that is being loaded.
  struct Piece {
    std::uint32_t chunk;
    std::uint32_t begin_frame, end_frame;
    AssetRef<PartBytes> bytes{};
  };

  void end(Failure failure) {
    failure_ = std::move(failure);
    has_ended_.store(true, std::memory_order_release);
  }
  void end(Error error) {
    const Fault fault = fault_of(error.code);
    end({fault, sound_.handle(), path_, std::move(error)});
  }

  // Returns whether more can be done without waiting.
  bool step() {
    if (failure_ || has_ended_.load(std::memory_order_relaxed)) return false;
    auto stepped = look_at_sound();
    if (stepped && *stepped) stepped = play();
    if (stepped) return *stepped;
    if (!failure_) end(std::move(stepped).error());
    return false;
  }

  // Returns false if the sound is not loaded yet.
  Result<bool> look_at_sound() {
    if (const Failure* failure = sound_.failure()) {
      end(*failure);
      return false;
    }
    const AudioData* const sound = sound_.get();
    if (sound == nullptr) return false;
    if (head_ && head_->bytes.data() == sound->bytes.data()) {
      if (!awaits_reload_) return true;
      if (const Failure* failure = sound_.reload_failure()) end(*failure);
      return false;
    }
    AudioData head = *sound;
    ASSETC_CHECK(open_sound(head.view));
    const auto header = load<aas1::BlobHeader>(head.bytes);
    data_place_ = sizeof header + std::uint64_t{header.desc_size_bytes};
    head_ = std::move(head);
    ahead_.clear();
    loop_samples_.clear();
    awaits_reload_ = false;
    return true;
  }

  Result<void> open_sound(const aas1::AudioView& view) {
    const aas1::AudioDesc& d = view.desc();
    const std::uint64_t samples = std::uint64_t{view.frames_of_chunk(0)} * d.channel_count;
    if (samples > kMaxChunkSamples)
      return fail(ErrorCode::kLimit, "found chunks of " + counted(samples, "sample") + ", expected at most " +
                                         std::to_string(kMaxChunkSamples));
    if (d.codec != aas1::AudioCodec::kPcm && !options_.decode)
      return fail(ErrorCode::kUnsupported, "found Ogg Vorbis, but the stream has no decoder",
                  "set AudioStreamOptions::decode, or cook with audio.codec: pcm");
    if (ring_ != nullptr && d.channel_count != channel_count_)
      return fail(ErrorCode::kUnsupported,
                  "found " + counted(d.channel_count, "channel") + " in the new file, expected " +
                      std::to_string(channel_count_),
                  "open the stream again");
    loop_frame_ = 0;
    end_frame_ = d.frame_count;
    for (const aas1::Loop& loop : view.loops()) {
      if (!options_.loop || loop.kind != aas1::Loop::Kind::kForward) continue;
      loop_frame_ = loop.first_frame;
      end_frame_ = loop.end_frame;
      break;
    }
    // Pieces in ahead_ were not played yet. The new file may be shorter.
    if (!ahead_.empty()) frame_ = first_frame_of(ahead_.front());
    frame_ = std::min(frame_, end_frame_);
    holds_loop_ =
        options_.loop && frame_ == 0 && std::uint64_t{end_frame_ - loop_frame_} * d.channel_count <= kHeldLoopSamples;
    if (ring_ != nullptr) return {};
    channel_count_ = d.channel_count;
    ring_ =
        std::make_unique<Ring>(std::bit_ceil(std::clamp(options_.ring_frames, 1u, kMaxRingFrames)), d.channel_count);
    is_playing_.store(true, std::memory_order_release);
    return {};
  }

  std::uint32_t first_frame_of(const Piece& piece) const {
    return piece.chunk * head_->view.desc().frames_per_chunk + piece.begin_frame;
  }

  // Returns the next frames, all of one chunk. Returns nothing after the last frames to read.
  std::optional<Piece> next_piece() {
    if (frame_ == end_frame_) {
      if (!options_.loop || holds_loop_) return std::nullopt;
      frame_ = loop_frame_;
    }
    const std::uint32_t per_chunk = head_->view.desc().frames_per_chunk, chunk = frame_ / per_chunk;
    const std::uint32_t first = chunk * per_chunk, begin = frame_ - first;
    const std::uint32_t end = std::min(head_->view.frames_of_chunk(chunk), end_frame_ - first);
    frame_ = first + end;
    return Piece{.chunk = chunk, .begin_frame = begin, .end_frame = end};
  }

  Result<bool> play() {
    const std::size_t channels = channel_count_;
    while (ahead_.size() < kChunksAhead) {
      std::optional<Piece> piece = next_piece();
      if (!piece) break;
      const aas1::AudioChunk& chunk = head_->view.chunks()[piece->chunk];
      piece->bytes =
          manager_.load_range(sound_, {data_place_ + chunk.offset_bytes, chunk.size_bytes}, options_.priority);
      ahead_.push_back(std::move(*piece));
    }
    if (!left_.empty()) {
      const std::size_t frames = std::min(ring_->space(), left_.size() / channels);
      ring_->push(left_.first(frames * channels));
      left_ = left_.subspan(frames * channels);
      if (!left_.empty()) return false;
    }
    if (ahead_.empty() && !loop_samples_.empty()) {
      left_ = loop_samples_;
      return true;
    }
    if (ahead_.empty()) {
      has_ended_.store(true, std::memory_order_release);
      return false;
    }
    const Piece& piece = ahead_.front();
    if (const Failure* failure = piece.bytes.failure()) {
      if (failure->error.what == kReplacedMessage) {
        awaits_reload_ = true;  // the manager reloads the sound
        return false;
      }
      end(*failure);
      return false;
    }
    if (!piece.bytes.is_ready()) return false;
    const Bytes& chunk = piece.bytes.get()->bytes;
    decoded_.resize(head_->view.frames_of_chunk(piece.chunk) * channels);
    const AudioDecode& decode = options_.decode;
    const aas1::AudioDesc& desc = head_->view.desc();
    ASSETC_CHECK(desc.codec == aas1::AudioCodec::kPcm ? decode_pcm(desc, chunk, decoded_)
                                                      : decode(desc, chunk, decoded_));
    left_ = std::span<const float>(decoded_).subspan(piece.begin_frame * channels,
                                                     (piece.end_frame - piece.begin_frame) * channels);
    if (holds_loop_) {
      const std::uint32_t begin = first_frame_of(piece);
      const std::uint32_t before = loop_frame_ > begin ? loop_frame_ - begin : 0;
      const auto looped = left_.subspan(std::min(before * channels, left_.size()));
      loop_samples_.insert(loop_samples_.end(), looped.begin(), looped.end());
    }
    ahead_.pop_front();
    return true;
  }

  Manager& manager_;
  const AudioStreamOptions options_;
  const AssetRef<AudioData> sound_;
  std::string path_;
  std::optional<AudioData> head_;  // the sound that ahead_ belongs to
  std::deque<Piece> ahead_;        // in playback order
  bool awaits_reload_ = false;     // a chunk came from another version of the file
  std::uint64_t data_place_ = 0;
  std::uint32_t frame_ = 0, loop_frame_ = 0, end_frame_ = 0;
  std::uint32_t channel_count_ = 0;
  bool holds_loop_ = false;
  std::vector<float> decoded_, loop_samples_;
  std::span<const float> left_;  // in decoded_ or loop_samples_
  std::optional<Failure> failure_;

  std::unique_ptr<Ring> ring_;  // set before is_playing_
  std::atomic<bool> is_playing_ = false, has_ended_ = false;
  std::atomic<std::uint64_t> missed_frames_ = 0;
};

AudioStream::AudioStream(Manager& manager, const AssetHandle& sound, AudioStreamOptions options)
    : impl_(std::make_unique<Impl>(manager, sound, std::move(options))) {}
AudioStream::~AudioStream() = default;
AudioState AudioStream::fill() { return impl_->fill(); }
const Failure* AudioStream::failure() const { return impl_->failure(); }
const aas1::AudioDesc* AudioStream::desc() const { return impl_->desc(); }
std::uint64_t AudioStream::missed_frames() const { return impl_->missed_frames(); }
std::size_t AudioStream::pull(std::span<float> out) { return impl_->pull(out); }
bool AudioStream::is_silent() const { return impl_->is_silent(); }

}  // namespace assetc::runtime
