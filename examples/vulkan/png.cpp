#include "png.hpp"

#include <zlib.h>

#include <array>
#include <fstream>
#include <vector>

namespace example {
namespace {

using Bytes = std::vector<unsigned char>;

void append_u32(Bytes& to, std::uint32_t v) {
  for (const int shift : {24, 16, 8, 0}) to.push_back(static_cast<unsigned char>(v >> shift));
}

void append_chunk(Bytes& to, const char* name, const Bytes& data) {
  append_u32(to, static_cast<std::uint32_t>(data.size()));
  const std::size_t start = to.size();
  to.insert(to.end(), name, name + 4);
  to.insert(to.end(), data.begin(), data.end());
  append_u32(to, static_cast<std::uint32_t>(crc32(0, &to[start], static_cast<uInt>(to.size() - start))));
}

}  // namespace

bool write_png(const std::string& path, std::uint32_t width, std::uint32_t height, std::span<const std::byte> rgba) {
  Bytes rows;
  for (std::size_t y = 0; y < height; ++y) {
    rows.push_back(1);  // filter type Sub: differences to the texel on the left
    std::array<unsigned char, 4> left{};
    for (std::size_t x = 0; x < width; ++x) {
      for (std::size_t c = 0; c < 4; ++c) {
        const auto value = c == 3 ? 0xff : static_cast<unsigned char>(rgba[4 * (y * width + x) + c]);
        rows.push_back(static_cast<unsigned char>(value - left[c]));
        left[c] = value;
      }
    }
  }
  uLongf size = compressBound(static_cast<uLong>(rows.size()));
  Bytes data(size);
  if (compress2(data.data(), &size, rows.data(), static_cast<uLong>(rows.size()), 9) != Z_OK) return false;
  data.resize(size);

  Bytes header, file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  append_u32(header, width);
  append_u32(header, height);
  header.insert(header.end(), {8, 6, 0, 0, 0});  // 8 bits, RGBA
  append_chunk(file, "IHDR", header);
  append_chunk(file, "IDAT", data);
  append_chunk(file, "IEND", {});
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  return static_cast<bool>(out.flush());
}

}  // namespace example
