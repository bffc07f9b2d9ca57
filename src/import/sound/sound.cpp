#include "import/sound/sound.hpp"

#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>

#include "base/plural.hpp"
#include "import/sound/aiff.hpp"
#include "import/sound/facts.hpp"
#include "import/sound/flac.hpp"
#include "import/sound/mp3.hpp"
#include "import/sound/ogg.hpp"
#include "import/sound/ogg_flac.hpp"
#include "import/sound/sndfile_bytes.hpp"
#include "import/sound/wav.hpp"

namespace assetc::importer {
namespace {

using File = std::unique_ptr<SNDFILE, int (*)(SNDFILE*)>;

// Whether every sample of the encoding is a multiple of 1 / 32768.
bool is_16bit(int format) {
  switch (format & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_PCM_16:
    case SF_FORMAT_PCM_S8:
    case SF_FORMAT_PCM_U8:
    case SF_FORMAT_ULAW:
    case SF_FORMAT_ALAW:
    case SF_FORMAT_IMA_ADPCM:
    case SF_FORMAT_MS_ADPCM:
    case SF_FORMAT_GSM610:
      return true;
    default:
      return false;
  }
}

constexpr std::string_view kLoopHint = "set the loop again in the sound editor";

Result<SoundFacts> read_facts(ByteSpan file) {
  if (is_wav(file)) return read_wav_facts(file);
  if (is_aiff(file)) return read_aiff_facts(file);
  if (is_flac(file)) return read_flac_facts(file);
  if (is_ogg(file)) return read_ogg_facts(file);
  SoundFacts facts;
  if (is_mp3(file)) facts.least_frames = least_mp3_frames(file);
  return facts;
}

// Keeps the loops that are inside the sound.
void keep_loops(std::span<const aas1::Loop> loops, scene::Sound& sound) {
  for (aas1::Loop loop : loops) {
    loop.end_frame = static_cast<std::uint32_t>(std::min<std::uint64_t>(loop.end_frame, sound.frame_count()));
    if (loop.first_frame < loop.end_frame) {
      sound.loops.push_back(loop);
    } else if (sound.left_out.empty()) {
      sound.left_out.push_back({"a loop that begins at frame " + std::to_string(loop.first_frame) + " of " +
                                    std::to_string(sound.frame_count()) + " and has no frames",
                                std::string(kLoopHint)});
    }
  }
}

}  // namespace

Result<scene::Sound> import_sound(ByteSpan file) {
  if (is_ogg_flac(file)) {
    ASSETC_TRY(const ByteVector flac, unwrap_ogg_flac(file));
    return import_sound(flac);
  }
  ASSETC_TRY(const SoundFacts facts, read_facts(file));
  SndfileBytes source{file};
  SF_VIRTUAL_IO io = SndfileBytes::io();
  SF_INFO info{};
  const File opened(sf_open_virtual(&io, SFM_READ, &info, &source), sf_close);
  if (!opened) {
    return fail(ErrorCode::kInvalidData, std::string("not readable as a sound: ") + sf_strerror(nullptr),
                "export it as WAV, AIFF, FLAC, Ogg Vorbis, Opus or MP3");
  }
  if (info.channels < 1 || info.channels > static_cast<int>(aas1::kMaxChannels) || info.samplerate < 1) {
    return fail(ErrorCode::kLimit,
                "found " + counted(info.channels, "channel") + " at " + std::to_string(info.samplerate) +
                    " Hz, expected 1 to " + std::to_string(aas1::kMaxChannels) + " channels",
                "mix it down");
  }
  scene::Sound sound;
  sound.channel_count = static_cast<std::uint32_t>(info.channels);
  sound.sample_rate_hz = static_cast<std::uint32_t>(info.samplerate);
  sound.is_16bit = is_16bit(info.format);
  // Headers may have a wrong number of frames, so it is counted by reading to the end.
  constexpr std::size_t kBlockFrames = 1 << 14;
  while (true) {
    const std::size_t before = sound.samples.size();
    if (before * sizeof(float) > kMaxSoundBytes) {
      return fail(ErrorCode::kLimit, "the sound decodes to more than " + std::to_string(kMaxSoundBytes >> 20) + " MiB",
                  "cut it into several files");
    }
    sound.samples.resize(before + kBlockFrames * sound.channel_count);
    const sf_count_t frames = sf_readf_float(opened.get(), sound.samples.data() + before, kBlockFrames);
    sound.samples.resize(before + static_cast<std::size_t>(std::max<sf_count_t>(frames, 0)) * sound.channel_count);
    if (frames <= 0) break;
  }
  if (sound.samples.empty()) return fail(ErrorCode::kInvalidData, "the sound has no frames", "export it again");
  const auto bad = std::ranges::find_if(sound.samples, [](float s) { return !std::isfinite(s); });
  if (bad != sound.samples.end()) {
    return fail(ErrorCode::kInvalidData,
                "frame " + std::to_string((bad - sound.samples.begin()) / info.channels) + " is not finite",
                "export it again");
  }
  if (sound.frame_count() < facts.least_frames) {
    return fail_at(ErrorCode::kTruncated, byte_place(file.size()),
                   "the file ends after " + counted(sound.frame_count(), "frame") + ", expected " +
                       std::to_string(facts.least_frames),
                   "export the sound again");
  }
  if (facts.frame_count && *facts.frame_count > 0 && *facts.frame_count < sound.frame_count())
    sound.samples.resize(static_cast<std::size_t>(*facts.frame_count) * sound.channel_count);
  if (!facts.left_out.empty()) sound.left_out.push_back({facts.left_out, std::string(kLoopHint)});
  if (is_mp3(file) && ends_inside_frame(file))
    sound.left_out.push_back({"the last frame of the MP3, which is cut short", "export the sound again"});
  keep_loops(facts.loops, sound);
  sound.has_padding = is_mp3(file) && !says_padding(file);
  return sound;
}

std::uint64_t estimate_sound_bytes(ByteSpan head, std::uint64_t file_bytes) {
  // Maximum decoded bytes (as floats) per byte of the file: 8-bit WAV, FLAC of speech, MP3 at 32 kbit/s, Opus at 12
  // kbit/s.
  constexpr std::uint64_t kPlain = 4, kFlac = 16, kLossy = 48, kOpus = 128;
  const std::string_view text = as_text(head);
  const std::uint64_t factor = text.starts_with("RIFF") || text.starts_with("FORM") ? kPlain
                               : text.starts_with("fLaC") || is_ogg_flac(head)      ? kFlac
                               : text.contains("OpusHead")                          ? kOpus
                                                                                    : kLossy;
  return std::min(file_bytes * factor, kMaxSoundBytes);
}

// "libsndfile-1.2.0".
std::string sound_libraries() {
  std::string text = sf_version_string();
  std::ranges::replace(text, '-', '=');
  return text + "\n";
}

}  // namespace assetc::importer
