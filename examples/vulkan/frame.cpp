#include "frame.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace example {
namespace {

// The layout of assets/shaders/include/frame.glsl.
struct FrameConstants {
  Matrix view_projection;
  Vec4 eye, right, up, forward;
  float exposure;
  float specular_last_level;
  std::uint32_t light_count;
  std::uint32_t pad;
  std::array<PunctualLight, kMaxLights> lights;
};
static_assert(sizeof(FrameConstants) == 144 + 64 * kMaxLights);

Vec4 with_w(const Vec3& v) { return {v[0], v[1], v[2], 0}; }

constexpr std::uint32_t kCullGroup = 64;

}  // namespace

Frame::Frame(const Device& device, const Textures& textures, const Pipelines& pipelines, const Clusters& clusters,
             const Scene& scene, const Options& options, VisibleClusters& visible)
    : device_(device),
      pipelines_(pipelines),
      scene_(scene),
      extent_{options.width, options.height},
      exposure_(options.exposure) {
  make_targets();
  const Camera& c = scene_.camera();
  FrameConstants constants{.view_projection = c.view_projection,
                           .eye = with_w(c.eye),
                           .right = with_w(c.right),
                           .up = with_w(c.up),
                           .forward = with_w(c.forward),
                           .exposure = exposure_,
                           .specular_last_level = scene_.light().specular_last_level};
  constants.light_count = static_cast<std::uint32_t>(scene_.lights().size());
  std::ranges::copy(scene_.lights(), constants.lights.begin());
  std::uint32_t meshlet_count = 0;
  for (const Draw& draw : scene_.draws()) meshlet_count += draw.cull.meshlet_count;
  frame_ = device_.make_buffer(std::as_bytes(std::span(&constants, 1)), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  joints_ = device_.make_buffer(std::as_bytes(std::span(scene_.joints())), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  transforms_ = device_.make_buffer(std::as_bytes(std::span(scene_.transforms())), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  commands_ = device_.make_buffer(std::max(meshlet_count, 1u) * sizeof(VkDrawIndexedIndirectCommand),
                                  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  counters_ = device_.make_buffer(sizeof(CullCounts), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  pixels_ = device_.make_buffer(VkDeviceSize{4} * extent_.width * extent_.height, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  make_sets(textures);
  clusters_.emplace(device_, pipelines_, clusters, scene_.clusters(), c, depth_, options, visible);
}

Frame::~Frame() {
  vkDestroyDescriptorPool(device_.get(), pool_, nullptr);
  for (const Buffer& buffer : {frame_, joints_, transforms_, commands_, counters_, pixels_}) device_.destroy(buffer);
  for (const Image& image : {samples_, depth_, color_}) device_.destroy(image);
}

void Frame::make_targets() {
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = kColorFormat;
  info.extent = {extent_.width, extent_.height, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  color_ = device_.make_image(info, VK_IMAGE_VIEW_TYPE_2D);
  info.samples = device_.sample_count();
  info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  samples_ = device_.make_image(info, VK_IMAGE_VIEW_TYPE_2D);
  info.format = kDepthFormat;
  info.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
  depth_ = device_.make_image(info, VK_IMAGE_VIEW_TYPE_2D);
}

void Frame::make_sets(const Textures& textures) {
  const std::array sizes{VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1},
                         VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3},
                         VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4}};
  VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool.maxSets = 2;
  pool.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
  pool.pPoolSizes = sizes.data();
  check(vkCreateDescriptorPool(device_.get(), &pool, nullptr, &pool_), "vkCreateDescriptorPool");
  const std::array layouts{pipelines_.frame_set(), pipelines_.command_set()};
  std::array<VkDescriptorSet, 2> sets{};
  VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  info.descriptorPool = pool_;
  info.descriptorSetCount = 2;
  info.pSetLayouts = layouts.data();
  check(vkAllocateDescriptorSets(device_.get(), &info, sets.data()), "vkAllocateDescriptorSets");
  frame_set_ = sets[0];
  command_set_ = sets[1];

  std::vector<VkWriteDescriptorSet> writes;
  const auto add = [&](VkDescriptorSet set, std::uint32_t binding, VkDescriptorType type) -> VkWriteDescriptorSet& {
    VkWriteDescriptorSet& write = writes.emplace_back();
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set;
    write.dstBinding = binding;
    write.descriptorCount = 1;
    write.descriptorType = type;
    return write;
  };
  const std::array buffers{VkDescriptorBufferInfo{frame_.buffer, 0, VK_WHOLE_SIZE},
                           VkDescriptorBufferInfo{joints_.buffer, 0, VK_WHOLE_SIZE},
                           VkDescriptorBufferInfo{transforms_.buffer, 0, VK_WHOLE_SIZE},
                           VkDescriptorBufferInfo{commands_.buffer, 0, VK_WHOLE_SIZE},
                           VkDescriptorBufferInfo{counters_.buffer, 0, VK_WHOLE_SIZE}};
  add(frame_set_, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER).pBufferInfo = buffers.data();
  add(frame_set_, 4, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER).pBufferInfo = &buffers[1];
  add(frame_set_, 5, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER).pBufferInfo = &buffers[2];
  add(command_set_, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER).pBufferInfo = &buffers[3];
  add(command_set_, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER).pBufferInfo = &buffers[4];
  const Light& light = scene_.light();
  const std::array views{light.specular, light.irradiance, light.sky};
  std::array<VkDescriptorImageInfo, 3> images;
  for (std::uint32_t i = 0; i < images.size(); ++i) {
    images[i] = {textures.sampler(), views[i], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    add(frame_set_, 1 + i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER).pImageInfo = &images[i];
  }
  vkUpdateDescriptorSets(device_.get(), static_cast<std::uint32_t>(writes.size()), writes.data(), 0, nullptr);
}

std::vector<std::byte> Frame::draw() {
  std::memset(counters_.mapped, 0, sizeof(CullCounts));
  device_.run([this](VkCommandBuffer commands) {
    cull(commands);
    draw_scene(commands);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {extent_.width, extent_.height, 1};
    vkCmdCopyImageToBuffer(commands, color_.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels_.buffer, 1, &copy);
    VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    barrier.srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    barrier.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
    barrier.dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
    barrier.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &barrier;
    vkCmdPipelineBarrier2(commands, &info);
  });
  clusters_->read_visible();
  return {pixels_.mapped, pixels_.mapped + pixels_.size_bytes};
}

CullCounts Frame::counts() const {
  CullCounts out;
  std::memcpy(&out, counters_.mapped, sizeof(out));
  return out;
}

// Fills one command for each meshlet; the commands of a draw are consecutive.
void Frame::cull(VkCommandBuffer commands) const {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines_.cull());
  std::uint32_t first_command = 0;
  for (const Draw& draw : scene_.draws()) {
    if (draw.meshlets == VK_NULL_HANDLE) continue;
    CullConstants constants = draw.cull;
    constants.first_command = first_command;
    first_command += constants.meshlet_count;
    const std::array sets{draw.meshlets, command_set_};
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines_.cull_layout(), 0, 2, sets.data(), 0,
                            nullptr);
    vkCmdPushConstants(commands, pipelines_.cull_layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(constants),
                       &constants);
    vkCmdDispatch(commands, (constants.meshlet_count + kCullGroup - 1) / kCullGroup, 1, 1);
  }
  VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
  barrier.srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  barrier.srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  barrier.dstStageMask = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
  barrier.dstAccessMask = VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT;
  VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  info.memoryBarrierCount = 1;
  info.pMemoryBarriers = &barrier;
  vkCmdPipelineBarrier2(commands, &info);
}

void Frame::draw_scene(VkCommandBuffer commands) const {
  for (const Image* target : {&samples_, &color_}) {
    transition(commands, target->image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
               VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  }
  transition(commands, depth_.image, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
             VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);
  const bool has_clusters = !clusters_->is_empty();
  if (has_clusters) clusters_->select(commands, 0);
  begin_part(commands, true, !has_clusters);
  std::uint32_t first_command = 0;
  const auto draw_all = [&](bool is_blended) {
    for (const Draw& draw : scene_.draws()) {  // blended ones come last
      if (draw.is_blended != is_blended) continue;
      draw_one(commands, draw, first_command);
      first_command += draw.cull.meshlet_count;
    }
  };
  draw_all(false);
  if (has_clusters) {
    clusters_->draw(commands, 0);
    vkCmdEndRendering(commands);
    clusters_->select(commands, 1);
    // The second part continues the picture of the first.
    transition(commands, samples_.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
               VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    begin_part(commands, false, true);
    clusters_->draw(commands, 1);
  }
  draw_sky(commands);
  draw_all(true);
  vkCmdEndRendering(commands);
  transition(commands, color_.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
             VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
}

void Frame::begin_part(VkCommandBuffer commands, bool is_first, bool is_last) const {
  const bool has_samples = device_.sample_count() != VK_SAMPLE_COUNT_1_BIT;
  const VkAttachmentLoadOp load = is_first ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
  VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  color.imageView = has_samples ? samples_.view : color_.view;
  color.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  color.loadOp = load;
  color.storeOp = has_samples && is_last ? VK_ATTACHMENT_STORE_OP_DONT_CARE : VK_ATTACHMENT_STORE_OP_STORE;
  if (has_samples && is_last) {
    color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
    color.resolveImageView = color_.view;
    color.resolveImageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  }
  VkRenderingAttachmentInfo depth{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  depth.imageView = depth_.view;
  depth.imageLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL;
  depth.loadOp = load;
  depth.storeOp = is_last ? VK_ATTACHMENT_STORE_OP_DONT_CARE : VK_ATTACHMENT_STORE_OP_STORE;
  depth.clearValue.depthStencil = {0, 0};
  VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
  rendering.renderArea.extent = extent_;
  rendering.layerCount = 1;
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachments = &color;
  rendering.pDepthAttachment = &depth;
  vkCmdBeginRendering(commands, &rendering);
  const VkViewport viewport{0, 0, static_cast<float>(extent_.width), static_cast<float>(extent_.height), 0, 1};
  vkCmdSetViewport(commands, 0, 1, &viewport);
  vkCmdSetScissor(commands, 0, 1, &rendering.renderArea);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines_.draw_layout(), 0, 1, &frame_set_, 0,
                          nullptr);
}

// Behind everything that has depth; blended draws follow.
void Frame::draw_sky(VkCommandBuffer commands) const {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines_.sky());
  vkCmdSetCullMode(commands, VK_CULL_MODE_NONE);
  vkCmdDraw(commands, 3, 1, 0, 0);
}

void Frame::draw_one(VkCommandBuffer commands, const Draw& draw, std::uint32_t first_command) const {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, draw.pipeline);
  vkCmdSetCullMode(commands, draw.is_double_sided ? VK_CULL_MODE_NONE : VK_CULL_MODE_BACK_BIT);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines_.draw_layout(), 1, 1, &draw.material, 0,
                          nullptr);
  vkCmdPushConstants(commands, pipelines_.draw_layout(), VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                     sizeof(draw.constants), &draw.constants);
  const GpuMesh& mesh = *draw.mesh;
  std::vector<VkBuffer> buffers;
  for (const Buffer& buffer : mesh.vertices[draw.vertices]) buffers.push_back(buffer.buffer);
  const std::vector<VkDeviceSize> starts(buffers.size());
  vkCmdBindVertexBuffers(commands, 0, static_cast<std::uint32_t>(buffers.size()), buffers.data(), starts.data());
  const bool has_meshlets = draw.meshlets != VK_NULL_HANDLE;
  const GpuIndices& indices = has_meshlets ? mesh.meshlet_indices : mesh.indices[draw.indices];
  vkCmdBindIndexBuffer(commands, indices.buffer.buffer, 0, indices.type);
  if (!has_meshlets) {
    vkCmdDrawIndexed(commands, draw.index_count, 1, draw.first_index, draw.base_vertex, 0);
    return;
  }
  constexpr std::uint32_t kStride = sizeof(VkDrawIndexedIndirectCommand);
  const std::uint32_t at_once = device_.features().multiDrawIndirect == VK_TRUE ? draw.cull.meshlet_count : 1;
  for (std::uint32_t i = 0; i < draw.cull.meshlet_count; i += at_once)
    vkCmdDrawIndexedIndirect(commands, commands_.buffer, VkDeviceSize{first_command + i} * kStride, at_once, kStride);
}

}  // namespace example
