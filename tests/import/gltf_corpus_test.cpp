#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "corpus.hpp"
#include "import/gltf/gltf.hpp"

namespace assetc::importer {
namespace {

Result<Imported> import_file(const std::filesystem::path& root, const std::string& path) {
  auto file = corpus::read_file(root / path);
  if (!file) return std::unexpected(std::move(file).error().in(path));
  auto result = import_gltf(path, *file, [&](std::string_view other) { return corpus::read_file(root / other); });
  if (!result) return std::unexpected(std::move(result).error().in(path));
  return result;
}

std::size_t triangle_count(const scene::Scene& scene) {
  std::size_t count = 0;
  for (const auto& mesh : scene.meshes) {
    for (const auto& primitive : mesh.primitives) count += primitive.indices.size() / 3;
  }
  return count;
}

TEST(GltfCorpus, every_model_imports) {
  for (const auto& root : corpus::folders("models")) {
    for (const std::string& path : corpus::list_files(root, {".gltf", ".glb"})) {
      const auto imported = import_file(root, path);
      ASSERT_TRUE(imported) << imported.error().to_string();
      EXPECT_GT(triangle_count(imported->scene), 0u) << path;
      if (std::getenv("ASSETC_VERBOSE") != nullptr) {
        std::cout << path << ": " << triangle_count(imported->scene) << " triangles, " << imported->scene.nodes.size()
                  << " nodes\n";
        for (const auto& d : imported->scene.dropped) std::cout << "  " << describe(d) << "\n";
        for (const auto& w : imported->warnings) std::cout << "  " << w.to_string() << "\n";
      }
    }
  }
}

TEST(GltfCorpus, every_bad_model_imports_or_says_where_it_is_wrong) {
  for (const auto& root : corpus::folders("bad")) {
    for (const std::string& path : corpus::list_files(root, {".gltf", ".glb"})) {
      const auto imported = import_file(root, path);
      if (std::getenv("ASSETC_VERBOSE") != nullptr)
        std::cout << (imported ? path + ": imports" : imported.error().to_string()) << "\n";
      const bool refused = !imported.has_value();
      EXPECT_EQ(refused, corpus::must_be_refused(path).value_or(refused)) << path;
      if (imported) continue;
      EXPECT_FALSE(imported.error().place.empty()) << imported.error().to_string();
    }
  }
}

TEST(GltfCorpus, compressed_boxes_hold_the_same_box) {
  std::vector<std::filesystem::path> boxes;
  for (const char* path : {"box.glb", "box_draco.gltf", "box_meshopt.glb", "embedded/box.gltf"})
    boxes.push_back(corpus::own_folder("models") / path);
  for (const auto& root : corpus::folders("models")) {
    for (const char* path : {"Box.glb", "BoxDraco.gltf", "BoxMeshopt.glb", "BoxEmbedded/Box.gltf"})
      if (std::filesystem::exists(root / path)) boxes.push_back(root / path);
  }
  for (const std::filesystem::path& path : boxes) {
    const auto imported = import_file(path.parent_path(), path.filename().string());
    ASSERT_TRUE(imported) << imported.error().to_string();
    EXPECT_EQ(triangle_count(imported->scene), 12u) << path;
    const auto world = world_matrices(imported->scene);
    scene::Vec3 low{1e9f, 1e9f, 1e9f}, high{-1e9f, -1e9f, -1e9f};
    for (std::size_t n = 0; n < imported->scene.nodes.size(); ++n) {
      if (imported->scene.nodes[n].mesh == scene::kNone) continue;
      for (const auto& primitive : imported->scene.meshes[imported->scene.nodes[n].mesh].primitives) {
        for (const scene::Vec3 p : primitive.positions) {
          const scene::Vec3 w = transform_point(world[n], p);
          low = {std::min(low.x, w.x), std::min(low.y, w.y), std::min(low.z, w.z)};
          high = {std::max(high.x, w.x), std::max(high.y, w.y), std::max(high.z, w.z)};
        }
      }
    }
    for (const float v : {low.x, low.y, low.z}) EXPECT_NEAR(v, -0.5f, 1e-3f) << path;
    for (const float v : {high.x, high.y, high.z}) EXPECT_NEAR(v, 0.5f, 1e-3f) << path;
  }
}

}  // namespace
}  // namespace assetc::importer
