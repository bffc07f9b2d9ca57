#include "import/sound/sound.hpp"

#include <gtest/gtest.h>
#include <ogg/ogg.h>
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

// A square wave in a file written by libsndfile.
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
    // FLAC compresses a square wave to almost nothing.
    if (kind.suffix == std::string_view(".flac")) continue;
    EXPECT_GE(estimate_sound_bytes(file.span().first(64), file.size()), kFrames * sizeof(float)) << kind.suffix;
  }
}

// A FLAC file in Ogg pages, as libogg writes them: a packet for each metadata block, one for all frames.
ByteVector in_ogg(ByteSpan flac) {
  std::vector<ByteVector> packets;
  std::size_t at = 4;
  for (bool is_last = false; !is_last;) {
    const auto head = std::to_integer<unsigned>(flac[at]);
    is_last = (head & 0x80) != 0;
    std::size_t size = 4;
    for (int i = 1; i < 4; ++i)
      size += std::to_integer<std::size_t>(flac[at + static_cast<std::size_t>(i)]) << (8 * (3 - i));
    packets.emplace_back(flac.begin() + static_cast<std::ptrdiff_t>(at),
                         flac.begin() + static_cast<std::ptrdiff_t>(at + size));
    at += size;
  }
  ByteVector first;
  for (const unsigned byte :
       {0x7Fu, 'F' + 0u, 'L' + 0u, 'A' + 0u, 'C' + 0u, 1u, 0u, 0u, static_cast<unsigned>(packets.size() - 1)})
    first.push_back(static_cast<std::byte>(byte));
  append_bytes(first, as_bytes("fLaC"));
  append_bytes(first, packets[0]);
  packets[0] = first;
  packets.emplace_back(flac.begin() + static_cast<std::ptrdiff_t>(at), flac.end());
  ogg_stream_state stream{};
  ogg_stream_init(&stream, 77);
  ByteVector out;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    ogg_packet packet{};
    packet.packet = reinterpret_cast<unsigned char*>(packets[i].data());
    packet.bytes = static_cast<long>(packets[i].size());
    packet.b_o_s = i == 0;
    packet.e_o_s = i + 1 == packets.size();
    packet.packetno = static_cast<ogg_int64_t>(i);
    ogg_stream_packetin(&stream, &packet);
    ogg_page page{};
    while (ogg_stream_flush(&stream, &page) != 0) {
      append_bytes(out, {reinterpret_cast<const std::byte*>(page.header), static_cast<std::size_t>(page.header_len)});
      append_bytes(out, {reinterpret_cast<const std::byte*>(page.body), static_cast<std::size_t>(page.body_len)});
    }
  }
  ogg_stream_clear(&stream);
  return out;
}

TEST(ImportSound, flac_in_ogg_has_the_samples_of_plain_flac) {
  const Bytes flac = written(".flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16);
  const ByteVector ogg = in_ogg(flac);
  const auto plain = import_sound(flac), wrapped = import_sound(ogg);
  ASSERT_TRUE(plain);
  ASSERT_TRUE(wrapped) << wrapped.error().to_string();
  EXPECT_EQ(wrapped->samples, plain->samples);
  EXPECT_TRUE(wrapped->is_16bit);
  // Every prefix is refused, and so is a page with a changed byte: its checksum is wrong.
  for (std::size_t size = 0; size < ogg.size(); size += 7)
    EXPECT_FALSE(import_sound(ByteSpan(ogg).first(size))) << size;
  ByteVector damaged = ogg;
  damaged[ogg.size() / 2] ^= std::byte{1};
  EXPECT_FALSE(import_sound(damaged));
}

}  // namespace
}  // namespace assetc::importer
