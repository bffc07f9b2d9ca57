// Vertex attributes and morph targets of a glTF document that are stored in few bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "export/glb.hpp"
#include "export/glb_document.hpp"
#include "export/glb_json.hpp"
#include "json/json.hpp"

namespace assetc::exporter {

// The attributes of a primitive, as accessors of streams. Requires at least one vertex.
//
// - Positions: u16 or i16 without normalization if options.integer_positions is set and they are such integers.
// - Normals and tangents: i8 or i16, normalized. Tangents are left out if one of them is none.
// - Texture coordinates: u16, normalized, if all of a set are in [0, 1]; otherwise floats, rounded if the file is
//   compressed.
// - Colors: u8 or u16, normalized. Weights the same; their integers sum to that of 1. Joints: u8 if they fit.
// Each of these only if options gives a number of bits for it, joints always.
//
// Errors: kInvalidData if an array does not have one item for each vertex.
Result<Json> pack_attributes(GlbDocument& document, const scene::Primitive& primitive, const GlbOptions& options,
                             UsedExtensions& used);

// The same attributes as arrays that are not in the document. accessor: without count and bufferView.
struct VertexArray {
  std::string name;
  Json accessor;
  ByteVector elements;  // padded to a multiple of 4 bytes each
};
Result<std::vector<VertexArray>> vertex_arrays(const scene::Primitive& primitive, const GlbOptions& options,
                                               UsedExtensions& used);

// The same for morph targets. Offsets of positions are i16 if options.integer_positions is set and they are such
// integers. Offsets of normals are normalized integers if none exceeds 1.
Json pack_targets(GlbDocument& document, const scene::Primitive& primitive, const GlbOptions& options,
                  UsedExtensions& used);

// An attribute of the application as glTF holds it: 32-bit integers become floats, and each column and element begins
// at a multiple of 4 bytes.
struct CustomElements {
  int component = kFloat;
  std::string_view type;
  std::size_t stride_bytes = 0;
  ByteVector bytes;
};
// Errors: kInvalidData if its values are not those of that many vertices.
Result<CustomElements> custom_elements(const scene::CustomAttribute& attribute, std::size_t vertex_count);

// An accessor of indices.
std::size_t pack_indices(GlbDocument& document, const scene::Primitive& primitive);

// Accessors of the key times and values of a channel. Rotations become i16, normalized, if options.integer_rotations is
// set, all are unit quaternions, no two neighbors are half a turn apart, and no cubic spline is interpolated. All other
// values are exact.
std::size_t pack_times(GlbDocument& document, const scene::Channel& channel);
std::size_t pack_values(GlbDocument& document, const scene::Channel& channel, std::string_view type,
                        std::size_t components, const GlbOptions& options);

// An accessor of unit quaternions as i16, normalized. bits: that are kept if the document compresses, at most 16.
std::size_t pack_rotations(GlbDocument& document, const std::string& group, std::span<const float> values,
                           std::uint32_t bits = 16);

}  // namespace assetc::exporter
