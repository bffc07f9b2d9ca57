// A generated glTF: a bumpy grid with normals and texture coordinates, and its buffer.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

namespace assetc::e2e {

struct Model {
  std::string gltf;
  std::string bin;
};

// A grid of side x side quads that refers to its buffer `name`.bin and, if `image` is not empty, to an image.
inline Model grid_model(const std::string& name, const std::string& image, int side = 24, float height = 0.1f) {
  Model model;
  const auto put = [&](const auto& value) {
    const std::size_t at = model.bin.size();
    model.bin.resize(at + sizeof value);
    std::memcpy(model.bin.data() + at, &value, sizeof value);
  };
  const int row = side + 1;
  const int vertices = row * row;
  const auto bump = [&](int x, int y) { return height * static_cast<float>((x * 7 + y * 13) % 5 + (x * y) % 3); };
  for (int y = 0; y < row; ++y) {
    for (int x = 0; x < row; ++x) {
      put(static_cast<float>(x));
      put(bump(x, y));
      put(static_cast<float>(y));
    }
  }
  for (int i = 0; i < vertices; ++i) {
    for (float v : {0.f, 1.f, 0.f}) put(v);
  }
  for (int y = 0; y < row; ++y) {
    for (int x = 0; x < row; ++x) {
      put(static_cast<float>(x) / static_cast<float>(side));
      put(static_cast<float>(y) / static_cast<float>(side));
    }
  }
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const auto a = static_cast<std::uint16_t>(y * row + x);
      const auto r = static_cast<std::uint16_t>(row);
      for (std::uint16_t i :
           {a, static_cast<std::uint16_t>(a + r), static_cast<std::uint16_t>(a + 1), static_cast<std::uint16_t>(a + 1),
            static_cast<std::uint16_t>(a + r), static_cast<std::uint16_t>(a + r + 1)}) {
        put(i);
      }
    }
  }
  const auto n = [](auto v) { return std::to_string(v); };
  const int indices = side * side * 6;
  const int position_bytes = vertices * 12;
  const int uv_bytes = vertices * 8;
  float top = 0;
  for (int y = 0; y < row; ++y) {
    for (int x = 0; x < row; ++x) top = std::max(top, bump(x, y));
  }
  model.gltf =
      R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1]}],)"
      R"("nodes":[{"name":"left","mesh":0},{"name":"right","mesh":0,"translation":[40,0,0]}],)"
      R"("meshes":[{"name":"grid","primitives":[{"attributes":{"POSITION":0,"NORMAL":1,"TEXCOORD_0":2},"indices":3,"material":0}]}],)" +
      (image.empty()
           ? std::string(R"("materials":[{"name":"Plain"}],)")
           : R"("materials":[{"name":"Wood","pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],"textures":[{"source":0}],)"
             R"("images":[{"uri":")" +
                 image + R"("}],)") +
      R"("buffers":[{"uri":")" + name + R"(.bin","byteLength":)" + n(model.bin.size()) + "}]," + R"("bufferViews":[)" +
      R"({"buffer":0,"byteOffset":0,"byteLength":)" + n(position_bytes) + "}," + R"({"buffer":0,"byteOffset":)" +
      n(position_bytes) + R"(,"byteLength":)" + n(position_bytes) + "}," + R"({"buffer":0,"byteOffset":)" +
      n(2 * position_bytes) + R"(,"byteLength":)" + n(uv_bytes) + "}," + R"({"buffer":0,"byteOffset":)" +
      n(2 * position_bytes + uv_bytes) + R"(,"byteLength":)" + n(indices * 2) + "}]," + R"("accessors":[)" +
      R"({"bufferView":0,"componentType":5126,"count":)" + n(vertices) + R"(,"type":"VEC3","min":[0,0,0],"max":[)" +
      n(side) + "," + n(top) + "," + n(side) + "]}," + R"({"bufferView":1,"componentType":5126,"count":)" +
      n(vertices) + R"(,"type":"VEC3"},)" + R"({"bufferView":2,"componentType":5126,"count":)" + n(vertices) +
      R"(,"type":"VEC2"},)" + R"({"bufferView":3,"componentType":5123,"count":)" + n(indices) +
      R"(,"type":"SCALAR"}]})";
  return model;
}

}  // namespace assetc::e2e
