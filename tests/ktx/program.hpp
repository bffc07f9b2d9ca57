// Runs `ktx` on files in memory.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "assetc/formats/ktx2.hpp"
#include "export/png.hpp"
#include "import/texture/ktx2.hpp"
#include "ktx/ktx.hpp"

namespace assetc::ktx::testing {

using Texel = std::array<int, 4>;

// Exit codes of the program.
inline constexpr int kUsage = 1, kIo = 2, kInvalidFile = 3, kUnsupported = 5, kNotImplemented = 6;

class Program {
 public:
  void put(const std::string& path, ByteVector bytes) { files_[path] = Bytes(std::move(bytes)); }
  void put(const std::string& path, std::string_view text) {
    put(path, ByteVector(as_bytes(text).begin(), as_bytes(text).end()));
  }
  // A PNG whose texel (x, y) is texel(x, y): 8 or 16 bits a channel.
  template <class Make>
  void put_png(const std::string& path, std::uint32_t width, std::uint32_t height, const Make& texel, int bits = 8) {
    scene::Image image{width, height, bits == 8 ? scene::PixelType::kU8 : scene::PixelType::kU16, 4, {}};
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) {
        for (const int value : Texel(texel(static_cast<int>(x), static_cast<int>(y)))) {
          image.pixels.push_back(static_cast<std::byte>(value & 255));
          if (bits == 16) image.pixels.push_back(static_cast<std::byte>(value >> 8));
        }
      }
    }
    put(path, *exporter::write_png(image));
  }

  // Splits words at spaces. Returns the exit code.
  int run(const std::string& line) {
    out.clear();
    err.clear();
    std::vector<std::string> words;
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t end = std::min(line.find(' ', at), line.size());
      if (end > at) words.push_back(line.substr(at, end - at));
      at = end + 1;
    }
    return ktx::run(words, {.read = [this](const std::string& path) -> Result<Bytes> {
                              const auto found = files_.find(path);
                              if (found == files_.end()) return fail(ErrorCode::kNotFound, "there is no such file");
                              return found->second;
                            },
                            .write = [this](const std::string& path, ByteSpan bytes) -> Result<void> {
                              put(path, ByteVector(bytes.begin(), bytes.end()));
                              return {};
                            },
                            .out = [this](std::string_view text) { out += text; },
                            .err = [this](std::string_view text) { err += text; }});
  }

  bool has(const std::string& path) const { return files_.contains(path); }
  const Bytes& file(const std::string& path) const { return files_.at(path); }
  ktx2::View view(const std::string& path) const { return *ktx2::View::open(files_.at(path)); }
  // A decoded image of a .ktx2, channels as stored; integers of 8 or 16 bits.
  std::vector<Texel> texels(const std::string& path, const importer::ImageIndex& index = {}) const {
    const scene::Image image = *importer::decode_ktx2(files_.at(path), index, importer::Channels::kStored);
    return texels_of(image);
  }
  static std::vector<Texel> texels_of(const scene::Image& image) {
    std::vector<Texel> texels(std::size_t{image.width_texels} * image.height_texels);
    for (std::size_t i = 0; i < texels.size() * 4; ++i) {
      texels[i / 4][i % 4] = image.type == scene::PixelType::kU8 ? std::to_integer<int>(image.pixels[i])
                                                                 : load<std::uint16_t>(image.pixels, i * 2);
    }
    return texels;
  }

  std::string out, err;

 private:
  std::map<std::string, Bytes> files_;
};

}  // namespace assetc::ktx::testing
