#include "assetc/runtime/audio_stream.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <cmath>
#include <random>
#include <thread>

#include "assetc/runtime/all_loaders.hpp"
#include "assetc/runtime/source.hpp"
#include "runtime/cooked.hpp"

namespace assetc::runtime {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kFramesPerChunk = 1000;

// Frame i of channel c has a unique value.
std::int16_t sample(std::uint32_t frame, std::uint32_t channel) {
  return static_cast<std::int16_t>((frame * 7 + channel * 13) % 30000);
}

struct Made {
  std::vector<ByteVector> chunks;
  aas1::Audio audio;
};
Made sound(std::uint32_t frames, std::uint32_t channels) {
  Made made;
  for (std::uint32_t first = 0; first < frames; first += kFramesPerChunk) {
    ByteVector& chunk = made.chunks.emplace_back();
    for (std::uint32_t i = first; i < std::min(frames, first + kFramesPerChunk); ++i) {
      for (std::uint32_t c = 0; c < channels; ++c) append(chunk, sample(i, c));
    }
  }
  made.audio.channel_count = channels;
  made.audio.frame_count = frames;
  made.audio.frames_per_chunk = kFramesPerChunk;
  for (const ByteVector& chunk : made.chunks) made.audio.chunks.emplace_back(chunk);
  return made;
}

class Sounds : public testing::Test {
 protected:
  AudioStream& play(const ByteVector& blob, AudioStreamOptions options = {}, unsigned threads = 0) {
    Cooked cooked;
    cooked.add(uuid(1), {AssetType::kAudio, "Demo/Music", blob, {}, {}});
    cooked.put(files, "");
    Catalog catalog;
    EXPECT_TRUE(catalog.mount(files.source(threads), Layout::kCooked, ""));
    stream.reset();
    manager.emplace(std::move(catalog), ManagerOptions{.io_thread = threads > 0});
    add_loaders(*manager, {.audio = audio_loader({.first_read_bytes = 16 << 10})});
    return stream.emplace(*manager, AssetHandle{.uuid = uuid(1)}, std::move(options));
  }
  AudioState fill() {
    manager->pump();
    return stream->fill();
  }
  // Pulls samples until silence or until most_frames frames.
  std::vector<float> hear(std::size_t channels, std::size_t most_frames) {
    std::vector<float> heard;
    std::vector<float> buffer(96 * channels);
    for (int stalls = 0; stalls < 100 && heard.size() < most_frames * channels && !stream->is_silent(); ++stalls) {
      fill();
      while (const std::size_t frames = stream->pull(buffer)) {
        heard.insert(heard.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(frames * channels));
        stalls = 0;
        if (heard.size() >= most_frames * channels) break;
      }
    }
    return heard;
  }

  Files files;
  std::optional<Manager> manager;
  std::optional<AudioStream> stream;
};

TEST_F(Sounds, are_heard_without_a_gap) {
  const Made made = sound(10'500, 2);
  play(aas1::write(made.audio).value(), {.ring_frames = 700});
  EXPECT_EQ(stream->desc(), nullptr);
  const std::vector<float> heard = hear(2, 20'000);
  ASSERT_EQ(heard.size(), 10'500u * 2);
  for (std::uint32_t i = 0; i < 10'500; ++i) {
    ASSERT_EQ(heard[i * 2], static_cast<float>(sample(i, 0)) / 32768) << i;
    ASSERT_EQ(heard[i * 2 + 1], static_cast<float>(sample(i, 1)) / 32768) << i;
  }
  EXPECT_TRUE(stream->is_silent());
  EXPECT_EQ(fill(), AudioState::kEnded);
  EXPECT_EQ(stream->desc()->channel_count, 2u);
  std::vector<float> buffer(4, 1.0f);
  EXPECT_EQ(stream->pull(buffer), 0u);
  EXPECT_THAT(buffer, testing::Each(0.0f));
}

TEST_F(Sounds, loop_where_they_say) {
  Made made = sound(4500, 1);
  made.audio.loops = {{1500, 3200, aas1::Loop::Kind::kForward, 0}};
  play(aas1::write(made.audio).value(), {.ring_frames = 512, .loop = true});
  const std::vector<float> heard = hear(1, 9000);
  ASSERT_GE(heard.size(), 9000u);
  for (std::uint32_t i = 0, frame = 0; i < 9000; ++i) {
    ASSERT_EQ(heard[i], static_cast<float>(sample(frame, 0)) / 32768) << i;
    if (++frame == 3200) frame = 1500;
  }
}

// A read and a decode for each repetition would be too slow.
TEST_F(Sounds, short_loops_are_read_once) {
  for (const auto& [first, end] : {std::pair{1980u, 2050u}, std::pair{1500u, 1501u}, std::pair{0u, 4500u}}) {
    Made made = sound(4500, 1);
    made.audio.loops = {{first, end, aas1::Loop::Kind::kForward, 0}};
    const std::size_t reads = files.reads().size();
    play(aas1::write(made.audio).value(), {.ring_frames = 512, .loop = true});
    const std::vector<float> heard = hear(1, 20'000);
    ASSERT_GE(heard.size(), 20'000u);
    for (std::uint32_t i = 0, frame = 0; i < 20'000; ++i) {
      ASSERT_EQ(heard[i], static_cast<float>(sample(frame, 0)) / 32768) << i;
      if (++frame == end) frame = first;
    }
    EXPECT_LE(files.reads().size() - reads, 12u);
    std::vector<float> buffer(512);
    fill();
    EXPECT_EQ(stream->pull(buffer), buffer.size());
  }
}

TEST_F(Sounds, only_what_is_ahead_is_read) {
  const Made made = sound(200'000, 1);
  const ByteVector blob = aas1::write(made.audio).value();
  play(blob, {.ring_frames = 1024});
  std::vector<float> buffer(256);
  for (int i = 0; i < 10; ++i) {
    fill();
    stream->pull(buffer);
  }
  std::uint64_t read = 0;
  for (const ReadRequest& request : files.reads()) {
    if (request.path.ends_with(".bin") && request.path.starts_with("Assets")) read += request.size_bytes;
  }
  EXPECT_LT(read, blob.size() / 8);
}

TEST_F(Sounds, chunks_of_other_codecs_are_decoded_by_the_engine) {
  Made made = sound(2500, 1);
  for (ByteVector& chunk : made.chunks) {
    ByteVector packed;
    append_bytes(packed, as_bytes("OggS"));
    append_bytes(packed, chunk);
    chunk = packed;
  }
  made.audio.chunks.clear();
  for (const ByteVector& chunk : made.chunks) made.audio.chunks.emplace_back(chunk);
  made.audio.codec = aas1::AudioCodec::kOggVorbis;
  const ByteVector blob = aas1::write(made.audio).value();
  const auto decode = [](const aas1::AudioDesc&, ByteSpan chunk, std::span<float> out) -> Result<void> {
    if (chunk.size() != 4 + out.size() * 2) return fail(ErrorCode::kInvalidData, "another size");
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<float>(load<std::int16_t>(chunk, 4 + i * 2)) / 32768;
    return {};
  };
  play(blob, {.decode = decode});
  const std::vector<float> heard = hear(1, 5000);
  ASSERT_EQ(heard.size(), 2500u);
  EXPECT_EQ(heard[2499], static_cast<float>(sample(2499, 0)) / 32768);
  play(blob);
  while (fill() == AudioState::kStarting) continue;
  ASSERT_NE(stream->failure(), nullptr);
  EXPECT_THAT(stream->failure()->to_string(), HasSubstr("unsupported: found Ogg Vorbis"));
  EXPECT_TRUE(stream->is_silent());
}

TEST_F(Sounds, damaged_ones_fail_and_are_silent) {
  const ByteVector good = aas1::write(sound(3000, 1).audio).value();
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    ByteVector bytes = good;
    if (i % 2 == 0) {
      bytes.resize(random() % good.size());
    } else {
      bytes[random() % 100] ^= static_cast<std::byte>(1 << random() % 8);
    }
    play(bytes, {.ring_frames = 64});
    std::vector<float> buffer(64);
    for (int j = 0; j < 200 && fill() != AudioState::kFailed && !stream->is_silent(); ++j) {
      if (stream->desc() == nullptr || buffer.size() % stream->desc()->channel_count == 0) stream->pull(buffer);
    }
  }
}

TEST_F(Sounds, go_on_in_a_file_that_is_loaded_anew) {
  const auto file_of = [](const Made& made) { return Bytes(aas1::write(made.audio).value()); };
  Made other = sound(10'500, 1);
  for (ByteVector& chunk : other.chunks) {
    for (std::size_t i = 0; i < chunk.size(); i += 2) chunk[i] = std::byte{7}, chunk[i + 1] = std::byte{0};
  }
  other.audio.chunks.clear();
  for (const ByteVector& chunk : other.chunks) other.audio.chunks.emplace_back(chunk);
  for (const bool is_shorter : {false, true}) {
    play(aas1::write(sound(10'500, 1).audio).value(), {.ring_frames = 512});
    const std::vector<float> before = hear(1, 3000);
    const std::string path = "Assets/" + uuid(1).to_string() + ".bin";
    const Made shorter = sound(2000, 1);
    files.put(path, is_shorter ? file_of(shorter) : file_of(other));
    manager->changed({.written = {path}});
    const std::vector<float> after = hear(1, 20'000);
    EXPECT_TRUE(stream->is_silent());
    EXPECT_EQ(stream->failure(), nullptr);
    if (is_shorter) {
      EXPECT_LT(before.size() + after.size(), 6000u);
      continue;
    }
    ASSERT_EQ(before.size() + after.size(), 10'500u);
    EXPECT_EQ(after.back(), 7.0f / 32768);
  }
}

TEST_F(Sounds, another_thread_pulls_while_one_fills) {
  const Made made = sound(50'000, 1);
  play(aas1::write(made.audio).value(), {.ring_frames = 2048}, 2);
  std::vector<float> heard;
  std::atomic<bool> has_ended = false;
  std::thread audio([&] {
    std::vector<float> buffer(128);
    while (!has_ended || !stream->is_silent()) {
      const std::size_t frames = stream->pull(buffer);
      heard.insert(heard.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(frames));
      std::this_thread::yield();
    }
  });
  AudioState state = AudioState::kStarting;
  while (state != AudioState::kEnded && state != AudioState::kFailed) state = fill();
  has_ended = true;
  audio.join();
  EXPECT_EQ(state, AudioState::kEnded);
  ASSERT_EQ(heard.size(), 50'000u);
  for (std::uint32_t i = 0; i < heard.size(); ++i) ASSERT_EQ(heard[i], static_cast<float>(sample(i, 0)) / 32768) << i;
}

}  // namespace
}  // namespace assetc::runtime
