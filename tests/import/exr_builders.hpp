// EXR pictures written in memory by OpenEXR's C++ library.
#pragma once

#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfOutputFile.h>
#include <ImfTiledOutputFile.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "assetc/base/bytes.hpp"

namespace assetc::testing {

class ExrMemory final : public Imf::OStream {
 public:
  ExrMemory() : Imf::OStream("picture") {}
  void write(const char data[], int size) override {
    const auto count = static_cast<std::size_t>(size);
    if (at_ + count > bytes.size()) bytes.resize(at_ + count);
    std::memcpy(bytes.data() + at_, data, count);
    at_ += count;
  }
  std::uint64_t tellp() override { return at_; }
  void seekp(std::uint64_t position) override { at_ = position; }

  ByteVector bytes;

 private:
  std::size_t at_ = 0;
};

struct ExrChannel {
  std::string name;
  Imf::PixelType type = Imf::HALF;
  int sampling = 1;
};

struct ExrSpec {
  Imath::Box2i data{{0, 0}, {3, 2}};
  Imath::Box2i display{{0, 0}, {3, 2}};
  std::vector<ExrChannel> channels{{"R"}, {"G"}, {"B"}};
  Imf::Compression compression = Imf::ZIP_COMPRESSION;
  Imf::LineOrder line_order = Imf::INCREASING_Y;
  int tile_size = 0;  // 0: scan lines
  Imf::LevelMode levels = Imf::ONE_LEVEL;
};

// The value of a channel at a texel of the data window: a whole number that every type can hold.
using ExrValue = std::function<double(std::size_t channel, int x, int y)>;
inline double exr_value(std::size_t channel, int x, int y) {
  return static_cast<double>(channel * 100) + (x + 50) + 16 * (y + 50);
}

// The planes of one part, which must live while the file is written.
struct ExrPlanes {
  Imf::FrameBuffer frame;
  std::vector<std::vector<char>> bytes;

  ExrPlanes(const ExrSpec& spec, const ExrValue& value) {
    const int width = spec.data.max.x - spec.data.min.x + 1, height = spec.data.max.y - spec.data.min.y + 1;
    for (std::size_t c = 0; c < spec.channels.size(); ++c) {
      const ExrChannel& channel = spec.channels[c];
      const std::size_t size = channel.type == Imf::HALF ? 2 : 4;
      std::vector<char>& plane = bytes.emplace_back(static_cast<std::size_t>(width * height) * size);
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          char* to = plane.data() + static_cast<std::size_t>(y * width + x) * size;
          const double v = value(c, x + spec.data.min.x, y + spec.data.min.y);
          if (channel.type == Imf::HALF) {
            const half h(static_cast<float>(v));
            std::memcpy(to, &h, 2);
          } else if (channel.type == Imf::FLOAT) {
            const auto f = static_cast<float>(v);
            std::memcpy(to, &f, 4);
          } else {
            const auto u = static_cast<std::uint32_t>(v);
            std::memcpy(to, &u, 4);
          }
        }
      }
      frame.insert(channel.name, Imf::Slice::Make(channel.type, plane.data(), spec.data, size, 0, channel.sampling,
                                                  channel.sampling));
    }
  }
};

inline Imf::Header exr_header(const ExrSpec& spec) {
  Imf::Header header(spec.display, spec.data);
  header.compression() = spec.compression;
  header.lineOrder() = spec.line_order;
  for (const ExrChannel& channel : spec.channels)
    header.channels().insert(channel.name, Imf::Channel(channel.type, channel.sampling, channel.sampling));
  if (spec.tile_size > 0) {
    const auto side = static_cast<unsigned>(spec.tile_size);
    header.setTileDescription(Imf::TileDescription(side, side, spec.levels));
  }
  return header;
}

inline ByteVector encode_exr(const ExrSpec& spec, const ExrValue& value = exr_value) {
  ExrPlanes planes(spec, value);
  ExrMemory memory;
  const int height = spec.data.max.y - spec.data.min.y + 1;
  if (spec.tile_size > 0) {
    Imf::TiledOutputFile file(memory, exr_header(spec), 0);
    file.setFrameBuffer(planes.frame);
    for (int level = 0; level < file.numLevels(); ++level)  // smaller levels use a part of the same planes
      file.writeTiles(0, file.numXTiles(level) - 1, 0, file.numYTiles(level) - 1, level);
  } else {
    Imf::OutputFile file(memory, exr_header(spec), 0);
    file.setFrameBuffer(planes.frame);
    file.writePixels(height);
  }
  return memory.bytes;
}

}  // namespace assetc::testing
