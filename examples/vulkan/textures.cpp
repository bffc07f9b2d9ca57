#include "textures.hpp"

#include <algorithm>
#include <assetc/runtime/gpu.hpp>

namespace example {

using namespace assetc;

namespace {

VkComponentSwizzle component(char c) {
  switch (c) {
    case 'r':
      return VK_COMPONENT_SWIZZLE_R;
    case 'g':
      return VK_COMPONENT_SWIZZLE_G;
    case 'b':
      return VK_COMPONENT_SWIZZLE_B;
    case 'a':
      return VK_COMPONENT_SWIZZLE_A;
    case '0':
      return VK_COMPONENT_SWIZZLE_ZERO;
    case '1':
      return VK_COMPONENT_SWIZZLE_ONE;
    default:
      return VK_COMPONENT_SWIZZLE_IDENTITY;
  }
}

VkComponentMapping mapping(const std::string& swizzle) {
  if (swizzle.size() != 4) return {};
  return {component(swizzle[0]), component(swizzle[1]), component(swizzle[2]), component(swizzle[3])};
}

VkImageViewType view_type(const runtime::TextureData& texture) {
  if (texture.is_3d) return VK_IMAGE_VIEW_TYPE_3D;
  if (texture.face_count == 6)
    return texture.layer_count == 0 ? VK_IMAGE_VIEW_TYPE_CUBE : VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
  return texture.layer_count == 0 ? VK_IMAGE_VIEW_TYPE_2D : VK_IMAGE_VIEW_TYPE_2D_ARRAY;
}

// An image for the levels of a texture. The format is VK_FORMAT_UNDEFINED if Vulkan has none.
VkImageCreateInfo image_info(const runtime::TextureData& texture) {
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.flags = texture.face_count == 6 ? VkImageCreateFlags{VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT} : 0;
  info.imageType = texture.is_3d ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
  info.format = static_cast<VkFormat>(gpu::texture_format(texture.format, texture.is_srgb).vulkan);
  if (!texture.levels.empty()) {
    const runtime::TextureData::Level& top = texture.levels[0];
    info.extent = {top.width_texels, top.height_texels, top.depth_texels};
  }
  info.mipLevels = static_cast<std::uint32_t>(texture.levels.size());
  info.arrayLayers = std::max(texture.layer_count, 1u) * texture.face_count;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  return info;
}

// Returns the extent of a level that may be finer than those that the texture has.
VkExtent3D extent_of(const runtime::TextureData& texture, std::uint32_t level) {
  const runtime::TextureData::Level& top = texture.levels[0];
  const auto side = [&](std::uint32_t texels) {
    return level < texture.first_level ? texels << (texture.first_level - level)
                                       : std::max(texels >> (level - texture.first_level), 1u);
  };
  return {side(top.width_texels), side(top.height_texels), texture.is_3d ? side(top.depth_texels) : 1};
}

runtime::TextureData one_white_texel() {
  runtime::TextureData white;
  white.levels.push_back({Bytes(ByteVector(4, std::byte{0xff})), 1, 1, 1});
  return white;
}

}  // namespace

Textures::Textures(const Device& device) : device_(device) {
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = info.minFilter = VK_FILTER_LINEAR;
  info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
  info.addressModeU = info.addressModeV = info.addressModeW =
      static_cast<VkSamplerAddressMode>(gpu::address_mode(aas1::Wrap::kRepeat).vulkan);
  info.maxLod = VK_LOD_CLAMP_NONE;
  check(vkCreateSampler(device_.get(), &info, nullptr, &sampler_), "vkCreateSampler");
  runtime::TextureData white = one_white_texel();
  if (!upload(white)) die("one texel cannot be uploaded");
}

Textures::~Textures() {
  for (const Image& image : images_) device_.destroy(image);
  vkDestroySampler(device_.get(), sampler_, nullptr);
}

runtime::Loader<runtime::TextureData> Textures::loader(bool in_parts) {
  const VkPhysicalDeviceFeatures& has = device_.features();
  const runtime::TextureOptions formats{.bc = has.textureCompressionBC == VK_TRUE,
                                        .astc = has.textureCompressionASTC_LDR == VK_TRUE,
                                        .etc2 = has.textureCompressionETC2 == VK_TRUE};
  runtime::Loader<runtime::TextureData> loader =
      in_parts ? runtime::texture_loader(formats, {.first_read_bytes = 4u << 10}) : runtime::texture_loader(formats);
  if (in_parts) {
    // For the budget: the sizes of images with fewer levels. Images are larger than their texels.
    loader.parts.levels = [this, of_texels = loader.parts.levels](const runtime::TextureData& texture) {
      runtime::PartLevels levels = of_texels(texture);
      VkImageCreateInfo info = image_info(texture);
      if (info.format == VK_FORMAT_UNDEFINED) return levels;
      for (std::uint32_t i = levels.finest; i < levels.count; ++i) {
        info.extent = extent_of(texture, i);
        info.mipLevels = levels.count - i;
        levels.value_bytes[i] = device_.size_of(info);
      }
      return levels;
    };
  }
  loader.gpu_bytes = [this](const runtime::TextureData& texture) -> std::uint64_t {
    const VkImageCreateInfo info = image_info(texture);
    return info.format == VK_FORMAT_UNDEFINED || texture.levels.empty() ? 0 : device_.size_of(info);
  };
  loader.finalize = [this](runtime::TextureData& texture, const runtime::AssetDesc&) { return upload(texture); };
  loader.release = [this](const runtime::GpuObject& gpu) {
    device_.destroy(images_[gpu.object]);
    images_[gpu.object] = {};
  };
  return loader;
}

Result<runtime::GpuObject> Textures::upload(runtime::TextureData& texture) {
  const VkImageCreateInfo info = image_info(texture);
  if (info.format == VK_FORMAT_UNDEFINED || texture.levels.empty())
    return fail(ErrorCode::kUnsupported, "Vulkan has no such texture");
  const Image image = device_.make_image(info, view_type(texture), mapping(texture.swizzle));

  // Copies must begin at multiples of a block and of four bytes.
  constexpr std::size_t kAlignment = 16;
  ByteVector staged;
  std::vector<VkBufferImageCopy> copies;
  for (std::uint32_t level = 0; level < texture.levels.size(); ++level) {
    const runtime::TextureData::Level& from = texture.levels[level];
    staged.resize((staged.size() + kAlignment - 1) / kAlignment * kAlignment);
    VkBufferImageCopy copy{};
    copy.bufferOffset = staged.size();
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, info.arrayLayers};
    copy.imageExtent = {from.width_texels, from.height_texels, from.depth_texels};
    copies.push_back(copy);
    const ByteSpan bytes = from.bytes;
    staged.insert(staged.end(), bytes.begin(), bytes.end());
  }
  const Buffer staging = device_.make_buffer(staged, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  device_.run([&](VkCommandBuffer commands) {
    transition(commands, image.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(commands, staging.buffer, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                           static_cast<std::uint32_t>(copies.size()), copies.data());
    transition(commands, image.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
               VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  });
  device_.destroy(staging);
  for (runtime::TextureData::Level& level : texture.levels) level.bytes = {};  // the device has a copy
  images_.push_back(image);
  return runtime::GpuObject{.object = images_.size() - 1, .size_bytes = image.size_bytes};
}

}  // namespace example
