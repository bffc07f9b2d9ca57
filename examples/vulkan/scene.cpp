#include "scene.hpp"

#include <algorithm>
#include <array>
#include <assetc/runtime/animation.hpp>
#include <cmath>
#include <numbers>

namespace example {

using namespace assetc;

namespace {

constexpr std::uint32_t kMaxSets = 4096;
constexpr float kRadians = std::numbers::pi_v<float> / 180;
// A model that is this share of the picture's height, or more, has its full detail; each level has half.
constexpr float kFullDetailShare = 0.25f;

Matrix matrix_of(const ModelOptions& o) {
  const float half = o.yaw_degrees * kRadians / 2;
  return runtime::to_matrix({o.at, {0, std::sin(half), 0, std::cos(half)}, {o.scale, o.scale, o.scale}});
}

// Materials that no .hmat says are glTF's default.
DrawConstants constants_of(const hmat::GpuMaterial& material, bool has_tangents) {
  DrawConstants out;
  std::ranges::copy(material.base_color_factor, out.base_color.begin());
  std::ranges::copy(material.emissive_factor, out.emissive.begin());
  out.metallic = material.metallic_factor;
  out.roughness = material.roughness_factor;
  out.normal_scale = material.normal_scale;
  out.occlusion_strength = material.occlusion_strength;
  out.alpha_cutoff = material.alpha_cutoff;
  out.flags = has_tangents && material.normal_texture != 0 ? kHasTangents : 0;
  if (material.is_unlit()) out.flags |= kUnlit;
  if (material.alpha_mode() == hmat::AlphaMode::kMask) out.flags |= kMask;
  if (material.alpha_mode() == hmat::AlphaMode::kOpaque) out.flags |= kOpaque;
  return out;
}

}  // namespace

struct Scene::Instance {
  const ModelOptions* options;
  runtime::AssetRef<runtime::MeshData> mesh;
  runtime::AssetRef<runtime::MaterialData> materials;  // may be empty
  Matrix model;
  Vec3 center{};  // of what is around it, in the world
  float radius = 0;
  std::uint32_t first_joint = 0;
  const hmesh::View& view() const { return *mesh.get()->hmesh(); }
};

Scene::Scene(const Device& device, runtime::Manager& manager, const Textures& textures, const Meshes& meshes,
             const Pipelines& pipelines, const Options& options)
    : device_(device), manager_(manager), textures_(textures), meshes_(meshes), pipelines_(pipelines) {
  const std::array sizes{VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kMaxSets * kMaterialTextures},
                         VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kMaxSets * 2}};
  VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  info.maxSets = kMaxSets;
  info.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
  info.pPoolSizes = sizes.data();
  check(vkCreateDescriptorPool(device_.get(), &info, nullptr, &pool_), "vkCreateDescriptorPool");

  const auto specular = load<runtime::TextureData>(options.light + ".specular.ktx2");
  light_ = {textures_.view(specular.gpu().object),
            textures_.view(load<runtime::TextureData>(options.light + ".irradiance.ktx2").gpu().object),
            textures_.view(load<runtime::TextureData>(options.light + ".ktx2").gpu().object),
            static_cast<float>(specular.get()->levels.size() - 1)};

  std::vector<Instance> instances;
  for (const ModelOptions& model : options.models) instances.push_back(make_instance(model));
  Vec3 low = instances[0].center, high = low;
  for (const Instance& i : instances) {
    for (std::size_t c = 0; c < 3; ++c) {
      low[c] = std::min(low[c], i.center[c] - i.radius);
      high[c] = std::max(high[c], i.center[c] + i.radius);
    }
  }
  const Vec3 center = (low + high) * 0.5f;
  float radius = 0;
  for (const Instance& i : instances) radius = std::max(radius, length(i.center - center) + i.radius);
  camera_ = frame_sphere(center, 1.05f * radius, options.zoom, options.yaw_degrees * kRadians,
                         options.pitch_degrees * kRadians,
                         static_cast<float>(options.width) / static_cast<float>(options.height));
  for (const Instance& instance : instances) add_draws(instance, options);
  std::ranges::stable_sort(draws_, [](const Draw& a, const Draw& b) {
    if (a.is_blended != b.is_blended) return b.is_blended;
    return a.is_blended && a.distance > b.distance;
  });
  if (joints_.empty()) joints_.push_back(runtime::to_matrix({}));
}

Scene::~Scene() { vkDestroyDescriptorPool(device_.get(), pool_, nullptr); }

template <class T>
runtime::AssetRef<T> Scene::load(const runtime::AssetHandle& asset) {
  runtime::AssetRef<T> ref = manager_.load<T>(asset);
  held_.push_back(ref);
  return ref;
}

template <class T>
runtime::AssetRef<T> Scene::load(const std::string& path) {
  const auto asset = manager_.catalog().find_by_path(path);
  if (!asset) die(path + " is in no mount");
  auto ref = load<T>(*asset);
  if (const runtime::Failure* failure = ref.failure()) die(failure->to_string());
  return ref;
}

Scene::Instance Scene::make_instance(const ModelOptions& options) {
  Instance out{&options, load<runtime::MeshData>(options.path), {}, matrix_of(options)};
  if (out.mesh.get()->hmesh() == nullptr) die(options.path + " is no .hmesh of version 2");
  const std::vector<runtime::AssetHandle>& materials = out.mesh.get()->materials;
  if (!materials.empty()) out.materials = load<runtime::MaterialData>(materials[0]);
  const hmesh::View& view = out.view();
  const hmesh::MeshBounds* bounds = &view.bounds();
  if (const std::size_t posed = options.clip ? *options.clip + 1 : 0; posed < view.pose_bounds().size())
    bounds = &view.pose_bounds()[posed];
  const auto& c = bounds->sphere_center;
  out.center = transform_point(out.model, {c[0], c[1], c[2]});
  out.radius = bounds->sphere_radius * options.scale;
  if (view.is_skinned()) pose(options, out);
  return out;
}

// The rest pose where there is no clip.
void Scene::pose(const ModelOptions& options, Instance& instance) {
  const hmesh::View& mesh = instance.view();
  const runtime::Hierarchy skeleton(mesh.joints());
  std::vector<runtime::Transform> pose(skeleton.rest().begin(), skeleton.rest().end());
  if (options.clip) {
    const auto animation = load<runtime::AnimationData>(options.path.substr(0, options.path.rfind('.')) + ".hanim");
    const std::span<const hanim::ClipView> clips = animation.get()->clips.clips();
    if (*options.clip >= clips.size()) die(options.path + " has " + std::to_string(clips.size()) + " clips");
    const hanim::ClipView& clip = clips[*options.clip];
    const float time = runtime::time_in_clip(options.time_seconds, clip.duration_seconds, runtime::Playback::kLoop);
    runtime::sample(clip, time, {}, pose);
  }
  std::vector<Matrix> model(skeleton.size());
  skeleton.model_matrices(pose, model);
  instance.first_joint = static_cast<std::uint32_t>(joints_.size());
  joints_.resize(joints_.size() + skeleton.size());
  runtime::skinning_matrices(mesh.joints(), {}, model, std::span(joints_).subspan(instance.first_joint));
}

void Scene::add_draws(const Instance& instance, const Options& options) {
  const hmesh::View& view = instance.view();
  const GpuMesh& mesh = meshes_.mesh(instance.mesh.gpu().object);
  const Vec3 to_center = instance.center - camera_.eye;
  const float share = instance.radius / (std::max(length(to_center), instance.radius) * length(camera_.up));
  const float level = std::floor(std::log2(kFullDetailShare / share)) + 1;
  const std::uint32_t lod =
      std::min(instance.options->lod.value_or(level > 0 ? static_cast<std::uint32_t>(level) : 0u), view.lod_count());
  const VkDescriptorSet meshlets = meshlet_set(mesh);
  CullConstants cull;
  for (std::size_t i = 0; i < cull.planes.size(); ++i) cull.planes[i] = plane_before(instance.model, camera_.planes[i]);
  cull.eye = point_before(instance.model, camera_.eye);
  if (!options.culls) cull.planes.fill({0, 0, 0, 1});  // everything is inside

  const runtime::MaterialData* materials = instance.materials.get();
  const hmat::View* table = materials == nullptr ? nullptr : materials->hmat();
  for (std::size_t s = 0; s < view.submeshes().size(); ++s) {
    const hmesh::SubMesh& submesh = view.submeshes()[s];
    hmat::GpuMaterial material;
    if (table != nullptr && submesh.material_slot < table->materials().size())
      material = table->materials()[submesh.material_slot];
    Draw draw;
    draw.mesh = &mesh;
    draw.material = material_set(material);
    draw.constants = constants_of(material, view.has_tangents());
    draw.constants.model = instance.model;
    draw.constants.first_joint = instance.first_joint;
    draw.is_skinned = view.is_skinned();
    draw.is_blended = material.alpha_mode() == hmat::AlphaMode::kBlend;
    draw.is_double_sided = material.is_double_sided();
    const auto& c = submesh.bounds.sphere_center;
    draw.distance = length(transform_point(instance.model, {c[0], c[1], c[2]}) - camera_.eye);
    draw.first_index = submesh.first_index;
    draw.index_count = submesh.index_count;
    for (std::uint32_t l = lod; l > 0 && !draw.is_lod; --l) {
      const hmesh::MeshLod& range = view.lod(s, l - 1);
      if (range.index_count == 0) continue;  // simplification stalled: the level above it
      draw.first_index = range.first_index;
      draw.index_count = range.index_count;
      draw.is_lod = true;
    }
    // A skeleton moves vertices out of the bounds of their meshlets.
    if (!draw.is_lod && !draw.is_skinned && submesh.meshlet_count > 0) {
      draw.meshlets = meshlets;
      draw.cull = cull;
      draw.cull.has_cones = options.culls && !draw.is_double_sided ? 1 : 0;
      draw.cull.first_meshlet = submesh.first_meshlet;
      draw.cull.meshlet_count = submesh.meshlet_count;
    }
    draws_.push_back(draw);
  }
}

// A texture that is missing or damaged is the checkerboard.
VkImageView Scene::texture(std::uint64_t hash) {
  if (hash == 0) return textures_.white();
  const auto asset = manager_.catalog().find(hash);
  if (!asset) return textures_.white();
  return textures_.view(load<runtime::TextureData>(*asset).gpu().object);
}

VkDescriptorSet Scene::new_set(VkDescriptorSetLayout layout) const {
  VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  info.descriptorPool = pool_;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  VkDescriptorSet out = VK_NULL_HANDLE;
  check(vkAllocateDescriptorSets(device_.get(), &info, &out), "vkAllocateDescriptorSets");
  return out;
}

VkDescriptorSet Scene::material_set(const hmat::GpuMaterial& material) {
  const VkDescriptorSet set = new_set(pipelines_.material_set());
  const std::array views{texture(material.base_color_texture), texture(material.metallic_roughness_texture),
                         texture(material.normal_texture), texture(material.occlusion_texture),
                         texture(material.emissive_texture)};
  static_assert(std::tuple_size_v<decltype(views)> == kMaterialTextures);
  std::array<VkDescriptorImageInfo, kMaterialTextures> images;
  std::array<VkWriteDescriptorSet, kMaterialTextures> writes;
  for (std::uint32_t i = 0; i < kMaterialTextures; ++i) {
    images[i] = {textures_.sampler(), views[i], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    writes[i] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    writes[i].dstSet = set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    writes[i].pImageInfo = &images[i];
  }
  vkUpdateDescriptorSets(device_.get(), kMaterialTextures, writes.data(), 0, nullptr);
  return set;
}

VkDescriptorSet Scene::meshlet_set(const GpuMesh& mesh) {
  const VkDescriptorSet set = new_set(pipelines_.meshlet_set());
  const std::array buffers{VkDescriptorBufferInfo{mesh.meshlets.buffer, 0, VK_WHOLE_SIZE},
                           VkDescriptorBufferInfo{mesh.bounds.buffer, 0, VK_WHOLE_SIZE}};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = set;
  write.descriptorCount = static_cast<std::uint32_t>(buffers.size());
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = buffers.data();
  vkUpdateDescriptorSets(device_.get(), 1, &write, 0, nullptr);
  return set;
}

}  // namespace example
