#version 460
#include "../include/frame.glsl"
#include "../include/tone.glsl"
layout(set = 0, binding = 3) uniform samplerCube sky;
layout(location = 0) in vec3 direction;
layout(location = 0) out vec4 color;

void main() { color = vec4(tone_map(texture(sky, direction).rgb * frame.exposure), 1); }
