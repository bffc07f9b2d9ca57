// A Vulkan 1.3 device without a window: memory, buffers, images, and commands that run synchronously.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace example {

// Ends the program if a call failed, which is enough for an example.
void check(VkResult result, const char* what);
[[noreturn]] void die(const std::string& what);

// Always mapped: a renderer of one picture need not copy its buffers to device-local memory.
struct Buffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize size_bytes = 0;
  std::byte* mapped = nullptr;
};

struct Image {
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;
  VkDeviceSize size_bytes = 0;
};

class Device {
 public:
  // validate: enables the validation layer, whose messages are printed and counted.
  explicit Device(bool validate);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  VkDevice get() const { return device_; }
  const std::string& name() const { return name_; }
  const VkPhysicalDeviceFeatures& features() const { return features_; }
  VkSampleCountFlagBits sample_count() const { return sample_count_; }

  Buffer make_buffer(VkDeviceSize size_bytes, VkBufferUsageFlags usage) const;
  Buffer make_buffer(std::span<const std::byte> bytes, VkBufferUsageFlags usage) const;
  void destroy(const Buffer& buffer) const;

  Image make_image(const VkImageCreateInfo& info, VkImageViewType view_type,
                   const VkComponentMapping& swizzle = {}) const;
  // Returns the size_bytes of an image before it is created.
  VkDeviceSize size_of(const VkImageCreateInfo& info) const;
  void destroy(const Image& image) const;

  // Records and submits commands and waits until they have finished.
  void run(const std::function<void(VkCommandBuffer)>& record) const;

 private:
  void make_instance(bool validate);
  void choose_device();
  VkDeviceMemory allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags wanted) const;

  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::uint32_t family_ = 0;
  std::string name_;
  VkPhysicalDeviceFeatures features_{};
  VkSampleCountFlagBits sample_count_ = VK_SAMPLE_COUNT_1_BIT;
};

// Counts the messages of all devices of this process, including destroyed ones.
std::size_t validation_message_count();

// Changes the layout, with a full barrier before and after, which is enough for one picture.
void transition(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, VkImageLayout from,
                VkImageLayout to);

}  // namespace example
