// Creates pipelines of SPIR-V modules on the first Vulkan device, with the validation layer.
//
//   pipeline_layout < JOBS
//
// A job is lines: "binding SET BINDING KIND COUNT" (a VkDescriptorType), "push BYTES", "stage BITS FILE ENTRY" (a
// VkShaderStageFlagBits), then "make". Prints "made", or "refused" and the messages of the layer, for each job. Exits
// with 77 without a device or the layer.
#include <vulkan/vulkan.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string messages;

VkBool32 note(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
              const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  messages += std::string(data->pMessage) + "\n";
  return VK_FALSE;
}

struct Stage {
  VkShaderStageFlagBits bits{};
  std::string file, entry;
};
struct Job {
  std::map<std::uint32_t, std::vector<VkDescriptorSetLayoutBinding>> sets;
  std::uint32_t push_bytes = 0;
  std::vector<Stage> stages;
};

void must(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "%s: %d\n", what, result);
  std::exit(77);
}

VkPipelineLayout layout_of(VkDevice device, const Job& job) {
  std::vector<VkDescriptorSetLayout> sets(job.sets.empty() ? 0 : job.sets.rbegin()->first + 1);
  for (std::uint32_t i = 0; i < sets.size(); ++i) {
    const auto found = job.sets.find(i);
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    if (found != job.sets.end()) {
      info.bindingCount = static_cast<std::uint32_t>(found->second.size());
      info.pBindings = found->second.data();
    }
    must(vkCreateDescriptorSetLayout(device, &info, nullptr, &sets[i]), "vkCreateDescriptorSetLayout");
  }
  const VkPushConstantRange range{VK_SHADER_STAGE_ALL, 0, job.push_bytes};
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = static_cast<std::uint32_t>(sets.size());
  info.pSetLayouts = sets.data();
  info.pushConstantRangeCount = job.push_bytes != 0;
  info.pPushConstantRanges = &range;
  VkPipelineLayout layout{};
  must(vkCreatePipelineLayout(device, &info, nullptr, &layout), "vkCreatePipelineLayout");
  return layout;
}

VkRenderPass render_pass(VkDevice device) {
  VkAttachmentDescription color{};
  color.format = VK_FORMAT_R8G8B8A8_UNORM;
  color.samples = VK_SAMPLE_COUNT_1_BIT;
  color.loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  color.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
  const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &reference;
  VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
  info.attachmentCount = 1;
  info.pAttachments = &color;
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  VkRenderPass pass{};
  must(vkCreateRenderPass(device, &info, nullptr, &pass), "vkCreateRenderPass");
  return pass;
}

bool make(VkDevice device, const Job& job) {
  messages.clear();
  const VkPipelineLayout layout = layout_of(device, job);
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  for (const Stage& stage : job.stages) {
    std::ifstream file(stage.file, std::ios::binary);
    const std::string code{std::istreambuf_iterator<char>(file), {}};
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = code.size();
    info.pCode = reinterpret_cast<const std::uint32_t*>(code.data());
    VkPipelineShaderStageCreateInfo one{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    one.stage = stage.bits;
    one.pName = stage.entry.c_str();
    if (vkCreateShaderModule(device, &info, nullptr, &one.module) != VK_SUCCESS) return false;
    stages.push_back(one);
  }
  VkPipeline pipeline{};
  VkResult result{};
  if (stages.size() == 1 && stages[0].stage == VK_SHADER_STAGE_COMPUTE_BIT) {
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = stages[0];
    info.layout = layout;
    result = vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
  } else {
    const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    const VkViewport viewport{0, 0, 16, 16, 0, 1};
    const VkRect2D scissor{{0, 0}, {16, 16}};
    VkPipelineViewportStateCreateInfo view{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    view.viewportCount = view.scissorCount = 1;
    view.pViewports = &viewport;
    view.pScissors = &scissor;
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    const VkPipelineColorBlendAttachmentState attachment{};
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = 1;
    blend.pAttachments = &attachment;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
    info.stageCount = static_cast<std::uint32_t>(stages.size());
    info.pStages = stages.data();
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &view;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &blend;
    info.layout = layout;
    info.renderPass = render_pass(device);
    result = vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
  }
  return result == VK_SUCCESS && messages.empty();
}

}  // namespace

int main() {
  VkDebugUtilsMessengerCreateInfoEXT messenger{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  messenger.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = note;
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_2;
  const char* layer = "VK_LAYER_KHRONOS_validation";
  const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkInstanceCreateInfo wanted{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  wanted.pApplicationInfo = &application;
  wanted.enabledLayerCount = wanted.enabledExtensionCount = 1;
  wanted.ppEnabledLayerNames = &layer;
  wanted.ppEnabledExtensionNames = &extension;
  VkInstance instance{};
  must(vkCreateInstance(&wanted, nullptr, &instance), "vkCreateInstance");
  const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT"));
  VkDebugUtilsMessengerEXT listens{};
  must(create(instance, &messenger, nullptr, &listens), "vkCreateDebugUtilsMessengerEXT");
  std::uint32_t count = 1;
  VkPhysicalDevice physical{};
  if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0 || count == 0) return 77;
  VkPhysicalDeviceFeatures features{};
  vkGetPhysicalDeviceFeatures(physical, &features);
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.pEnabledFeatures = &features;
  VkDevice device{};
  must(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");

  Job job;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "binding") {
      std::uint32_t set = 0, kind = 0;
      VkDescriptorSetLayoutBinding one{};
      words >> set >> one.binding >> kind >> one.descriptorCount;
      one.descriptorType = static_cast<VkDescriptorType>(kind);
      one.stageFlags = VK_SHADER_STAGE_ALL;
      job.sets[set].push_back(one);
    } else if (word == "push") {
      words >> job.push_bytes;
    } else if (word == "stage") {
      std::uint32_t bits = 0;
      Stage stage;
      words >> bits >> stage.file >> stage.entry;
      stage.bits = static_cast<VkShaderStageFlagBits>(bits);
      job.stages.push_back(stage);
    } else {
      if (make(device, job))
        std::puts("made");
      else
        std::printf("refused %s\n", messages.substr(0, messages.find('\n')).c_str());
      job = {};
    }
  }
}
