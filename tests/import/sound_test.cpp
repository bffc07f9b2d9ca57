#include "import/sound/sound.hpp"

#include <gtest/gtest.h>
#include <ogg/ogg.h>
#include <sndfile.h>

#include <algorithm>
#include <array>
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

std::string le(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}
std::string chunk(const std::string& type, const std::string& content, bool padded = true) {
  return type + le(content.size(), 4) + content + std::string(padded ? content.size() % 2 : 0, '\0');
}
std::string wav(const std::string& chunks) { return "RIFF" + le(chunks.size() + 4, 4) + "WAVE" + chunks; }
// 16 bits, mono, 8000 Hz.
std::string fmt() { return chunk("fmt ", le(1, 2) + le(1, 2) + le(8000, 4) + le(16000, 4) + le(2, 2) + le(16, 2)); }
std::string samples(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += le(i * 10, 2);
  return chunk("data", text);
}
// Loops of type, first and last frame, and count.
std::string smpl(const std::vector<std::array<std::uint32_t, 4>>& loops) {
  std::string text(28, '\0');
  text += le(loops.size(), 4) + le(0, 4);
  for (const auto& [type, first, last, count] : loops)
    text += le(0, 4) + le(type, 4) + le(first, 4) + le(last, 4) + le(0, 4) + le(count, 4);
  return chunk("smpl", text);
}

TEST(ImportSound, loops_of_a_wav_are_kept_wherever_their_chunk_is) {
  const std::string loops = smpl({{0, 10, 19, 0}, {1, 20, 200, 3}, {2, 0, 99, 1}});
  for (const bool padded : {true, false}) {
    const std::string junk = chunk("LIST", "INFOabc", padded);
    for (const std::string& file : {wav(fmt() + samples(100) + loops), wav(fmt() + loops + samples(100)),
                                    wav(junk + fmt() + junk + samples(100) + junk + loops)}) {
      if (!padded && !import_sound(as_bytes(file))) continue;  // libsndfile may refuse what is not padded
      const auto sound = import_sound(as_bytes(file));
      ASSERT_TRUE(sound) << sound.error().to_string();
      ASSERT_EQ(sound->loops.size(), 3u);
      EXPECT_EQ(sound->loops[0].first_frame, 10u);
      EXPECT_EQ(sound->loops[0].end_frame, 20u);
      EXPECT_EQ(sound->loops[0].kind, aas1::Loop::Kind::kForward);
      EXPECT_EQ(sound->loops[1].end_frame, 100u) << "not beyond the sound";
      EXPECT_EQ(sound->loops[1].kind, aas1::Loop::Kind::kAlternating);
      EXPECT_EQ(sound->loops[2].kind, aas1::Loop::Kind::kBackward);
      EXPECT_TRUE(sound->left_out.empty());
    }
  }
  const std::string outside = wav(fmt() + samples(100) + smpl({{0, 100, 120, 0}}));
  const auto sound = import_sound(as_bytes(outside));
  ASSERT_TRUE(sound);
  EXPECT_TRUE(sound->loops.empty());
  ASSERT_EQ(sound->left_out.size(), 1u);
  EXPECT_EQ(sound->left_out[0].what, "a loop that begins at frame 100 of 100 and has no frames");
}

TEST(ImportSound, a_wav_that_is_cut_short_is_refused) {
  const std::string file = wav(fmt() + samples(100));
  ASSERT_TRUE(import_sound(as_bytes(file)));
  for (std::size_t size = 0; size < file.size(); ++size) {
    const std::vector<char> prefix(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(import_sound(as_bytes({prefix.data(), prefix.size()}))) << size;
  }
  const auto cut = import_sound(as_bytes(std::string_view(file).substr(0, file.size() - 50)));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().to_string(), "byte 194: the file ends 50 bytes before its samples do; export the sound again");
  // A program that wrote into a pipe did not know the sizes.
  std::string piped = file;
  piped.replace(4, 4, "\xFF\xFF\xFF\xFF"), piped.replace(40, 4, "\xFF\xFF\xFF\xFF");
  const auto whole = import_sound(as_bytes(piped));
  ASSERT_TRUE(whole) << whole.error().to_string();
  EXPECT_EQ(whole->frame_count(), 100u);
}

TEST(ImportSound, frames_that_an_encoder_added_are_left_out) {
  for (const int format : {SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM, SF_FORMAT_WAV | SF_FORMAT_MS_ADPCM}) {
    std::string file(as_text(written(".wav", format).span()));
    file.replace(file.find("fact") + 8, 4, le(kFrames, 4));  // libsndfile counts the padding of one of the two
    const auto sound = import_sound(as_bytes(file));
    ASSERT_TRUE(sound) << sound.error().to_string();
    EXPECT_EQ(sound->frame_count(), kFrames);
  }
  const Bytes mp3 = written(".mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III);
  const auto tagged = import_sound(mp3);
  ASSERT_TRUE(tagged) << tagged.error().to_string();
  EXPECT_EQ(tagged->frame_count(), kFrames);
  EXPECT_FALSE(tagged->has_padding);
  std::string text(as_text(mp3.span()));
  const std::size_t tag = std::min(text.find("Xing"), text.find("Info"));
  ASSERT_LT(tag, text.size());
  const auto untagged = import_sound(as_bytes(text.replace(tag, 4, 4, '\0')));
  ASSERT_TRUE(untagged) << untagged.error().to_string();
  EXPECT_GT(untagged->frame_count(), kFrames);
  EXPECT_TRUE(untagged->has_padding);
  const auto plain = import_sound(written(".wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16));
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->has_padding);
}

}  // namespace
}  // namespace assetc::importer
