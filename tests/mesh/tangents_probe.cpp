// For the comparison with the reference in tests/interop. Reads raw little-endian arrays from standard input (u32
// vertex count, u32 index count, positions, normals, texcoords, indices) and writes one float4 tangent per corner to
// standard output.
#include <cstdio>
#include <vector>

#include "mesh/tangents.hpp"

using namespace assetc;

namespace {

template <class T>
bool read_all(std::vector<T>& out) {
  return std::fread(out.data(), sizeof(T), out.size(), stdin) == out.size();
}

}  // namespace

int main() {
  std::vector<std::uint32_t> counts(2);
  if (!read_all(counts)) return 1;
  std::vector<scene::Vec3> positions(counts[0]), normals(counts[0]);
  std::vector<scene::Vec2> texcoords(counts[0]);
  std::vector<std::uint32_t> indices(counts[1]);
  if (!read_all(positions) || !read_all(normals) || !read_all(texcoords) || !read_all(indices)) return 1;
  const mesh::Tangents tangents = mesh::generate_tangents({indices, positions, normals, texcoords});
  std::vector<std::uint32_t> values = indices;
  for (const auto& [corner, value] : tangents.corners) values[corner] = value;
  for (std::uint32_t value : values) std::fwrite(&tangents.values[value], sizeof(scene::Vec4), 1, stdout);
  return 0;
}
