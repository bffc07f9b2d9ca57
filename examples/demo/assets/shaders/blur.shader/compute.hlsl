// HLSL: one step of a separable blur.
Texture2D<float4> source : register(t0);
RWTexture2D<float4> target : register(u1);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  float4 sum = source[id.xy] * 0.4;
  sum += (source[id.xy + uint2(1, 0)] + source[id.xy - uint2(1, 0)]) * 0.24;
  sum += (source[id.xy + uint2(2, 0)] + source[id.xy - uint2(2, 0)]) * 0.06;
  target[id.xy] = sum;
}
