// GGX with Smith's masking and Schlick's Fresnel, one light.
vec3 shade(vec3 albedo, float metallic, float roughness, vec3 n, vec3 v, vec3 l) {
  vec3 h = normalize(v + l);
  float a = max(roughness * roughness, 0.002);
  float nl = max(dot(n, l), 0), nv = max(dot(n, v), 1e-4), nh = max(dot(n, h), 0), vh = max(dot(v, h), 0);
  float d = nh * nh * (a * a - 1) + 1;
  float spread = a * a / (3.14159265 * d * d);
  float masking = 0.5 / mix(2 * nl * nv, nl + nv, a);
  vec3 f0 = mix(vec3(0.04), albedo, metallic);
  vec3 fresnel = f0 + (1 - f0) * pow(1 - vh, 5);
  return ((1 - fresnel) * (1 - metallic) * albedo / 3.14159265 + spread * masking * fresnel) * nl + 0.03 * albedo;
}
