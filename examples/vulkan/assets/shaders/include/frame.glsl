// The data shared by all draws of a frame. frame.cpp has the same struct.
const uint kMaxLights = 16;
// A light of a scene. type: 0 directional, 1 point, 2 spot.
struct PunctualLight {
  vec3 position;
  float range;  // 0: unlimited
  vec3 direction;
  uint type;
  vec3 color;  // times intensity
  float cone_scale;
  float cone_offset;
};

layout(set = 0, binding = 0) uniform Frame {
  mat4 view_projection;
  vec4 eye;
  vec4 right, up, forward;  // of the camera; right and up are scaled to the edges of the picture
  float exposure;
  float specular_last_level;
  uint light_count;
  PunctualLight lights[kMaxLights];
} frame;
