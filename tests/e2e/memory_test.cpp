// Compares the peak memory of a build, measured by the system, with its estimate.
#include <cmath>
#include <cstring>

#include "e2e/project.hpp"

namespace assetc::e2e {
namespace {

// A bumpy grid without normals, of size * size * 2 triangles: each corner becomes a separate vertex.
std::string flat_grid(std::uint32_t size) {
  std::string bytes;
  const auto put = [&](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  for (std::uint32_t y = 0; y <= size; ++y) {
    for (std::uint32_t x = 0; x <= size; ++x) {
      const auto u = static_cast<float>(x), v = static_cast<float>(y);
      for (const float f : {u, std::sin(u * 0.07f) * 5 + std::sin(u * 1.3f + v * 0.7f) * 0.3f, v}) put(f);
    }
  }
  const std::size_t index_offset = bytes.size();
  for (std::uint32_t y = 0; y < size; ++y) {
    for (std::uint32_t x = 0; x < size; ++x) {
      const std::uint32_t a = y * (size + 1) + x, b = a + 1, c = a + size + 1, d = c + 1;
      for (const std::uint32_t i : {a, c, b, b, c, d}) put(i);
    }
  }
  const auto text = [](std::size_t n) { return std::to_string(n); };
  std::string gltf =
      R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":)"
      R"([{"attributes":{"POSITION":0},"indices":1}]}],"buffers":[{"byteLength":)" +
      text(bytes.size()) + R"(}],"bufferViews":[{"buffer":0,"byteLength":)" + text(index_offset) +
      R"(},{"buffer":0,"byteOffset":)" + text(index_offset) + R"(,"byteLength":)" + text(bytes.size() - index_offset) +
      R"(}],"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":)" +
      text(std::size_t{size + 1} * (size + 1)) + R"(},{"bufferView":1,"componentType":5125,"type":"SCALAR","count":)" +
      text(std::size_t{size} * size * 6) + "}]}";
  gltf.resize((gltf.size() + 3) / 4 * 4, ' ');
  std::string glb;
  const auto word = [&](std::size_t n) {
    const auto value = static_cast<std::uint32_t>(n);
    glb.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const std::size_t n :
       {std::size_t{0x46546C67}, std::size_t{2}, 28 + gltf.size() + bytes.size(), gltf.size(), std::size_t{0x4E4F534A}})
    word(n);
  glb += gltf;
  for (const std::size_t n : {bytes.size(), std::size_t{0x004E4942}}) word(n);
  return glb + bytes;
}

class Memory : public Project {
 protected:
  // The peak in MiB.
  double peak(const std::string& arguments) const {
    const pid_t child = start("-q --no-cache " + arguments);
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    EXPECT_EQ(WEXITSTATUS(status), 0) << read("stderr.txt");
    return static_cast<double>(usage.ru_maxrss) / 1024;
  }
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCounts = false;  // a sanitizer's own memory would count
#else
constexpr bool kCounts = true;
#endif

TEST_F(Memory, a_flat_model_stays_below_its_estimate_on_any_number_of_threads) {
  if (!kCounts) GTEST_SKIP() << "sanitizers use memory themselves";
  constexpr std::uint32_t kSize = 500;
  write("assets/small.mat", "name: small\n");
  const double nothing = peak("-j 1");
  write("assets/grid.glb", flat_grid(kSize));
  for (const std::string jobs : {"1", "2", "8"}) {
    const double used = peak("-j " + jobs + " --memory 1M") - nothing;
    const std::string told = read("stderr.txt");
    const std::size_t at = told.find("may need ");
    ASSERT_NE(at, std::string::npos) << told;
    EXPECT_LE(used, std::stod(told.substr(at + std::strlen("may need ")))) << jobs << " threads";
    // 72 bytes per corner, and the chunk of one thread. Keeping three arrays too long would exceed the bound.
    if (jobs == "1") {
      EXPECT_LE(used * (1 << 20), 100.0 * kSize * kSize * 6);
    }
  }
}

// 600 bytes that draw one triangle many times.
TEST_F(Memory, a_model_of_instances_stays_below_its_estimate) {
  if (!kCounts) GTEST_SKIP() << "sanitizers use memory themselves";
  write("assets/small.mat", "name: small\n");
  const double nothing = peak("-j 1");
  write("assets/instances.gltf",
        R"({"asset":{"version":"2.0"},"extensionsUsed":["EXT_mesh_gpu_instancing"],"buffers":[{"byteLength":36,"uri":)"
        R"("data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],"bufferViews":)"
        R"([{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3,)"
        R"("min":[0,0,0],"max":[1,1,0]},{"componentType":5126,"type":"VEC3","count":15000}],"meshes":[{"primitives":)"
        R"([{"attributes":{"POSITION":0}},{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0,"extensions":)"
        R"({"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":1}}}}],"scenes":[{"nodes":[0]}]})");
  const double used = peak("-j 1 --memory 1M") - nothing;
  const std::string told = read("stderr.txt");
  const std::size_t at = told.find("may need ");
  ASSERT_NE(at, std::string::npos) << told;
  EXPECT_LE(used, std::stod(told.substr(at + std::strlen("may need "))));
  EXPECT_GT(used, 30.0) << "the test draws too little to measure";
}

}  // namespace
}  // namespace assetc::e2e
