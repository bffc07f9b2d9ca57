// Textures and meshes of many levels, and a manager that loads them in parts.
#pragma once

#include <gmock/gmock.h>
#include <zstd.h>

#include <chrono>
#include <functional>
#include <optional>

#include "assetc/formats/aas1_mesh.hpp"
#include "assetc/formats/hmesh.hpp"
#include "assetc/runtime/all_loaders.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/source.hpp"
#include "runtime/cooked.hpp"

namespace assetc::runtime {

inline constexpr std::uint32_t kSide = 256;

// The bytes of level i all have one value, which identifies the level.
inline ByteVector texels_of(std::uint32_t level) {
  const std::size_t side = std::max(kSide >> level, 1u);
  return ByteVector(side * side * 4, static_cast<std::byte>(level + 1));
}

inline ByteVector ktx2_of(bool zstd) {
  ktx2::Texture texture;
  texture.format = TexelFormat::kRgba8;
  texture.width_texels = texture.height_texels = kSide;
  std::vector<ByteVector> levels;
  for (std::uint32_t i = 0; i <= 8; ++i) levels.push_back(texels_of(i));
  std::vector<std::uint64_t> sizes;
  for (ByteVector& level : levels) {
    sizes.push_back(level.size());
    if (!zstd) continue;
    ByteVector frame(ZSTD_compressBound(level.size()));
    frame.resize(ZSTD_compress(frame.data(), frame.size(), level.data(), level.size(), 3));
    level = std::move(frame);
  }
  if (zstd) texture.supercompression = ktx2::Supercompression::kZstd;
  for (std::size_t i = 0; i < levels.size(); ++i) texture.levels.push_back({levels[i], sizes[i]});
  return ktx2::write(texture).value();
}

inline ByteVector aas1_of() {
  std::vector<ByteVector> levels;
  aas1::Texture texture;
  texture.width_texels = texture.height_texels = kSide;
  for (std::uint32_t i = 0; i <= 8; ++i) levels.push_back(texels_of(i));
  for (const ByteVector& level : levels) texture.levels.emplace_back(level);
  texture.swizzle = "bgra";
  return aas1::write(texture).value();
}

inline hmesh::Model grid(std::uint32_t side) {
  hmesh::Model model;
  for (std::uint32_t y = 0; y <= side; ++y) {
    for (std::uint32_t x = 0; x <= side; ++x)
      model.vertices.push_back({{static_cast<float>(x), static_cast<float>(y), 0}, {0, 0}, {0, 0}, {0, 0}});
  }
  const auto corner = [&](std::uint32_t x, std::uint32_t y) { return y * (side + 1) + x; };
  const auto squares = [&](std::uint32_t step, std::vector<std::uint32_t>& out) {
    for (std::uint32_t y = 0; y < side; y += step) {
      for (std::uint32_t x = 0; x < side; x += step) {
        for (const std::uint32_t i : {corner(x, y), corner(x + step, y), corner(x, y + step)}) out.push_back(i);
      }
    }
  };
  squares(1, model.indices);
  const auto s = static_cast<float>(side);
  model.bounds = {{0, 0, 0}, {s, s, 0}, {s / 2, s / 2, 0}, s};
  model.submeshes = {{0, static_cast<std::uint32_t>(model.indices.size()), 0, 0, hmesh::kNoMaterial, 0, model.bounds}};
  model.lod_count = 2;
  for (const std::uint32_t step : {2u, 4u}) {
    const auto first = static_cast<std::uint32_t>(model.lod_indices.size());
    squares(step, model.lod_indices);
    model.lods.push_back({first, static_cast<std::uint32_t>(model.lod_indices.size()) - first});
  }
  return model;
}

inline ByteVector aas1_grid(std::uint32_t side) {
  const hmesh::Model from = grid(side);
  aas1::Mesh mesh;
  mesh.vertex_stride_bytes = 12;
  mesh.attributes = {{aas1::Semantic::kPosition, 0, aas1::VertexFormat::kRgb32F, 0, 0, 0, 0}};
  for (const hmesh::GpuVertex& vertex : from.vertices) append_bytes(mesh.vertices, object_bytes(vertex.position));
  const auto add = [&](std::vector<std::uint32_t> indices, float screen_size) {
    const auto count = static_cast<std::uint32_t>(indices.size());
    mesh.levels.push_back({std::move(indices), {{0, count, 0, 0}}, screen_size, {0, 0, 0}, {}});
    mesh.levels.back().bounds_max = {static_cast<float>(side), static_cast<float>(side), 0};
  };
  add(from.indices, 1);
  for (std::size_t i = 0; i < from.lods.size(); ++i) {
    const auto begin = from.lod_indices.begin() + from.lods[i].first_index;
    add({begin, begin + from.lods[i].index_count}, 0.5f / static_cast<float>(i + 1));
  }
  mesh.materials = {uuid(70)};
  return aas1::write(mesh).value();
}

inline constexpr PartOptions kSmallReads{.first_read_bytes = 8192};

// A tree of files that are loaded in parts, and the finalized values.
class PartsOf : public testing::Test {
 protected:
  Manager& start(const PartOptions& parts, ManagerOptions options = {.io_thread = false}, unsigned threads = 0) {
    std::vector<std::string> names;
    names.reserve(files.files.size());
    for (const auto& [path, bytes] : files.files) names.push_back(path);
    Catalog catalog;
    const auto mounted = catalog.mount(files.source(threads), Layout::kTree, "", {.files = names});
    EXPECT_TRUE(mounted) << fault_text(mounted);
    return start(catalog, parts, std::move(options));
  }
  Manager& start(const Catalog& catalog, const PartOptions& parts, ManagerOptions options = {.io_thread = false}) {
    options.on_failure = [this](const Failure& failure) { failures.push_back(failure.to_string()); };
    if (!options.on_detail) options.on_detail = [this](const AnyRef&) { ++details; };
    options.on_reloaded = [this](const AnyRef&, const AnyRef&) { ++reloads; };
    manager.emplace(catalog, std::move(options));
    Loaders loaders{.texture = texture_loader({}, parts), .mesh = mesh_loader(parts)};
    loaders.texture.finalize = [this](TextureData& texture, const AssetDesc& desc) -> Result<GpuObject> {
      if (desc.virtual_path.empty()) return GpuObject{};  // the fallback
      firsts.push_back(texture.first_level);
      GpuObject gpu{.object = ++objects};
      for (TextureData::Level& level : texture.levels) {
        gpu.size_bytes += level.bytes.size();
        if (clears || (clears_finest && texture.first_level == 0)) level.bytes = {};
      }
      return gpu;
    };
    loaders.texture.release = [this](const GpuObject& gpu) { objects -= gpu.object != 0; };
    loaders.mesh.finalize = [this](MeshData& mesh, const AssetDesc& desc) -> Result<GpuObject> {
      if (desc.virtual_path.empty()) return GpuObject{};
      lods.push_back(mesh.lod);
      indices.push_back(mesh.hmesh() != nullptr ? mesh.hmesh()->desc().index_count : mesh.aas1()->desc().index_count);
      return GpuObject{.size_bytes = mesh_bytes ? mesh_bytes(mesh) : 0};
    };
    add_loaders(*manager, loaders);
    return *manager;
  }
  AssetHandle find(const std::string& path) const {
    return manager->catalog().find_by_path(path).value_or(AssetHandle{.path_hash = 1});
  }
  AssetRef<TextureData> texture(const std::string& path, int priority = 0) {
    return manager->load_async<TextureData>(find(path), priority);
  }
  AssetRef<MeshData> mesh(const std::string& path) { return manager->load_async<MeshData>(find(path)); }
  void finish() {
    do {
      manager->pump({.time = std::chrono::seconds(1)});
    } while (manager->stats().loading > 0);
  }
  // Runs until replaced values are released too.
  void settle() {
    for (int i = 0; i < 8; ++i) finish();
  }
  // Every loaded level has its value and its number of bytes.
  static void expect_levels(const AssetRef<TextureData>& ref, std::uint32_t first) {
    ASSERT_TRUE(ref.is_ready());
    const TextureData& texture = *ref.get();
    EXPECT_EQ(texture.first_level, first);
    EXPECT_EQ(texture.level_count, 9u);
    ASSERT_EQ(texture.levels.size(), 9u - first);
    for (std::size_t i = 0; i < texture.levels.size(); ++i) {
      const auto level = static_cast<std::uint32_t>(first + i);
      const ByteVector texels = texels_of(level);
      const ByteSpan bytes = texture.levels[i].bytes;
      EXPECT_TRUE(std::ranges::equal(bytes, texels)) << level << " has " << bytes.size();
      EXPECT_EQ(texture.levels[i].width_texels, std::max(kSide >> level, 1u));
    }
  }
  std::vector<std::uint64_t> read_sizes(const std::string& path) const {
    std::vector<std::uint64_t> sizes;
    for (const ReadRequest& read : files.reads()) {
      if (read.path == path && read.size_bytes != 0) sizes.push_back(read.size_bytes);
    }
    return sizes;
  }
  std::uint64_t read_bytes(const std::string& path) const {
    std::uint64_t total = 0;
    for (const std::uint64_t size : read_sizes(path)) total += size;
    return total;
  }

  Files files;
  std::vector<std::string> failures;
  std::vector<std::uint32_t> firsts, lods, indices;
  bool clears = false;                                       // finalize frees the bytes of textures
  bool clears_finest = false;                                // only of those with their finest level
  std::function<std::uint64_t(const MeshData&)> mesh_bytes;  // on the device; null: none
  std::uint64_t objects = 0;
  std::size_t details = 0, reloads = 0;
  std::optional<Manager> manager;
};

}  // namespace assetc::runtime
