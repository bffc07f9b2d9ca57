// Cooked sounds: their samples match the source, and every setting of audio: has an effect.
#include "import/sound/sound.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "assetc/formats/aas1_audio.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/cooked_inputs.hpp"

namespace assetc::recipes {
namespace {

constexpr std::uint32_t kRate = 8000, kFrames = 20000;

std::int16_t sample(std::uint32_t frame, std::uint32_t channel) {
  return static_cast<std::int16_t>(std::lround(12000 * std::sin(frame * (channel == 0 ? 0.11 : 0.07))));
}

// A 16-bit stereo WAV; loop: the loop of its smpl chunk, if any.
std::string wav(std::uint32_t frames, std::optional<std::pair<std::uint32_t, std::uint32_t>> loop = std::nullopt) {
  ByteVector data, smpl;
  for (std::uint32_t f = 0; f < frames; ++f) {
    append(data, sample(f, 0));
    append(data, sample(f, 1));
  }
  if (loop) {
    for (const std::uint32_t field : {0u, 0u, 0u, 60u, 0u, 0u, 0u, 1u, 0u}) append(smpl, field);
    for (const std::uint32_t field : {1u, 1u, loop->first, loop->second, 0u, 3u}) append(smpl, field);
  }
  ByteVector file;
  const auto chunk = [&](std::string_view id, ByteSpan bytes) {
    append_bytes(file, as_bytes(id));
    append(file, static_cast<std::uint32_t>(bytes.size()));
    append_bytes(file, bytes);
  };
  ByteVector format;
  append(format, std::uint16_t{1});
  append(format, std::uint16_t{2});
  append(format, kRate);
  append(format, kRate * 4);
  append(format, std::uint16_t{4});
  append(format, std::uint16_t{16});
  append_bytes(file, as_bytes("WAVE"));
  chunk("fmt ", format);
  chunk("data", data);
  if (loop) chunk("smpl", smpl);
  ByteVector whole;
  append_bytes(whole, as_bytes("RIFF"));
  append(whole, static_cast<std::uint32_t>(file.size()));
  append_bytes(whole, file);
  return std::string(as_text(whole));
}

Result<Bytes> cook_sound(const std::string& file, const std::vector<std::pair<std::string, std::string>>& settings) {
  CookedInputs inputs;
  inputs.files["beep.wav"] = file;
  Step step = cooked_step(inputs, "beep.wav");
  for (const auto& [key, value] : settings) EXPECT_TRUE(find_setting(key)->set(step.settings, value)) << key;
  ASSETC_TRY(const Product product, step.recipe->cook(step, inputs));
  return product.outputs.at(0).bytes;
}

TEST(Sound, pcm_keeps_every_sample_and_the_loop) {
  const auto blob = cook_sound(wav(kFrames, std::pair{100u, 15999u}), {{"audio.codec", "pcm"}});
  ASSERT_TRUE(blob) << blob.error().to_string();
  const auto view = aas1::AudioView::open(*blob);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_EQ(view->desc().codec, aas1::AudioCodec::kPcm);
  EXPECT_EQ(view->desc().sample_format, aas1::SampleFormat::kS16);
  EXPECT_EQ(view->desc().channel_count, 2u);
  EXPECT_EQ(view->desc().sample_rate_hz, kRate);
  EXPECT_EQ(view->desc().frame_count, kFrames);
  EXPECT_EQ(view->desc().chunk_count, 3u);
  std::uint32_t frame = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::uint32_t f = 0; f < view->frames_of_chunk(c); ++f, ++frame) {
      ASSERT_EQ(load<std::int16_t>(view->chunk(c), f * 4), sample(frame, 0)) << frame;
      ASSERT_EQ(load<std::int16_t>(view->chunk(c), f * 4 + 2), sample(frame, 1)) << frame;
    }
  }
  EXPECT_EQ(frame, kFrames);
  // The chunk names the last frame of the loop, inclusive.
  ASSERT_EQ(view->loops().size(), 1u);
  EXPECT_EQ(view->loops()[0], (aas1::Loop{100, 16000, aas1::Loop::Kind::kAlternating, 3}));
}

std::string warnings_of(const std::string& file) {
  CookedInputs inputs;
  inputs.files["beep.wav"] = file;
  const Step step = cooked_step(inputs, "beep.wav");
  const auto product = step.recipe->cook(step, inputs);
  if (!product) return product.error().to_string();
  std::string text;
  for (const Diagnostic& d : product->diagnostics) text += d.what.to_string();
  return text;
}

TEST(Sound, padding_of_unknown_length_and_empty_loops_are_told) {
  // Frames of silence: MPEG 1, Layer III, 32 kbit/s, 44100 Hz, mono.
  std::string mp3;
  for (int i = 0; i < 10; ++i) mp3 += std::string("\xFF\xFB\x10\xC4", 4) + std::string(100, '\0');
  EXPECT_EQ(warnings_of(mp3),
            "the MP3 does not say how much silence its encoder added at both ends, so all of it is kept; export it as "
            "WAV, FLAC or Ogg Vorbis, or with an encoder that writes a LAME tag");
  EXPECT_EQ(warnings_of(wav(100, std::pair{100u, 200u})),
            "dropped: a loop that begins at frame 100 of 100 and has no frames; set the loop again in the sound "
            "editor");
  EXPECT_EQ(warnings_of(wav(100, std::pair{0u, 99u})), "");
}

TEST(Sound, each_chunk_of_vorbis_decodes_on_its_own) {
  const auto blob = cook_sound(wav(kFrames), {{"audio.quality", "8"}});
  ASSERT_TRUE(blob) << blob.error().to_string();
  const auto view = aas1::AudioView::open(*blob);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_EQ(view->desc().codec, aas1::AudioCodec::kOggVorbis);
  double error = 0;
  std::uint32_t frame = 0;
  for (std::size_t c = 0; c < view->desc().chunk_count; ++c) {
    const auto decoded = importer::import_sound(view->chunk(c));
    ASSERT_TRUE(decoded) << decoded.error().to_string();
    ASSERT_EQ(decoded->frame_count(), view->frames_of_chunk(c)) << c;
    for (std::uint32_t f = 0; f < view->frames_of_chunk(c); ++f, ++frame) {
      for (std::uint32_t channel = 0; channel < 2; ++channel) {
        const double wanted = sample(frame, channel) / 32768.0;
        error += std::pow(static_cast<double>(decoded->samples[f * 2 + channel]) - wanted, 2);
      }
    }
  }
  EXPECT_EQ(frame, kFrames);
  EXPECT_GT(-10 * std::log10(error / (2.0 * kFrames)), 40) << "dB";
}

TEST(Sound, the_same_sound_gives_the_same_bytes) {
  const std::string file = wav(kFrames);
  const auto first = cook_sound(file, {}), second = cook_sound(file, {});
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(std::ranges::equal(first->span(), second->span()));
}

TEST(Sound, every_setting_changes_the_blob) {
  const std::string file = wav(kFrames);
  const auto base = cook_sound(file, {});
  ASSERT_TRUE(base);
  for (const auto& [key, value] : {std::pair{"audio.codec", "pcm"}, {"audio.quality", "1"}, {"audio.chunk", "0.5"}}) {
    const auto other = cook_sound(file, {{key, value}});
    ASSERT_TRUE(other) << other.error().to_string();
    EXPECT_FALSE(std::ranges::equal(base->span(), other->span())) << key;
  }
}

TEST(Sound, short_ones_are_stored_as_they_are) {
  const auto blob = cook_sound(wav(100), {});
  ASSERT_TRUE(blob) << blob.error().to_string();
  EXPECT_EQ(aas1::AudioView::open(*blob)->desc().codec, aas1::AudioCodec::kPcm);
}

TEST(Sound, what_is_none_is_refused) {
  for (const std::string& bad : {std::string(), std::string("RIFF"), std::string(1000, 'x'), wav(0)}) {
    const auto blob = cook_sound(bad, {});
    ASSERT_FALSE(blob);
    EXPECT_FALSE(blob.error().what.empty());
  }
}

TEST(Sound, the_runtime_target_takes_none) {
  EXPECT_FALSE(asset_of(all_recipes(), "beep.wav"));
  for (const char* name : {"beep.wav", "beep.flac", "beep.ogg", "beep.opus", "beep.mp3", "beep.aiff", "beep.aif"})
    EXPECT_TRUE(asset_of(cooked_recipes(), name)) << name;
}

}  // namespace
}  // namespace assetc::recipes
