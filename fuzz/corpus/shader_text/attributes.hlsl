#line 3 "a.hlsl"
[[vk::push_constant]] [[vk::offset(4)]] const PC pc;
[[vk::binding(1, 2)]] Texture2D<float4> t : register(t3, space1);
[[vk::push_constant]] cbuffer C { float4 a; };
