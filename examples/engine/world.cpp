#include "world.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace example {

using namespace assetc;

namespace {

constexpr float kScreenTexels = 1024;
constexpr float kStepM = 0.5f;  // between two objects

// The first level of a texture that is not larger than its object on the screen.
std::uint32_t level_for(const runtime::TextureData& texture, float height_texels) {
  const float level = static_cast<float>(texture.level_count - 1) - std::log2(std::max(height_texels, 1.0f));
  return static_cast<std::uint32_t>(std::clamp(level, 0.0f, static_cast<float>(texture.level_count - 1)));
}

// Each level of a mesh begins at half the height.
std::uint32_t level_for(const runtime::MeshData& mesh, float height_texels) {
  const float level = std::log2(kScreenTexels / 4 / height_texels);
  return static_cast<std::uint32_t>(std::clamp(level, 0.0f, static_cast<float>(mesh.lod_count - 1)));
}

}  // namespace

void World::add(const runtime::Handle<runtime::MeshData>& mesh) {
  objects_.push_back({.mesh = manager_.load_async(mesh), .materials = {}, .textures = {}});
}

float World::height_texels(std::size_t object) const {
  return kScreenTexels / (1 + camera_m_ + kStepM * static_cast<float>(object));
}

void World::update() {
  for (auto& [handle, texture] : textures_) texture.height_texels = 0;
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    Object& object = objects_[i];
    const float height = height_texels(i);
    manager_.set_priority(object.mesh, static_cast<int>(height));
    if (!object.mesh.is_ready()) continue;
    object.mesh.want(level_for(*object.mesh.get(), height));
    if (!object.has_materials) {
      // Materials are loaded before the mesh and textures before the material: these requests find them.
      for (const runtime::AssetHandle& material : object.mesh.get()->materials)
        object.materials.push_back(manager_.load_async<runtime::MaterialData>(material));
      for (const auto& material : object.materials) {
        for (const runtime::AssetHandle& texture : material.get_or_fallback()->textures)
          object.textures.push_back(manager_.load_async<runtime::TextureData>(texture));
      }
      for (const auto& texture : object.textures) textures_[texture.handle()].ref = texture;
      object.has_materials = true;
    }
    for (const auto& texture : object.textures) {
      float& largest = textures_[texture.handle()].height_texels;
      largest = std::max(largest, height);
    }
  }
  for (const auto& [handle, texture] : textures_) {
    manager_.set_priority(texture.ref, static_cast<int>(texture.height_texels));
    if (texture.ref.is_ready()) texture.ref.want(level_for(*texture.ref.get(), texture.height_texels));
  }
}

World::Detail World::detail() const {
  Detail out;
  for (const auto& [handle, texture] : textures_) {
    ++out.textures;
    out.finest += texture.ref.is_ready() && texture.ref.get()->first_level == 0;
  }
  return out;
}

}  // namespace example
