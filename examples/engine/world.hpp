// The objects of a game: meshes in a row before a camera. Says which detail of which asset the picture needs.
#pragma once

#include <assetc/runtime/assets.hpp>
#include <unordered_map>
#include <vector>

namespace example {

class World {
 public:
  explicit World(assetc::runtime::Manager& manager) : manager_(manager) {}

  // Adds an object behind all others. Its materials and textures are requested when the mesh is loaded.
  void add(const assetc::runtime::Handle<assetc::runtime::MeshData>& mesh);
  // Moves the camera back by this distance, in meters. At 0, the first object fills the screen.
  void move_camera(float distance_m) { camera_m_ = distance_m; }
  // Once a frame, before pump(): sets the priority and the wanted level of each mesh and texture by the height of its
  // object on the screen.
  void update();

  struct Object {
    assetc::runtime::AssetRef<assetc::runtime::MeshData> mesh;
    std::vector<assetc::runtime::AssetRef<assetc::runtime::MaterialData>> materials;
    std::vector<assetc::runtime::AssetRef<assetc::runtime::TextureData>> textures;
    bool has_materials = false;
  };
  const std::vector<Object>& objects() const { return objects_; }
  // Returns the number of textures, and how many of them have their finest level.
  struct Detail {
    std::size_t textures = 0, finest = 0;
  };
  Detail detail() const;

 private:
  float height_texels(std::size_t object) const;

  assetc::runtime::Manager& manager_;
  std::vector<Object> objects_;
  // A texture may be on several objects: the largest counts.
  struct Texture {
    assetc::runtime::AssetRef<assetc::runtime::TextureData> ref;
    float height_texels = 0;
  };
  std::unordered_map<assetc::runtime::AssetHandle, Texture> textures_;
  float camera_m_ = 0;
};

}  // namespace example
