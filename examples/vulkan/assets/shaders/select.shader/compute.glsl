// Selects the clusters of an instance as assetc's select_clusters() does, and writes a draw for each one that is drawn
// in this pass.
// - Pass 0 draws the clusters that were visible in the last picture.
// - Pass 1 tests all selected clusters against the depths of pass 0, and draws those that were not drawn and are visible.
// Without occlusion culling, pass 0 draws all selected clusters.
#version 460
#include "../include/clusters.glsl"
layout(local_size_x = 64) in;

struct Command {
  uint index_count, instance_count, first_index;
  int vertex_offset;
  uint first_instance;
};
layout(set = 0, binding = 0, std430) readonly buffer Groups { Group groups[]; };
layout(set = 0, binding = 1, std430) readonly buffer Usable { uint usable[]; };  // of each page
layout(set = 0, binding = 2, std430) readonly buffer Parts { Part parts[]; };
layout(set = 1, binding = 0, std430) readonly buffer Views { View views[]; };
layout(set = 1, binding = 1, std430) writeonly buffer Commands { Command commands[]; };
layout(set = 1, binding = 2, std430) buffer States { uint states[]; };
layout(set = 1, binding = 3, std430) buffer Visible { uint visible[]; };  // in the last picture; then in this one
layout(set = 1, binding = 4, std430) readonly buffer Pyramid { float pyramid[]; };
layout(push_constant) uniform Select {
  uint instance, pass, has_occlusion;
  uint first_command;  // of this pass
  uvec2 size_texels;
  uint level_count;
} push;

const uint kNotSelected = 0, kDrawnFirst = 1, kDrawnAfter = 2, kOccluded = 3, kPending = 4;
const uint kSlotTriangles = 128, kSlotVertices = 128;

// docs/formats/hcluster.md. `precise`: the same bits as on the processor.
bool exceeds(View view, Group group) {
  if (isinf(group.error)) return true;
  precise float scale = 1.0 + float(group.level) * (1.0 / 1048576.0);
  precise float least_distance = group.error * view.inverse_limit;
  precise float reach = (least_distance + group.radius) * scale;
  precise float reach_squared = reach * reach;
  precise float nearest = least_distance * scale;
  precise vec3 d = view.eye - group.center;
  precise float distance_squared = d.x * d.x + d.y * d.y + d.z * d.z;
  return nearest > view.near && distance_squared < reach_squared;
}
bool is_drawn_through(View view, Group group) { return usable[group.page] != 0 && exceeds(view, group); }

bool is_outside(View view, Group group, Part part) {
  for (int p = 0; p < 5; ++p) {
    vec4 plane = view.planes[p];
    precise float of_group =
        plane.x * group.center.x + plane.y * group.center.y + plane.z * group.center.z + plane.w;
    precise float of_part = plane.x * part.center.x + plane.y * part.center.y + plane.z * part.center.z + plane.w;
    precise float reach = abs(plane.x) * part.half_size.x + abs(plane.y) * part.half_size.y +
                          abs(plane.z) * part.half_size.z;
    if (of_group < -group.radius || of_part < -reach) return true;
  }
  return false;
}

bool faces_away(View view, Part part) {
  if (view.culls_cones == 0 || part.cutoff > 1) return false;
  precise vec3 d = part.center - view.eye;
  precise float along = d.x * part.axis.x + d.y * part.axis.y + d.z * part.axis.z;
  precise float distance_squared = d.x * d.x + d.y * d.y + d.z * d.z;
  vec3 h = part.half_size;
  precise float radius_squared = h.x * h.x + h.y * h.y + h.z * h.z;
  precise float limit = part.cutoff * sqrt(distance_squared) + sqrt(radius_squared);
  return along >= limit;
}

bool is_selected(View view, Part part) {
  Group group = groups[part.group];
  if (!is_drawn_through(view, group)) return false;
  if (part.refined != kNone && is_drawn_through(view, groups[part.refined])) return false;
  return !is_outside(view, group, part) && !faces_away(view, part);
}

// Depths are reversed: the pyramid has the least, and the box counts with its largest.
bool is_occluded(View view, Part part) {
  vec2 low = vec2(1e30), high = vec2(-1e30);
  float nearest = 0;
  for (int corner = 0; corner < 8; ++corner) {
    vec3 side = vec3((corner & 1) != 0 ? 1 : -1, (corner & 2) != 0 ? 1 : -1, (corner & 4) != 0 ? 1 : -1);
    vec4 clip = view.to_clip * vec4(part.center + side * part.half_size, 1);
    if (clip.w <= 0 || clip.z >= clip.w) return false;  // it reaches the near plane
    vec2 at = (clip.xy / clip.w * 0.5 + 0.5) * vec2(push.size_texels);
    low = min(low, at);
    high = max(high, at);
    nearest = max(nearest, clip.z / clip.w);
  }
  vec2 last = vec2(push.size_texels - 1);
  uvec2 first = uvec2(clamp(floor(low - 0.01), vec2(0), last)), end = uvec2(clamp(floor(high + 0.01), vec2(0), last));
  uint level = 0, offset = 0;
  uvec2 size = push.size_texels;
  // Until the box covers at most two texels in each direction.
  while (level + 1 < push.level_count && any(greaterThan(end - first, uvec2(1)))) {
    offset += size.x * size.y;
    size = (size + 1) / 2;
    first /= 2;
    end /= 2;
    ++level;
  }
  float farthest = 1;
  for (uint y = first.y; y <= end.y; ++y) {
    for (uint x = first.x; x <= end.x; ++x) farthest = min(farthest, pyramid[offset + y * size.x + x]);
  }
  return nearest * 1.00001 < farthest;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  View view = views[push.instance];
  if (i >= view.part_count) return;
  Part part = parts[i];
  uint at = view.first_part + i, seen = view.first_visible + part.slot;
  bool is_drawn;
  if (push.pass == 0) {
    bool selected = is_selected(view, part);
    is_drawn = selected && (push.has_occlusion == 0 || visible[seen] != 0);
    states[at] = is_drawn ? kDrawnFirst : selected ? kPending : kNotSelected;
  } else {
    uint state = states[at];
    bool is_visible = state != kNotSelected && !is_occluded(view, part);
    is_drawn = is_visible && state == kPending;
    if (state == kPending) states[at] = is_visible ? kDrawnAfter : kOccluded;
    visible[seen] = is_visible ? 1 : 0;  // parts of one cluster write the same
  }
  commands[push.first_command + at] =
      Command(part.triangle_count * 3, is_drawn ? 1 : 0, (part.slot * kSlotTriangles + part.first_triangle) * 3,
              int(part.slot * kSlotVertices), 0);
}
