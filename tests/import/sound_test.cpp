#include "import/sound.hpp"

#include <gtest/gtest.h>
#include <sndfile.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "corpus.hpp"

namespace assetc::importer {
namespace {

constexpr int kRate = 48000;
constexpr std::size_t kFrames = 4800;

// A square wave, as a file that libsndfile writes.
Bytes written(const std::string& suffix, int format) {
  const auto path = std::filesystem::path(::testing::TempDir()) / ("assetc_sound_test" + suffix);
  SF_INFO info{};
  info.channels = 1;
  info.samplerate = kRate;
  info.format = format;
  SNDFILE* file = sf_open(path.c_str(), SFM_WRITE, &info);
  EXPECT_NE(file, nullptr) << sf_strerror(nullptr);
  if (file == nullptr) return {};
  std::vector<float> samples(kFrames);
  for (std::size_t i = 0; i < kFrames; ++i) samples[i] = i / 240 % 2 == 0 ? 0.5f : -0.5f;
  EXPECT_EQ(sf_write_float(file, samples.data(), static_cast<sf_count_t>(kFrames)), static_cast<sf_count_t>(kFrames));
  sf_close(file);
  const auto bytes = corpus::read_file(path);
  std::filesystem::remove(path);
  EXPECT_TRUE(bytes);
  return bytes.value_or(Bytes());
}

TEST(ImportSound, reads_every_kind_of_source) {
  struct Kind {
    const char* suffix;
    int format;
    float tolerance;  // in the middle of a half wave
  };
  for (const Kind& kind :
       {Kind{".wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 1e-4f}, Kind{".aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16, 1e-4f},
        Kind{".flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1e-4f}, Kind{".ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, 0.1f},
        Kind{".opus", SF_FORMAT_OGG | SF_FORMAT_OPUS, 0.2f}}) {
    const Bytes file = written(kind.suffix, kind.format);
    const auto sound = import_sound(file);
    ASSERT_TRUE(sound) << kind.suffix << ": " << sound.error().to_string();
    EXPECT_EQ(sound->channel_count, 1u) << kind.suffix;
    EXPECT_EQ(sound->sample_rate_hz, static_cast<std::uint32_t>(kRate)) << kind.suffix;
    EXPECT_EQ(sound->frame_count(), kFrames) << kind.suffix;
    for (std::size_t i = 2520; i < kFrames - 240; i += 240)
      EXPECT_NEAR(sound->samples[i], i / 240 % 2 == 0 ? 0.5f : -0.5f, kind.tolerance) << kind.suffix << " " << i;
    // A square wave takes next to nothing in FLAC.
    if (kind.suffix == std::string_view(".flac")) continue;
    EXPECT_GE(estimate_sound_bytes(file.span().first(64), file.size()), kFrames * sizeof(float)) << kind.suffix;
  }
}

}  // namespace
}  // namespace assetc::importer
