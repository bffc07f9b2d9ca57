// Files in memory over a folder, models of the corpus and generated models, and conversions between them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "convert/convert.hpp"
#include "convert/model.hpp"
#include "corpus.hpp"

namespace assetc::convert::testing {

// The time of a clip's last key.
inline float clip_duration_seconds(const scene::Clip& clip) {
  float duration = 0;
  for (const scene::Channel& c : clip.channels) {
    if (!c.times_seconds.empty()) duration = std::max(duration, c.times_seconds.back());
  }
  return duration;
}

// Serves files that tests made, and otherwise the files of a folder.
class Files {
 public:
  explicit Files(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}
  void put(const std::string& path, Bytes bytes) { made_[path] = std::move(bytes); }
  void put(const Converted& converted) {
    for (const ConvertedFile& file : converted.files) put(file.path, file.bytes);
  }
  bool has(const std::string& path) const { return made_.contains(path); }
  importer::FileReader reader() const {
    return [this](std::string_view path) -> Result<Bytes> {
      if (const auto made = made_.find(path); made != made_.end()) return made->second;
      if (folder_.empty()) return fail(ErrorCode::kNotFound, "no such file");
      return corpus::read_file(folder_ / path);
    };
  }

 private:
  std::filesystem::path folder_;
  std::map<std::string, Bytes, std::less<>> made_;
};

struct ContainerCase {
  const char* name;
  recipes::MeshFormat container;
  const char* suffix;
};
inline constexpr ContainerCase kContainers[] = {{"hmesh", recipes::MeshFormat::kHmesh, ".hmesh"},
                                                {"hmesh-v1", recipes::MeshFormat::kHmeshV1, ".hmesh"},
                                                {"galileo", recipes::MeshFormat::kGalileo, ".gali"}};

inline ConvertOptions into(recipes::MeshFormat container) {
  ConvertOptions options;
  options.settings.mesh.container = container;
  return options;
}

// A .gltf, .glb or .obj of the corpus, with the folder that its path is relative to.
struct CorpusModel {
  std::filesystem::path folder;
  std::string path;
};
inline std::vector<CorpusModel> corpus_models() {
  std::vector<CorpusModel> found;
  for (const auto& folder : corpus::folders("models")) {
    for (std::string& path : corpus::list_files(folder, {".gltf", ".glb", ".obj"}))
      found.push_back({folder, std::move(path)});
  }
  return found;
}
// Models with a skin and clips that all containers except version 1 of .hmesh keep complete.
inline std::vector<CorpusModel> skinned_models() {
  std::vector<CorpusModel> found;
  for (CorpusModel& model : corpus_models())
    if (model.path == "worm.glb" || model.path == "Fox.glb") found.push_back(std::move(model));
  return found;
}

// A wavy sheet of side x side quads. Texture coordinates run from 0 to `tiles`. rich: with a second set, colors and
// tangents. Every attribute is a formula of the vertex, so a misplaced vertex is found.
inline scene::Scene sheet(std::uint32_t side, float tiles, bool rich) {
  using namespace scene;
  Primitive p;
  const std::uint32_t row = side + 1;
  for (std::uint32_t y = 0; y < row; ++y) {
    for (std::uint32_t x = 0; x < row; ++x) {
      const float u = static_cast<float>(x) / static_cast<float>(side),
                  v = static_cast<float>(y) / static_cast<float>(side);
      const float slope = static_cast<float>(static_cast<int>((x * 5 + y * 3) % 7) - 3) * 0.1f;
      p.positions.push_back({u * 3.7f, slope, v * 2.3f});
      p.normals.push_back(normalize_or({slope, 1, -slope * 0.5f}, {0, 1, 0}));
      if (p.texcoords.empty()) p.texcoords.resize(rich ? 2 : 1);
      p.texcoords[0].push_back({u * tiles, v * tiles});
      if (rich) {
        p.texcoords[1].push_back({v * 0.93f, 1 - u * 0.81f});
        p.colors.resize(1);
        p.colors[0].push_back({u, v, u * v, 1 - v * 0.5f});
        const Vec3 t = normalize_or(cross(p.normals.back(), {0.2f, 0, 1}), {1, 0, 0});
        p.tangents.push_back({t.x, t.y, t.z, y < side / 2 ? 1.0f : -1.0f});
      }
    }
  }
  for (std::uint32_t y = 0; y < side; ++y) {
    for (std::uint32_t x = 0; x < side; ++x) {
      const std::uint32_t a = y * row + x;
      p.indices.insert(p.indices.end(), {a, a + row, a + 1, a + 1, a + row, a + row + 1});
    }
  }
  Scene out;
  p.material = 0;
  out.materials.push_back({});
  out.materials[0].name = "Wood";
  out.materials[0].base_color = {0.8f, 0.5f, 0.2f, 1};
  out.meshes.push_back({"sheet", {std::move(p)}});
  Node node;
  node.name = "Sheet";
  node.mesh = 0;
  out.nodes.push_back(node);
  return out;
}

}  // namespace assetc::convert::testing
