#include "texture/prefilter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/portable_math.hpp"
#include "parallel/parallel.hpp"

namespace assetc::texture {
namespace {

using scene::Vec3;

// The width of a level's texels relative to the distance of samples. Filament uses this value; it leaves no dots with
// 1024 samples.
constexpr double kOverlap = 4.0;
constexpr std::size_t kLanes = 16;

struct LobeSample {
  Vec3 direction;  // the normal is +Z
  float weight;
  std::uint32_t level;
};

// The bits of i in reverse order, as a fraction: van der Corput's sequence.
double radical_inverse(std::uint32_t i) {
  std::uint32_t mirrored = 0;
  for (int bit = 0; bit < 32; ++bit) mirrored |= (i >> bit & 1) << (31 - bit);
  return mirrored * 0x1p-32;
}

// The samples above the horizon, sorted with coarse levels last so that each level stays in the cache. Weights sum to
// 1.
std::vector<LobeSample> lobe(double roughness, std::uint32_t count, std::span<const Cube> pyramid) {
  const double alpha2 = roughness * roughness * roughness * roughness;
  const double texel_angle = 4.0 * std::numbers::pi / (6.0 * pyramid[0].size() * pyramid[0].size());
  std::vector<LobeSample> samples;
  double sum = 0.0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const double u = (i + 0.5) / count, turn = radical_inverse(i);
    const double cosine2 = (1.0 - u) / (1.0 + (alpha2 - 1.0) * u);  // between the half vector and the normal
    const double z = 2.0 * cosine2 - 1.0;                           // of the normal mirrored at the half vector
    if (z <= 0.0) continue;
    const double sine = 2.0 * std::sqrt(cosine2 * (1.0 - cosine2));
    const double spread = cosine2 * (alpha2 - 1.0) + 1.0;
    const double density = alpha2 / (std::numbers::pi * spread * spread) / 4.0;  // fraction of samples per steradian
    const double level = 0.5 * binary_logarithm(kOverlap / (count * density * texel_angle));
    const double coarsest = static_cast<double>(pyramid.size() - 1);
    samples.push_back({{static_cast<float>(sine * cos_pi(2.0 * turn)), static_cast<float>(sine * sin_pi(2.0 * turn)),
                        static_cast<float>(z)},
                       static_cast<float>(z),
                       static_cast<std::uint32_t>(std::clamp(std::nearbyint(level), 0.0, coarsest))});
    sum += z;
  }
  for (LobeSample& s : samples) s.weight = static_cast<float>(s.weight / sum);
  std::ranges::stable_sort(samples, {}, &LobeSample::level);
  return samples;
}

// A frame around a unit vector; to_world converts a direction from it to world space.
struct Frame {
  Vec3 x, y, z;
  explicit Frame(Vec3 normal) : z(normal) {
    const Vec3 other = std::fabs(normal.z) < 0.9f ? Vec3{0, 0, 1} : Vec3{1, 0, 0};
    x = scene::normalize_or(scene::cross(other, normal), {1, 0, 0});
    y = scene::cross(normal, x);
  }
  Vec3 to_world(Vec3 d) const { return x * d.x + y * d.y + z * d.z; }
};

template <class Texel>  // void(face, x, y, unit direction, float* rgb)
Cube make_cube(std::uint32_t size, const Texel& texel) {
  Cube cube(size);
  parallel_for(kFaces * size, [&](std::uint32_t row) {
    const auto y = static_cast<std::int32_t>(row % size);
    for (std::int32_t x = 0; x < static_cast<std::int32_t>(size); ++x)
      texel(scene::normalize_or(cube.direction(row / size, x, y), {0, 0, 1}), cube.at(row / size, x, y));
  });
  cube.close_seams();
  return cube;
}

// All texels of a cube as columns: direction, and light times solid angle. Padded to whole lanes with zeros.
struct Columns {
  std::vector<float> x, y, z, weight, r, g, b;
  explicit Columns(const Cube& cube) {
    for (std::uint32_t face = 0; face < kFaces; ++face) {
      for (std::int32_t ty = 0; ty < static_cast<std::int32_t>(cube.size()); ++ty) {
        for (std::int32_t tx = 0; tx < static_cast<std::int32_t>(cube.size()); ++tx) {
          const Vec3 d = scene::normalize_or(cube.direction(face, tx, ty), {0, 0, 1});
          const float w = face_weight(cube.middle(tx), cube.middle(ty));
          const float* rgb = cube.at(face, tx, ty);
          add(d, w, rgb);
        }
      }
    }
    constexpr float kNone[3] = {};
    while (x.size() % kLanes != 0) add({0, 0, 0}, 0.0f, kNone);
  }
  void add(Vec3 d, float w, const float* rgb) {
    x.push_back(d.x);
    y.push_back(d.y);
    z.push_back(d.z);
    weight.push_back(w);
    r.push_back(rgb[0] * w);
    g.push_back(rgb[1] * w);
    b.push_back(rgb[2] * w);
  }
};

}  // namespace

std::vector<Cube> light_pyramid(Cube cube) {
  std::vector<Cube> pyramid;
  pyramid.push_back(std::move(cube));
  while (pyramid.back().size() % 2 == 0) pyramid.push_back(halve(pyramid.back()));
  return pyramid;
}

Cube prefilter_specular(std::span<const Cube> pyramid, float roughness, std::uint32_t samples, std::uint32_t size) {
  if (roughness == 0.0f) return *std::ranges::find(pyramid, size, &Cube::size);
  const std::vector<LobeSample> directions = lobe(roughness, samples, pyramid);
  return make_cube(size, [&](Vec3 normal, float* out) {
    const Frame frame(normal);
    std::array<float, 4> sum{};
    for (const LobeSample& s : directions) pyramid[s.level].add_sample(frame.to_world(s.direction), s.weight, sum);
    std::copy_n(sum.data(), 3, out);
  });
}

Cube convolve_cosine(const Cube& light, std::uint32_t size) {
  const Columns all(light);
  return make_cube(size, [&](Vec3 normal, float* out) {
    // A fixed number of sums, independent of the vector width of the machine.
    float r[kLanes] = {}, g[kLanes] = {}, b[kLanes] = {}, weights[kLanes] = {};
    for (std::size_t i = 0; i < all.x.size(); i += kLanes) {
      for (std::size_t k = 0; k < kLanes; ++k) {
        const float cosine = normal.x * all.x[i + k] + normal.y * all.y[i + k] + normal.z * all.z[i + k];
        const float seen = cosine > 0.0f ? cosine : 0.0f;
        r[k] += seen * all.r[i + k];
        g[k] += seen * all.g[i + k];
        b[k] += seen * all.b[i + k];
        weights[k] += seen * all.weight[i + k];
      }
    }
    double sum[4] = {};
    for (std::size_t k = 0; k < kLanes; ++k) {
      sum[0] += r[k];
      sum[1] += g[k];
      sum[2] += b[k];
      sum[3] += weights[k];
    }
    for (std::size_t c = 0; c < 3; ++c) out[c] = static_cast<float>(sum[c] / sum[3]);
  });
}

IrradianceSh project_irradiance(const Cube& light) {
  const Columns all(light);
  IrradianceSh sh{};
  double weights = 0.0;
  for (std::size_t i = 0; i < all.x.size(); ++i) {
    const double x = all.x[i], y = all.y[i], z = all.z[i];
    const double basis[9] = {1.0, y, z, x, x * y, y * z, 3.0 * z * z - 1.0, z * x, x * x - y * y};
    for (std::size_t k = 0; k < 9; ++k) {
      sh[k][0] += all.r[i] * basis[k];
      sh[k][1] += all.g[i] * basis[k];
      sh[k][2] += all.b[i] * basis[k];
    }
    weights += all.weight[i];
  }
  // The square of each basis function's constant times 4 pi, and the factors of the cosine's bands divided by pi: 1,
  // 2/3, 1/4.
  constexpr double kScale[9] = {1.0, 2.0, 2.0, 2.0, 15.0 / 4.0, 15.0 / 4.0, 5.0 / 16.0, 15.0 / 4.0, 15.0 / 16.0};
  for (std::size_t k = 0; k < 9; ++k) {
    for (double& value : sh[k]) value *= kScale[k] / weights;
  }
  return sh;
}

}  // namespace assetc::texture
