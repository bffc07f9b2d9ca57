#include "scene.hpp"

#include <algorithm>
#include <array>
#include <assetc/runtime/animation.hpp>
#include <assetc/runtime/scene.hpp>
#include <cmath>
#include <iterator>
#include <numbers>

namespace example {

using namespace assetc;

namespace {

constexpr std::uint32_t kMaxSets = 4096;
constexpr float kRadians = std::numbers::pi_v<float> / 180;
// A model that covers at least this part of the picture's height has full detail; each level begins at half the height.
constexpr float kFullDetailHeight = 0.25f;
// A texture may cover a model several times.
constexpr float kTexelsPerTexel = 2;
// The priority of the light: above all models.
constexpr float kLightTexels = 1u << 20;

Matrix matrix_of(const ModelOptions& o) {
  const float half = o.yaw_degrees * kRadians / 2;
  return runtime::to_matrix({o.at, {0, std::sin(half), 0, std::cos(half)}, {o.scale, o.scale, o.scale}});
}

}  // namespace

struct Scene::Instance {
  const ModelOptions* options;
  runtime::AssetRef<runtime::MeshData> mesh;
  std::optional<runtime::ClusterMesh> clusters;  // instead of a mesh
  runtime::MeshLayout layout;
  std::vector<runtime::AssetRef<runtime::MaterialData>> materials;  // for surface_of()
  Matrix model;
  Vec3 center{};  // of the instance's bounds, in world space
  float radius = 0;
  bool is_skinned = false;
  std::uint32_t first_joint = 0;
  const hscene::View* scene = nullptr;  // for surface_of()
};

std::array<float, 4> Scene::sphere_around(const std::vector<Instance>& instances) {
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
  return {center[0], center[1], center[2], radius};
}

Scene::Scene(const Device& device, Stream& stream, const Textures& textures, const Meshes& meshes, Clusters& clusters,
             Pipelines& pipelines, const Options& options)
    : device_(device),
      stream_(stream),
      picture_height_texels_(static_cast<float>(options.height)),
      textures_(textures),
      meshes_(meshes),
      clusters_(clusters),
      pipelines_(pipelines),
      aspect_(static_cast<float>(options.width) / static_cast<float>(options.height)) {
  const std::array sizes{VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kMaxSets * kMaterialTextures},
                         VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kMaxSets * 2}};
  VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  info.maxSets = kMaxSets;
  info.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
  info.pPoolSizes = sizes.data();
  check(vkCreateDescriptorPool(device_.get(), &info, nullptr, &pool_), "vkCreateDescriptorPool");

  const auto light = [&](const char* end) {
    const auto ref = load<runtime::TextureData>(options.light + end);
    wanted_.push_back({ref, kLightTexels, 0});
    return ref;
  };
  const auto specular = light(".specular.ktx2");
  light_ = {textures_.view(specular.gpu().object), textures_.view(light(".irradiance.ktx2").gpu().object),
            textures_.view(light(".ktx2").gpu().object), static_cast<float>(specular.get()->levels.size() - 1)};

  std::vector<Instance> instances;
  for (const ModelOptions& model : options.models) {
    const auto asset = stream_.manager().catalog().find_by_path(model.path);
    if (asset && asset->type == runtime::AssetType::kModel) {
      add_scene(model, options.camera, instances);
    } else {
      instances.push_back(make_instance(model));
    }
  }
  if (instances.empty()) die("nothing to draw");
  for (Instance& instance : instances) {
    if (!options.has_materials) instance.materials.clear();
  }
  const auto [x, y, z, radius] = options.frame.value_or(sphere_around(instances));
  camera_ = frame_sphere({x, y, z}, 1.05f * radius, options.zoom, options.yaw_degrees * kRadians,
                         options.pitch_degrees * kRadians, aspect_);
  if (!options.camera.empty() && !scene_camera_) die("no scene has a camera " + options.camera);
  if (scene_camera_) camera_ = *scene_camera_;
  for (const Instance& instance : instances) {
    if (instance.clusters) {
      add_clusters(instance, options);
    } else {
      add_draws(instance, options);
    }
  }
  std::ranges::stable_sort(draws_, [](const Draw& a, const Draw& b) {
    if (a.is_blended != b.is_blended) return b.is_blended;
    return a.is_blended && a.distance > b.distance;
  });
  if (joints_.empty()) joints_.push_back(runtime::to_matrix({}));
}

Scene::~Scene() { vkDestroyDescriptorPool(device_.get(), pool_, nullptr); }

template <class T>
runtime::AssetRef<T> Scene::load(const runtime::AssetHandle& asset) {
  runtime::AssetRef<T> ref = stream_.load<T>(asset);
  held_.push_back(ref);
  return ref;
}

template <class T>
runtime::AssetRef<T> Scene::load(const std::string& path) {
  const auto asset = stream_.manager().catalog().find_by_path(path);
  if (!asset) die(path + " is in no mount");
  auto ref = load<T>(*asset);
  if (const runtime::Failure* failure = ref.failure()) die(failure->to_string());
  return ref;
}

void Scene::add_light(const hscene::Light& light, const Matrix& world) {
  if (lights_.size() == kMaxLights) return;
  PunctualLight out;
  out.position = {world[12], world[13], world[14]};
  const Vec3 forward{-world[8], -world[9], -world[10]};
  out.direction = forward * (1 / std::max(length(forward), 1e-9f));
  out.type = static_cast<std::uint32_t>(light.type);
  out.range = light.range;
  out.color = Vec3{light.color[0], light.color[1], light.color[2]} * light.intensity;
  if (light.type == hscene::LightType::kSpot) {
    const float outer = std::cos(light.outer_cone_radians);
    out.cone_scale = 1 / std::max(0.001f, std::cos(light.inner_cone_radians) - outer);
    out.cone_offset = -outer * out.cone_scale;
  }
  lights_.push_back(out);
}

void Scene::add_scene(const ModelOptions& options, const std::string& camera, std::vector<Instance>& instances) {
  const auto ref = load<runtime::SceneData>(options.path);
  const runtime::SceneData& scene = *ref.get();
  const hscene::View& view = scene.view;
  const Matrix place = matrix_of(options);
  std::vector<runtime::Transform> pose(view.nodes().size());
  runtime::rest_pose(view, pose);
  std::vector<Matrix> world(view.nodes().size());
  runtime::world_matrices(view, pose, world);
  runtime::for_each_visible(view, [&](std::uint32_t n, const hscene::Node& node) {
    const Matrix at = place * world[n];
    if (node.light != hscene::kNone) add_light(view.lights()[node.light], at);
    if (node.camera != hscene::kNone && !camera.empty() &&
        (view.node_name(n) == camera || view.text(view.cameras()[node.camera].name) == camera))
      scene_camera_ = look_through(view.cameras()[node.camera], at, aspect_);
    if (node.mesh == hscene::kNone || !scene.meshes[node.mesh]) return;
    Instance out{.options = &options, .mesh = {}, .clusters = {}, .layout = {}, .materials = {}, .model = at};
    const runtime::AssetHandle& asset = scene.meshes[node.mesh];
    if (asset.type == runtime::AssetType::kClusters) {
      load_clusters(asset, out);
    } else {
      out.mesh = load<runtime::MeshData>(asset);
      if (out.mesh.get() == nullptr) return;  // on_failure has reported it
      out.layout = runtime::layout_of(*out.mesh.get());
    }
    // In a tree, slots are rows of the table of the scene. A cooked mesh names its materials.
    const auto& own = out.clusters ? clusters_.data(*out.clusters).materials : out.mesh.get()->materials;
    if (own.empty() && !scene.materials.empty()) {
      out.materials.push_back(load<runtime::MaterialData>(scene.materials[0]));
      out.scene = &view;
    } else {
      for (const runtime::AssetHandle& material : own) out.materials.push_back(load<runtime::MaterialData>(material));
    }
    const hmesh::MeshBounds* bounds = out.clusters ? &clusters_.data(*out.clusters).view.bounds() : &out.layout.bounds;
    if (node.skin != hscene::kNone && !out.clusters) {
      // Joints place a skinned mesh in the scene. The transform of its node has no effect.
      const hscene::Skin& skin = view.skins()[node.skin];
      out.model = place;
      out.is_skinned = true;
      out.first_joint = static_cast<std::uint32_t>(joints_.size());
      joints_.resize(joints_.size() + std::max(skin.joint_count, runtime::joint_count_of(out.layout)));
      runtime::skinning_matrices(view, skin, world, std::span(joints_).subspan(out.first_joint));
      if (!out.layout.pose_bounds.empty()) bounds = &out.layout.pose_bounds[0];
    }
    const auto& c = bounds->sphere_center;
    out.center = transform_point(out.model, {c[0], c[1], c[2]});
    float scale = 0;
    for (const std::size_t column : {0u, 4u, 8u})
      scale = std::max(scale, length({out.model[column], out.model[column + 1], out.model[column + 2]}));
    out.radius = bounds->sphere_radius * scale;
    instances.push_back(std::move(out));
  });
}

Scene::Instance Scene::make_instance(const ModelOptions& options) {
  Instance out{
      .options = &options, .mesh = {}, .clusters = {}, .layout = {}, .materials = {}, .model = matrix_of(options)};
  const hmesh::MeshBounds* bounds = &out.layout.bounds;
  const auto asset = stream_.manager().catalog().find_by_path(options.path);
  if (asset && asset->type == runtime::AssetType::kClusters) {
    load_clusters(*asset, out);
    bounds = &clusters_.data(*out.clusters).view.bounds();
  } else {
    out.mesh = load<runtime::MeshData>(options.path);
    out.layout = runtime::layout_of(*out.mesh.get());
  }
  for (const runtime::AssetHandle& material :
       out.clusters ? clusters_.data(*out.clusters).materials : out.mesh.get()->materials)
    out.materials.push_back(load<runtime::MaterialData>(material));
  if (const std::size_t posed = options.clip ? *options.clip + 1 : 0; posed < out.layout.pose_bounds.size())
    bounds = &out.layout.pose_bounds[posed];
  const auto& c = bounds->sphere_center;
  out.center = transform_point(out.model, {c[0], c[1], c[2]});
  out.radius = bounds->sphere_radius * options.scale;
  if (!out.clusters) pose(options, out);
  return out;
}

// Computes the skinning matrices of a mesh with a skeleton. Without a clip the mesh is in its rest pose.
void Scene::pose(const ModelOptions& options, Instance& instance) {
  std::span<const hmesh::GpuJoint> joints = instance.layout.joints;
  std::span<const std::uint32_t> nodes;  // of the joints; empty if clips move the joints directly
  if (const aas1::MeshView* cooked = instance.mesh.get()->aas1(); cooked != nullptr && !cooked->skeleton().is_nil()) {
    const auto asset = stream_.manager().catalog().find(cooked->skeleton());
    if (!asset) die("the skeleton of " + options.path + " is in no mount");
    const auto loaded = load<runtime::SkeletonData>(*asset);
    if (const runtime::Failure* failure = loaded.failure()) die(failure->to_string());
    joints = loaded.get()->view.joints();
    if (!options.animation.empty()) nodes = loaded.get()->view.nodes();
  }
  if (joints.empty()) return;
  if (!options.animation.empty() && nodes.empty()) die(options.path + " has no joints that are nodes: use --clip");
  std::optional<runtime::Hierarchy> hierarchy;
  std::optional<hanim::ClipView> clip;
  std::optional<hanim::CompressedClip> compressed;
  if (options.clip) {
    const auto animation = load<runtime::AnimationData>(options.path.substr(0, options.path.rfind('.')) + ".hanim");
    const std::span<const hanim::ClipView> clips = animation.get()->clips.clips();
    const std::span<const hanim::CompressedClip> others = animation.get()->compressed.clips();
    const std::size_t count = std::max(clips.size(), others.size());
    if (*options.clip >= count) die(options.path + " has " + std::to_string(count) + " clips");
    if (clips.empty()) {
      compressed = others[*options.clip];
    } else {
      clip = clips[*options.clip];
    }
  } else if (!options.animation.empty()) {
    const runtime::AnimationData& animation = *load<runtime::AnimationData>(options.animation).get();
    const bool is_empty = animation.clips.clips().empty() && animation.compressed.clips().empty();
    if (animation.model.uuid.is_nil() || is_empty) die(options.animation + " moves no nodes of a model");
    const auto model = load<runtime::SceneData>(animation.model);
    if (const runtime::Failure* failure = model.failure()) die(failure->to_string());
    hierarchy.emplace(model.get()->model()->nodes());
    if (animation.clips.clips().empty()) {
      compressed = animation.compressed.clips()[0];
    } else {
      clip = animation.clips.clips()[0];
    }
  }
  if (!hierarchy) hierarchy.emplace(joints);
  if (std::ranges::any_of(nodes, [&](std::uint32_t node) { return node >= hierarchy->size(); }))
    die(options.animation + " is of another model than " + options.path);
  std::vector<runtime::Transform> pose(hierarchy->rest().begin(), hierarchy->rest().end());
  if (clip) {
    const float time = runtime::time_in_clip(options.time_seconds, clip->duration_seconds, runtime::Playback::kLoop);
    runtime::sample(*clip, time, {}, pose);
  }
  if (compressed) {
    const float duration = compressed->duration_seconds();
    runtime::sample(*compressed, runtime::time_in_clip(options.time_seconds, duration, runtime::Playback::kLoop), pose);
  }
  std::vector<Matrix> model(hierarchy->size());
  hierarchy->model_matrices(pose, model);
  instance.is_skinned = true;
  instance.first_joint = static_cast<std::uint32_t>(joints_.size());
  joints_.resize(joints_.size() + joints.size());
  runtime::skinning_matrices(joints, nodes, model, std::span(joints_).subspan(instance.first_joint));
}

// Returns the height of an instance in the picture, as a part of the picture's height.
float Scene::height_of(const Instance& instance) const {
  const float distance = std::max(length(instance.center - camera_.eye), instance.radius);
  return instance.radius / (distance * length(camera_.up));
}

// Returns the level of the command line. Otherwise chooses by the size in the picture; a large model has full detail.
std::uint32_t Scene::level_of(const Instance& instance) const {
  const float level = std::floor(std::log2(kFullDetailHeight / height_of(instance))) + 1;
  return instance.options->lod.value_or(level > 0 ? static_cast<std::uint32_t>(level) : 0u);
}

// A texture or a mesh may be on several instances: the largest counts.
void Scene::want_detail() const {
  for (const Wanted& one : wanted_) {
    Wanted most = one;
    for (const Wanted& other : wanted_) {
      if (other.ref.handle() != one.ref.handle()) continue;
      most.height_texels = std::max(most.height_texels, other.height_texels);
      most.level = std::min(most.level, other.level);
    }
    stream_.manager().set_priority(one.ref, static_cast<int>(most.height_texels));
    one.ref.want(most.level);
  }
}

void Scene::add_draws(const Instance& instance, const Options& options) {
  const runtime::MeshLayout& layout = instance.layout;
  const GpuMesh& mesh = meshes_.mesh(instance.mesh.gpu().object);
  const runtime::MeshData& loaded = *instance.mesh.get();
  const std::uint32_t wanted_level = level_of(instance);
  wanted_.push_back({instance.mesh, height_of(instance) * picture_height_texels_, wanted_level});
  // A mesh in parts has the levels from `lod` on: all of them, or this one alone.
  const std::size_t level =
      std::min<std::size_t>(wanted_level - std::min(wanted_level, loaded.lod), layout.levels.size() - 1);
  const VkDescriptorSet meshlets = layout.meshlets.empty() ? VK_NULL_HANDLE : meshlet_set(mesh);
  CullConstants cull;
  for (std::size_t i = 0; i < cull.planes.size(); ++i) cull.planes[i] = plane_before(instance.model, camera_.planes[i]);
  cull.eye = point_before(instance.model, camera_.eye);
  if (!options.culls) cull.planes.fill({0, 0, 0, 1});  // everything is inside

  // Points and lines are drawn at every level, without lighting.
  std::vector<runtime::MeshDraw> all = layout.levels[level].draws;
  all.insert(all.end(), layout.primitives.begin(), layout.primitives.end());
  for (const runtime::MeshDraw& from : all) {
    const Surface surface =
        surface_of(instance.materials, from.material_slot, stream_.manager().catalog(), instance.scene);
    const VertexInput input = vertex_input(layout.vertices[from.vertices], surface.texcoord_sets);
    Draw draw;
    draw.mesh = &mesh;
    draw.material = material_set(surface, instance);
    draw.constants = surface.constants;
    if (layout.has_tangents && surface.textures[kNormalTexture]) draw.constants.flags |= kHasTangents;
    const bool is_triangles = from.topology == hmesh::Topology::kTriangles;
    if (!is_triangles) draw.constants.flags |= kUnlit;
    draw.constants.model = instance.model;
    draw.constants.first_joint = instance.first_joint;
    draw.constants.first_transform = static_cast<std::uint32_t>(transforms_.size());
    std::ranges::copy(surface.texcoord_transforms, std::back_inserter(transforms_));
    draw.is_skinned = instance.is_skinned && input.has_joints;
    draw.is_blended = surface.is_blended;
    draw.is_double_sided = surface.is_double_sided;
    draw.pipeline = pipelines_.mesh(input, from.topology, draw.is_skinned, draw.is_blended);
    const auto& c = from.bounds.sphere_center;
    draw.distance = length(transform_point(instance.model, {c[0], c[1], c[2]}) - camera_.eye);
    draw.vertices = from.vertices;
    draw.indices = from.indices;
    draw.first_index = from.first_index;
    draw.index_count = from.index_count;
    draw.base_vertex = from.base_vertex;
    // If simplification stalled, a level reuses index ranges of the level before it.
    const auto is_same_range = [&](const runtime::MeshDraw& full) {
      return full.indices == from.indices && full.first_index == from.first_index;
    };
    draw.is_lod = is_triangles && (loaded.lod > 0 || std::ranges::none_of(layout.levels[0].draws, is_same_range));
    // Skinning moves vertices out of the bounds of their meshlets, so skinned meshes are not culled.
    if (loaded.lod + level == 0 && !draw.is_skinned && from.meshlet_count > 0) {
      draw.meshlets = meshlets;
      draw.cull = cull;
      draw.cull.has_cones = options.culls && !draw.is_double_sided ? 1 : 0;
      draw.cull.first_meshlet = from.first_meshlet;
      draw.cull.meshlet_count = from.meshlet_count;
    }
    draws_.push_back(draw);
  }
}

void Scene::load_clusters(const runtime::AssetHandle& asset, Instance& instance) {
  instance.clusters = clusters_.load(asset);
}

// The device selects the clusters, so there is a draw for each material only. Blended materials are drawn as opaque
// ones.
void Scene::add_clusters(const Instance& instance, const Options& options) {
  const hcluster::View& mesh = clusters_.data(*instance.clusters).view;
  ClusterInstance out{.mesh = *instance.clusters, .model = instance.model, .view = {}, .planes = {}, .draws = {}};
  const float scale = length({instance.model[0], instance.model[1], instance.model[2]});
  out.view.eye = point_before(instance.model, camera_.eye);
  out.view.near_distance = camera_.near / scale;
  // up is as long as half of the picture is high at distance 1.
  out.view.limit = 2 * options.error_texels * length(camera_.up) / picture_height_texels_;
  if (options.culls) {
    for (const Vec4& plane : camera_.planes) out.planes.push_back(plane_before(instance.model, plane));
  }
  out.view.culls_facing_away = options.culls;
  for (std::size_t slot = 0; slot <= mesh.materials().size(); ++slot) {
    const Surface surface =
        surface_of(instance.materials, static_cast<std::uint32_t>(slot), stream_.manager().catalog(), instance.scene);
    Draw& draw = out.draws.emplace_back();
    draw.material = material_set(surface, instance);
    draw.constants = surface.constants;
    if (mesh.find(hcluster::Semantic::kTangent) != nullptr && surface.textures[kNormalTexture])
      draw.constants.flags |= kHasTangents;
    draw.constants.model = instance.model;
    draw.constants.first_transform = static_cast<std::uint32_t>(transforms_.size());
    std::ranges::copy(surface.texcoord_transforms, std::back_inserter(transforms_));
    draw.is_double_sided = surface.is_double_sided;
    draw.pipeline = pipelines_.mesh(cluster_vertex_input(), hmesh::Topology::kTriangles, false, false);
    if (draw.is_double_sided) out.view.culls_facing_away = false;
  }
  cluster_instances_.push_back(std::move(out));
}

// White if there is no texture; the checkerboard if it is missing or damaged.
VkImageView Scene::texture(const std::optional<runtime::AssetHandle>& asset, const Instance& instance) {
  if (!asset) return textures_.white();
  const auto ref = load<runtime::TextureData>(*asset);
  if (const runtime::TextureData* texture = ref.get()) {
    // The first level that has at most this many texels for each texel of the picture.
    const float height = height_of(instance) * picture_height_texels_;
    const float level = static_cast<float>(texture->level_count - 1) - std::log2(kTexelsPerTexel * height);
    wanted_.push_back({ref, height, level > 0 ? static_cast<std::uint32_t>(level) : 0u});
  }
  return textures_.view(ref.gpu().object);
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

VkDescriptorSet Scene::material_set(const Surface& surface, const Instance& instance) {
  const VkDescriptorSet set = new_set(pipelines_.material_set());
  std::array<VkDescriptorImageInfo, kMaterialTextures> images;
  std::array<VkWriteDescriptorSet, kMaterialTextures> writes;
  for (std::uint32_t i = 0; i < kMaterialTextures; ++i) {
    images[i] = {textures_.sampler(), texture(surface.textures[i], instance), VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
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
