// Normals computed for a model without normals, in each file that it becomes.
#include <gtest/gtest.h>

#include <cstring>

#include "convert/support.hpp"
#include "import/gltf/gltf.hpp"

namespace assetc::convert {
namespace {

using testing::Files;

// A roof with two slopes, and a floor: the slopes share one smoothing group, the floor is flat.
constexpr const char* kRoof =
    "v 0 0 0\nv 2 0 0\nv 2 1 1\nv 0 1 1\nv 2 0 2\nv 0 0 2\n"
    "s 1\nf 1 4 3 2\nf 4 6 5 3\ns off\nf 1 2 5 6\n";

// The normals at a place, of triangles on the floor (all corners at height 0) or of the others.
std::vector<scene::Vec3> normals_at(const scene::Scene& scene, scene::Vec3 place, bool floor) {
  std::vector<scene::Vec3> found;
  for (const scene::Primitive& p : scene.meshes[0].primitives) {
    EXPECT_EQ(p.normals.size(), p.positions.size());
    for (std::size_t i = 0; i < p.indices.size() && !p.normals.empty(); ++i) {
      const std::size_t t = i / 3 * 3;
      const bool flat = p.positions[p.indices[t]].y == 0 && p.positions[p.indices[t + 1]].y == 0 &&
                        p.positions[p.indices[t + 2]].y == 0;
      if (flat == floor && p.positions[p.indices[i]] == place) found.push_back(p.normals[p.indices[i]]);
    }
  }
  return found;
}

void expect_roof(const Files& files, const std::string& glb) {
  const auto imported = importer::import_gltf(glb, *files.reader()(glb), files.reader());
  ASSERT_TRUE(imported) << imported.error().to_string();
  const auto expect = [&](scene::Vec3 place, bool floor, scene::Vec3 normal) {
    const std::vector<scene::Vec3> all = normals_at(imported->scene, place, floor);
    EXPECT_FALSE(all.empty()) << glb;
    for (const scene::Vec3 n : all) EXPECT_GT(dot(n, normal), 0.9999f) << glb << " " << n.x << " " << n.y << " " << n.z;
  };
  const float half = std::sqrt(0.5f);
  expect({0, 1, 1}, false, {0, 1, 0});         // the ridge, smooth over both slopes
  expect({0, 0, 0}, false, {0, half, -half});  // the eaves: only one slope
  expect({0, 0, 0}, true, {0, -1, 0});         // the floor under them
}

TEST(Normals, of_an_obj_are_the_same_in_every_file) {
  Files files;
  files.put("roof.obj",
            Bytes(ByteVector(as_bytes(std::string_view(kRoof)).begin(), as_bytes(std::string_view(kRoof)).end())));
  for (const char* by : {"", ".hmesh", ".gali"}) {
    std::string from = "roof.obj";
    if (*by != 0) {
      const auto compiled = convert_file(from, "compiled" + std::string(by), files.reader(), {});
      ASSERT_TRUE(compiled) << compiled.error().to_string();
      files.put(*compiled);
      from = "compiled" + std::string(by);
    }
    const std::string glb = "roof" + std::string(by) + ".glb";
    const auto converted = convert_file(from, glb, files.reader(), {});
    ASSERT_TRUE(converted) << converted.error().to_string();
    files.put(*converted);
    expect_roof(files, glb);
  }
}

}  // namespace
}  // namespace assetc::convert
