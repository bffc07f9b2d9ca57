// Writes a draw for each visible meshlet of a submesh: inside of the frustum, and not facing away as a whole.
#version 460
layout(local_size_x = 64) in;

struct Meshlet {
  uint vertex_offset, vertex_count, triangle_offset, triangle_count;
};
struct Bounds {
  vec4 sphere;  // center, radius
  vec4 cone;    // axis, cutoff
};
struct Command {
  uint index_count, instance_count, first_index;
  int vertex_offset;
  uint first_instance;
};
layout(set = 0, binding = 0) readonly buffer Meshlets { Meshlet meshlets[]; };
layout(set = 0, binding = 1) readonly buffer AllBounds { Bounds bounds[]; };
layout(set = 1, binding = 0) writeonly buffer Commands { Command commands[]; };
layout(set = 1, binding = 1) buffer Counters { uint drawn, outside, facing_away; };
// In mesh space.
layout(push_constant) uniform Cull {
  vec4 planes[5];  // a point p is inside if dot(plane, (p, 1)) is not negative
  vec3 eye;
  uint has_cones;
  uint first_meshlet, meshlet_count, first_command;
} cull;

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= cull.meshlet_count) return;
  Meshlet meshlet = meshlets[cull.first_meshlet + i];
  Bounds b = bounds[cull.first_meshlet + i];
  bool is_inside = true;
  for (int p = 0; p < 5; ++p) is_inside = is_inside && dot(cull.planes[p], vec4(b.sphere.xyz, 1)) >= -b.sphere.w;
  vec3 to_center = b.sphere.xyz - cull.eye;
  bool is_away = cull.has_cones != 0 && dot(to_center, b.cone.xyz) >= b.cone.w * length(to_center) + b.sphere.w;
  bool is_drawn = is_inside && !is_away;
  if (is_drawn) atomicAdd(drawn, 1);
  else if (!is_inside) atomicAdd(outside, 1);
  else atomicAdd(facing_away, 1);
  commands[cull.first_command + i] =
      Command(meshlet.triangle_count * 3, is_drawn ? 1 : 0, meshlet.triangle_offset * 3, 0, 0);
}
