vec3 octahedral_decode(vec2 e) {
  vec3 v = vec3(e, 1 - abs(e.x) - abs(e.y));
  float fold = max(-v.z, 0);
  v.x += v.x >= 0 ? -fold : fold;
  v.y += v.y >= 0 ? -fold : fold;
  return normalize(v);
}
