// Clusters, groups and views of them. cluster_pool.hpp and cluster_pass.cpp have the same structs; a group is as in the
// file.
struct Part {
  vec3 center;
  uint slot;
  vec3 half_size;
  uint first_triangle;
  vec3 axis;
  float cutoff;
  uint triangle_count, group, refined, cluster;
};
struct Group {
  vec3 center;
  float radius;
  float error;
  uint level, page, clusters;
};
// An instance of a mesh, seen in the space of the mesh.
struct View {
  mat4 to_clip;
  vec4 planes[5];  // a point p is inside if dot(plane, (p, 1)) is not negative
  vec3 eye;
  float near;
  float inverse_limit;
  uint culls_cones;
  uint part_count;
  uint first_part;     // of this instance, in the commands and states of all
  uint first_visible;  // its slots in `visible`
};
const uint kNone = 0xffffffff;
