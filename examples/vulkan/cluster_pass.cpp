#include "cluster_pass.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>

namespace example {

using namespace assetc;

namespace {

constexpr std::uint32_t kSelectGroup = 64, kPyramidGroup = 8;
constexpr std::uint32_t kDrawnFirst = 1, kDrawnAfter = 2, kOccluded = 3;

// The layout of assets/shaders/include/clusters.glsl.
struct ViewConstants {
  Matrix to_clip;
  std::array<Vec4, 5> planes;
  Vec3 eye;
  float near;
  float inverse_limit;
  std::uint32_t culls_cones, part_count, first_part, first_visible;
  std::array<std::uint32_t, 3> pad{};
};
static_assert(sizeof(ViewConstants) == 192);

struct SelectConstants {
  std::uint32_t instance, pass, has_occlusion, first_command;
  std::uint32_t width, height, level_count;
};
struct LevelConstants {
  std::uint32_t width, height, from_width, from_height, first, from, sample_count;
};

std::uint32_t groups_for(std::uint32_t count, std::uint32_t size) { return (count + size - 1) / size; }

void wait_for(VkCommandBuffer commands, VkPipelineStageFlags2 stages, VkAccessFlags2 access) {
  VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
  barrier.srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  barrier.srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  barrier.dstStageMask = stages;
  barrier.dstAccessMask = access;
  VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  info.memoryBarrierCount = 1;
  info.pMemoryBarriers = &barrier;
  vkCmdPipelineBarrier2(commands, &info);
}

}  // namespace

ClusterPass::ClusterPass(const Device& device, const Pipelines& pipelines, const Clusters& clusters,
                         const std::vector<ClusterInstance>& instances, const Camera& camera, const Image& depths,
                         const Options& options, VisibleClusters& visible)
    : device_(device),
      pipelines_(pipelines),
      clusters_(clusters),
      instances_(instances),
      depths_(depths.image),
      extent_{options.width, options.height},
      has_occlusion_(options.has_occlusion && options.culls),
      last_visible_(visible) {
  if (is_empty()) return;
  make_buffers(camera, options);
  make_sets(depths);
}

ClusterPass::~ClusterPass() {
  vkDestroySampler(device_.get(), sampler_, nullptr);
  vkDestroyDescriptorPool(device_.get(), pool_, nullptr);
  for (const Buffer& buffer : {views_, commands_, states_, visible_, pyramid_}) device_.destroy(buffer);
}

void ClusterPass::make_buffers(const Camera& camera, const Options& options) {
  std::vector<ViewConstants> views;
  const std::uint32_t slots = clusters_.pool().slot_count();
  for (const ClusterInstance& instance : instances_) {
    ViewConstants view{.to_clip = camera.view_projection * instance.model,
                       .planes = {},
                       .eye = instance.view.eye,
                       .near = instance.view.near_distance,
                       .inverse_limit = 1 / instance.view.limit,
                       .culls_cones = instance.view.culls_facing_away ? 1u : 0u,
                       .part_count = clusters_.on_device(instance.mesh).part_count(),
                       .first_part = part_count_,
                       .first_visible = static_cast<std::uint32_t>(views.size()) * slots};
    view.planes.fill({0, 0, 0, 1});  // everything is inside
    std::ranges::copy(instance.planes, view.planes.begin());
    first_parts_.push_back(part_count_);
    part_count_ += view.part_count;
    views.push_back(view);
  }
  for (std::uint32_t w = options.width, h = options.height;; w = (w + 1) / 2, h = (h + 1) / 2) {
    pyramid_texels_ += w * h;
    ++level_count_;
    if (w == 1 && h == 1) break;
  }
  // Other instances than in the last picture: nothing is known of them.
  if (last_visible_.size() != views.size() * slots) last_visible_.assign(views.size() * slots, 0);
  constexpr VkBufferUsageFlags kStorage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  views_ = device_.make_buffer(std::as_bytes(std::span(views)), kStorage);
  commands_ = device_.make_buffer(std::max(2 * part_count_, 1u) * sizeof(VkDrawIndexedIndirectCommand),
                                  kStorage | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  states_ = device_.make_buffer(std::max(part_count_, 1u) * sizeof(std::uint32_t), kStorage);
  visible_ = device_.make_buffer(std::as_bytes(std::span(last_visible_)), kStorage);
  pyramid_ = device_.make_buffer(pyramid_texels_ * sizeof(float), kStorage);
}

void ClusterPass::make_sets(const Image& depths) {
  VkSamplerCreateInfo nearest{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  check(vkCreateSampler(device_.get(), &nearest, nullptr, &sampler_), "vkCreateSampler");
  const auto count = static_cast<std::uint32_t>(instances_.size());
  const std::array sizes{VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1},
                         VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 6 + 3 * count}};
  VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool.maxSets = 2 + count;
  pool.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
  pool.pPoolSizes = sizes.data();
  check(vkCreateDescriptorPool(device_.get(), &pool, nullptr, &pool_), "vkCreateDescriptorPool");
  const auto make = [&](VkDescriptorSetLayout layout) {
    VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    info.descriptorPool = pool_;
    info.descriptorSetCount = 1;
    info.pSetLayouts = &layout;
    VkDescriptorSet set = VK_NULL_HANDLE;
    check(vkAllocateDescriptorSets(device_.get(), &info, &set), "vkAllocateDescriptorSets");
    return set;
  };
  const auto write = [&](VkDescriptorSet set, std::uint32_t binding, const Buffer& buffer) {
    const VkDescriptorBufferInfo whole{buffer.buffer, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet info{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    info.dstSet = set;
    info.dstBinding = binding;
    info.descriptorCount = 1;
    info.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    info.pBufferInfo = &whole;
    vkUpdateDescriptorSets(device_.get(), 1, &info, 0, nullptr);
  };
  pass_set_ = make(pipelines_.cluster_pass_set());
  const std::array buffers{views_, commands_, states_, visible_, pyramid_};
  for (std::uint32_t i = 0; i < buffers.size(); ++i) write(pass_set_, i, buffers[i]);
  for (const ClusterInstance& instance : instances_) {
    const GpuClusters& mesh = clusters_.on_device(instance.mesh);
    const VkDescriptorSet set = mesh_sets_.emplace_back(make(pipelines_.cluster_mesh_set()));
    write(set, 0, mesh.groups);
    write(set, 1, mesh.usable);
    write(set, 2, mesh.parts);
  }
  pyramid_set_ = make(pipelines_.pyramid_set());
  write(pyramid_set_, 1, pyramid_);
  const VkDescriptorImageInfo image{sampler_, depths.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
  VkWriteDescriptorSet info{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  info.dstSet = pyramid_set_;
  info.descriptorCount = 1;
  info.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  info.pImageInfo = &image;
  vkUpdateDescriptorSets(device_.get(), 1, &info, 0, nullptr);
}

void ClusterPass::build_pyramid(VkCommandBuffer commands) const {
  transition(commands, depths_, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
             VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines_.pyramid());
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines_.pyramid_layout(), 0, 1, &pyramid_set_, 0,
                          nullptr);
  LevelConstants level{.width = extent_.width,
                       .height = extent_.height,
                       .from_width = 0,
                       .from_height = 0,
                       .first = 0,
                       .from = 0,
                       .sample_count = static_cast<std::uint32_t>(device_.sample_count())};
  for (std::uint32_t i = 0; i < level_count_; ++i) {
    vkCmdPushConstants(commands, pipelines_.pyramid_layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(level), &level);
    vkCmdDispatch(commands, groups_for(level.width, kPyramidGroup), groups_for(level.height, kPyramidGroup), 1);
    wait_for(commands, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT);
    level = {.width = (level.width + 1) / 2,
             .height = (level.height + 1) / 2,
             .from_width = level.width,
             .from_height = level.height,
             .first = level.first + level.width * level.height,
             .from = level.first,
             .sample_count = 0};
  }
  transition(commands, depths_, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
             VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);
}

void ClusterPass::select(VkCommandBuffer commands, std::uint32_t pass) const {
  if (pass == 1) {
    if (!has_occlusion_) return;
    build_pyramid(commands);
  }
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines_.select());
  for (std::uint32_t i = 0; i < instances_.size(); ++i) {
    const std::array sets{mesh_sets_[i], pass_set_};
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines_.select_layout(), 0, 2, sets.data(), 0,
                            nullptr);
    const SelectConstants constants{.instance = i,
                                    .pass = pass,
                                    .has_occlusion = has_occlusion_ ? 1u : 0u,
                                    .first_command = pass * part_count_,
                                    .width = extent_.width,
                                    .height = extent_.height,
                                    .level_count = level_count_};
    vkCmdPushConstants(commands, pipelines_.select_layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(constants),
                       &constants);
    vkCmdDispatch(commands, groups_for(clusters_.on_device(instances_[i].mesh).part_count(), kSelectGroup), 1, 1);
  }
  wait_for(commands, VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
           VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT |
               VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
}

void ClusterPass::draw(VkCommandBuffer commands, std::uint32_t pass) const {
  if (is_empty() || (pass == 1 && !has_occlusion_)) return;
  const VkBuffer vertices = clusters_.pool().vertices();
  const VkDeviceSize start = 0;
  vkCmdBindVertexBuffers(commands, 0, 1, &vertices, &start);
  vkCmdBindIndexBuffer(commands, clusters_.pool().indices(), 0, VK_INDEX_TYPE_UINT16);
  constexpr std::uint32_t kStride = sizeof(VkDrawIndexedIndirectCommand);
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    const ClusterInstance& instance = instances_[i];
    for (const GpuClusters::Material& material : clusters_.on_device(instance.mesh).materials) {
      const Draw& draw = instance.draws[std::min<std::size_t>(material.number, instance.draws.size() - 1)];
      vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, draw.pipeline);
      vkCmdSetCullMode(commands, draw.is_double_sided ? VK_CULL_MODE_NONE : VK_CULL_MODE_BACK_BIT);
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines_.draw_layout(), 1, 1, &draw.material,
                              0, nullptr);
      vkCmdPushConstants(commands, pipelines_.draw_layout(), VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
                         0, sizeof(draw.constants), &draw.constants);
      const std::uint32_t first = pass * part_count_ + first_parts_[i] + material.first_part;
      const std::uint32_t at_once = device_.features().multiDrawIndirect == VK_TRUE ? material.part_count : 1;
      for (std::uint32_t c = 0; c < material.part_count; c += at_once)
        vkCmdDrawIndexedIndirect(commands, commands_.buffer, VkDeviceSize{first + c} * kStride, at_once, kStride);
    }
  }
}

void ClusterPass::read_visible() {
  if (!is_empty() && has_occlusion_) std::memcpy(last_visible_.data(), visible_.mapped, last_visible_.size() * 4);
}

ClusterCounts ClusterPass::counts() const {
  ClusterCounts out;
  const auto* const states = reinterpret_cast<const std::uint32_t*>(states_.mapped);
  runtime::ClusterSelection reference;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    const ClusterInstance& instance = instances_[i];
    const std::vector<ClusterPart>& parts = clusters_.on_device(instance.mesh).on_host;
    std::set<std::pair<std::uint32_t, std::uint32_t>> unlike;  // group and cluster of those on one side only
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const std::uint32_t state = states[first_parts_[i] + p];
      if (state == 0 || parts[p].first_triangle != 0) continue;
      ++out.selected;
      out.drawn_first += state == kDrawnFirst ? 1 : 0;
      out.drawn_after += state == kDrawnAfter ? 1 : 0;
      out.occluded += state == kOccluded ? 1 : 0;
      unlike.emplace(parts[p].group, parts[p].cluster);
    }
    runtime::ClusterView view = instance.view;
    view.planes = instance.planes;
    runtime::select_clusters(clusters_.pages(instance.mesh), view, reference);
    for (const runtime::SelectedCluster& c : reference.clusters) {
      if (unlike.erase({c.group, c.cluster}) == 0) ++out.unlike_reference;
    }
    out.unlike_reference += unlike.size();
  }
  return out;
}

}  // namespace example
