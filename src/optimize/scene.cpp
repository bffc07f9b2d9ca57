#include "optimize/scene.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/plural.hpp"
#include "mesh/lod.hpp"
#include "optimize/for_primitives.hpp"
#include "parallel/parallel.hpp"

namespace assetc::optimize {
namespace {

using scene::ChannelPath;
using scene::kNone;
using scene::Vec2;
using scene::Vec3;

// Keeps the marked items, and returns the new number of each item.
template <class T>
std::vector<std::uint32_t> keep(std::vector<T>& items, const std::vector<bool>& used) {
  std::vector<std::uint32_t> number(items.size(), kNone);
  std::vector<T> kept;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!used[i]) continue;
    number[i] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(std::move(items[i]));
  }
  items = std::move(kept);
  return number;
}

// The value of the property that a channel moves; empty if it is none of a transform.
std::vector<float> value_at_rest(const scene::Node& node, ChannelPath path) {
  const auto& [t, r, s] = node.transform;
  if (node.matrix) return {};
  if (path == ChannelPath::kTranslation) return {t.x, t.y, t.z};
  if (path == ChannelPath::kRotation) return {r.x, r.y, r.z, r.w};
  if (path == ChannelPath::kScale) return {s.x, s.y, s.z};
  return {};
}

// Exporters compute a value that rests again for each key.
bool is_same(float a, float b) { return a == b || std::fabs(a - b) <= 1e-6f * std::max(std::fabs(b), 1.0f); }

bool is_still(const scene::Scene& scene, const scene::Channel& c) {
  if (c.node >= scene.nodes.size() || c.interpolation == scene::Interpolation::kCubicSpline) return false;
  const std::vector<float> rest = value_at_rest(scene.nodes[c.node], c.path);
  if (rest.empty() || c.values.size() % rest.size() != 0) return false;
  for (std::size_t i = 0; i < c.values.size(); ++i)
    if (!is_same(c.values[i], rest[i % rest.size()])) return false;
  return true;
}

// Whether all keys of a channel have the value of the first.
bool is_constant(const scene::Channel& c) {
  const std::size_t count = c.times_seconds.size();
  if (count < 3 || c.interpolation == scene::Interpolation::kCubicSpline || c.values.size() % count != 0) return false;
  const std::size_t width = c.values.size() / count;
  for (std::size_t i = width; i < c.values.size(); ++i)
    if (!is_same(c.values[i], c.values[i % width])) return false;
  return true;
}

void keep_ends(scene::Channel& c) {
  const std::size_t width = c.values.size() / c.times_seconds.size();
  c.times_seconds = {c.times_seconds.front(), c.times_seconds.back()};
  std::vector<float> ends(c.values.begin(), c.values.begin() + static_cast<std::ptrdiff_t>(width));
  ends.insert(ends.end(), c.values.end() - static_cast<std::ptrdiff_t>(width), c.values.end());
  c.values = std::move(ends);
}

float last_time(const scene::Channel& c) { return c.times_seconds.empty() ? 0 : c.times_seconds.back(); }

template <class V>
float longest_side(const std::vector<const std::vector<V>*>& arrays) {
  constexpr std::size_t kWidth = sizeof(V) / sizeof(float);
  std::array<float, kWidth> low, high;
  low.fill(INFINITY), high.fill(-INFINITY);
  for (const std::vector<V>* array : arrays) {
    for (const V& v : *array) {
      const auto parts = std::bit_cast<std::array<float, kWidth>>(v);
      for (std::size_t k = 0; k < kWidth; ++k)
        low[k] = std::min(low[k], parts[k]), high[k] = std::max(high[k], parts[k]);
    }
  }
  float longest = 0;
  for (std::size_t k = 0; k < kWidth; ++k) longest = std::max(longest, high[k] - low[k]);
  return longest;
}

void simplify(scene::Primitive& p, float ratio, float mesh_extent, float texcoord_extent) {
  if (p.topology != scene::Topology::kTriangles || p.normals.empty() || !p.morphs.empty()) return;
  mesh::SimplifyInput input;
  input.indices = p.indices;
  input.positions = p.positions;
  input.normals = p.normals;
  if (!p.texcoords.empty()) input.texcoords = p.texcoords.front();
  const std::size_t triangles = p.indices.size() / 3;
  input.target_index_count =
      std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(triangles) * double{ratio})) * 3;
  input.mesh_extent = mesh_extent;
  input.texcoord_extent = texcoord_extent;
  std::vector<std::uint32_t> fewer = mesh::simplify(input);
  if (!fewer.empty() && fewer.size() < p.indices.size()) p.indices = std::move(fewer);
}

}  // namespace

std::vector<Error> remove_unused(scene::Scene& scene) {
  std::vector<bool> meshes(scene.meshes.size()), materials(scene.materials.size()), images(scene.images.size());
  const auto mark_referred = [](const auto& items, std::vector<bool>& used) {
    for (std::size_t i = 0; i < items.size(); ++i)
      if (items[i].referred_as != kNone) used[i] = true;
  };
  mark_referred(scene.meshes, meshes), mark_referred(scene.materials, materials), mark_referred(scene.images, images);
  for (const scene::Node& node : scene.nodes)
    if (node.mesh != kNone) meshes[node.mesh] = true;
  for (std::size_t m = 0; m < scene.meshes.size(); ++m) {
    if (!meshes[m]) continue;
    for (const scene::Primitive& p : scene.meshes[m].primitives) {
      if (p.material != kNone) materials[p.material] = true;
      for (const scene::VariantMaterial& v : p.variant_materials) materials[v.material] = true;
    }
  }
  for (std::size_t m = 0; m < scene.materials.size(); ++m) {
    if (!materials[m]) continue;
    scene::for_each_texture(scene.materials[m],
                            [&](std::string_view, scene::TextureUsage, const scene::TextureUse& use) {
                              if (use.image != kNone) images[use.image] = true;
                            });
  }
  for (const scene::ReferredTexture& texture : scene.referred_textures)
    if (texture.use.image != kNone) images[texture.use.image] = true;
  std::vector<Error> notes;
  const auto tell = [&](const std::vector<bool>& used, const char* noun) {
    const auto count = static_cast<std::size_t>(std::ranges::count(used, false));
    if (count == 0) return;
    notes.push_back({ErrorCode::kUnsupported, {}, {}, "left out " + plural(count, noun) + " that nothing uses", {}});
  };
  tell(meshes, "mesh");
  tell(materials, "material");
  tell(images, "image");
  const std::vector<std::uint32_t> mesh = keep(scene.meshes, meshes), material = keep(scene.materials, materials),
                                   image = keep(scene.images, images);
  const auto renumber = [](std::uint32_t& index, const std::vector<std::uint32_t>& numbers) {
    if (index != kNone) index = numbers[index];
  };
  for (scene::Node& node : scene.nodes) renumber(node.mesh, mesh);
  for (scene::Mesh& m : scene.meshes) {
    for (scene::Primitive& p : m.primitives) {
      renumber(p.material, material);
      for (scene::VariantMaterial& v : p.variant_materials) renumber(v.material, material);
    }
  }
  scene::for_each_texture_of(
      scene, [&](auto, std::string_view, scene::TextureUsage, scene::TextureUse& use) { renumber(use.image, image); });
  return notes;
}

void remove_still_channels(scene::Scene& scene) {
  for (scene::Clip& clip : scene.clips) {
    const auto still = [&](const scene::Channel& c) { return is_still(scene, c); };
    float moving_end = -1;
    for (const scene::Channel& c : clip.channels)
      if (!still(c)) moving_end = std::max(moving_end, last_time(c));
    std::erase_if(clip.channels, [&](const scene::Channel& c) { return still(c) && last_time(c) <= moving_end; });
    for (scene::Channel& c : clip.channels)
      if (is_constant(c)) keep_ends(c);
  }
}

void compact_meshes(scene::Scene& scene, mesh::TriangleOrder order, std::optional<float> ratio) {
  for_primitives(scene, [&](scene::Primitive& p, std::size_t, std::size_t) { mesh::compact_primitive(p, order); });
  if (!ratio) return;
  parallel_for(scene.meshes.size(), [&](std::size_t m) {
    scene::Mesh& mesh = scene.meshes[m];
    std::vector<const std::vector<Vec3>*> positions;
    std::vector<const std::vector<Vec2>*> texcoords;
    for (const scene::Primitive& p : mesh.primitives) {
      positions.push_back(&p.positions);
      if (!p.texcoords.empty()) texcoords.push_back(&p.texcoords.front());
    }
    const float mesh_extent = longest_side(positions), texcoord_extent = longest_side(texcoords);
    parallel_for(mesh.primitives.size(), [&](std::size_t p) {
      simplify(mesh.primitives[p], *ratio, mesh_extent, texcoord_extent);
      mesh::compact_primitive(mesh.primitives[p], order);
    });
  });
}

}  // namespace assetc::optimize
