// Writes the torus of cluster_shapes.hpp as a GLB with normals and texture coordinates, for process.py.
//
//   torus_glb COLUMNS ROWS FILE.glb
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "cluster_shapes.hpp"

namespace assetc::bench {
namespace {

template <class T>
void put(std::ofstream& file, const T& value) {
  file.write(reinterpret_cast<const char*>(&value), sizeof value);
}
template <class T>
void put_all(std::ofstream& file, const std::vector<T>& values) {
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
}

int run(std::uint32_t columns, std::uint32_t rows, const char* path) {
  const ClusterSource source = torus(columns, rows);
  const std::size_t count = source.positions.size();
  std::vector<scene::Vec2> texcoords(count);
  scene::Vec3 low = source.positions[0], high = low;
  for (std::size_t v = 0; v < count; ++v) {
    const std::size_t column = v % columns, row = v / columns;
    texcoords[v] = {static_cast<float>(column) / static_cast<float>(columns),
                    static_cast<float>(row) / static_cast<float>(rows)};
    const scene::Vec3 p = source.positions[v];
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const std::array<std::size_t, 4> sizes = {count * 12, count * 12, count * 8, source.indices.size() * 4};
  std::string views;
  std::size_t at = 0;
  for (const std::size_t size : sizes) {
    views += (at == 0 ? "" : ",") + std::string(R"({"buffer":0,"byteOffset":)") + std::to_string(at) +
             R"(,"byteLength":)" + std::to_string(size) + "}";
    at += size;
  }
  const auto accessor = [](int view, int component, std::size_t items, const char* type) {
    return R"({"bufferView":)" + std::to_string(view) + R"(,"componentType":)" + std::to_string(component) +
           R"(,"count":)" + std::to_string(items) + R"(,"type":")" + type + "\"";
  };
  const auto corner = [](scene::Vec3 p) {
    std::array<char, 80> text{};
    std::snprintf(text.data(), text.size(), "[%.9g,%.9g,%.9g]", static_cast<double>(p.x), static_cast<double>(p.y),
                  static_cast<double>(p.z));
    return std::string(text.data());
  };
  std::string json = R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[)"
                     R"({"primitives":[{"attributes":{"POSITION":0,"NORMAL":1,"TEXCOORD_0":2},"indices":3}]}],)"
                     R"("buffers":[{"byteLength":)" +
                     std::to_string(at) + R"(}],"bufferViews":[)" + views + R"(],"accessors":[)" +
                     accessor(0, 5126, count, "VEC3") + R"(,"min":)" + corner(low) + R"(,"max":)" + corner(high) +
                     "}," + accessor(1, 5126, count, "VEC3") + "}," + accessor(2, 5126, count, "VEC2") + "}," +
                     accessor(3, 5125, source.indices.size(), "SCALAR") + "}]}";
  json.resize((json.size() + 3) / 4 * 4, ' ');
  std::ofstream file(path, std::ios::binary);
  constexpr std::uint32_t kGlb = 0x46546C67, kJson = 0x4E4F534A, kBinary = 0x004E4942;
  const auto json_size = static_cast<std::uint32_t>(json.size()), binary_size = static_cast<std::uint32_t>(at);
  for (const std::uint32_t word : {kGlb, 2u, 28 + json_size + binary_size, json_size, kJson}) put(file, word);
  file << json;
  put(file, binary_size);
  put(file, kBinary);
  put_all(file, source.positions);
  put_all(file, source.normals);
  put_all(file, texcoords);
  put_all(file, source.indices);
  return file.flush() ? 0 : 1;
}

}  // namespace
}  // namespace assetc::bench

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: torus_glb COLUMNS ROWS FILE.glb\n"), 2;
  return assetc::bench::run(static_cast<std::uint32_t>(std::atoi(argv[1])),
                            static_cast<std::uint32_t>(std::atoi(argv[2])), argv[3]);
}
