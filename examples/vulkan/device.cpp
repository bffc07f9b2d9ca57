#include "device.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace example {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";
std::size_t message_count = 0;

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  ++message_count;
  std::fprintf(stderr, "validation: %s\n", data->pMessage);
  return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info() {
  VkDebugUtilsMessengerCreateInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = on_message;
  return info;
}

template <class Function>
Function instance_function(VkInstance instance, const char* name) {
  return reinterpret_cast<Function>(vkGetInstanceProcAddr(instance, name));
}

}  // namespace

void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS) die(std::string(what) + ": VkResult " + std::to_string(result));
}

void die(const std::string& what) {
  std::fprintf(stderr, "vulkan: %s\n", what.c_str());
  std::exit(1);
}

std::size_t validation_message_count() { return message_count; }

Device::Device(bool validate) {
  make_instance(validate);
  choose_device();
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueFamilyIndex = family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;

  VkPhysicalDeviceVulkan13Features vulkan13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  vulkan13.dynamicRendering = VK_TRUE;
  vulkan13.synchronization2 = VK_TRUE;
  vulkan13.maintenance4 = VK_TRUE;  // needed for workgroup sizes in SPIR-V of Vulkan 1.3
  VkPhysicalDeviceFeatures2 wanted{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &vulkan13};
  wanted.features.textureCompressionBC = features_.textureCompressionBC;
  wanted.features.textureCompressionETC2 = features_.textureCompressionETC2;
  wanted.features.textureCompressionASTC_LDR = features_.textureCompressionASTC_LDR;
  wanted.features.largePoints = features_.largePoints;
  wanted.features.multiDrawIndirect = features_.multiDrawIndirect;
  wanted.features.imageCubeArray = features_.imageCubeArray;  // a fallback texture needs it
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &wanted};
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  check(vkCreateDevice(physical_, &info, nullptr, &device_), "vkCreateDevice");
  vkGetDeviceQueue(device_, family_, 0, &queue_);

  VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  pool.queueFamilyIndex = family_;
  check(vkCreateCommandPool(device_, &pool, nullptr, &pool_), "vkCreateCommandPool");
}

Device::~Device() {
  vkDestroyCommandPool(device_, pool_, nullptr);
  vkDestroyDevice(device_, nullptr);
  if (messenger_ != VK_NULL_HANDLE) {
    instance_function<PFN_vkDestroyDebugUtilsMessengerEXT>(instance_, "vkDestroyDebugUtilsMessengerEXT")(
        instance_, messenger_, nullptr);
  }
  vkDestroyInstance(instance_, nullptr);
}

void Device::make_instance(bool validate) {
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pApplicationName = "assetc example";
  application.apiVersion = VK_API_VERSION_1_3;
  const VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info();
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  if (validate) {
    info.pNext = &messenger;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &kValidationLayer;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
  }
  check(vkCreateInstance(&info, nullptr, &instance_), "vkCreateInstance");
  if (!validate) return;
  check(instance_function<PFN_vkCreateDebugUtilsMessengerEXT>(instance_, "vkCreateDebugUtilsMessengerEXT")(
            instance_, &messenger, nullptr, &messenger_),
        "vkCreateDebugUtilsMessengerEXT");
}

// Chooses the first device of Vulkan 1.3 that has a queue for graphics and compute.
void Device::choose_device() {
  std::uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(instance_, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> devices(count);
  check(vkEnumeratePhysicalDevices(instance_, &count, devices.data()), "vkEnumeratePhysicalDevices");
  for (const VkPhysicalDevice device : devices) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device, &properties);
    std::uint32_t family_count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(device, &family_count, nullptr);
    std::vector<VkQueueFamilyProperties> families(family_count);
    vkGetPhysicalDeviceQueueFamilyProperties(device, &family_count, families.data());
    constexpr VkQueueFlags kNeeds = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    const auto family = std::ranges::find_if(families, [](const auto& f) { return (f.queueFlags & kNeeds) == kNeeds; });
    if (properties.apiVersion < VK_API_VERSION_1_3 || family == families.end()) continue;
    physical_ = device;
    family_ = static_cast<std::uint32_t>(family - families.begin());
    name_ = properties.deviceName;
    vkGetPhysicalDeviceFeatures(device, &features_);
    if ((properties.limits.framebufferColorSampleCounts & VK_SAMPLE_COUNT_4_BIT) != 0)
      sample_count_ = VK_SAMPLE_COUNT_4_BIT;
    return;
  }
  die("there is no device of Vulkan 1.3 here; Mesa's lavapipe is one without a GPU (mesa-vulkan-drivers)");
}

VkDeviceMemory Device::allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags wanted) const {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical_, &memory);
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    if ((needs.memoryTypeBits >> i & 1) == 0 || (memory.memoryTypes[i].propertyFlags & wanted) != wanted) continue;
    VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    info.allocationSize = needs.size;
    info.memoryTypeIndex = i;
    VkDeviceMemory out = VK_NULL_HANDLE;
    check(vkAllocateMemory(device_, &info, nullptr, &out), "vkAllocateMemory");
    return out;
  }
  die("the device has no memory of the kind that is needed");
}

Buffer Device::make_buffer(VkDeviceSize size_bytes, VkBufferUsageFlags usage) const {
  Buffer out;
  out.size_bytes = size_bytes;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = size_bytes;
  info.usage = usage;
  check(vkCreateBuffer(device_, &info, nullptr, &out.buffer), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device_, out.buffer, &needs);
  out.memory = allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  check(vkBindBufferMemory(device_, out.buffer, out.memory, 0), "vkBindBufferMemory");
  void* mapped = nullptr;
  check(vkMapMemory(device_, out.memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  out.mapped = static_cast<std::byte*>(mapped);
  return out;
}

Buffer Device::make_buffer(std::span<const std::byte> bytes, VkBufferUsageFlags usage) const {
  const Buffer out = make_buffer(std::max<std::size_t>(bytes.size(), 4), usage);
  std::ranges::copy(bytes, out.mapped);
  return out;
}

void Device::destroy(const Buffer& buffer) const {
  vkDestroyBuffer(device_, buffer.buffer, nullptr);
  vkFreeMemory(device_, buffer.memory, nullptr);
}

Image Device::make_image(const VkImageCreateInfo& info, VkImageViewType view_type,
                         const VkComponentMapping& swizzle) const {
  Image out;
  check(vkCreateImage(device_, &info, nullptr, &out.image), "vkCreateImage");
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device_, out.image, &needs);
  out.memory = allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  out.size_bytes = needs.size;
  check(vkBindImageMemory(device_, out.image, out.memory, 0), "vkBindImageMemory");
  const bool is_depth = (info.usage & VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT) != 0;
  VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  view.image = out.image;
  view.viewType = view_type;
  view.format = info.format;
  view.components = swizzle;
  const VkImageAspectFlags aspect = is_depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
  view.subresourceRange = {aspect, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
  check(vkCreateImageView(device_, &view, nullptr, &out.view), "vkCreateImageView");
  return out;
}

VkDeviceSize Device::size_of(const VkImageCreateInfo& info) const {
  VkDeviceImageMemoryRequirements image{VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS};
  image.pCreateInfo = &info;
  VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  vkGetDeviceImageMemoryRequirements(device_, &image, &needs);
  return needs.memoryRequirements.size;
}

void Device::destroy(const Image& image) const {
  vkDestroyImageView(device_, image.view, nullptr);
  vkDestroyImage(device_, image.image, nullptr);
  vkFreeMemory(device_, image.memory, nullptr);
}

void Device::run(const std::function<void(VkCommandBuffer)>& record) const {
  VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  info.commandPool = pool_;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  check(vkAllocateCommandBuffers(device_, &info, &commands), "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  record(commands);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  VkCommandBufferSubmitInfo submitted{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO};
  submitted.commandBuffer = commands;
  VkSubmitInfo2 submit{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
  submit.commandBufferInfoCount = 1;
  submit.pCommandBufferInfos = &submitted;
  check(vkQueueSubmit2(queue_, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit2");
  check(vkQueueWaitIdle(queue_), "vkQueueWaitIdle");
  vkFreeCommandBuffers(device_, pool_, 1, &commands);
}

void transition(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, VkImageLayout from,
                VkImageLayout to) {
  VkImageMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
  barrier.srcStageMask = barrier.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  barrier.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {aspect, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
  VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  info.imageMemoryBarrierCount = 1;
  info.pImageMemoryBarriers = &barrier;
  vkCmdPipelineBarrier2(commands, &info);
}

}  // namespace example
