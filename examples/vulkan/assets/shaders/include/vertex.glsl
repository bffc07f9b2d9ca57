// Decodes what vertices store. Needs draw.glsl.
#include "octahedral.glsl"
// Normals and tangents are floats, or octahedral as in .hmesh. A pipeline sets the constants.
layout(constant_id = 0) const bool has_packed_normals = true;
layout(constant_id = 1) const bool has_packed_tangents = true;
// The side of a point.
layout(constant_id = 2) const uint point_texels = 1;

vec3 normal_of(vec4 stored) { return has_packed_normals ? octahedral_decode(stored.xy) : stored.xyz; }

// Floats arrive as their bits.
vec4 tangent_of(ivec4 stored) { return has_packed_tangents ? tangent_decode(stored.xy) : intBitsToFloat(stored); }

// The coordinates in a texture of the material: each texture has a set and a transform of its own.
layout(set = 0, binding = 5) readonly buffer Transforms { mat3x2 transforms[]; };
vec2 texcoord_of(vec2 stored, uint number) { return transforms[draw.first_transform + number] * vec3(stored, 1); }
