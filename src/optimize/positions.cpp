#include "optimize/positions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "mesh/quantize.hpp"
#include "optimize/groups.hpp"

namespace assetc::optimize {
namespace {

using scene::ChannelPath;
using scene::kNone;
using scene::Mat4;
using scene::Node;
using scene::Vec3;

constexpr double kMostOffset = 32767;  // a signed integer of 16 bits

// Position = step * integer + origin.
struct Grid {
  float step = 0;  // 0: not used
  Vec3 origin;

  bool is_used() const { return step != 0; }
  bool moves() const { return origin != Vec3{}; }
  Mat4 matrix() const {
    Mat4 m;
    m.m = {step, 0, 0, 0, 0, step, 0, 0, 0, 0, step, 0, origin.x, origin.y, origin.z, 1};
    return m;
  }
};

// Meshes that share skins.
Groups meshes_by_skin(const scene::Scene& scene) {
  Groups groups(scene.meshes.size());
  std::vector<std::uint32_t> of_skin(scene.skins.size(), kNone);
  for (const Node& node : scene.nodes) {
    if (node.mesh == kNone || node.skin == kNone) continue;
    if (of_skin[node.skin] == kNone) of_skin[node.skin] = node.mesh;
    groups.connect(node.mesh, of_skin[node.skin]);
  }
  return groups;
}

// The smallest number of eighths of a step of which 2^bits cover the extent. With so few bits, multiples of 16 bits
// stay exact.
float share_of(float step, std::uint32_t bits, float extent) {
  for (const float share : {0.625f, 0.75f, 0.875f})
    if (step * share * static_cast<float>((1u << bits) - 1) >= extent) return share;
  return 1;
}

Grid grid_of(const std::vector<const scene::Primitive*>& primitives, std::uint32_t bits) {
  std::vector<mesh::SubmeshInput> inputs(primitives.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].positions = primitives[i]->positions;
  Grid grid{mesh::position_step(inputs, bits), {}};
  if (!grid.is_used()) return {};
  Vec3 low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
  double offset = 0;
  for (const scene::Primitive* p : primitives) {
    for (const Vec3& v : p->positions) {
      low = {std::min(low.x, v.x), std::min(low.y, v.y), std::min(low.z, v.z)};
      high = {std::max(high.x, v.x), std::max(high.y, v.y), std::max(high.z, v.z)};
    }
    for (const scene::MorphTarget& t : p->morphs) {
      for (const Vec3& v : t.positions)
        offset = std::max({offset, std::fabs(double{v.x}), std::fabs(double{v.y}), std::fabs(double{v.z})});
    }
  }
  if (!std::isfinite(offset)) return {};
  grid.step *= share_of(grid.step, bits, std::max({high.x - low.x, high.y - low.y, high.z - low.z}));
  while (offset > kMostOffset * double{grid.step}) grid.step *= 2;
  const double far = std::max(
      {std::fabs(low.x), std::fabs(low.y), std::fabs(low.z), std::fabs(high.x), std::fabs(high.y), std::fabs(high.z)});
  if (far > kMostOffset * double{grid.step}) {
    grid.origin = {mesh::round_to(low.x, grid.step), mesh::round_to(low.y, grid.step),
                   mesh::round_to(low.z, grid.step)};
  }
  return grid;
}

void apply(const Grid& grid, scene::Primitive& p) {
  const auto integer = [&](float value, float origin) { return std::round((value - origin) / grid.step) + 0.0f; };
  for (Vec3& v : p.positions)
    v = {integer(v.x, grid.origin.x), integer(v.y, grid.origin.y), integer(v.z, grid.origin.z)};
  for (scene::MorphTarget& t : p.morphs) {
    for (Vec3& v : t.positions) v = {integer(v.x, 0), integer(v.y, 0), integer(v.z, 0)};
  }
}

// What else depends on the scale of each node.
class Dependents {
 public:
  explicit Dependents(const scene::Scene& scene)
      : has_other_(scene.nodes.size()), is_scaled_(scene.nodes.size()), is_moved_(scene.nodes.size()) {
    for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
      const Node& node = scene.nodes[n];
      if (node.parent != kNone) has_other_[node.parent] = true;
      if (node.camera != kNone || node.light != kNone || node.holds_other || node.referred_as != kNone ||
          node.extra.find("\"extensions\"") != node.extra.npos)
        has_other_[n] = true;
    }
    for (const scene::Skin& skin : scene.skins)
      for (const std::uint32_t joint : skin.joints) has_other_[joint] = true;
    for (const scene::Clip& clip : scene.clips) {
      for (const scene::Channel& c : clip.channels) {
        if (c.node >= scene.nodes.size() || !scene::is_transform(c.path)) continue;
        is_moved_[c.node] = true;
        if (c.path == ChannelPath::kScale) is_scaled_[c.node] = true;
      }
    }
  }
  bool allow(const Grid& grid, const Node& node, std::size_t n) const {
    if (has_other_[n] || is_scaled_[n]) return false;
    return !grid.moves() || (node.name.empty() && !is_moved_[n]);
  }

 private:
  std::vector<bool> has_other_, is_scaled_, is_moved_;
};

void scale_node(const Grid& grid, Node& node) {
  if (node.matrix) {
    node.matrix = *node.matrix * grid.matrix();
    node.transform = scene::decompose(*node.matrix);
    return;
  }
  if (grid.moves()) node.transform.translation = transform_point(scene::to_matrix(node.transform), grid.origin);
  node.transform.scale = node.transform.scale * grid.step;
}

// Moves the mesh of a node into a new child of it, and returns the number of the child.
std::uint32_t add_child(const Grid& grid, std::uint32_t n, std::vector<Node>& nodes) {
  Node child;
  child.parent = n;
  child.transform.translation = grid.origin;
  child.transform.scale = {grid.step, grid.step, grid.step};
  child.mesh = std::exchange(nodes[n].mesh, kNone);
  child.morph_weights = std::exchange(nodes[n].morph_weights, {});
  nodes.push_back(std::move(child));
  return static_cast<std::uint32_t>(nodes.size() - 1);
}

constexpr std::string_view kThickness = "Thickness";
bool has_thickness(const scene::Material& m) {
  return std::ranges::find(m.scalars, kThickness, &scene::NamedScalar::name) != m.scalars.end();
}

// Divides the thickness of materials with a volume by the scale that their nodes get: readers multiply it by that scale
// (KHR_materials_volume). Each scale gets materials of its own.
class Thicknesses {
 public:
  explicit Thicknesses(scene::Scene& scene) : scene_(scene), count_(scene.materials.size()) {}

  void apply(const Grid& grid, scene::Mesh& mesh) {
    for (scene::Primitive& p : mesh.primitives) {
      p.material = scaled(p.material, grid.step);
      for (scene::VariantMaterial& v : p.variant_materials) v.material = scaled(v.material, grid.step);
    }
  }

 private:
  std::uint32_t scaled(std::uint32_t material, float step) {
    if (material == kNone || material >= count_ || !has_thickness(scene_.materials[material])) return material;
    const auto [at, is_new] =
        copies_.try_emplace({material, step}, static_cast<std::uint32_t>(scene_.materials.size()));
    if (is_new) {
      scene::Material copy = scene_.materials[material];
      std::ranges::find(copy.scalars, kThickness, &scene::NamedScalar::name)->value /= step;
      scene_.materials.push_back(std::move(copy));
    }
    return at->second;
  }

  scene::Scene& scene_;
  const std::size_t count_;  // of the source
  std::map<std::pair<std::uint32_t, float>, std::uint32_t> copies_;
};

// Meshes whose positions stay as they are, because who refers to their node or material would see the scale.
std::vector<bool> exact_meshes(const scene::Scene& scene, Groups& groups) {
  std::vector<bool> exact(scene.meshes.size());
  for (const Node& node : scene.nodes)
    if (node.must_draw && node.mesh != kNone && node.skin == kNone) exact[groups.of(node.mesh)] = true;
  const auto has_referred_thickness = [&](std::uint32_t material) {
    return material != kNone && scene.materials[material].referred_as != kNone &&
           has_thickness(scene.materials[material]);
  };
  for (std::uint32_t m = 0; m < scene.meshes.size(); ++m) {
    for (const scene::Primitive& p : scene.meshes[m].primitives) {
      bool is_seen = has_referred_thickness(p.material);
      for (const scene::VariantMaterial& v : p.variant_materials) is_seen |= has_referred_thickness(v.material);
      if (is_seen) exact[groups.of(m)] = true;
    }
  }
  return exact;
}

// Removes materials that no mesh uses any more, because all of them use copies.
void remove_replaced(scene::Scene& scene, std::size_t count) {
  if (scene.materials.size() == count) return;
  std::vector<std::uint32_t> number(scene.materials.size(), kNone);
  const auto each = [&](const auto& f) {
    for (scene::Mesh& mesh : scene.meshes) {
      for (scene::Primitive& p : mesh.primitives) {
        if (p.material != kNone) f(p.material);
        for (scene::VariantMaterial& v : p.variant_materials) f(v.material);
      }
    }
  };
  each([&](std::uint32_t m) { number[m] = 0; });
  for (std::size_t m = 0; m < number.size(); ++m)
    if (scene.materials[m].referred_as != kNone) number[m] = 0;
  std::vector<scene::Material> kept;
  for (std::size_t m = 0; m < number.size(); ++m) {
    if (number[m] == kNone) continue;
    number[m] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(std::move(scene.materials[m]));
  }
  each([&](std::uint32_t& m) { m = number[m]; });
  scene.materials = std::move(kept);
}

}  // namespace

void make_integer_positions(scene::Scene& scene, std::uint32_t bits) {
  Groups groups = meshes_by_skin(scene);
  std::vector<std::vector<const scene::Primitive*>> primitives(scene.meshes.size());
  for (std::uint32_t m = 0; m < scene.meshes.size(); ++m)
    for (const scene::Primitive& p : scene.meshes[m].primitives) primitives[groups.of(m)].push_back(&p);
  std::vector<Grid> grids(scene.meshes.size());
  const std::vector<bool> exact = exact_meshes(scene, groups);
  for (std::size_t m = 0; m < grids.size(); ++m)
    if (!primitives[m].empty() && !exact[m]) grids[m] = grid_of(primitives[m], bits);
  for (std::uint32_t m = 0; m < grids.size(); ++m) {
    grids[m] = grids[groups.of(m)];
    if (!grids[m].is_used()) continue;
    for (scene::Primitive& p : scene.meshes[m].primitives) apply(grids[m], p);
  }
  std::vector<bool> is_level(scene.nodes.size()), is_done(scene.skins.size());
  for (const Node& node : scene.nodes)
    for (const std::uint32_t level : node.lods) is_level[level] = true;
  const Dependents dependents(scene);
  const std::size_t count = scene.nodes.size();
  std::vector<std::uint32_t> child(count, kNone);
  for (std::uint32_t n = 0; n < count; ++n) {
    Node& node = scene.nodes[n];
    if (node.mesh == kNone || !grids[node.mesh].is_used()) continue;
    const Grid grid = grids[node.mesh];
    if (node.skin != kNone) {
      if (is_done[node.skin]) continue;
      is_done[node.skin] = true;
      scene::Skin& skin = scene.skins[node.skin];
      skin.inverse_bind.resize(skin.joints.size());
      for (Mat4& m : skin.inverse_bind) m = m * grid.matrix();
    } else if (is_level[n] || dependents.allow(grid, node, n)) {
      scale_node(grid, node);
    } else {
      child[n] = add_child(grid, n, scene.nodes);
    }
  }
  const std::size_t materials = scene.materials.size();
  Thicknesses thicknesses(scene);
  std::vector<bool> is_scaled(scene.meshes.size());
  for (const Node& node : scene.nodes)
    if (node.mesh != kNone && node.skin == kNone) is_scaled[node.mesh] = true;
  for (std::size_t m = 0; m < scene.meshes.size(); ++m)
    if (is_scaled[m] && grids[m].is_used()) thicknesses.apply(grids[m], scene.meshes[m]);
  remove_replaced(scene, materials);
  for (scene::Clip& clip : scene.clips) {
    for (scene::Channel& c : clip.channels)
      if (c.path == ChannelPath::kWeights && c.node < count && child[c.node] != kNone) c.node = child[c.node];
  }
}

}  // namespace assetc::optimize
