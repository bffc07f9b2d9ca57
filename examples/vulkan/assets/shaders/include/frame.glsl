// The data shared by all draws of a frame. frame.cpp has the same struct.
layout(set = 0, binding = 0) uniform Frame {
  mat4 view_projection;
  vec4 eye;
  vec4 right, up, forward;  // of the camera; right and up are scaled to the edges of the picture
  float exposure;
  float specular_last_level;
} frame;
