// Textures on the device: what the manager's loader gives, uploaded as it is.
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

  // With finalize and release; textures become what the device samples. Outlived by this.
  assetc::runtime::Loader<assetc::runtime::TextureData> loader();

  // Of GpuObject::object.
  VkImageView view(std::uint64_t object) const { return images_[object].view; }
  // One white texel: where a material has no texture.
  VkImageView white() const { return images_[0].view; }
  // Repeats, with all levels.
  VkSampler sampler() const { return sampler_; }

 private:
  assetc::Result<assetc::runtime::GpuObject> upload(assetc::runtime::TextureData& texture);

  const Device& device_;
  VkSampler sampler_ = VK_NULL_HANDLE;
  std::vector<Image> images_;
};

}  // namespace example
