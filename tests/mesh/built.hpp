// Builds meshes from shapes with build_mesh.
#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "mesh/build.hpp"
#include "mesh/shapes.hpp"

namespace assetc::mesh {

inline Shape one_triangle() {
  return {
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, std::vector<scene::Vec3>(3, {0, 0, 1}), {{0, 1}, {1, 1}, {0, 0}}, {0, 1, 2}};
}

inline SubmeshInput input_of(const Shape& s) {
  SubmeshInput in;
  in.place = "/meshes/0/primitives/0";
  in.indices = s.indices;
  in.positions = s.positions;
  in.normals = s.normals;
  in.texcoords = s.texcoords;
  return in;
}

inline BuiltMesh build(std::vector<SubmeshInput> inputs, const MeshOptions& options = {}) {
  auto built = build_mesh(inputs, options);
  EXPECT_TRUE(built.has_value()) << built.error().to_string();
  return built ? std::move(*built) : BuiltMesh{};
}
inline BuiltMesh build(const Shape& s, const MeshOptions& options = {}) {
  return build(std::vector{input_of(s)}, options);
}

}  // namespace assetc::mesh
