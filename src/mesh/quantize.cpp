#include "mesh/quantize.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "assetc/formats/octahedral.hpp"
#include "mesh/bounds.hpp"

namespace assetc::mesh {
namespace {

using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

constexpr int kLeastExponent = -126;        // of a normal float
constexpr float kLargestRadius = 1e9f;      // of a meshlet whose bounds are rounded
constexpr int kIntegerBits = 24;            // of a float
constexpr double kLargestMultiple = 65535;  // an encoded component has 16 bits

// The lowest and highest value of each component.
class Extents {
 public:
  void add(std::size_t k, float value) {
    low_[k] = std::min(low_[k], value), high_[k] = std::max(high_[k], value);
    is_finite_ = is_finite_ && std::isfinite(value);
  }
  float step(std::uint32_t bits) const {
    double extent = 0, most = 0;
    for (std::size_t k = 0; k < low_.size(); ++k) {
      if (low_[k] > high_[k]) continue;
      extent = std::max(extent, double{high_[k]} - double{low_[k]});
      most = std::max({most, std::fabs(double{low_[k]}), std::fabs(double{high_[k]})});
    }
    if (!is_finite_ || extent <= 0) return 0;
    const double multiples = std::min(std::ldexp(1.0, static_cast<int>(bits)), kLargestMultiple);
    int exponent = std::max(
        {std::ilogb(extent) - static_cast<int>(bits) - 1, std::ilogb(most) - kIntegerBits - 1, kLeastExponent});
    while (std::ldexp(multiples, exponent) < extent || std::ldexp(1.0, exponent + kIntegerBits) < most) ++exponent;
    return static_cast<float>(std::ldexp(1.0, exponent));
  }

 private:
  std::array<float, 3> low_{INFINITY, INFINITY, INFINITY}, high_{-INFINITY, -INFINITY, -INFINITY};
  bool is_finite_ = true;
};

void add_positions(const SubmeshInput& submesh, Extents& extents) {
  for (const Vec3& p : submesh.positions) extents.add(0, p.x), extents.add(1, p.y), extents.add(2, p.z);
  for (const SubmeshInput& level : submesh.levels) add_positions(level, extents);
}

void round_texcoords(std::uint32_t bits, std::vector<Vec2>& set) {
  Extents extents;
  for (const Vec2& uv : set) extents.add(0, uv.x), extents.add(1, uv.y);
  const float step = extents.step(bits);
  if (step == 0) return;
  for (Vec2& uv : set) uv = {round_to(uv.x, step), round_to(uv.y, step)};
}

// An octahedral component of 16 bits, rounded to fewer.
class Component {
 public:
  explicit Component(std::uint32_t bits) : most_(static_cast<float>((1 << (bits - 1)) - 1)) {}
  float operator()(float value) const { return std::round(value * most_) / most_; }

 private:
  float most_;
};

Vec3 rounded(const Component& component, Vec3 v) {
  const auto [x, y] = octahedral_coordinates(v.x, v.y, v.z);
  const auto [rx, ry, rz] = octahedral_direction(component(x), component(y));
  return {rx, ry, rz};
}

float exact_power(int exponent) { return std::ldexp(1.0f, std::max(exponent, kLeastExponent)); }

// Keeps 8 digits of a positive float, rounded up.
float rounded_up(float value) {
  const std::uint32_t dropped = 0xFFFF;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + dropped) & ~dropped);
}

// Rounds a sphere and a cone so that the sphere still contains its meshlet, and no meshlet faces away that did not.
void round_bounds(hmesh::MeshletBounds& bounds) {
  const float radius = bounds.radius;
  const Vec3 center = vector_of(bounds.center);
  if (!(radius > 0) || radius > kLargestRadius) return;
  // The center moves by at most 0.014 of the radius.
  constexpr float kLeast = std::numeric_limits<float>::min();  // 0 has no exponent
  const float most = std::max({std::fabs(center.x), std::fabs(center.y), std::fabs(center.z), kLeast});
  const float step = exact_power(std::max(std::ilogb(radius) - 6, std::ilogb(most) - kIntegerBits + 1));
  for (float& c : bounds.center) c = round_to(c, step);
  // Once for the place of the sphere, and once for the place from which the cone is seen.
  constexpr float kRounding = 1.0001f;
  bounds.radius = rounded_up((radius + 2 * scene::length(vector_of(bounds.center) - center)) * kRounding);
  if (bounds.cone_cutoff >= 1) return;
  constexpr float kAxisStep = 1.0f / 128, kAxisError = 0.0069f;  // half a step on three axes is a length of 0.0068
  for (float& a : bounds.cone_axis) a = round_to(a, kAxisStep);
  bounds.cone_cutoff = std::min(std::ceil((bounds.cone_cutoff + kAxisError) / kAxisStep) * kAxisStep, 1.0f);
}

void round_weights(std::uint32_t bits, hmesh::GpuSkinVertex& v) {
  const double most = std::ldexp(1.0, static_cast<int>(bits));
  double sum = 0;
  for (const float weight : v.weights) sum += double{weight};
  if (!(sum > 0)) return;
  std::array<double, 4> whole{}, rest{};
  double left = most;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const double scaled = double{v.weights[i]} / sum * most;
    whole[i] = std::floor(scaled);
    rest[i] = scaled - whole[i];
    left -= whole[i];
  }
  // Those that lose most by rounding down are rounded up, the first of equal ones.
  for (; left > 0; --left) {
    const auto largest = static_cast<std::size_t>(std::ranges::max_element(rest) - rest.begin());
    ++whole[largest];
    rest[largest] = -1;
  }
  for (std::size_t i = 0; i < whole.size(); ++i) v.weights[i] = static_cast<float>(whole[i] / most);
}

}  // namespace

float position_step(std::span<const SubmeshInput> submeshes, std::uint32_t bits) {
  if (bits == 0) return 0;
  Extents extents;
  for (const SubmeshInput& submesh : submeshes) add_positions(submesh, extents);
  return extents.step(bits);
}

void round_positions(SubmeshInput& input, float step) {
  if (step == 0) return;
  std::vector<Vec3> rounded(input.positions.begin(), input.positions.end());
  for (Vec3& p : rounded) p = {round_to(p.x, step), round_to(p.y, step), round_to(p.z, step)};
  input.positions = std::move(rounded);
  for (SubmeshInput& level : input.levels) round_positions(level, step);
}

float round_to(float value, float step) {
  // Exact but for the rounding: step is a power of two. Adding 0 turns -0 into 0.
  return static_cast<float>(std::round(double{value} / double{step}) * double{step}) + 0.0f;
}

void quantize_streams(const Precision& precision, Mesh& mesh) {
  if (precision.position_bits != 0) std::ranges::for_each(mesh.meshlet_bounds, round_bounds);
  if (precision.texcoord_bits != 0) {
    for (std::vector<Vec2>& set : mesh.texcoords) round_texcoords(precision.texcoord_bits, set);
  }
  if (precision.normal_bits != 0) {
    const Component component(precision.normal_bits);
    for (Vec3& n : mesh.normals) n = rounded(component, n);
    for (Vec4& t : mesh.tangents) {
      const Vec3 direction = rounded(component, {t.x, t.y, t.z});
      t = {direction.x, direction.y, direction.z, t.w};
    }
  }
  if (precision.color_bits != 0) {
    const auto most = static_cast<float>((1u << precision.color_bits) - 1);
    const auto round_color = [&](float c) { return std::round(c * most) / most; };
    for (std::vector<Vec4>& set : mesh.colors) {
      for (Vec4& c : set) c = {round_color(c.x), round_color(c.y), round_color(c.z), round_color(c.w)};
    }
  }
  if (precision.weight_bits != 0) {
    for (hmesh::GpuSkinVertex& v : mesh.skin) round_weights(precision.weight_bits, v);
    const float most = static_cast<float>(1u << precision.weight_bits);
    for (hmesh::GpuSkinVertex& v : mesh.further_skin) {
      for (float& weight : v.weights) weight = std::floor(weight * most) / most;
    }
  }
}

}  // namespace assetc::mesh
