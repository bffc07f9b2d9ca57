// Metallic-roughness materials in prefiltered light.
#version 460
#include "../include/frame.glsl"
#include "../include/draw.glsl"
#include "../include/tone.glsl"
layout(set = 0, binding = 1) uniform samplerCube specular_light;
layout(set = 0, binding = 2) uniform samplerCube irradiance;
layout(set = 1, binding = 0) uniform sampler2D base_color_map;
layout(set = 1, binding = 1) uniform sampler2D metallic_roughness_map;
layout(set = 1, binding = 2) uniform sampler2D normal_map;
layout(set = 1, binding = 3) uniform sampler2D occlusion_map;
layout(set = 1, binding = 4) uniform sampler2D emissive_map;
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 tangent;
layout(location = 3) in vec2 texcoord;
layout(location = 0) out vec4 color;

// The second half of the split sum, scale and bias of F0: Karis' fit for mobile devices.
vec2 environment_brdf(float roughness, float n_dot_v) {
  vec4 r = roughness * vec4(-1, -0.0275, -0.572, 0.022) + vec4(1, 0.0425, 1.04, -0.04);
  float a = min(r.x * r.x, exp2(-9.28 * n_dot_v)) * r.x + r.y;
  return vec2(-1.04, 1.04) * a + r.zw;
}

// Normal maps store X and Y; Z follows.
vec3 shading_normal() {
  vec3 n = normalize(normal);
  if ((draw.flags & kHasTangents) != 0) {
    vec3 t = normalize(tangent.xyz - n * dot(n, tangent.xyz));
    vec2 xy = texture(normal_map, texcoord).xy * 2 - 1;
    float z = sqrt(max(1 - dot(xy, xy), 0));
    n = normalize(mat3(t, cross(n, t) * tangent.w, n) * vec3(xy * draw.normal_scale, z));
  }
  return gl_FrontFacing ? n : -n;
}

void main() {
  vec4 base = draw.base_color * texture(base_color_map, texcoord);
  if ((draw.flags & kMask) != 0 && base.a < draw.alpha_cutoff) discard;
  float alpha = (draw.flags & (kMask | kOpaque)) != 0 ? 1 : base.a;
  if ((draw.flags & kUnlit) != 0) {
    color = vec4(base.rgb, alpha);
    return;
  }
  vec4 packed_factors = texture(metallic_roughness_map, texcoord);
  float roughness = clamp(draw.roughness * packed_factors.g, 0.03, 1);
  float metallic = draw.metallic * packed_factors.b;
  float occlusion = 1 + draw.occlusion_strength * (texture(occlusion_map, texcoord).r - 1);
  vec3 n = shading_normal(), v = normalize(frame.eye.xyz - world);
  float n_dot_v = clamp(dot(n, v), 1e-3, 1);

  vec3 f0 = mix(vec3(0.04), base.rgb, metallic);
  vec2 brdf = environment_brdf(roughness, n_dot_v);
  vec3 reflected = f0 * brdf.x + brdf.y;
  vec3 mirror = textureLod(specular_light, reflect(-v, n), roughness * frame.specular_last_level).rgb;
  vec3 diffuse = textureLod(irradiance, n, 0).rgb * base.rgb * (1 - metallic) * (1 - reflected);
  vec3 emitted = draw.emissive * texture(emissive_map, texcoord).rgb;
  vec3 light = (diffuse + mirror * reflected) * occlusion + emitted;
  color = vec4(tone_map(light * frame.exposure), alpha);
}
