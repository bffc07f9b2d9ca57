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
layout(location = 3) in vec4 vertex_color;
layout(location = 4) in vec2 texcoords[kTextures];
layout(location = 0) out vec4 color;

// The second half of the split sum, scale and bias of F0: Karis' fit for mobile devices.
vec2 environment_brdf(float roughness, float n_dot_v) {
  vec4 r = roughness * vec4(-1, -0.0275, -0.572, 0.022) + vec4(1, 0.0425, 1.04, -0.04);
  float a = min(r.x * r.x, exp2(-9.28 * n_dot_v)) * r.x + r.y;
  return vec2(-1.04, 1.04) * a + r.zw;
}

const float kPi = 3.14159265;

// The light that reaches a point from a light of the scene, and its direction. Source: KHR_lights_punctual.
vec3 arriving(PunctualLight light, out vec3 to_light) {
  if (light.type == 0) {
    to_light = -light.direction;
    return light.color;
  }
  vec3 offset = light.position - world;
  float distance = max(length(offset), 1e-4);
  to_light = offset / distance;
  float part = distance / light.range;
  float window = light.range > 0 ? clamp(1 - part * part * part * part, 0, 1) : 1;
  float strength = window / (distance * distance);
  if (light.type == 2) {
    float cone = clamp(dot(light.direction, -to_light) * light.cone_scale + light.cone_offset, 0, 1);
    strength *= cone * cone;
  }
  return light.color * strength;
}

// The light that a material reflects to the eye. Source: glTF 2.0, appendix B.
vec3 reflect_light(vec3 n, vec3 v, vec3 l, vec3 f0, vec3 base, float metallic, float roughness) {
  float n_dot_l = clamp(dot(n, l), 0, 1), n_dot_v = clamp(dot(n, v), 1e-3, 1);
  vec3 h = normalize(l + v);
  float n_dot_h = clamp(dot(n, h), 0, 1), v_dot_h = clamp(dot(v, h), 0, 1);
  float a = roughness * roughness, a2 = a * a;
  float f = n_dot_h * n_dot_h * (a2 - 1) + 1;
  float distribution = a2 / (kPi * f * f);
  float visibility = 0.5 / max(n_dot_l * sqrt(n_dot_v * n_dot_v * (1 - a2) + a2) +
                               n_dot_v * sqrt(n_dot_l * n_dot_l * (1 - a2) + a2), 1e-5);
  vec3 fresnel = f0 + (1 - f0) * pow(1 - v_dot_h, 5);
  vec3 diffuse = base * (1 - metallic) / kPi * (1 - fresnel);
  return (diffuse + fresnel * distribution * visibility) * n_dot_l;
}

// Normal maps store X and Y; Z follows.
vec3 shading_normal() {
  vec3 n = normalize(normal);
  if ((draw.flags & kHasTangents) != 0) {
    vec3 t = normalize(tangent.xyz - n * dot(n, tangent.xyz));
    vec2 xy = texture(normal_map, texcoords[kNormal]).xy * 2 - 1;
    float z = sqrt(max(1 - dot(xy, xy), 0));
    n = normalize(mat3(t, cross(n, t) * tangent.w, n) * vec3(xy * draw.normal_scale, z));
  }
  return gl_FrontFacing ? n : -n;
}

void main() {
  vec4 base = draw.base_color * vertex_color * texture(base_color_map, texcoords[kBaseColor]);
  if ((draw.flags & kMask) != 0 && base.a < draw.alpha_cutoff) discard;
  float alpha = (draw.flags & (kMask | kOpaque)) != 0 ? 1 : base.a;
  vec3 emitted = draw.emissive * texture(emissive_map, texcoords[kEmissive]).rgb;
  if ((draw.flags & kUnlit) != 0) {
    color = vec4(base.rgb + emitted, alpha);
    return;
  }
  vec4 packed_factors = texture(metallic_roughness_map, texcoords[kMetallicRoughness]);
  float roughness = clamp(draw.roughness * packed_factors.g, 0.03, 1);
  float metallic = draw.metallic * packed_factors.b;
  float occlusion = 1 + draw.occlusion_strength * (texture(occlusion_map, texcoords[kOcclusion]).r - 1);
  vec3 n = shading_normal(), v = normalize(frame.eye.xyz - world);
  float n_dot_v = clamp(dot(n, v), 1e-3, 1);

  vec3 f0 = mix(vec3(0.04), base.rgb, metallic);
  vec2 brdf = environment_brdf(roughness, n_dot_v);
  vec3 reflected = f0 * brdf.x + brdf.y;
  vec3 mirror = textureLod(specular_light, reflect(-v, n), roughness * frame.specular_last_level).rgb;
  vec3 diffuse = textureLod(irradiance, n, 0).rgb * base.rgb * (1 - metallic) * (1 - reflected);
  vec3 light = (diffuse + mirror * reflected) * occlusion + emitted;
  for (uint i = 0; i < frame.light_count; ++i) {
    vec3 to_light;
    vec3 strength = arriving(frame.lights[i], to_light);
    light += strength * reflect_light(n, v, to_light, f0, base.rgb, metallic, roughness);
  }
  color = vec4(tone_map(light * frame.exposure), alpha);
}
