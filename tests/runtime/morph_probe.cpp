// Applies morph targets with the runtime, for independent readers. Numbers are separated by blanks.
//
//   morph_probe HMESH       stdin: one line for each request, a weight for each target; prints for each request one
//   line
//                           with the base position, the morphed position and the morphed normal of every vertex
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "assetc/runtime/morph.hpp"

int main(int argc, char** argv) {
  using namespace assetc;
  if (argc != 2) return 2;
  std::ifstream input(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(input), {}};
  const ByteVector file(as_bytes(text).begin(), as_bytes(text).end());
  const auto mesh = hmesh::View::open(file);
  if (!mesh || !mesh->morphs()) {
    std::fprintf(stderr, "%s: %s\n", argv[1], mesh ? "has no morph targets" : mesh.error().to_string().c_str());
    return 1;
  }
  std::vector<float> weights(mesh->morphs()->targets().size());
  std::vector<std::array<float, 3>> positions(mesh->vertices().size()), normals(mesh->vertices().size());
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream numbers(line);
    for (float& weight : weights) numbers >> weight;
    runtime::morph_vertices(*mesh, weights, {.positions = positions, .normals = normals, .tangents = {}});
    for (std::size_t v = 0; v < positions.size(); ++v) {
      for (const float c : mesh->vertices()[v].position) std::printf("%.9g ", static_cast<double>(c));
      for (const float c : positions[v]) std::printf("%.9g ", static_cast<double>(c));
      for (const float c : normals[v]) std::printf("%.9g ", static_cast<double>(c));
    }
    std::printf("\n");
  }
  return 0;
}
