#version 450
layout(set = 0, binding = 0) uniform Frame { mat4 view_projection; vec4 eye; vec4 sun; } frame;
layout(set = 1, binding = 0) uniform sampler2D base_color;
layout(set = 1, binding = 1) uniform sampler2D orm;
layout(set = 1, binding = 2) uniform sampler2D normal_xy;  // Z is not stored
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 tangent;
layout(location = 3) in vec2 texcoord;
layout(location = 0) out vec4 color;
#include "../include/brdf.glsl"
void main() {
  vec3 n = normalize(normal);
  vec3 t = normalize(tangent.xyz - n * dot(n, tangent.xyz));
  vec2 xy = texture(normal_xy, texcoord).xy * 2 - 1;
  n = normalize(mat3(t, cross(n, t) * tangent.w, n) * vec3(xy, sqrt(max(1 - dot(xy, xy), 0))));
  vec4 albedo = texture(base_color, texcoord);
  vec3 packed = texture(orm, texcoord).rgb;
  color = vec4(shade(albedo.rgb, packed.b, packed.g, n, normalize(frame.eye.xyz - world), frame.sun.xyz) * packed.r, albedo.a);
}
