#version 450
layout(set = 0, binding = 0) uniform Frame { mat4 view_projection; vec4 eye; vec4 sun; } frame;
layout(push_constant) uniform Draw { mat4 model; } draw;
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 packed_normal;   // VK_FORMAT_R16G16_SNORM
layout(location = 2) in ivec2 packed_tangent;  // VK_FORMAT_R16G16_SINT
layout(location = 3) in vec2 uv;
layout(location = 0) out vec3 world;
layout(location = 1) out vec3 normal;
layout(location = 2) out vec4 tangent;
layout(location = 3) out vec2 texcoord;
#include "../include/octahedral.glsl"
void main() {
  world = (draw.model * vec4(position, 1)).xyz;
  normal = mat3(draw.model) * octahedral_decode(packed_normal);
  tangent = vec4(mat3(draw.model) * octahedral_decode(vec2(packed_tangent & ~1) / 32767.0), (packed_tangent.x & 1) != 0 ? -1 : 1);
  texcoord = uv;
  gl_Position = frame.view_projection * vec4(world, 1);
}
