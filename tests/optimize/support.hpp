// Optimized models beside their sources.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "convert/support.hpp"
#include "export/glb.hpp"
#include "optimize/optimize.hpp"
#include "scene/pose.hpp"

namespace assetc::optimize::testing {

using convert::Converted;
using convert::load_model;
using scene::kNone;
using scene::Node;
using scene::Vec3;
using namespace convert::testing;

inline Bytes glb_of(const scene::Scene& scene) { return Bytes(*exporter::write_glb(scene)); }

// The usual options, but with pictures for the GPU.
inline OptimizeOptions usual() {
  OptimizeOptions options = optimize_options();
  options.pictures.format = PictureFormat::kUastc;
  return options;
}

class FilesInputs final : public recipes::Inputs {
 public:
  explicit FilesInputs(const Files& files) : read_(files.reader()) {}
  Result<Bytes> read(std::string_view path) override { return read_(path); }
  bool exists(std::string_view path) override { return read_(path).has_value(); }
  Result<std::vector<std::string>> list(std::string_view) override { return std::vector<std::string>(); }
  std::optional<recipes::SourceAsset> asset(std::string_view) override { return std::nullopt; }
  std::uint64_t ref(std::string_view) override { return 0; }

 private:
  importer::FileReader read_;
};

inline Converted optimized(const Files& files, const std::string& path, const OptimizeOptions& options = usual()) {
  FilesInputs inputs(files);
  auto made = optimize_file(path, "out.glb", inputs, options);
  EXPECT_TRUE(made) << (made ? "" : made.error().to_string());
  return made ? std::move(*made) : Converted();
}

inline scene::Scene scene_of(Files& files, const std::string& path) {
  auto model = load_model(path, files.reader());
  EXPECT_TRUE(model) << (model ? "" : model.error().to_string());
  return model ? std::move(model->scene) : scene::Scene();
}

// The source and what optimize makes of it.
struct Pair {
  scene::Scene source, made;
  std::string text;  // the bytes of the .glb
};
inline Pair pair_of(Files files, const std::string& path, const OptimizeOptions& options = usual()) {
  Pair out;
  out.source = scene_of(files, path);
  const Converted converted = optimized(files, path, options);
  if (converted.files.empty()) return out;
  files.put("out.glb", converted.files.front().bytes);
  out.text = as_text(converted.files.front().bytes);
  out.made = scene_of(files, "out.glb");
  return out;
}
inline Pair pair_of(const scene::Scene& scene, const OptimizeOptions& options = usual()) {
  Files files;
  files.put("in.glb", glb_of(scene));
  return pair_of(std::move(files), "in.glb", options);
}

// The node that draws the mesh of a node: itself, or a nameless child.
inline std::uint32_t drawing_node(const scene::Scene& scene, std::uint32_t n) {
  if (scene.nodes[n].mesh != kNone) return n;
  for (std::uint32_t c = 0; c < scene.nodes.size(); ++c)
    if (scene.nodes[c].parent == n && scene.nodes[c].name.empty() && scene.nodes[c].mesh != kNone) return c;
  return kNone;
}

// The vertices that a node's primitive uses, where a clip puts them at a time.
inline std::vector<Vec3> shown(const scene::Scene& scene, std::uint32_t n, std::size_t p, const scene::Clip* clip,
                               float time) {
  scene::Scene posed = scene;
  if (clip != nullptr) posed.nodes = scene::pose_nodes(scene, *clip, time);
  const Node& node = posed.nodes[n];
  scene::Primitive primitive = posed.meshes[node.mesh].primitives[p];
  scene::apply_morphs(node.morph_weights.empty() ? posed.meshes[node.mesh].morph_weights : node.morph_weights,
                      primitive);
  const std::vector<scene::Mat4> world = scene::world_matrices(posed);
  std::vector<Vec3> positions = primitive.positions, normals;
  if (node.skin != kNone) {
    scene::skin_vertices(primitive, posed.skins[node.skin], world, positions, normals);
  } else {
    for (Vec3& v : positions) v = scene::transform_point(world[n], v);
  }
  std::vector<bool> is_used(positions.size());
  for (const std::uint32_t index : primitive.indices) is_used[index] = true;
  std::vector<Vec3> used;
  for (std::size_t v = 0; v < positions.size(); ++v)
    if (is_used[v]) used.push_back(positions[v]);
  return used;
}

// The largest distance of a point of a from the nearest of b.
inline float largest_gap(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  float worst = 0;
  for (const Vec3& p : a) {
    float nearest = INFINITY;
    for (const Vec3& q : b) nearest = std::min(nearest, scene::length(p - q));
    worst = std::max(worst, nearest);
  }
  return worst;
}
inline float extent_of(const std::vector<Vec3>& points) {
  float extent = 0;
  for (const Vec3& p : points) extent = std::max(extent, scene::length(p - points[0]));
  return extent;
}

// Names, parents, extras and clips are the source's, and every surface is where it was.
inline void expect_same(const Pair& pair) {
  ASSERT_LE(pair.source.nodes.size(), pair.made.nodes.size());
  for (std::uint32_t n = 0; n < pair.source.nodes.size(); ++n) {
    const Node &a = pair.source.nodes[n], &b = pair.made.nodes[n];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.parent, b.parent) << a.name;
    EXPECT_EQ(a.extra, b.extra) << a.name;
    EXPECT_EQ(a.camera, b.camera);
    EXPECT_EQ(a.light, b.light);
    if (a.mesh == kNone) continue;
    const std::uint32_t d = drawing_node(pair.made, n);
    ASSERT_NE(d, kNone) << a.name;
    const scene::Mesh &from = pair.source.meshes[a.mesh], &to = pair.made.meshes[pair.made.nodes[d].mesh];
    EXPECT_EQ(from.name, to.name);
    ASSERT_EQ(from.primitives.size(), to.primitives.size());
    for (std::size_t p = 0; p < from.primitives.size(); ++p) {
      EXPECT_EQ(from.primitives[p].indices.size(), to.primitives[p].indices.size());
      EXPECT_EQ(from.primitives[p].normals.empty(), to.primitives[p].normals.empty());
      EXPECT_EQ(from.primitives[p].tangents.empty(), to.primitives[p].tangents.empty());
      EXPECT_EQ(from.primitives[p].texcoords.size(), to.primitives[p].texcoords.size());
      std::vector<const scene::Clip*> clips{nullptr};
      for (const scene::Clip& clip : pair.source.clips) clips.push_back(&clip);
      for (std::size_t c = 0; c < clips.size(); ++c) {
        for (const float time : {0.0f, 0.37f}) {
          const scene::Clip* other = c == 0 ? nullptr : &pair.made.clips.at(c - 1);
          const auto before = shown(pair.source, n, p, clips[c], time), after = shown(pair.made, d, p, other, time);
          // Weights of 8 bits move skinned vertices.
          const float bound = (a.skin == kNone ? 2e-4f : 1e-3f) * extent_of(before) + 1e-6f;
          EXPECT_LE(largest_gap(before, after), bound) << a.name;
          EXPECT_LE(largest_gap(after, before), bound) << a.name;
        }
      }
    }
  }
  ASSERT_EQ(pair.source.clips.size(), pair.made.clips.size());
  for (std::size_t c = 0; c < pair.made.clips.size(); ++c) {
    EXPECT_EQ(pair.source.clips[c].name, pair.made.clips[c].name);
    EXPECT_EQ(clip_duration_seconds(pair.source.clips[c]), clip_duration_seconds(pair.made.clips[c]));
  }
  EXPECT_EQ(pair.source.variants, pair.made.variants);
  EXPECT_EQ(pair.source.cameras.size(), pair.made.cameras.size());
  EXPECT_EQ(pair.source.lights.size(), pair.made.lights.size());
}

// Optimizes the small models of the corpus, with their pictures as they are, and calls check with each. Returns how
// many there were.
template <class Check>
std::size_t for_corpus(OptimizeOptions options, const Check& check) {
  constexpr std::size_t kMostVertices = 4000;
  options.keep_pictures = true;
  std::size_t count = 0;
  for (const CorpusModel& model : corpus_models()) {
    if (model.path.ends_with(".obj")) continue;
    SCOPED_TRACE(model.path);
    const Pair pair = pair_of(Files(model.folder), model.path, options);
    std::size_t vertices = 0;
    for (const scene::Mesh& m : pair.source.meshes)
      for (const scene::Primitive& p : m.primitives) vertices += p.positions.size();
    if (vertices > kMostVertices) continue;
    check(pair);
    ++count;
  }
  return count;
}

}  // namespace assetc::optimize::testing
