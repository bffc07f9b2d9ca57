// Textures on the device, uploaded without conversion from what the manager's loader returns.
#pragma once

#include <assetc/runtime/assets.hpp>
#include <cstdint>
#include <vector>

#include "device.hpp"

namespace example {

class Textures {
 public:
  explicit Textures(const Device& device);
  ~Textures();
  Textures(const Textures&) = delete;
  Textures& operator=(const Textures&) = delete;

  // The loader has finalize, release and gpu_bytes functions, and must not outlive this object.
  // in_parts: small levels of a texture are loaded before large ones.
  assetc::runtime::Loader<assetc::runtime::TextureData> loader(bool in_parts);

  // object: GpuObject::object.
  VkImageView view(std::uint64_t object) const { return images_[object].view; }
  // One white texel, for materials without a texture.
  VkImageView white() const { return images_[0].view; }
  // Repeats, and uses all levels.
  VkSampler sampler() const { return sampler_; }

 private:
  assetc::Result<assetc::runtime::GpuObject> upload(assetc::runtime::TextureData& texture);

  const Device& device_;
  VkSampler sampler_ = VK_NULL_HANDLE;
  std::vector<Image> images_;
};

}  // namespace example
