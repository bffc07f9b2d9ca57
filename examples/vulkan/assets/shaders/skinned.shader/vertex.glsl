#version 460
#include "../include/frame.glsl"
#include "../include/draw.glsl"
#include "../include/vertex.glsl"
layout(set = 0, binding = 4) readonly buffer Joints { mat4 joints[]; };
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 stored_normal;
layout(location = 2) in ivec4 stored_tangent;
layout(location = 3) in vec4 stored_color;
layout(location = 4) in vec2 stored_texcoords[kTextures];
layout(location = 9) in uvec4 influences;
layout(location = 10) in vec4 weights;
layout(location = 0) out vec3 world;
layout(location = 1) out vec3 normal;
layout(location = 2) out vec4 tangent;
layout(location = 3) out vec4 vertex_color;
layout(location = 4) out vec2 texcoords[kTextures];

void main() {
  mat4 skin = mat4(0);
  for (int i = 0; i < 4; ++i) skin += weights[i] * joints[draw.first_joint + influences[i]];
  mat4 model = draw.model * skin;
  vec4 t = tangent_of(stored_tangent);
  world = (model * vec4(position, 1)).xyz;
  normal = transpose(inverse(mat3(model))) * normal_of(stored_normal);
  tangent = vec4(mat3(model) * t.xyz, t.w);
  vertex_color = stored_color;
  for (uint i = 0; i < kTextures; ++i) texcoords[i] = texcoord_of(stored_texcoords[i], i);
  gl_PointSize = point_texels;
  gl_Position = frame.view_projection * vec4(world, 1);
}
