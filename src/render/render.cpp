#include "render/render.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <unordered_set>

#include "assetc/base/hash.hpp"
#include "render/rasterizer.hpp"
#include "scene/pose.hpp"

namespace assetc::render {
namespace {

using namespace scene;

constexpr Vec3 kBackground{0.045f, 0.05f, 0.06f};  // linear
constexpr Vec3 kClay{0.55f, 0.55f, 0.57f};
constexpr float kFieldOfViewDegrees = 30;
constexpr float kMargin = 1.05f;
const Material kDefaultMaterial;  // as in glTF: white

float srgb_to_linear(float v) { return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f); }
float linear_to_srgb(float v) { return v <= 0.0031308f ? v * 12.92f : 1.055f * std::pow(v, 1 / 2.4f) - 0.055f; }

// The material and pictures that shade one draw.
struct Surface {
  const Material* material = &kDefaultMaterial;
  const Image* base_color = nullptr;
  const Image* emissive = nullptr;
  const Image* occlusion = nullptr;
  std::uint32_t primitive = 0;
  bool has_texcoord = false;
  bool is_unlit = false;  // points and lines
};

// A line, or a point if both ends are the same vertex.
struct Stroke {
  std::uint32_t from, to;
  std::uint32_t surface;
};
// Points are squares of this side.
constexpr float kLineTexels = 1, kPointTexels = 3;

struct Drawable {
  std::vector<ScreenVertex> vertices;
  std::vector<Triangle> opaque;
  std::vector<Triangle> blended;
  std::vector<Stroke> strokes;  // become triangles after projection
  std::vector<Surface> surfaces;
};

float wrap_coordinate(float v, Wrap wrap) {
  if (!std::isfinite(v)) return 0;
  if (wrap == Wrap::kClamp) return std::clamp(v, 0.0f, 1.0f);
  const float whole = std::floor(v);
  const float part = v - whole;
  return wrap == Wrap::kMirror && std::fmod(std::abs(whole), 2.0f) == 1.0f ? 1 - part : part;
}

Vec2 apply(const TexcoordTransform& t, Vec2 uv) {
  const float c = std::cos(t.rotation), s = std::sin(t.rotation);
  const Vec2 scaled{uv.x * t.scale.x, uv.y * t.scale.y};
  return {c * scaled.x + s * scaled.y + t.offset.x, -s * scaled.x + c * scaled.y + t.offset.y};
}

// The linear value of each code of a channel.
using Codes = std::array<float, 256>;

// A texel of an image, bilinear or nearest by the sampler's magnification filter. The colors of texels are decoded
// before they are mixed, as GPUs do. Alpha is linear.
Vec4 fetch(const Image& image, const TextureUse& use, Vec2 uv, const Codes& codes) {
  uv = apply(use.transform, uv);
  const bool is_nearest = use.sampler.mag == sampling::Filter::kNearest;
  const float half_texel = is_nearest ? 0 : 0.5f;
  const Wrap wrap_u = use.sampler.wrap_u, wrap_v = use.sampler.wrap_v;
  const float x = wrap_coordinate(uv.x, wrap_u) * static_cast<float>(image.width_texels) - half_texel;
  const float y = wrap_coordinate(uv.y, wrap_v) * static_cast<float>(image.height_texels) - half_texel;
  const float fx = x - std::floor(x), fy = y - std::floor(y);
  const auto texel = [&](float tx, float ty, float weight, Vec4& sum) {
    const auto index = [](float v, std::uint32_t size, Wrap wrap) {
      const auto n = static_cast<std::int64_t>(v), s = static_cast<std::int64_t>(size);
      return static_cast<std::size_t>(wrap == Wrap::kRepeat ? (n % s + s) % s : std::clamp<std::int64_t>(n, 0, s - 1));
    };
    const std::size_t at =
        (index(ty, image.height_texels, wrap_v) * image.width_texels + index(tx, image.width_texels, wrap_u)) * 4;
    const auto* p = reinterpret_cast<const std::uint8_t*>(image.pixels.data()) + at;
    sum = {sum.x + codes[p[0]] * weight, sum.y + codes[p[1]] * weight, sum.z + codes[p[2]] * weight,
           sum.w + static_cast<float>(p[3]) / 255 * weight};
  };
  Vec4 sum;
  if (is_nearest) {
    texel(std::floor(x), std::floor(y), 1, sum);
    return sum;
  }
  texel(std::floor(x), std::floor(y), (1 - fx) * (1 - fy), sum);
  texel(std::floor(x) + 1, std::floor(y), fx * (1 - fy), sum);
  texel(std::floor(x), std::floor(y) + 1, (1 - fx) * fy, sum);
  texel(std::floor(x) + 1, std::floor(y) + 1, fx * fy, sum);
  return sum;
}

// A stable color for a number; different numbers get clearly different colors.
Vec3 id_color(std::uint32_t id) {
  std::uint32_t h = id * 0x9E3779B9u;
  h ^= h >> 15;
  h *= 0x85EBCA6Bu;
  h ^= h >> 13;
  const auto channel = [&](int shift) { return 0.12f + 0.7f * static_cast<float>((h >> shift) & 255) / 255.0f; };
  return {channel(0), channel(8), channel(16)};
}

const Image* image_of(std::span<const Image> images, const TextureUse& use) {
  if (use.image >= images.size()) return nullptr;
  const Image& image = images[use.image];
  return image.pixels.empty() || image.type != PixelType::kU8 ? nullptr : &image;
}

// The textures that the shader reads, in the order of ScreenVertex::texcoords.
enum : std::size_t { kBaseColorTexture, kEmissiveTexture, kOcclusionTexture };
const TextureUse& use_of(const Material& m, std::size_t texture) {
  return texture == kBaseColorTexture  ? m.base_color_texture
         : texture == kEmissiveTexture ? m.emissive_texture
                                       : m.occlusion_texture;
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
  surface.is_unlit = p.topology != Topology::kTriangles;
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
  for (std::size_t i = 0; surface.is_unlit && i + corners <= p.indices.size(); i += corners) {
    std::array<std::uint32_t, 2> ends{};
    for (std::size_t k = 0; k < corners; ++k) {
      const std::uint32_t v = p.indices[i + k];
      ends[k] = add_vertex(v, normals.empty() ? Vec3{0, 0, 1} : normals[v]);
    }
    out.strokes.push_back({ends[0], corners == 1 ? ends[0] : ends[1], surface_index});
  }
  for (std::size_t i = 0; !surface.is_unlit && i + 2 < p.indices.size(); i += 3) {
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
  Drawable out;
  std::uint32_t primitive_count = 0;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    if (reduced[n] || hidden[n]) continue;
    const std::uint32_t shown = lod_node(nodes[n], n, lod);
    const Node& drawn = nodes[shown];
    if (drawn.mesh == kNone) continue;
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

struct View {
  Vec3 eye, right, up, forward;
  bool is_parallel = false;  // an orthographic camera: all rays have the direction `forward`

  float distance(Vec3 position) const { return dot(position - eye, forward); }  // along the view axis
  Vec3 ray_to(Vec3 position) const { return is_parallel ? forward : normalize_or(position - eye, forward); }
};

ScreenVertex between(const ScreenVertex& a, const ScreenVertex& b, float t) {
  const auto mix = [&](float x, float y) { return x + (y - x) * t; };
  ScreenVertex out;
  out.position = a.position + (b.position - a.position) * t;
  out.normal = normalize_or(a.normal + (b.normal - a.normal) * t, a.normal);
  for (std::size_t i = 0; i < kTextureCount; ++i) {
    out.texcoords[i] = {mix(a.texcoords[i].x, b.texcoords[i].x), mix(a.texcoords[i].y, b.texcoords[i].y)};
  }
  out.color = {mix(a.color.x, b.color.x), mix(a.color.y, b.color.y), mix(a.color.z, b.color.z),
               mix(a.color.w, b.color.w)};
  return out;
}

// Cuts triangles and lines at a plane in front of the eye. Source: Sutherland and Hodgman, Reentrant Polygon Clipping
// (1974).
void clip_near(Drawable& d, const View& view, float near) {
  const auto depth = [&](std::uint32_t v) { return view.distance(d.vertices[v].position) - near; };
  const auto clip = [&](std::vector<Triangle>& triangles) {
    std::vector<Triangle> kept;
    kept.reserve(triangles.size());
    for (const Triangle& t : triangles) {
      const std::array<std::uint32_t, 3> corner{t.a, t.b, t.c};
      std::array<std::uint32_t, 4> polygon{};
      std::size_t count = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t from = corner[i], to = corner[(i + 1) % 3];
        const float at = depth(from), next = depth(to);
        if (at >= 0) polygon[count++] = from;
        if ((at >= 0) == (next >= 0)) continue;
        polygon[count++] = static_cast<std::uint32_t>(d.vertices.size());
        d.vertices.push_back(between(d.vertices[from], d.vertices[to], at / (at - next)));
      }
      for (std::size_t i = 2; i < count; ++i)
        kept.push_back({polygon[0], polygon[i - 1], polygon[i], t.surface, t.cluster});
    }
    triangles = std::move(kept);
  };
  clip(d.opaque);
  clip(d.blended);
  std::erase_if(d.strokes, [&](Stroke& s) {
    const float at = depth(s.from), next = depth(s.to);
    if (at < 0 && next < 0) return true;
    if (at >= 0 && next >= 0) return false;
    const auto cut = static_cast<std::uint32_t>(d.vertices.size());
    d.vertices.push_back(between(d.vertices[s.from], d.vertices[s.to], at / (at - next)));
    (at < 0 ? s.from : s.to) = cut;
    return false;
  });
}

// Turns lines and points, which are projected, into pairs of triangles. texel: samples along the side of a texel.
void widen_strokes(Drawable& d, float texel) {
  for (const Stroke& s : d.strokes) {
    const bool is_point = s.from == s.to;
    ScreenVertex a = d.vertices[s.from], b = d.vertices[s.to];
    const float half = (is_point ? kPointTexels : kLineTexels) * texel / 2;
    // The rasterizer draws samples on both edges. Therefore no edge passes through the centers of samples.
    constexpr float kNudge = 1.0f / 1024;
    for (ScreenVertex* v : {&a, &b}) {
      v->x = is_point ? std::round(v->x - half) + half : v->x + kNudge;
      v->y = is_point ? std::round(v->y - half) + half : v->y + kNudge;
    }
    const float x = b.x - a.x, y = b.y - a.y, length = std::sqrt(x * x + y * y);
    // Along the stroke, in samples. A line is not longer than it is: neighbors would overlap.
    const float ux = length > 0 ? x / length : 1, uy = length > 0 ? y / length : 0;
    const float extra = is_point || length < 2 * half ? half : 0;
    const auto base = static_cast<std::uint32_t>(d.vertices.size());
    for (const float side : {-half, half}) {
      for (const bool end : {false, true}) {
        ScreenVertex corner = end ? b : a;
        const float along = end ? extra : -extra;
        corner.x += ux * along - uy * side;
        corner.y += uy * along + ux * side;
        d.vertices.push_back(corner);
      }
    }
    const Surface& surface = d.surfaces[s.surface];
    const bool blend = surface.material->alpha_mode == AlphaMode::kBlend;
    std::vector<Triangle>& to = blend ? d.blended : d.opaque;
    to.push_back({base, base + 1, base + 3, s.surface, surface.primitive});
    to.push_back({base, base + 3, base + 2, s.surface, surface.primitive});
  }
  d.strokes.clear();
}

// Cuts triangles and lines at a plane beyond which nothing is seen: what is behind an eye there that looks back
// remains.
void clip_far(Drawable& d, const View& view, float far) {
  View back = view;
  back.eye = view.eye + view.forward * far;
  back.forward = view.forward * -1.0f;
  clip_near(d, back, 0);
}

// Projects vertices that are in front of the eye. focal: samples at distance 1.
void project(Drawable& d, const View& view, float focal_x, float focal_y, float nearest, std::uint32_t width,
             std::uint32_t height) {
  for (ScreenVertex& v : d.vertices) {
    const Vec3 offset = v.position - view.eye;
    v.w = std::max(dot(offset, view.forward), nearest);
    v.nearness = 1 / v.w;
    v.x = static_cast<float>(width) / 2 + focal_x * dot(offset, view.right) / v.w;
    v.y = static_cast<float>(height) / 2 - focal_y * dot(offset, view.up) / v.w;
  }
}

// Projects vertices along parallel rays. scale: samples to a meter.
void project_parallel(Drawable& d, const View& view, float scale, std::uint32_t width, std::uint32_t height) {
  for (ScreenVertex& v : d.vertices) {
    const Vec3 offset = v.position - view.eye;
    v.w = 1;
    v.nearness = -dot(offset, view.forward);
    v.x = static_cast<float>(width) / 2 + scale * dot(offset, view.right);
    v.y = static_cast<float>(height) / 2 - scale * dot(offset, view.up);
  }
}

// Shows the scene as a camera of it does. If the picture has another aspect ratio than the camera, the height of the
// view is kept.
View look_through(Drawable& d, const scene::Camera& camera, const Mat4& world, std::uint32_t width,
                  std::uint32_t height) {
  View view;
  view.right = normalize_or(transform_direction(world, {1, 0, 0}), {1, 0, 0});
  view.up = normalize_or(transform_direction(world, {0, 1, 0}), {0, 1, 0});
  view.forward = normalize_or(transform_direction(world, {0, 0, -1}), {0, 0, -1});
  view.eye = transform_point(world, {0, 0, 0});
  const auto side = static_cast<float>(height);
  if (camera.is_perspective) {
    const float near = std::max(camera.z_near, 1e-5f);
    clip_near(d, view, near);
    if (camera.z_far > near) clip_far(d, view, camera.z_far);
    const float focal = side / 2 / std::tan(std::clamp(camera.y_fov_radians, 1e-3f, 3.1f) / 2);
    project(d, view, focal, focal, near, width, height);
    return view;
  }
  view.is_parallel = true;
  clip_near(d, view, camera.z_near);
  if (camera.z_far > camera.z_near) clip_far(d, view, camera.z_far);
  project_parallel(d, view, side / 2 / std::max(std::abs(camera.y_magnification), 1e-5f), width, height);
  return view;
}

// Fits the bounding sphere of all vertices into the picture and projects them. Every vertex is in front of the eye.
View frame(Drawable& d, const Options& o, std::uint32_t width, std::uint32_t height) {
  Vec3 low = d.vertices[0].position, high = low;
  for (const ScreenVertex& v : d.vertices) {
    low = {std::min(low.x, v.position.x), std::min(low.y, v.position.y), std::min(low.z, v.position.z)};
    high = {std::max(high.x, v.position.x), std::max(high.y, v.position.y), std::max(high.z, v.position.z)};
  }
  const Vec3 center = (low + high) * 0.5f;
  float radius = 0;
  for (const ScreenVertex& v : d.vertices) radius = std::max(radius, length(v.position - center));
  radius = std::max(radius, 1e-6f);

  constexpr float kRadians = std::numbers::pi_v<float> / 180;
  const float yaw = o.yaw_degrees * kRadians, pitch = std::clamp(o.pitch_degrees, -89.0f, 89.0f) * kRadians;
  const float half_angle = kFieldOfViewDegrees / 2 * kRadians;
  View cam;
  cam.forward = Vec3{-std::sin(yaw) * std::cos(pitch), -std::sin(pitch), -std::cos(yaw) * std::cos(pitch)};
  cam.right = normalize_or(cross(cam.forward, {0, 1, 0}), {1, 0, 0});
  cam.up = cross(cam.right, cam.forward);
  const float distance = radius * kMargin / std::sin(half_angle);
  cam.eye = center - cam.forward * distance;
  const float focal = static_cast<float>(std::min(width, height)) / 2 / std::tan(half_angle);
  project(d, cam, focal, focal, distance * 1e-3f, width, height);
  return cam;
}

class Shader {
 public:
  Shader(const Drawable& d, const View& cam, const Options& o)
      : surfaces_(d.surfaces), cam_(cam), style_(o.style), wire_width_(0.6f * static_cast<float>(o.supersample)) {
    light_ = normalize_or(cam.right * 0.5f + cam.up * 0.8f - cam.forward, {0, 1, 0});
    for (std::size_t i = 0; i < data_.size(); ++i) {
      data_[i] = static_cast<float>(i) / 255;
      color_[i] = srgb_to_linear(data_[i]);
    }
  }

  Sample operator()(const Triangle& t, const Fragment& f) const {
    const Surface& s = surfaces_[t.surface];
    Vec3 normal = f.normal;
    if (dot(normal, cam_.ray_to(f.position)) > 0) normal = normal * -1.0f;
    switch (style_) {
      case Style::kNormals:
        return {Vec3{f.normal.x * 0.5f + 0.5f, f.normal.y * 0.5f + 0.5f, f.normal.z * 0.5f + 0.5f}, 1};
      case Style::kUv:
        return {uv_color(s, f), 1};
      case Style::kMeshlets:
        return {id_color(t.cluster) * light_on(s, normal), 1};
      case Style::kWire: {
        if (s.is_unlit) return {kClay, 1};
        const float line = std::clamp(f.edge_distance - wire_width_ / 2, 0.0f, 1.0f);
        return {kClay * diffuse(normal) * (0.15f + 0.85f * line), 1};
      }
      case Style::kShaded:
        return {kClay * light_on(s, normal), 1};
      case Style::kTextured:
        return textured(s, f, normal);
    }
    return {};
  }

 private:
  float light_on(const Surface& s, Vec3 normal) const { return s.is_unlit ? 1 : diffuse(normal); }
  float diffuse(Vec3 normal) const {
    const float wrapped = dot(normal, light_) * 0.5f + 0.5f;  // half Lambert: the unlit side is not black
    return 0.12f + 1.1f * wrapped * wrapped;
  }

  static Vec3 uv_color(const Surface& s, const Fragment& f) {
    if (!s.has_texcoord) return {0.5f, 0, 0.5f};
    const float u = wrap_coordinate(f.texcoords[0].x, Wrap::kRepeat),
                v = wrap_coordinate(f.texcoords[0].y, Wrap::kRepeat);
    const bool dark = (static_cast<int>(u * 16) + static_cast<int>(v * 16)) % 2 == 1;
    return Vec3{u, v, 0.25f} * (dark ? 0.6f : 1.0f);
  }

  Sample textured(const Surface& s, const Fragment& f, Vec3 normal) const {
    const Vec3 vertex_color{f.color.x, f.color.y, f.color.z};
    const Material& m = *s.material;
    if (!m.double_sided && !s.is_unlit && !f.front_facing && m.alpha_mode == AlphaMode::kBlend) return {{}, 0};
    Vec3 base{m.base_color.x * vertex_color.x, m.base_color.y * vertex_color.y, m.base_color.z * vertex_color.z};
    float alpha = m.base_color.w * f.color.w;
    if (s.base_color != nullptr) {
      const Vec4 c = fetch(*s.base_color, m.base_color_texture, f.texcoords[kBaseColorTexture], color_);
      base = {base.x * c.x, base.y * c.y, base.z * c.z};
      alpha *= c.w;
    }
    if (m.alpha_mode == AlphaMode::kMask) alpha = alpha < m.alpha_cutoff ? 0.0f : 1.0f;
    if (m.alpha_mode == AlphaMode::kOpaque) alpha = 1;
    if (alpha <= 0) return {{}, 0};
    if (m.unlit) return {base, alpha};  // without emission, as KHR_materials_unlit defines
    Vec3 color = base;
    if (!s.is_unlit) {
      float occlusion = 1;
      if (s.occlusion != nullptr)
        occlusion = fetch(*s.occlusion, m.occlusion_texture, f.texcoords[kOcclusionTexture], data_).x;
      const Vec3 half = normalize_or(light_ - cam_.ray_to(f.position), light_);
      float gloss = std::max(dot(normal, half), 0.0f);
      for (int i = 0; i < 5; ++i) gloss *= gloss;  // to the power of 32
      color = base * (diffuse(normal) * (1 + m.occlusion_strength * (occlusion - 1))) + Vec3{1, 1, 1} * (0.06f * gloss);
    }
    Vec3 emission = m.emissive;
    if (s.emissive != nullptr) {
      const Vec4 e = fetch(*s.emissive, m.emissive_texture, f.texcoords[kEmissiveTexture], color_);
      emission = {emission.x * e.x, emission.y * e.y, emission.z * e.z};
    }
    return {color + emission, alpha};
  }

  std::span<const Surface> surfaces_;
  View cam_;
  Style style_;
  float wire_width_;
  Vec3 light_;
  Codes color_{}, data_{};  // sRGB, linear
};

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

}  // namespace

Result<Image> render(const Scene& scene, std::span<const Image> images, const Options& options) {
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
  Drawable drawable = gather(scene, images, nodes, options.lod, options.morph_weights);
  if (options.camera && (*options.camera >= nodes.size() || nodes[*options.camera].camera >= scene.cameras.size()))
    return fail(ErrorCode::kNotFound, "node " + std::to_string(*options.camera) + " has no camera");
  if (drawable.vertices.empty())
    return fail(ErrorCode::kInvalidData, "the scene has no triangles, lines or points to draw");
  const std::uint32_t width = options.width_texels * options.supersample,
                      height = options.height_texels * options.supersample;
  View view;
  if (options.camera) {
    Scene posed;
    posed.nodes = nodes;
    view = look_through(drawable, scene.cameras[nodes[*options.camera].camera], world_matrices(posed)[*options.camera],
                        width, height);
  } else {
    view = frame(drawable, options, width, height);
  }
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
