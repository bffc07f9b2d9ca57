#include "audio/vorbis.hpp"

#include <sndfile.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "base/plural.hpp"

namespace assetc::audio {
namespace {

// A growing file in memory.
struct Sink {
  ByteVector bytes;
  sf_count_t at = 0;

  static Sink& of(void* self) { return *static_cast<Sink*>(self); }
  static SF_VIRTUAL_IO io() {
    return {.get_filelen = [](void* self) { return static_cast<sf_count_t>(of(self).bytes.size()); },
            .seek =
                [](sf_count_t offset, int whence, void* self) {
                  Sink& sink = of(self);
                  const auto size = static_cast<sf_count_t>(sink.bytes.size());
                  const sf_count_t from = whence == SEEK_CUR ? sink.at : whence == SEEK_END ? size : 0;
                  return sink.at = std::clamp<sf_count_t>(from + offset, 0, size);
                },
            .read = [](void*, sf_count_t, void*) { return sf_count_t{0}; },
            .write =
                [](const void* from, sf_count_t count, void* self) {
                  Sink& sink = of(self);
                  const auto end = static_cast<std::size_t>(sink.at + count);
                  if (sink.bytes.size() < end) sink.bytes.resize(end);
                  std::memcpy(sink.bytes.data() + sink.at, from, static_cast<std::size_t>(count));
                  sink.at += count;
                  return count;
                },
            .tell = [](void* self) { return of(self).at; }};
  }
};

// Source: RFC 3533, 6: polynomial 0x04c11db7, no reflection, from 0.
constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t r = i << 24;
    for (int bit = 0; bit < 8; ++bit) r = (r & 0x80000000u) != 0 ? r << 1 ^ 0x04c11db7u : r << 1;
    table[i] = r;
  }
  return table;
}();

std::uint32_t crc_of(std::span<const std::byte> page) {
  std::uint32_t crc = 0;
  for (const std::byte b : page) crc = crc << 8 ^ kCrcTable[(crc >> 24 ^ static_cast<std::uint32_t>(b)) & 0xff];
  return crc;
}

template <class T>
void store(std::span<std::byte> bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

}  // namespace

void settle_serials(std::span<std::byte> stream) {
  constexpr std::size_t kHeaderBytes = 27, kSerialAt = 14, kCrcAt = 22, kSegmentsAt = 26;
  while (stream.size() >= kHeaderBytes) {
    const auto segments = static_cast<std::size_t>(stream[kSegmentsAt]);
    std::size_t size = kHeaderBytes + segments;
    for (std::size_t s = 0; s < segments && kHeaderBytes + s < stream.size(); ++s)
      size += static_cast<std::size_t>(stream[kHeaderBytes + s]);
    const std::span<std::byte> page = stream.first(std::min(size, stream.size()));
    store(page, kSerialAt, std::uint32_t{1});
    store(page, kCrcAt, std::uint32_t{0});
    store(page, kCrcAt, crc_of(page));
    stream = stream.subspan(page.size());
  }
}

Result<ByteVector> encode_vorbis(std::span<const float> samples, std::uint32_t channel_count,
                                 std::uint32_t sample_rate_hz, double quality) {
  Sink sink;
  SF_VIRTUAL_IO io = Sink::io();
  SF_INFO info{};
  info.samplerate = static_cast<int>(sample_rate_hz);
  info.channels = static_cast<int>(channel_count);
  info.format = SF_FORMAT_OGG | SF_FORMAT_VORBIS;
  const auto refused = [&](SNDFILE* file) {
    return fail(ErrorCode::kUnsupported,
                "Vorbis does not support " + counted(channel_count, "channel") + " at " +
                    std::to_string(sample_rate_hz) + " Hz: " + sf_strerror(file),
                "use audio.codec: pcm for it");
  };
  std::unique_ptr<SNDFILE, int (*)(SNDFILE*)> file(sf_open_virtual(&io, SFM_WRITE, &info, &sink), sf_close);
  if (!file) return refused(nullptr);
  if (sf_command(file.get(), SFC_SET_VBR_ENCODING_QUALITY, &quality, sizeof quality) != SF_TRUE)
    return refused(file.get());
  // libsndfile copies all samples of one call to its stack, so write in blocks.
  constexpr std::size_t kBlockFrames = 4096;
  for (std::size_t at = 0; at < samples.size(); at += kBlockFrames * channel_count) {
    const std::size_t size = std::min(kBlockFrames * channel_count, samples.size() - at);
    const auto frames = static_cast<sf_count_t>(size / channel_count);
    if (sf_writef_float(file.get(), samples.data() + at, frames) != frames) return refused(file.get());
  }
  file.reset();
  settle_serials(sink.bytes);
  return std::move(sink.bytes);
}

}  // namespace assetc::audio
