// Normals and tangents of vertices: floats, or octahedral as in .hmesh. A pipeline sets the constants.
#include "octahedral.glsl"
layout(constant_id = 0) const bool has_packed_normals = true;
layout(constant_id = 1) const bool has_packed_tangents = true;

vec3 normal_of(vec4 stored) { return has_packed_normals ? octahedral_decode(stored.xy) : stored.xyz; }

// Floats arrive as their bits.
vec4 tangent_of(ivec4 stored) { return has_packed_tangents ? tangent_decode(stored.xy) : intBitsToFloat(stored); }
