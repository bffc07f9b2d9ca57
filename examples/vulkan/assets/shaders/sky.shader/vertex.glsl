// A triangle over the whole picture, behind everything: depth is reversed, so that 0 is far.
#version 460
#include "../include/frame.glsl"
layout(location = 0) out vec3 direction;

void main() {
  vec2 corner = vec2(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1);
  direction = frame.forward.xyz + corner.x * frame.right.xyz - corner.y * frame.up.xyz;
  gl_Position = vec4(corner, 0, 1);
}
