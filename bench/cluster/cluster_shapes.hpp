#pragma once

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "cluster_case.hpp"

namespace assetc::bench {

// A torus whose surface has bumps of several sizes, closed, of 2 * columns * rows triangles.
inline ClusterSource torus(std::uint32_t columns, std::uint32_t rows) {
  constexpr double kPi = 3.14159265358979323846;
  ClusterSource s;
  const auto at = [&](double u, double v) {
    const double a = 2 * kPi * u, b = 2 * kPi * v;
    const double bump = 0.02 * std::sin(9 * a) * std::cos(5 * b) + 0.006 * std::sin(41 * a + 17 * b) +
                        0.0015 * std::sin(173 * a) * std::sin(97 * b);
    const double r = 0.35 + bump;
    return std::array<double, 3>{(1 + r * std::cos(b)) * std::cos(a), r * std::sin(b),
                                 (1 + r * std::cos(b)) * std::sin(a)};
  };
  for (std::uint32_t j = 0; j < rows; ++j) {
    for (std::uint32_t i = 0; i < columns; ++i) {
      const double u = static_cast<double>(i) / columns, v = static_cast<double>(j) / rows, e = 1e-4;
      const auto p = at(u, v), pu = at(u + e, v), pv = at(u, v + e);
      const scene::Vec3 du{static_cast<float>(pu[0] - p[0]), static_cast<float>(pu[1] - p[1]),
                           static_cast<float>(pu[2] - p[2])};
      const scene::Vec3 dv{static_cast<float>(pv[0] - p[0]), static_cast<float>(pv[1] - p[1]),
                           static_cast<float>(pv[2] - p[2])};
      s.positions.push_back({static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
      s.normals.push_back(scene::normalize_or(scene::cross(dv, du), {0, 1, 0}));
    }
  }
  for (std::uint32_t j = 0; j < rows; ++j) {
    for (std::uint32_t i = 0; i < columns; ++i) {
      const std::uint32_t i1 = (i + 1) % columns, j1 = (j + 1) % rows;
      const std::uint32_t a = j * columns + i, b = j * columns + i1, c = j1 * columns + i, d = j1 * columns + i1;
      s.indices.insert(s.indices.end(), {a, c, b, b, c, d});
    }
  }
  return s;
}

// Positions and triangles of an OBJ file, with normals that are the mean of the triangles'.
inline ClusterSource obj(const std::string& path) {
  ClusterSource s;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "v") {
      scene::Vec3 p;
      words >> p.x >> p.y >> p.z;
      s.positions.push_back(p);
    } else if (key == "f") {
      std::vector<std::uint32_t> face;
      for (std::string word; words >> word;) face.push_back(static_cast<std::uint32_t>(std::stoul(word)) - 1);
      for (std::size_t i = 2; i < face.size(); ++i) s.indices.insert(s.indices.end(), {face[0], face[i - 1], face[i]});
    }
  }
  s.normals.resize(s.positions.size());
  for (std::size_t i = 0; i < s.indices.size(); i += 3) {
    const scene::Vec3 a = s.positions[s.indices[i]], b = s.positions[s.indices[i + 1]],
                      c = s.positions[s.indices[i + 2]];
    for (std::size_t k = 0; k < 3; ++k)
      s.normals[s.indices[i + k]] = s.normals[s.indices[i + k]] + scene::cross(b - a, c - a);
  }
  for (scene::Vec3& n : s.normals) n = scene::normalize_or(n, {0, 1, 0});
  return s;
}

}  // namespace assetc::bench
