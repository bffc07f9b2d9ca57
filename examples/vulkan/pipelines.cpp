#include "pipelines.hpp"

#include <array>
#include <assetc/runtime/assets.hpp>
#include <assetc/runtime/gpu.hpp>
#include <cstring>
#include <span>

#include "draw.hpp"

namespace example {

using namespace assetc;

namespace {

VkDescriptorSetLayoutBinding binding(std::uint32_t number, VkDescriptorType type, VkShaderStageFlags stages) {
  return {number, type, 1, stages, nullptr};
}

VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits which, VkShaderModule module) {
  VkPipelineShaderStageCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
  info.stage = which;
  info.module = module;
  info.pName = "main";
  return info;
}

}  // namespace

Pipelines::Pipelines(const Device& device, runtime::Manager& manager) : device_(device) {
  constexpr VkShaderStageFlags kVertex = VK_SHADER_STAGE_VERTEX_BIT, kFragment = VK_SHADER_STAGE_FRAGMENT_BIT,
                               kCompute = VK_SHADER_STAGE_COMPUTE_BIT;
  constexpr auto kUniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                 kTexture = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  frame_set_ = set_layout({binding(0, kUniform, kVertex | kFragment), binding(1, kTexture, kFragment),
                           binding(2, kTexture, kFragment), binding(3, kTexture, kFragment),
                           binding(4, kStorage, kVertex), binding(5, kStorage, kVertex)});
  std::vector<VkDescriptorSetLayoutBinding> textures;
  for (std::uint32_t i = 0; i < kMaterialTextures; ++i) textures.push_back(binding(i, kTexture, kFragment));
  material_set_ = set_layout(textures);
  meshlet_set_ = set_layout({binding(0, kStorage, kCompute), binding(1, kStorage, kCompute)});
  command_set_ = set_layout({binding(0, kStorage, kCompute), binding(1, kStorage, kCompute)});
  const auto storage = [](std::uint32_t count) {
    std::vector<VkDescriptorSetLayoutBinding> buffers;
    for (std::uint32_t i = 0; i < count; ++i) buffers.push_back(binding(i, kStorage, kCompute));
    return buffers;
  };
  cluster_mesh_set_ = set_layout(storage(3));
  cluster_pass_set_ = set_layout(storage(5));
  pyramid_set_ = set_layout({binding(0, kTexture, kCompute), binding(1, kStorage, kCompute)});
  draw_layout_ = layout({frame_set_, material_set_}, kVertex | kFragment, sizeof(DrawConstants));
  cull_layout_ = layout({meshlet_set_, command_set_}, kCompute, sizeof(CullConstants));
  constexpr std::uint32_t kPushBytes = 28;  // of both
  select_layout_ = layout({cluster_mesh_set_, cluster_pass_set_}, kCompute, kPushBytes);
  pyramid_layout_ = layout({pyramid_set_}, kCompute, kPushBytes);

  mesh_vertex_ = module(manager, "mesh.shader/vertex");
  skinned_vertex_ = module(manager, "skinned.shader/vertex");
  mesh_fragment_ = module(manager, "mesh.shader/fragment");
  sky_ = draw_pipeline(module(manager, "sky.shader/vertex"), module(manager, "sky.shader/fragment"), nullptr);
  cull_ = compute_pipeline(module(manager, "cull.shader/compute"), cull_layout_);
  select_ = compute_pipeline(module(manager, "select.shader/compute"), select_layout_);
  pyramid_ = compute_pipeline(module(manager, "pyramid.shader/compute"), pyramid_layout_);
}

VkPipeline Pipelines::compute_pipeline(VkShaderModule shader, VkPipelineLayout layout) const {
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = stage(VK_SHADER_STAGE_COMPUTE_BIT, shader);
  info.layout = layout;
  VkPipeline out = VK_NULL_HANDLE;
  check(vkCreateComputePipelines(device_.get(), VK_NULL_HANDLE, 1, &info, nullptr, &out), "vkCreateComputePipelines");
  return out;
}

Pipelines::~Pipelines() {
  const VkDevice d = device_.get();
  for (const auto& [key, pipeline] : meshes_) vkDestroyPipeline(d, pipeline, nullptr);
  for (const VkPipeline pipeline : {sky_, cull_, select_, pyramid_}) vkDestroyPipeline(d, pipeline, nullptr);
  for (const VkPipelineLayout one : {draw_layout_, cull_layout_, select_layout_, pyramid_layout_})
    vkDestroyPipelineLayout(d, one, nullptr);
  for (const VkDescriptorSetLayout one :
       {frame_set_, material_set_, meshlet_set_, command_set_, cluster_mesh_set_, cluster_pass_set_, pyramid_set_})
    vkDestroyDescriptorSetLayout(d, one, nullptr);
  for (const VkShaderModule one : modules_) vkDestroyShaderModule(d, one, nullptr);
}

VkShaderModule Pipelines::module(runtime::Manager& manager, const std::string& name) {
  const std::string path = "shaders/" + name + ".spv";
  const auto asset = manager.catalog().find_by_path(path);
  if (!asset) die(path + " is in no mount: mount the renderer's own pack too");
  const auto shader = manager.load<runtime::ShaderData>(*asset);
  if (const runtime::Failure* failure = shader.failure()) die(failure->to_string());
  const ByteSpan code = shader.get()->code;
  std::vector<std::uint32_t> words(code.size() / 4);
  std::memcpy(words.data(), code.data(), words.size() * 4);
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = words.size() * 4;
  info.pCode = words.data();
  VkShaderModule out = VK_NULL_HANDLE;
  check(vkCreateShaderModule(device_.get(), &info, nullptr, &out), "vkCreateShaderModule");
  modules_.push_back(out);
  return out;
}

VkDescriptorSetLayout Pipelines::set_layout(const std::vector<VkDescriptorSetLayoutBinding>& bindings) const {
  VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  info.bindingCount = static_cast<std::uint32_t>(bindings.size());
  info.pBindings = bindings.data();
  VkDescriptorSetLayout out = VK_NULL_HANDLE;
  check(vkCreateDescriptorSetLayout(device_.get(), &info, nullptr, &out), "vkCreateDescriptorSetLayout");
  return out;
}

VkPipelineLayout Pipelines::layout(const std::vector<VkDescriptorSetLayout>& sets, VkShaderStageFlags stages,
                                   std::uint32_t push_bytes) const {
  const VkPushConstantRange push{stages, 0, push_bytes};
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = static_cast<std::uint32_t>(sets.size());
  info.pSetLayouts = sets.data();
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &push;
  VkPipelineLayout out = VK_NULL_HANDLE;
  check(vkCreatePipelineLayout(device_.get(), &info, nullptr, &out), "vkCreatePipelineLayout");
  return out;
}

VkPipeline Pipelines::mesh(const VertexInput& input, hmesh::Topology topology, bool is_skinned, bool is_blended) {
  const MeshKey key{input, topology, is_skinned, is_blended};
  VkPipeline& out = meshes_[key];
  if (out == VK_NULL_HANDLE) out = draw_pipeline(is_skinned ? skinned_vertex_ : mesh_vertex_, mesh_fragment_, &key);
  return out;
}

VkPipeline Pipelines::draw_pipeline(VkShaderModule vertex, VkShaderModule fragment, const MeshKey* mesh) const {
  std::array stages{stage(VK_SHADER_STAGE_VERTEX_BIT, vertex), stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment)};
  VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  std::vector<VkVertexInputAttributeDescription> attributes;
  std::vector<VkVertexInputBindingDescription> buffers;
  // In the order of assets/shaders/include/vertex.glsl.
  std::array<std::uint32_t, 3> values{};
  constexpr std::array kEntries{VkSpecializationMapEntry{0, 0, 4}, VkSpecializationMapEntry{1, 4, 4},
                                VkSpecializationMapEntry{2, 8, 4}};
  const VkSpecializationInfo constants{kEntries.size(), kEntries.data(), sizeof(values), values.data()};
  if (mesh != nullptr) {
    const std::size_t count = mesh->is_skinned ? VertexInput::kSkinned : VertexInput::kUnskinned;
    for (std::uint32_t i = 0; i < count; ++i) {
      const VertexInput::Attribute& a = mesh->input.attributes[i];
      attributes.push_back({i, a.buffer, a.format, a.offset_bytes});
    }
    for (std::uint32_t i = 0; i < mesh->input.strides_bytes.size(); ++i)
      buffers.push_back({i, mesh->input.strides_bytes[i], VK_VERTEX_INPUT_RATE_VERTEX});
    input.vertexBindingDescriptionCount = static_cast<std::uint32_t>(buffers.size());
    input.pVertexBindingDescriptions = buffers.data();
    input.vertexAttributeDescriptionCount = static_cast<std::uint32_t>(attributes.size());
    input.pVertexAttributeDescriptions = attributes.data();
    const std::uint32_t point_texels = device_.features().largePoints == VK_TRUE ? 3 : 1;
    values = {mesh->input.has_packed_normals, mesh->input.has_packed_tangents, point_texels};
    stages[0].pSpecializationInfo = &constants;
  }
  VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  const gpu::Topology& topology = mesh == nullptr ? gpu::kTriangles : gpu::topology(mesh->topology);
  assembly.topology = static_cast<VkPrimitiveTopology>(topology.vulkan);
  VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  viewport.viewportCount = viewport.scissorCount = 1;
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.polygonMode = VK_POLYGON_MODE_FILL;
  raster.frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE;
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  samples.rasterizationSamples = device_.sample_count();
  VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  depth.depthTestEnable = VK_TRUE;
  depth.depthWriteEnable = mesh != nullptr && !mesh->is_blended ? VK_TRUE : VK_FALSE;
  depth.depthCompareOp = VK_COMPARE_OP_GREATER_OR_EQUAL;  // reversed depth
  VkPipelineColorBlendAttachmentState over{};
  over.blendEnable = mesh != nullptr && mesh->is_blended ? VK_TRUE : VK_FALSE;
  over.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
  over.dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  over.srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
  over.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  over.colorWriteMask =
      VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  blend.attachmentCount = 1;
  blend.pAttachments = &over;
  // Culling is dynamic, so double-sided materials need no separate pipelines.
  constexpr std::array kDynamic{VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR, VK_DYNAMIC_STATE_CULL_MODE};
  VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
  dynamic.dynamicStateCount = static_cast<std::uint32_t>(kDynamic.size());
  dynamic.pDynamicStates = kDynamic.data();
  VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachmentFormats = &kColorFormat;
  rendering.depthAttachmentFormat = kDepthFormat;

  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
  info.stageCount = static_cast<std::uint32_t>(stages.size());
  info.pStages = stages.data();
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &viewport;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pDepthStencilState = &depth;
  info.pColorBlendState = &blend;
  info.pDynamicState = &dynamic;
  info.layout = draw_layout_;
  VkPipeline out = VK_NULL_HANDLE;
  check(vkCreateGraphicsPipelines(device_.get(), VK_NULL_HANDLE, 1, &info, nullptr, &out), "vkCreateGraphicsPipelines");
  return out;
}

}  // namespace example
