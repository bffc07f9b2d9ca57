#include "optimize/texcoords.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "optimize/groups.hpp"

namespace assetc::optimize {
namespace {

using scene::kNone;
using scene::Primitive;
using scene::TextureUse;
using scene::Vec2;

// Materials that draw the same primitives.
Groups materials_by_primitive(const scene::Scene& scene) {
  Groups groups(scene.materials.size());
  for (const scene::Mesh& mesh : scene.meshes) {
    for (const Primitive& p : mesh.primitives) {
      if (p.material == kNone) continue;
      for (const scene::VariantMaterial& v : p.variant_materials) groups.connect(v.material, p.material);
    }
  }
  return groups;
}

bool uses(const scene::Material& material, std::uint32_t set) {
  bool found = false;
  scene::for_each_texture(material, [&](std::string_view, scene::TextureUsage, const TextureUse& use) {
    found = found || (use.image != kNone && use.texcoord == set);
  });
  return found;
}

struct Box {
  Vec2 low{INFINITY, INFINITY}, high{-INFINITY, -INFINITY};
  bool is_usable = true;

  void add(const std::vector<Vec2>& values) {
    for (const Vec2& v : values) {
      is_usable = is_usable && std::isfinite(v.x) && std::isfinite(v.y);
      low = {std::min(low.x, v.x), std::min(low.y, v.y)};
      high = {std::max(high.x, v.x), std::max(high.y, v.y)};
    }
  }
  TexcoordGrid grid(std::uint32_t bits) const {
    if (!is_usable) return {};
    const auto steps = static_cast<float>((1u << bits) - 1);
    if (low.x >= 0 && low.y >= 0 && high.x <= 1 && high.y <= 1) return {1 / steps, {}};
    const float step = std::max(high.x - low.x, high.y - low.y) / steps;
    // A step that is far smaller than the coordinates would be lost in their precision.
    const float largest = std::max({std::fabs(low.x), std::fabs(low.y), std::fabs(high.x), std::fabs(high.y)});
    if (!std::isfinite(step) || !(step > largest * 1e-6f)) return {};
    return {step, low};
  }
};

// use(grid * q + origin) as one transform of q: scaled first, then rotated, then moved.
void extend(scene::TexcoordTransform& t, const TexcoordGrid& grid) {
  const double sine = std::sin(static_cast<double>(t.rotation)), cosine = std::cos(static_cast<double>(t.rotation));
  const double x = double{t.scale.x} * grid.origin.x, y = double{t.scale.y} * grid.origin.y;
  t.offset = {static_cast<float>(t.offset.x + cosine * x + sine * y),
              static_cast<float>(t.offset.y - sine * x + cosine * y)};
  t.scale = {t.scale.x * grid.step, t.scale.y * grid.step};
}

}  // namespace

Vec2 TexcoordGrid::integers_of(const Vec2& uv) const {
  const auto integer = [&](float value, float from) {
    return static_cast<float>(std::round((double{value} - from) / step)) + 0.0f;
  };
  return {integer(uv.x, origin.x), integer(uv.y, origin.y)};
}

TexcoordGrids choose_texcoord_grids(const scene::Scene& scene, std::uint32_t bits) {
  Groups groups = materials_by_primitive(scene);
  std::map<std::pair<std::uint32_t, std::uint32_t>, Box> boxes;  // by group and set
  for (const scene::Mesh& mesh : scene.meshes) {
    for (const Primitive& p : mesh.primitives) {
      if (p.material == kNone) {
        // Without a variant, nothing scales its coordinates back.
        for (const scene::VariantMaterial& v : p.variant_materials)
          for (std::uint32_t s = 0; s < p.texcoords.size(); ++s) boxes[{groups.of(v.material), s}].is_usable = false;
        continue;
      }
      for (std::uint32_t s = 0; s < p.texcoords.size(); ++s) {
        Box& box = boxes[{groups.of(p.material), s}];
        box.add(p.texcoords[s]);
        for (const scene::MorphTarget& morph : p.morphs) {
          const bool moves = s < morph.texcoords.size() && !morph.texcoords[s].empty();
          box.is_usable = box.is_usable && !moves;
        }
      }
    }
  }
  for (std::uint32_t m = 0; m < scene.materials.size(); ++m) {
    const std::uint32_t group = groups.of(m);
    const bool is_known =
        scene.materials[m].extra.find("\"extensions\"") == std::string::npos && scene.materials[m].referred_as == kNone;
    for (auto at = boxes.lower_bound({group, 0}); at != boxes.end() && at->first.first == group; ++at)
      at->second.is_usable = at->second.is_usable && is_known && uses(scene.materials[m], at->first.second);
  }
  TexcoordGrids grids(scene.meshes.size());
  for (std::size_t m = 0; m < grids.size(); ++m) {
    grids[m].resize(scene.meshes[m].primitives.size());
    for (std::size_t i = 0; i < grids[m].size(); ++i) {
      const Primitive& p = scene.meshes[m].primitives[i];
      grids[m][i].resize(p.texcoords.size());
      if (p.material == kNone) continue;
      for (std::uint32_t s = 0; s < p.texcoords.size(); ++s)
        if (!p.texcoords[s].empty()) grids[m][i][s] = boxes.at({groups.of(p.material), s}).grid(bits);
    }
  }
  return grids;
}

void apply_texcoord_grids(scene::Scene& scene, const TexcoordGrids& grids) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, TexcoordGrid> of_material;  // by material and set
  for (std::size_t m = 0; m < grids.size(); ++m) {
    for (std::size_t i = 0; i < grids[m].size(); ++i) {
      Primitive& p = scene.meshes[m].primitives[i];
      for (std::uint32_t s = 0; s < grids[m][i].size(); ++s) {
        const TexcoordGrid& grid = grids[m][i][s];
        if (!grid.is_used()) continue;
        for (Vec2& uv : p.texcoords[s]) uv = grid.integers_of(uv);
        of_material[{p.material, s}] = grid;
        for (const scene::VariantMaterial& v : p.variant_materials) of_material[{v.material, s}] = grid;
      }
    }
  }
  for (std::uint32_t m = 0; m < scene.materials.size(); ++m) {
    scene::for_each_texture(scene.materials[m], [&](std::string_view, scene::TextureUsage, TextureUse& use) {
      const auto grid = of_material.find({m, use.texcoord});
      if (grid != of_material.end()) extend(use.transform, grid->second);
    });
  }
}

}  // namespace assetc::optimize
