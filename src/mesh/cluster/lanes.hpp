// Four floats that the compiler computes with as one vector. Each lane rounds like a scalar, so results are the same
// on every machine.
#pragma once

#include <array>
#include <cstring>

namespace assetc::mesh::cluster {

using Lanes = float __attribute__((vector_size(16)));

inline Lanes lanes(float value) { return Lanes{value, value, value, value}; }
inline float sum(Lanes v) { return (v[0] + v[1]) + (v[2] + v[3]); }

}  // namespace assetc::mesh::cluster
