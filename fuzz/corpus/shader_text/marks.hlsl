[shader("vertex")] V VSMain(uint id : SV_VertexID) { return v; }
[numthreads(8, 8, 1)] [shader("compute")] void CS() {}
