#include "audio/encode.hpp"

#include <vorbis/codec.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "audio/vorbis.hpp"
#include "base/plural.hpp"
#include "parallel/parallel.hpp"

namespace assetc::audio {
namespace {

ByteVector pcm_chunk(std::span<const float> samples, aas1::SampleFormat format) {
  ByteVector bytes;
  bytes.reserve(samples.size() * aas1::sample_bytes(format));
  if (format == aas1::SampleFormat::kF32) {
    append_array(bytes, samples);
    return bytes;
  }
  constexpr float kScale = 32768;
  for (const float s : samples)
    append(bytes, static_cast<std::int16_t>(std::clamp(std::nearbyint(s * kScale), -kScale, kScale - 1)));
  return bytes;
}

}  // namespace

Result<EncodedSound> encode(const scene::Sound& sound, const Options& options) {
  if (sound.frame_count() > std::numeric_limits<std::uint32_t>::max()) {
    return fail(ErrorCode::kLimit, "found " + counted(sound.frame_count(), "frame") + ", expected at most 4294967295",
                "cut it into several files");
  }
  EncodedSound out;
  out.sample_format = sound.is_16bit ? aas1::SampleFormat::kS16 : aas1::SampleFormat::kF32;
  out.channel_count = sound.channel_count;
  out.sample_rate_hz = sound.sample_rate_hz;
  out.frame_count = static_cast<std::uint32_t>(sound.frame_count());
  const double frames = std::ceil(options.chunk_seconds * sound.sample_rate_hz);
  out.frames_per_chunk = static_cast<std::uint32_t>(std::clamp(frames, 1.0, static_cast<double>(out.frame_count)));
  out.loops = sound.loops;
  const bool is_long = out.frames_per_chunk < out.frame_count;
  const bool vorbis = options.codec == Codec::kVorbis || (options.codec == Codec::kAuto && is_long);
  out.codec = vorbis ? aas1::AudioCodec::kOggVorbis : aas1::AudioCodec::kPcm;

  const std::size_t chunk_samples = std::size_t{out.frames_per_chunk} * out.channel_count;
  const std::size_t count = (sound.samples.size() + chunk_samples - 1) / chunk_samples;
  std::vector<Result<ByteVector>> chunks(count);
  parallel_for(count, [&](std::size_t c) {
    const std::size_t first = c * chunk_samples;
    const std::span samples =
        std::span(sound.samples).subspan(first, std::min(chunk_samples, sound.samples.size() - first));
    constexpr double kMaxQuality = 10;
    chunks[c] = vorbis ? encode_vorbis(samples, out.channel_count, out.sample_rate_hz, options.quality / kMaxQuality)
                       : Result<ByteVector>(pcm_chunk(samples, out.sample_format));
  });
  for (Result<ByteVector>& chunk : chunks) {
    if (!chunk) return std::unexpected(std::move(chunk).error());
    out.chunks.push_back(std::move(*chunk));
  }
  return out;
}

std::string libraries() { return std::string("libvorbis=") + vorbis_version_string() + "\n"; }

}  // namespace assetc::audio
