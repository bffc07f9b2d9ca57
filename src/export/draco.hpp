// Encodes triangles as Draco does, for KHR_draco_mesh_compression.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::exporter {

enum class DracoKind : std::uint8_t { kPosition, kNormal, kTexcoord, kColor, kOther };

struct DracoAttribute {
  DracoKind kind = DracoKind::kOther;
  int component = 0;  // as accessor.componentType of glTF
  std::size_t components = 0;
  std::size_t stride_bytes = 0;
  bool normalized = false;
  ByteSpan values;  // stride_bytes for each vertex
  // Floats become integers of so many bits; 0: they stay exact. Those of normals are octahedral.
  std::uint32_t bits = 0;
  // If range is not 0: the integers divide the cube from low to low + range. Otherwise that of the values.
  std::array<float, 4> low = {};
  float range = 0;
};

struct DracoTriangles {
  std::size_t vertex_count = 0;
  std::span<const std::uint32_t> indices;  // below vertex_count, 3 for each triangle
  std::vector<DracoAttribute> attributes;  // the unique id of each in Draco is its place here
};

struct DracoCode {
  ByteVector bytes;
  std::size_t vertex_count = 0,
              index_count = 0;  // as a decoder gives them: vertices and degenerate triangles can differ
};

// The same bytes on every machine with one version of Draco. Thread-safe. Does not throw.
//
// Errors: kUnsupported if this program was built without Draco; kInvalidData if Draco cannot encode these triangles,
// such as when all of them are degenerate.
Result<DracoCode> encode_draco(const DracoTriangles& triangles);

}  // namespace assetc::exporter
