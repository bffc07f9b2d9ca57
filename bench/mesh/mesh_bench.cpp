// Builds a mesh of a million triangles, as a whole and stage by stage, and runs a peer on the same triangles.
//
//   mesh_bench [--gltfpack PROGRAM] [--runs N] [--writes N]
//
// --writes: how often each container is written (10 times a run; the rest is skipped with --runs 0).
//
// The workload resembles scans and terrains: one large submesh with positions, normals and texture coordinates.
// gltfpack simplifies it to half, orders it and writes it; build_mesh also computes tangents, meshlets and one more
// level. The time reported is the shortest of N runs, with the peers taking turns.
//
// Writing is measured separately, from the built mesh to the bytes of the file, opened again. It uses the functions
// that the mesh recipe calls. Each container runs on one thread; the containers take turns.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "mesh/bounds.hpp"
#include "mesh/build.hpp"
#include "mesh/chunks.hpp"
#include "mesh/lod.hpp"
#include "mesh/optimize.hpp"
#include "mesh/prepare.hpp"
#include "mesh/shapes.hpp"
#include "mesh/tangents.hpp"
#include "parallel/parallel.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/mesh/compiled_mesh.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::mesh {
namespace {

using Clock = std::chrono::steady_clock;

struct Least {
  std::vector<std::string> order;
  std::map<std::string, double> ms;
  template <class Run>
  void time(const std::string& name, const Run& run) {
    const auto start = Clock::now();
    run();
    const double elapsed = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (!ms.contains(name)) order.push_back(name);
    const auto [at, added] = ms.try_emplace(name, elapsed);
    if (!added) at->second = std::min(at->second, elapsed);
  }
};

double cpu_seconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

void write_glb(const Shape& s, const std::string& path) {
  const auto bytes = [](const auto& v) { return v.size() * sizeof(v[0]); };
  const std::size_t sizes[] = {bytes(s.positions), bytes(s.normals), bytes(s.texcoords), bytes(s.indices)};
  const Box box = bounding_box(s.positions);
  std::string json = fmt::format(
      R"({{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],)"
      R"("meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"NORMAL":1,"TEXCOORD_0":2}},"indices":3}}]}}],)"
      R"("buffers":[{{"byteLength":{}}}],"bufferViews":[{{"buffer":0,"byteOffset":0,"byteLength":{}}},)"
      R"({{"buffer":0,"byteOffset":{},"byteLength":{}}},{{"buffer":0,"byteOffset":{},"byteLength":{}}},{{"buffer":0,"byteOffset":{},"byteLength":{}}}],)"
      R"("accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3","min":[{},{},{}],"max":[{},{},{}]}},)"
      R"({{"bufferView":1,"componentType":5126,"count":{},"type":"VEC3"}},{{"bufferView":2,"componentType":5126,"count":{},"type":"VEC2"}},)"
      R"({{"bufferView":3,"componentType":5125,"count":{},"type":"SCALAR"}}]}})",
      sizes[0] + sizes[1] + sizes[2] + sizes[3], sizes[0], sizes[0], sizes[1], sizes[0] + sizes[1], sizes[2],
      sizes[0] + sizes[1] + sizes[2], sizes[3], s.positions.size(), box.low.x, box.low.y, box.low.z, box.high.x,
      box.high.y, box.high.z, s.positions.size(), s.positions.size(), s.indices.size());
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const auto binary = static_cast<std::uint32_t>(sizes[0] + sizes[1] + sizes[2] + sizes[3]);
  const std::uint32_t head[] = {0x46546C67, 2, static_cast<std::uint32_t>(28 + json.size()) + binary,
                                static_cast<std::uint32_t>(json.size()), 0x4E4F534A};
  const std::uint32_t chunk[] = {binary, 0x004E4942};
  std::ofstream out(path, std::ios::binary);
  const auto put = [&](const void* data, std::size_t size) {
    out.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  };
  put(head, sizeof head);
  put(json.data(), json.size());
  put(chunk, sizeof chunk);
  put(s.positions.data(), sizes[0]);
  put(s.normals.data(), sizes[1]);
  put(s.texcoords.data(), sizes[2]);
  put(s.indices.data(), sizes[3]);
}

std::size_t write(recipes::MeshFormat container, recipes::CompiledMesh compiled) {
  recipes::MeshReport report;
  const auto file = recipes::kRuntimeContainers.mesh_rows(container).levels.write(compiled, report);
  return file ? file->size() : 0;
}

int run(int argc, char** argv) {
  std::string gltfpack;
  int runs = 5;
  int writes = -1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--gltfpack") == 0) gltfpack = argv[i + 1];
    if (std::strcmp(argv[i], "--runs") == 0) runs = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--writes") == 0) writes = std::atoi(argv[i + 1]);
  }
  if (writes < 0) writes = 10 * runs;
  const Shape shape = wavy_grid(1001, 502);
  const std::string glb = (std::filesystem::temp_directory_path() / "assetc_mesh_bench.glb").string();
  if (!gltfpack.empty()) write_glb(shape, glb);
  fmt::print("{} triangles, {} vertices\n", shape.indices.size() / 3, shape.positions.size());

  SubmeshInput input;
  input.indices = shape.indices;
  input.positions = shape.positions;
  input.normals = shape.normals;
  input.texcoords = shape.texcoords;
  Least least;
  double cpu = 1e9;
  BuiltMesh built;
  constexpr std::pair<const char*, recipes::MeshFormat> kContainers[] = {
      {"write .hmesh 2", recipes::MeshFormat::kHmesh},
      {"write .hmesh 1", recipes::MeshFormat::kHmeshV1},
      {"write .gali", recipes::MeshFormat::kGalileo}};
  std::map<std::string, std::size_t> sizes;
  std::map<std::string, double> write_cpu;
  for (int r = 0; r < runs; ++r) {
    least.time("tangents",
               [&] { generate_tangents({shape.indices, shape.positions, shape.normals, shape.texcoords}); });
    least.time("prepare (tangents, weld)", [&] { static_cast<void>(prepare_submesh(input, {})); });
    least.time("chunks", [&] {
      const auto corner = [&](std::size_t i) { return shape.positions[shape.indices[i]]; };
      split_into_chunks(
          shape.indices.size() / 3,
          [&](std::size_t t) { return triangle_center(corner(t * 3), corner(t * 3 + 1), corner(t * 3 + 2)); },
          1u << 15);
    });
    least.time("sphere", [&] { bounding_sphere(shape.positions); });
    const double before = cpu_seconds();
    least.time("build_mesh, whole", [&] { built = std::move(*build_mesh({&input, 1})); });
    cpu = std::min(cpu, cpu_seconds() - before);
    if (!gltfpack.empty()) {
      const std::string command = gltfpack + " -noq -si 0.5 -i " + glb + " -o " + glb + ".out.glb";
      least.time("gltfpack -noq -si 0.5, whole process", [&] {
        if (std::system(command.c_str()) != 0) std::fputs("gltfpack failed\n", stderr);
      });
    }
  }
  // Each container consumes its mesh, so each run gets a copy.
  MeshOptions with_floats;
  with_floats.exact_frames = true;
  built = std::move(*build_mesh({&input, 1}, with_floats));
  const recipes::CompiledMesh compiled{.mesh = built.mesh, .stem = "models/grid", .places = {"the grid"}};
  for (int r = 0; r < writes; ++r) {
    for (const auto& [name, container] : kContainers) {
      recipes::CompiledMesh copy = compiled;
      const double before = cpu_seconds();
      least.time(name, [&] { sizes[name] = write(container, std::move(copy)); });
      const auto [at, added] = write_cpu.try_emplace(name, 1e9);
      at->second = std::min(at->second, cpu_seconds() - before);
    }
  }
  if (runs > 0) {
    const ThreadLimit one(1);
    least.time("build_mesh on one thread", [&] { static_cast<void>(build_mesh({&input, 1})); });
  }
  for (const std::string& name : least.order) {
    fmt::print("{:40} {:8.1f} ms", name, least.ms[name]);
    if (sizes.contains(name)) {
      fmt::print("  {:6.1f} ms of the processor, {:5.1f} MB", write_cpu[name] * 1000,
                 static_cast<double>(sizes[name]) * 1e-6);
    }
    fmt::print("\n");
  }
  if (runs > 0) fmt::print("{:40} {:8.1f} ms\n", "build_mesh, processor time", cpu * 1000);
  const Mesh& m = built.mesh;
  fmt::print("{} vertices, {} meshlets, LOD1 {} and LOD2 {} triangles\n", m.positions.size(), m.meshlets.size(),
             m.lods[0].index_count / 3, m.lods[1].index_count / 3);
  return 0;
}

}  // namespace
}  // namespace assetc::mesh

int main(int argc, char** argv) { return assetc::mesh::run(argc, argv); }
