// EXR pictures of one texel, written byte by byte: for tests that do not link OpenEXR.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace assetc::importer::testing {

// channels: names in the order of their bytes, and values.
inline std::string plain_exr(const std::vector<std::pair<std::string, float>>& channels) {
  const auto number = [](std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
    return text;
  };
  const auto u32 = [&](std::uint32_t value) { return number(value, 4); };
  const auto f32 = [&](float value) { return u32(std::bit_cast<std::uint32_t>(value)); };
  std::string file = u32(20000630) + u32(2);
  const auto attribute = [&](const std::string& name, const std::string& type, const std::string& value) {
    file += name + '\0' + type + '\0' + u32(static_cast<std::uint32_t>(value.size())) + value;
  };
  std::string list, texel;
  for (const auto& [name, value] : channels) {
    list += name + '\0' + u32(2) + u32(0) + u32(1) + u32(1);  // 32-bit floats, a value for each texel
    texel += f32(value);
  }
  const std::string window(16, '\0');
  attribute("channels", "chlist", list + '\0');
  attribute("compression", "compression", std::string(1, '\0'));
  attribute("dataWindow", "box2i", window);
  attribute("displayWindow", "box2i", window);
  attribute("lineOrder", "lineOrder", std::string(1, '\0'));
  attribute("pixelAspectRatio", "float", f32(1));
  attribute("screenWindowCenter", "v2f", f32(0) + f32(0));
  attribute("screenWindowWidth", "float", f32(1));
  file += '\0';
  const std::string table = number(file.size() + 8, 8);
  return file + table + u32(0) + u32(static_cast<std::uint32_t>(texel.size())) + texel;
}

}  // namespace assetc::importer::testing
