// Khronos' PBR Neutral tone mapper: base colors stay as they are, highlights lose saturation.
vec3 tone_map(vec3 color) {
  const float start = 0.8 - 0.04, desaturation = 0.15;
  float low = min(color.r, min(color.g, color.b));
  color -= low < 0.08 ? low - 6.25 * low * low : 0.04;
  float peak = max(color.r, max(color.g, color.b));
  if (peak < start) return color;
  const float d = 1 - start;
  float new_peak = 1 - d * d / (peak + d - start);
  color *= new_peak / peak;
  return mix(color, vec3(new_peak), 1 - 1 / (desaturation * (peak - new_peak) + 1));
}
