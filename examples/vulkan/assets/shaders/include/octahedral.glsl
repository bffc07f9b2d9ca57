// Unit vectors of .hmesh vertices.
vec3 octahedral_decode(vec2 e) {
  vec3 v = vec3(e, 1 - abs(e.x) - abs(e.y));
  float fold = max(-v.z, 0);
  v.x += v.x >= 0 ? -fold : fold;
  v.y += v.y >= 0 ? -fold : fold;
  return normalize(v);
}

vec4 tangent_decode(ivec2 e) {
  return vec4(octahedral_decode(max(vec2(e & ivec2(~1, ~0)) / 32767.0, -1.0)), (e.x & 1) != 0 ? -1 : 1);
}
