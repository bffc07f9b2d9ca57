// Builds the levels of a pyramid of depths: each texel has the farthest depth of the texels below it. Depths are
// reversed, so that is the least. Level 0 has the size of the picture; a level has half the size, rounded up.
#version 460
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform sampler2DMS depths;
layout(set = 0, binding = 1, std430) buffer Pyramid { float pyramid[]; };
layout(push_constant) uniform Level {
  uvec2 size_texels, from_size_texels;
  uint first, from;  // in `pyramid`
  uint sample_count;  // of the depths, for level 0; otherwise 0
} level;

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  if (any(greaterThanEqual(at, level.size_texels))) return;
  float farthest = 1;
  if (level.sample_count > 0) {
    for (int s = 0; s < int(level.sample_count); ++s)
      farthest = min(farthest, texelFetch(depths, ivec2(at), s).r);
  } else {
    uvec2 last = level.from_size_texels - 1;
    for (uint y = 0; y < 2; ++y) {
      for (uint x = 0; x < 2; ++x) {
        uvec2 below = min(2 * at + uvec2(x, y), last);
        farthest = min(farthest, pyramid[level.from + below.y * level.from_size_texels.x + below.x]);
      }
    }
  }
  pyramid[level.first + at.y * level.size_texels.x + at.x] = farthest;
}
