// The data of one draw: its place, and the factors of its material. draw.hpp has the same struct.
layout(push_constant) uniform Draw {
  mat4 model;
  vec4 base_color;
  vec3 emissive;
  float metallic;
  float roughness, normal_scale, occlusion_strength, alpha_cutoff;
  uint flags;
  uint first_joint;
  uint first_transform;  // of texture coordinates, one for each texture
} draw;

// The textures of a material.
const uint kTextures = 5;
const uint kBaseColor = 0, kMetallicRoughness = 1, kNormal = 2, kOcclusion = 3, kEmissive = 4;
const uint kMask = 1, kUnlit = 2, kHasTangents = 4, kOpaque = 8;
