#include "render/shader.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace assetc::render {

using namespace scene;

namespace {

constexpr Vec3 kClay{0.55f, 0.55f, 0.57f};

float srgb_to_linear(float v) { return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f); }

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

Vec3 uv_color(const Surface& s, const Fragment& f) {
  if (!s.has_texcoord) return {0.5f, 0, 0.5f};
  const float u = wrap_coordinate(f.texcoords[0].x, Wrap::kRepeat),
              v = wrap_coordinate(f.texcoords[0].y, Wrap::kRepeat);
  const bool dark = (static_cast<int>(u * 16) + static_cast<int>(v * 16)) % 2 == 1;
  return Vec3{u, v, 0.25f} * (dark ? 0.6f : 1.0f);
}

}  // namespace

Shader::Shader(const Drawable& d, const View& cam, const Options& o)
    : surfaces_(d.surfaces), cam_(cam), style_(o.style), wire_width_(0.6f * static_cast<float>(o.supersample)) {
  light_ = normalize_or(cam.right * 0.5f + cam.up * 0.8f - cam.forward, {0, 1, 0});
  for (std::size_t i = 0; i < data_.size(); ++i) {
    data_[i] = static_cast<float>(i) / 255;
    color_[i] = srgb_to_linear(data_[i]);
  }
}

Sample Shader::operator()(const Triangle& t, const Fragment& f) const {
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
      if (s.is_stroke) return {kClay, 1};
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

float Shader::diffuse(Vec3 normal) const {
  const float wrapped = dot(normal, light_) * 0.5f + 0.5f;  // half Lambert: the unlit side is not black
  return 0.12f + 1.1f * wrapped * wrapped;
}

Sample Shader::textured(const Surface& s, const Fragment& f, Vec3 normal) const {
  const Vec3 vertex_color{f.color.x, f.color.y, f.color.z};
  const Material& m = *s.material;
  if (!m.double_sided && !s.is_stroke && !f.front_facing && m.alpha_mode == AlphaMode::kBlend) return {{}, 0};
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
  if (!s.is_stroke) {
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

}  // namespace assetc::render
