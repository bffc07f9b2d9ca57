#include <algorithm>
#include <cmath>

#include "recipes/material/compiled_material.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::recipes {
namespace {

using scene::TexcoordTransform;
using scene::TextureUse;
using scene::Vec2;

struct SinCos {
  double sin, cos;
};

// Sine and cosine from additions and multiplications alone: library functions differ in the last bit between machines,
// and outputs must not. Taylor series on [-pi/4, pi/4]; the error is below 1e-15.
SinCos sin_cos(double angle) {
  constexpr double kHalfPi = 1.57079632679489661923;
  const double turns = std::floor(angle / kHalfPi + 0.5);
  const double x = angle - turns * kHalfPi;
  const double x2 = x * x;
  double sine = 0, cosine = 0;
  double term = x;
  for (int k = 1; k <= 19; k += 2) {
    sine += term;
    term *= -x2 / ((k + 1.0) * (k + 2.0));
  }
  term = 1;
  for (int k = 0; k <= 18; k += 2) {
    cosine += term;
    term *= -x2 / ((k + 1.0) * (k + 2.0));
  }
  switch (static_cast<std::int64_t>(turns) & 3) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

}  // namespace

const TextureUse* deciding_texture(const scene::Material& material) {
  for (const MaterialSlot& slot : kMaterialSlots) {
    const TextureUse& use = material.*slot.use;
    if (use.image != scene::kNone) return &use;
  }
  return nullptr;
}

bool reads_flat_texcoords(const scene::Material& material, const TextureUse& use) {
  const TextureUse* first = deciding_texture(material);
  return first == nullptr || (use.texcoord == first->texcoord && use.transform == first->transform);
}

ChosenTexcoords choose_texcoords(const MeshSource& source, const scene::Primitive& primitive,
                                 mesh::SubmeshInput& submesh, MeshReport& report) {
  std::uint32_t set = 0;
  TexcoordTransform transform;
  if (submesh.material_slot != scene::kNone) {
    const scene::Material& m = source.scene.materials[submesh.material_slot];
    // In raw form, the output stores the set and transform of each texture.
    const TextureUse* first =
        source.raw_texcoords && m.normal_texture.image != scene::kNone ? &m.normal_texture : deciding_texture(m);
    for (const MaterialSlot& slot : kMaterialSlots) {
      const TextureUse& use = m.*slot.use;
      if (source.raw_texcoords || use.image == scene::kNone || reads_flat_texcoords(m, use)) continue;
      report.drop_flat(use.texcoord != first->texcoord
                           ? "textures on another texture coordinate set than the material's first texture"
                           : "textures with another transform than the material's first texture",
                       source.material_place(submesh.material_slot));
    }
    if (first != nullptr) {
      set = first->texcoord;
      transform = first->transform;
    }
  }
  if (set >= primitive.texcoords.size() || primitive.texcoords[set].empty()) {
    if (set != 0) report.drop_flat("uses of a texture coordinate set that the mesh lacks", submesh.place);
    set = 0;
  }
  if (set < primitive.texcoords.size()) submesh.texcoords = primitive.texcoords[set];
  if (submesh.texcoords.empty() || transform == TexcoordTransform{}) return {set, transform};

  // KHR_texture_transform: scale, then rotate counter-clockwise as seen (v points down), then offset.
  const auto [sine, cosine] = sin_cos(std::fmod(static_cast<double>(transform.rotation), 6.28318530717958647692));
  const auto s = static_cast<float>(sine), c = static_cast<float>(cosine);
  std::vector<Vec2> baked(submesh.texcoords.size());
  std::ranges::transform(submesh.texcoords, baked.begin(), [&](Vec2 uv) {
    const float u = uv.x * transform.scale.x, v = uv.y * transform.scale.y;
    return Vec2{c * u + s * v + transform.offset.x, -s * u + c * v + transform.offset.y};
  });
  submesh.texcoords = std::move(baked);
  // Tangents follow the axes of the texture. If those are rotated or mirrored, tangents are computed again.
  if (transform.rotation != 0 || transform.scale.x < 0 || transform.scale.y < 0) submesh.tangents = {};
  return {set, transform};
}

}  // namespace assetc::recipes
