// What all draws of a frame share. frame.hpp has the same struct.
layout(set = 0, binding = 0) uniform Frame {
  mat4 view_projection;
  vec4 eye;
  vec4 right, up, forward;  // of the camera; right and up reach the edges of the picture
  float exposure;
  float specular_last_level;
} frame;
