#include "recipes/scene/scene_value.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "recipes/container/containers.hpp"
#include "recipes/material/names.hpp"

namespace assetc::recipes {
namespace {

using mesh::Box;
using scene::Mat4;
using scene::Vec3;

std::array<float, 3> floats_of_vec(const Vec3& v) { return {v.x, v.y, v.z}; }

bool is_finite(const Box& b) {
  return std::ranges::all_of(std::array{b.low.x, b.low.y, b.low.z, b.high.x, b.high.y, b.high.z},
                             [](float v) { return std::isfinite(v); });
}

Box merged(const Box& a, const Box& b) {
  return {{std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
          {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)}};
}

void add(std::optional<Box>& to, const Box& box) {
  if (is_finite(box)) to = to ? merged(*to, box) : box;
}

// The box of a transformed box.
Box transformed(const Mat4& m, const Box& b) {
  std::optional<Box> out;
  for (unsigned corner = 0; corner < 8; ++corner) {
    const Vec3 p = transform_point(m, {(corner & 1) != 0 ? b.high.x : b.low.x, (corner & 2) != 0 ? b.high.y : b.low.y,
                                       (corner & 4) != 0 ? b.high.z : b.low.z});
    out = out ? merged(*out, {p, p}) : Box{p, p};
  }
  return *out;
}

class Describer {
 public:
  Describer(const scene::Scene& scene, const SceneFiles& files)
      : scene_(scene), files_(files), order_(scene_order(scene)), number_(scene_numbers(order_)) {}

  hscene::Model describe() && {
    out_.desc.name = out_.add_text(scene_.name);
    out_.desc.extra = out_.add_text(scene_.extra);
    out_.desc.asset_extra = out_.add_text(scene_.asset_extra);
    if (files_.has_uuids) out_.desc.flags |= hscene::SceneDesc::kUuids;
    add_nodes();
    add_boxes();
    add_meshes();
    add_skins();
    add_cameras();
    add_lights();
    add_materials();
    add_variants();
    add_clips();
    return std::move(out_);
  }

 private:
  void add_nodes() {
    for (std::uint32_t n = 0; n < order_.size(); ++n) {
      const scene::Node& from = scene_.nodes[order_[n]];
      hscene::Node& node = out_.nodes.emplace_back();
      const auto& [t, r, s] = from.transform;
      node.transform = {{t.x, t.y, t.z}, {r.x, r.y, r.z, r.w}, {s.x, s.y, s.z}};
      if (from.parent != scene::kNone) node.parent = static_cast<std::int32_t>(number_[from.parent]);
      node.end = n + 1;
      node.mesh = from.mesh;
      node.skin = from.mesh == scene::kNone ? scene::kNone : from.skin;
      node.camera = from.camera;
      node.light = from.light;
      node.name = out_.add_text(from.name);
      node.extra = out_.add_text(from.extra);
      node.first_weight = from.morph_weights.empty() ? 0 : static_cast<std::uint32_t>(out_.weights.size());
      node.weight_count = static_cast<std::uint32_t>(from.morph_weights.size());
      out_.weights.insert(out_.weights.end(), from.morph_weights.begin(), from.morph_weights.end());
      if (from.matrix && !is_transform(from)) {
        node.matrix = static_cast<std::uint32_t>(out_.matrices.size());
        out_.matrices.push_back(from.matrix->m);
      }
      if (!from.is_visible) node.flags |= hscene::Node::kHidden;
      node.source = order_[n];
    }
    for (std::size_t n = out_.nodes.size(); n-- > 0;) {
      const hscene::Node& node = out_.nodes[n];
      if (node.parent < 0) continue;
      std::uint32_t& end = out_.nodes[static_cast<std::size_t>(node.parent)].end;
      end = std::max(end, node.end);
    }
    for (std::uint32_t n = 0; n < scene_.nodes.size(); ++n) {
      for (const std::uint32_t level : scene_.nodes[n].lods) out_.nodes[number_[level]].detail_of = number_[n];
    }
  }

  // Whether the matrix of a node is a combination of translation, rotation and scale, within rounding.
  static bool is_transform(const scene::Node& node) {
    constexpr float kTolerance = 1e-6f;
    return std::ranges::equal(node.matrix->m, to_matrix(node.transform).m, [](float a, float b) {
      return std::fabs(a - b) <= kTolerance * std::max(1.0f, std::fabs(a));
    });
  }

  // Boxes from the leaves up. A skinned mesh is where its joints put it, so its box is moved into the node's space.
  void add_boxes() {
    std::vector<Mat4> world = world_matrices(scene_);
    std::vector<std::optional<Box>> boxes(out_.nodes.size());
    std::optional<Box> all;
    for (std::size_t n = out_.nodes.size(); n-- > 0;) {
      hscene::Node& node = out_.nodes[n];
      const scene::Node& from = scene_.nodes[order_[n]];
      if (from.mesh < files_.meshes.size() && !files_.meshes[from.mesh].file.is_none()) {
        const SceneMesh& mesh = files_.meshes[from.mesh];
        if (from.skin == scene::kNone || !mesh.pose_box) {
          add(boxes[n], mesh.box);
        } else if (const auto back = inverse_affine(world[order_[n]])) {
          add(boxes[n], transformed(*back, *mesh.pose_box));
        }
      }
      if (!boxes[n]) continue;
      node.flags |= hscene::Node::kHasBox;
      node.box = {floats_of_vec(boxes[n]->low), floats_of_vec(boxes[n]->high)};
      const Box outside = transformed(from.local_matrix(), *boxes[n]);
      add(node.parent < 0 ? all : boxes[static_cast<std::size_t>(node.parent)], outside);
    }
    if (!all) return;
    out_.desc.flags |= hscene::SceneDesc::kHasBox;
    out_.desc.box = {floats_of_vec(all->low), floats_of_vec(all->high)};
  }

  void add_meshes() {
    for (std::size_t m = 0; m < scene_.meshes.size(); ++m) {
      const scene::Mesh& from = scene_.meshes[m];
      hscene::Mesh& mesh = out_.meshes.emplace_back();
      mesh.name = out_.add_text(from.name);
      mesh.extra = out_.add_text(from.extra);
      mesh.morph_count = static_cast<std::uint32_t>(from.morph_weights.size());
      if (m >= files_.meshes.size()) continue;
      const SceneMesh& file = files_.meshes[m];
      mesh.file = file.file;
      mesh.box = {floats_of_vec(file.box.low), floats_of_vec(file.box.high)};
      mesh.submesh_count = file.submesh_count;
    }
  }

  void add_skins() {
    bool any_matrix = false;
    for (std::size_t s = 0; s < scene_.skins.size(); ++s) {
      const scene::Skin& from = scene_.skins[s];
      hscene::Skin& skin = out_.skins.emplace_back();
      if (s < files_.skeletons.size()) skin.skeleton = files_.skeletons[s];
      skin.name = out_.add_text(from.name);
      skin.extra = out_.add_text(from.extra);
      skin.first_joint = static_cast<std::uint32_t>(out_.joints.size());
      skin.joint_count = static_cast<std::uint32_t>(from.joints.size());
      for (std::size_t j = 0; j < from.joints.size(); ++j) {
        out_.joints.push_back(number_[from.joints[j]]);
        out_.inverse_bind.push_back(from.inverse_bind[j].m);
        any_matrix = any_matrix || !(from.inverse_bind[j] == Mat4{});
      }
    }
    if (!any_matrix) out_.inverse_bind.clear();
  }

  void add_cameras() {
    for (const scene::Camera& from : scene_.cameras) {
      hscene::Camera& camera = out_.cameras.emplace_back();
      camera.type = from.is_perspective ? hscene::CameraType::kPerspective : hscene::CameraType::kOrthographic;
      camera.y_fov_radians = from.y_fov_radians;
      camera.aspect_ratio = from.aspect_ratio;
      camera.x_magnification = from.x_magnification;
      camera.y_magnification = from.y_magnification;
      camera.z_near = from.z_near;
      camera.z_far = from.z_far;
      camera.name = out_.add_text(from.name);
      camera.extra = out_.add_text(from.extra);
    }
  }

  void add_lights() {
    for (const scene::Light& from : scene_.lights) {
      hscene::Light& light = out_.lights.emplace_back();
      light.type = static_cast<hscene::LightType>(from.type);
      light.color = floats_of_vec(from.color);
      light.intensity = from.intensity;
      light.range = from.range;
      light.inner_cone_radians = from.inner_cone_radians;
      light.outer_cone_radians = from.outer_cone_radians;
      light.name = out_.add_text(from.name);
      light.extra = out_.add_text(from.extra);
    }
  }

  void add_texture(std::string_view name, const scene::TextureUse& use, const TextureRef& ref) {
    if (ref.hash == 0 && ref.uuid.is_nil()) return;
    hscene::Texture& texture = out_.textures.emplace_back();
    texture.name = out_.add_text(name);
    texture.texcoord = use.texcoord;
    texture.file = files_.has_uuids ? hscene::Ref::of(ref.uuid) : hscene::Ref::of(ref.hash);
    texture.sampler_flags = hscene::Texture::flags_of(use.sampler);
    texture.offset = {use.transform.offset.x, use.transform.offset.y};
    texture.rotation_radians = use.transform.rotation;
    texture.scale = {use.transform.scale.x, use.transform.scale.y};
  }

  void add_materials() {
    for (const SceneMaterial& file : files_.materials) {
      const scene::Material& from = scene_.materials[file.source];
      hscene::Material material;
      material.file = file.file;
      material.row = file.row;
      material.name = out_.add_text(from.name);
      material.extra = out_.add_text(from.extra);
      material.first_parameter = static_cast<std::uint32_t>(out_.parameters.size());
      material.first_texture = static_cast<std::uint32_t>(out_.textures.size());
      if (file.compiled != nullptr) {
        for (const scene::NamedScalar& s : from.scalars)
          out_.parameters.push_back({out_.add_text(s.name), 1, {s.value, 0, 0, 0}});
        for (const scene::NamedVector& v : from.vectors)
          out_.parameters.push_back({out_.add_text(v.name), 3, {v.value.x, v.value.y, v.value.z, 0}});
        for (std::size_t s = 0; s < kMaterialSlots.size(); ++s)
          add_texture(kTextureNames[s], from.*kMaterialSlots[s].use, file.compiled->textures[s]);
        for (std::size_t t = 0; t < file.compiled->named_textures.size(); ++t)
          add_texture(from.textures[t].name, from.textures[t].use, file.compiled->named_textures[t]);
      }
      material.parameter_count = static_cast<std::uint32_t>(out_.parameters.size()) - material.first_parameter;
      material.texture_count = static_cast<std::uint32_t>(out_.textures.size()) - material.first_texture;
      out_.materials.push_back(material);
    }
  }

  void add_variants() {
    for (const std::string& name : scene_.variants) out_.variants.push_back(out_.add_text(name));
    std::vector<std::uint32_t> material_of(scene_.materials.size(), hscene::kNone);
    for (std::uint32_t m = 0; m < files_.materials.size(); ++m) material_of[files_.materials[m].source] = m;
    for (std::uint32_t m = 0; m < scene_.meshes.size() && m < files_.meshes.size(); ++m) {
      if (files_.meshes[m].file.is_none()) continue;
      std::uint32_t submesh = 0;
      for (const bool is_of_triangles : {true, false}) {
        for (const scene::Primitive& primitive : scene_.meshes[m].primitives) {
          if (primitive.indices.empty() || (primitive.topology == scene::Topology::kTriangles) != is_of_triangles)
            continue;
          for (const scene::VariantMaterial& v : primitive.variant_materials)
            out_.variant_materials.push_back({m, submesh, v.variant, material_of[v.material]});
          ++submesh;
        }
      }
    }
  }

  void add_clips() {
    for (std::size_t c = 0; c < scene_.clips.size() && c < files_.clips.size(); ++c) {
      const scene::Clip& from = scene_.clips[c];
      hscene::Clip clip;
      clip.file = files_.clips[c].file;
      clip.number = files_.clips[c].number;
      clip.name = out_.add_text(from.name);
      clip.extra = out_.add_text(from.extra);
      std::vector<std::uint32_t> nodes;
      for (const scene::Channel& channel : from.channels) {
        if (channel.node != scene::kNone) nodes.push_back(number_[channel.node]);
        if (!channel.times_seconds.empty())
          clip.duration_seconds = std::max(clip.duration_seconds, channel.times_seconds.back());
      }
      std::ranges::sort(nodes);
      const auto repeated = std::ranges::unique(nodes);
      nodes.erase(repeated.begin(), repeated.end());
      clip.first_node = static_cast<std::uint32_t>(out_.clip_nodes.size());
      clip.node_count = static_cast<std::uint32_t>(nodes.size());
      out_.clip_nodes.insert(out_.clip_nodes.end(), nodes.begin(), nodes.end());
      out_.clips.push_back(clip);
    }
  }

  const scene::Scene& scene_;
  const SceneFiles& files_;
  std::vector<std::uint32_t> order_, number_;
  hscene::Model out_;
};

}  // namespace

SceneMesh SceneMesh::of(const hscene::Ref& file, const mesh::Mesh& mesh) {
  SceneMesh out{.file = file,
                .box = mesh::box_of(mesh.bounds),
                .submesh_count = static_cast<std::uint32_t>(mesh.submeshes.size() + mesh.primitives.items.size())};
  if (!mesh.pose_bounds.empty()) out.pose_box = mesh::box_of(mesh.pose_bounds.front());
  return out;
}

std::vector<std::uint32_t> scene_order(const scene::Scene& scene) {
  const auto count = static_cast<std::uint32_t>(scene.nodes.size());
  // The children of each node as lists in arrays, built from the last node on, so that lists ascend.
  std::vector<std::uint32_t> first_child(count, scene::kNone), next_sibling(count, scene::kNone), order, stack;
  std::uint32_t first_root = scene::kNone;
  for (std::uint32_t n = count; n-- > 0;) {
    const std::uint32_t parent = scene.nodes[n].parent;
    std::uint32_t& head = parent == scene::kNone ? first_root : first_child[parent];
    next_sibling[n] = head;
    head = n;
  }
  order.reserve(count);
  if (first_root != scene::kNone) stack.push_back(first_root);
  while (!stack.empty()) {
    const std::uint32_t n = stack.back();
    stack.pop_back();
    order.push_back(n);
    if (next_sibling[n] != scene::kNone) stack.push_back(next_sibling[n]);
    if (first_child[n] != scene::kNone) stack.push_back(first_child[n]);
  }
  return order;
}

std::vector<std::uint32_t> scene_numbers(std::span<const std::uint32_t> order) {
  std::vector<std::uint32_t> numbers(order.size());
  for (std::uint32_t n = 0; n < order.size(); ++n) numbers[order[n]] = n;
  return numbers;
}

hscene::Model scene_value(const scene::Scene& scene, const SceneFiles& files) {
  return Describer(scene, files).describe();
}

constinit const SceneContainer kHscene{".hscene", [](const scene::Scene& scene, const SceneFiles& files) {
                                         return hscene::write(scene_value(scene, files));
                                       }};

}  // namespace assetc::recipes
