// Meshes for tests and benchmarks.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "scene/math.hpp"

namespace assetc::mesh {

struct Shape {
  std::vector<scene::Vec3> positions, normals;
  std::vector<scene::Vec2> texcoords;
  std::vector<std::uint32_t> indices;
};

// A height field of columns x rows vertices with texture coordinates over the unit square, facing +y.
inline Shape wavy_grid(std::uint32_t columns, std::uint32_t rows) {
  Shape s;
  const auto height = [](double x, double z) {
    return 0.35 * std::sin(x * 1.7) * std::cos(z * 2.3) + 0.08 * std::sin(x * 9.1 + z * 3.7) +
           0.02 * std::sin(x * 31 + z * 27);
  };
  for (std::uint32_t j = 0; j < rows; ++j) {
    for (std::uint32_t i = 0; i < columns; ++i) {
      const double x = i * 0.01, z = j * 0.01, e = 1e-3;
      const double dx = (height(x + e, z) - height(x - e, z)) / (2 * e);
      const double dz = (height(x, z + e) - height(x, z - e)) / (2 * e);
      const double l = std::sqrt(dx * dx + 1 + dz * dz);
      s.positions.push_back({static_cast<float>(x), static_cast<float>(height(x, z)), static_cast<float>(z)});
      s.normals.push_back({static_cast<float>(-dx / l), static_cast<float>(1 / l), static_cast<float>(-dz / l)});
      s.texcoords.push_back({static_cast<float>(i) / static_cast<float>(columns - 1),
                             static_cast<float>(j) / static_cast<float>(rows - 1)});
    }
  }
  for (std::uint32_t j = 0; j + 1 < rows; ++j) {
    for (std::uint32_t i = 0; i + 1 < columns; ++i) {
      const std::uint32_t a = j * columns + i;
      s.indices.insert(s.indices.end(), {a, a + columns, a + 1, a + 1, a + columns, a + columns + 1});
    }
  }
  return s;
}

// A sphere of unit radius; the poles are fans, the seam has two columns of vertices.
inline Shape sphere(std::uint32_t columns, std::uint32_t rows) {
  Shape s;
  constexpr double kPi = 3.14159265358979323846;
  for (std::uint32_t j = 0; j <= rows; ++j) {
    for (std::uint32_t i = 0; i <= columns; ++i) {
      const double u = static_cast<double>(i) / columns, v = static_cast<double>(j) / rows;
      // The last column equals the first bit for bit, so the surface is closed.
      const double a = 2 * kPi * (i == columns ? 0 : u), b = kPi * v;
      const double r = j == 0 || j == rows ? 0 : std::sin(b);
      const scene::Vec3 p{static_cast<float>(r * std::cos(a)), static_cast<float>(std::cos(b)),
                          static_cast<float>(-r * std::sin(a))};
      s.positions.push_back(p);
      s.normals.push_back(scene::normalize_or(p, {0, 1, 0}));
      s.texcoords.push_back({static_cast<float>(u), static_cast<float>(v)});
    }
  }
  for (std::uint32_t j = 0; j < rows; ++j) {
    for (std::uint32_t i = 0; i < columns; ++i) {
      const std::uint32_t a = j * (columns + 1) + i, b = a + columns + 1;
      if (j > 0) s.indices.insert(s.indices.end(), {a, b, a + 1});
      if (j + 1 < rows) s.indices.insert(s.indices.end(), {a + 1, b, b + 1});
    }
  }
  return s;
}

}  // namespace assetc::mesh
