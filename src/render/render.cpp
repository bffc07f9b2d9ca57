#include "render/render.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "assetc/base/hash.hpp"
#include "render/camera.hpp"
#include "render/drawable.hpp"
#include "render/rasterizer.hpp"
#include "render/shader.hpp"
#include "scene/pose.hpp"

namespace assetc::render {
namespace {

using namespace scene;

constexpr Vec3 kBackground{0.045f, 0.05f, 0.06f};  // linear

float linear_to_srgb(float v) { return v <= 0.0031308f ? v * 12.92f : 1.055f * std::pow(v, 1 / 2.4f) - 0.055f; }

const Image* image_of(std::span<const Image> images, const TextureUse& use) {
  if (use.image >= images.size()) return nullptr;
  const Image& image = images[use.image];
  return image.pixels.empty() || image.type != PixelType::kU8 ? nullptr : &image;
}

// Adds vertices in world space. They are projected when the bounds are known.
void add_primitive(const Primitive& p, const Mat4& world, const Skin* skin, const std::vector<Mat4>& worlds,
                   Surface surface, Drawable& out) {
  std::vector<Vec3> positions, normals;
  if (skin != nullptr && !p.influences.empty()) {
    skin_vertices(p, *skin, worlds, positions, normals);
  } else {
    positions.reserve(p.positions.size());
    for (const Vec3& v : p.positions) positions.push_back(transform_point(world, v));
    for (const Vec3& n : p.normals) normals.push_back(normalize_or(transform_normal(world, n), {0, 1, 0}));
  }
  const bool mirrored = skin == nullptr && determinant3(world) < 0;
  // The set of each texture, in the order of the shader. A set that the mesh lacks is the first one.
  std::array<const std::vector<Vec2>*, kTextureCount> sets{};
  for (std::size_t t = 0; t < kTextureCount && !p.texcoords.empty(); ++t) {
    const std::uint32_t set = use_of(*surface.material, t).texcoord;
    sets[t] = &p.texcoords[set < p.texcoords.size() && !p.texcoords[set].empty() ? set : 0];
  }
  surface.has_texcoord = sets[0] != nullptr && !sets[0]->empty();
  const bool has_color = !p.colors.empty() && !p.colors[0].empty();
  surface.is_stroke = p.topology != Topology::kTriangles;
  const auto surface_index = static_cast<std::uint32_t>(out.surfaces.size());
  const bool blend = surface.material->alpha_mode == AlphaMode::kBlend;
  out.surfaces.push_back(surface);
  const auto add_vertex = [&](std::uint32_t v, Vec3 normal) {
    ScreenVertex sv;
    sv.position = positions[v];
    sv.normal = normal;
    for (std::size_t t = 0; surface.has_texcoord && t < kTextureCount; ++t) sv.texcoords[t] = (*sets[t])[v];
    if (has_color) sv.color = p.colors[0][v];
    out.vertices.push_back(sv);
    return static_cast<std::uint32_t>(out.vertices.size() - 1);
  };
  const std::size_t corners = corner_count(p.topology);
  for (std::size_t i = 0; surface.is_stroke && i + corners <= p.indices.size(); i += corners) {
    std::array<std::uint32_t, 2> ends{};
    for (std::size_t k = 0; k < corners; ++k) {
      const std::uint32_t v = p.indices[i + k];
      ends[k] = add_vertex(v, normals.empty() ? Vec3{0, 0, 1} : normals[v]);
    }
    out.strokes.push_back({ends[0], corners == 1 ? ends[0] : ends[1], surface_index});
  }
  for (std::size_t i = 0; !surface.is_stroke && i + 2 < p.indices.size(); i += 3) {
    std::array<std::uint32_t, 3> corner{p.indices[i], p.indices[i + 1], p.indices[i + 2]};
    if (mirrored) std::swap(corner[1], corner[2]);
    const Vec3 face = normalize_or(
        cross(positions[corner[1]] - positions[corner[0]], positions[corner[2]] - positions[corner[0]]), {0, 1, 0});
    const auto base = static_cast<std::uint32_t>(out.vertices.size());
    for (const std::uint32_t v : corner) add_vertex(v, normals.empty() ? face : normals[v]);
    const std::uint32_t cluster = i / 3 < p.clusters.size() ? p.clusters[i / 3] : surface.primitive;
    (blend ? out.blended : out.opaque).push_back({base, base + 1, base + 2, surface_index, cluster});
  }
}

// The node to draw at a level of detail: the node itself, or its level with that number, at most its last.
std::uint32_t lod_node(const Node& node, std::uint32_t index, std::uint32_t lod) {
  if (lod == 0 || node.lods.empty()) return index;
  return node.lods[std::min<std::size_t>(lod, node.lods.size()) - 1];
}

// Makes room for what the nodes draw: growing would need twice the memory.
void reserve(const Scene& scene, std::span<const std::uint32_t> drawn_nodes, Drawable& out) {
  std::size_t corners = 0, opaque = 0, blended = 0;
  for (const std::uint32_t n : drawn_nodes) {
    for (const Primitive& p : scene.meshes[scene.nodes[n].mesh].primitives) {
      corners += p.indices.size();
      if (p.topology != Topology::kTriangles) continue;
      const bool blends =
          p.material < scene.materials.size() && scene.materials[p.material].alpha_mode == AlphaMode::kBlend;
      (blends ? blended : opaque) += p.indices.size() / 3;
    }
  }
  out.vertices.reserve(corners);
  out.opaque.reserve(opaque);
  out.blended.reserve(blended);
}

Drawable gather(const Scene& scene, std::span<const Image> images, const std::vector<Node>& nodes, std::uint32_t lod,
                const std::vector<float>& morph_weights) {
  Scene posed;
  posed.nodes = nodes;
  const std::vector<Mat4> worlds = world_matrices(posed);
  std::vector<bool> reduced(nodes.size(), false);
  for (const Node& node : nodes) {
    for (const std::uint32_t l : node.lods) reduced[l] = true;
  }
  const std::vector<bool> hidden = hidden_nodes(nodes);
  std::vector<std::uint32_t> drawn_nodes;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const std::uint32_t shown = lod_node(nodes[n], n, lod);
    if (!reduced[n] && !hidden[n] && nodes[shown].mesh != kNone) drawn_nodes.push_back(shown);
  }
  Drawable out;
  reserve(scene, drawn_nodes, out);
  std::uint32_t primitive_count = 0;
  for (const std::uint32_t shown : drawn_nodes) {
    const Node& drawn = nodes[shown];
    const std::vector<float>& weights = !morph_weights.empty()         ? morph_weights
                                        : !drawn.morph_weights.empty() ? drawn.morph_weights
                                                                       : scene.meshes[drawn.mesh].morph_weights;
    for (const Primitive& rest : scene.meshes[drawn.mesh].primitives) {
      Primitive moved;
      const bool is_moved =
          !rest.morphs.empty() && std::ranges::any_of(weights, [](float weight) { return weight != 0; });
      if (is_moved) {
        moved = rest;
        apply_morphs(weights, moved);
      }
      const Primitive& p = is_moved ? moved : rest;
      Surface surface;
      surface.primitive = primitive_count++;
      if (p.material < scene.materials.size()) {
        surface.material = &scene.materials[p.material];
        surface.base_color = image_of(images, surface.material->base_color_texture);
        surface.emissive = image_of(images, surface.material->emissive_texture);
        surface.occlusion = image_of(images, surface.material->occlusion_texture);
      }
      const Skin* skin = drawn.skin < scene.skins.size() ? &scene.skins[drawn.skin] : nullptr;
      add_primitive(p, worlds[shown], skin, worlds, surface, out);
    }
  }
  return out;
}

// Sorts blended triangles from far to near.
void sort_blended(Drawable& d, const View& view) {
  const auto depth = [&](const Triangle& t) {
    return view.distance(d.vertices[t.a].position) + view.distance(d.vertices[t.b].position) +
           view.distance(d.vertices[t.c].position);
  };
  std::stable_sort(d.blended.begin(), d.blended.end(),
                   [&](const Triangle& x, const Triangle& y) { return depth(x) > depth(y); });
}

// Repeating an opaque triangle changes nothing. A hostile file may repeat one that fills the picture a hundred thousand
// times. If triangles cover the picture more often than this, repetitions are removed.
constexpr double kMuchOverdraw = 64;

void drop_repeated(Drawable& d, std::uint32_t width, std::uint32_t height) {
  const double all = static_cast<double>(width) * height;
  double covered = 0;
  for (const Triangle& t : d.opaque) {
    const ScreenVertex &a = d.vertices[t.a], &b = d.vertices[t.b], &c = d.vertices[t.c];
    const auto extent = [](float p, float q, float r, std::uint32_t side) {
      const float last = static_cast<float>(side);
      return static_cast<double>(std::clamp(std::max({p, q, r}), 0.0f, last) -
                                 std::clamp(std::min({p, q, r}), 0.0f, last));
    };
    covered += extent(a.x, b.x, c.x, width) * extent(a.y, b.y, c.y, height);
  }
  if (!(covered > kMuchOverdraw * all)) return;
  std::unordered_set<ContentHash> seen;
  std::erase_if(d.opaque, [&](const Triangle& t) {
    ContentHasher hasher;
    for (const std::uint32_t v : {t.a, t.b, t.c}) hasher.add(object_bytes(d.vertices[v]));
    hasher.add(object_bytes(t.surface));
    return !seen.insert(hasher.finish()).second;
  });
}

Image resolve(std::span<const Vec3> color, const Options& o) {
  Image out;
  out.width_texels = o.width_texels;
  out.height_texels = o.height_texels;
  out.pixels.resize(std::size_t{o.width_texels} * o.height_texels * 4);
  const std::uint32_t n = o.supersample;
  const std::size_t row = std::size_t{o.width_texels} * n;
  std::size_t at = 0;
  for (std::uint32_t y = 0; y < o.height_texels; ++y) {
    for (std::uint32_t x = 0; x < o.width_texels; ++x) {
      Vec3 sum;
      for (std::uint32_t sy = 0; sy < n; ++sy) {
        for (std::uint32_t sx = 0; sx < n; ++sx) {
          const Vec3 c = color[(std::size_t{y} * n + sy) * row + std::size_t{x} * n + sx];
          sum = sum + Vec3{std::clamp(c.x, 0.0f, 1.0f), std::clamp(c.y, 0.0f, 1.0f), std::clamp(c.z, 0.0f, 1.0f)};
        }
      }
      sum = sum * (1.0f / static_cast<float>(n * n));
      for (const float v : {sum.x, sum.y, sum.z, 1.0f}) {
        out.pixels[at++] = static_cast<std::byte>(std::lround(std::clamp(linear_to_srgb(v), 0.0f, 1.0f) * 255));
      }
    }
  }
  return out;
}

// What a picture shows, in front of its camera.
struct Seen {
  Drawable drawable;
  View view;
};

Result<Seen> see(const Scene& scene, std::span<const Image> images, const Options& options) {
  const auto bad_side = [](std::uint32_t side) { return side == 0 || side > kMaxRenderSide; };
  if (bad_side(options.width_texels) || bad_side(options.height_texels) || options.supersample < 1 ||
      options.supersample > 8) {
    return fail(ErrorCode::kLimit, "a picture of " + std::to_string(options.width_texels) + "x" +
                                       std::to_string(options.height_texels) +
                                       " was asked for, expected sides from 1 to " + std::to_string(kMaxRenderSide));
  }
  std::size_t levels = 0;
  for (const Node& node : scene.nodes) levels = std::max(levels, node.lods.size());
  if (options.lod > levels) {
    return fail(
        ErrorCode::kNotFound,
        "level of detail " + std::to_string(options.lod) + " was asked for, the model has " + std::to_string(levels),
        levels == 0 ? "ask for 0, the full mesh" : "ask for one from 0, the full mesh, to " + std::to_string(levels));
  }
  std::vector<Node> nodes = scene.nodes;
  if (options.posed) {
    if (options.clip >= scene.clips.size()) {
      return fail(ErrorCode::kNotFound, "clip " + std::to_string(options.clip) + " was asked for, the scene has " +
                                            std::to_string(scene.clips.size()));
    }
    nodes = pose_nodes(scene, scene.clips[options.clip], options.time_seconds);
  }
  Seen seen;
  Drawable& drawable = seen.drawable;
  drawable = gather(scene, images, nodes, options.lod, options.morph_weights);
  if (options.camera && (*options.camera >= nodes.size() || nodes[*options.camera].camera >= scene.cameras.size()))
    return fail(ErrorCode::kNotFound, "node " + std::to_string(*options.camera) + " has no camera");
  if (drawable.vertices.empty())
    return fail(ErrorCode::kInvalidData, "the scene has no triangles, lines or points to draw");
  const std::uint32_t width = options.width_texels * options.supersample,
                      height = options.height_texels * options.supersample;
  if (options.camera) {
    Scene posed;
    posed.nodes = nodes;
    seen.view = look_through(drawable, scene.cameras[nodes[*options.camera].camera],
                             world_matrices(posed)[*options.camera], width, height);
  } else {
    seen.view = frame(drawable, options, width, height);
  }
  return seen;
}

}  // namespace

Result<Lens> lens_of(const Scene& scene, const Options& options) {
  ASSETC_TRY(const Seen seen, see(scene, {}, options));
  return Lens{seen.view.eye, seen.view.focal / static_cast<float>(options.supersample)};
}

Result<Image> render(const Scene& scene, std::span<const Image> images, const Options& options) {
  ASSETC_TRY(Seen seen, see(scene, images, options));
  auto& [drawable, view] = seen;
  const std::uint32_t width = options.width_texels * options.supersample,
                      height = options.height_texels * options.supersample;
  widen_strokes(drawable, static_cast<float>(options.supersample));
  sort_blended(drawable, view);
  drop_repeated(drawable, width, height);
  std::vector<Triangle> triangles = std::move(drawable.opaque);
  triangles.insert(triangles.end(), drawable.blended.begin(), drawable.blended.end());
  std::vector<Vec3> color(std::size_t{width} * height, kBackground);
  rasterize(std::span<const ScreenVertex>(drawable.vertices), std::span<const Triangle>(triangles), width, height,
            std::span<Vec3>(color), Shader(drawable, view, options));
  return resolve(color, options);
}

}  // namespace assetc::render
