// Exceptions of Draco (from allocation) are caught here.
#include "export/draco.hpp"

#include <draco/compression/expert_encode.h>
#include <draco/mesh/mesh.h>

#include "base/exceptions.hpp"
#include "export/glb_document.hpp"

namespace assetc::exporter {
namespace {

// 0 is the slowest and smallest, 10 the fastest.
constexpr int kSpeed = 0;

draco::GeometryAttribute::Type type_of(DracoKind kind) {
  switch (kind) {
    case DracoKind::kPosition:
      return draco::GeometryAttribute::POSITION;
    case DracoKind::kNormal:
      return draco::GeometryAttribute::NORMAL;
    case DracoKind::kTexcoord:
      return draco::GeometryAttribute::TEX_COORD;
    case DracoKind::kColor:
      return draco::GeometryAttribute::COLOR;
    case DracoKind::kOther:
      break;
  }
  return draco::GeometryAttribute::GENERIC;
}

draco::DataType data_type_of(int component) {
  switch (component) {
    case kByte:
      return draco::DT_INT8;
    case kUnsignedByte:
      return draco::DT_UINT8;
    case kShort:
      return draco::DT_INT16;
    case kUnsignedShort:
      return draco::DT_UINT16;
    case kUnsignedInt:
      return draco::DT_UINT32;
    default:
      return draco::DT_FLOAT32;
  }
}

Error refused(const std::string& why) {
  return {ErrorCode::kInvalidData, {}, {}, "Draco does not encode it: " + why, "choose another --mesh.compress"};
}

void fill(draco::Mesh& mesh, const DracoTriangles& triangles) {
  const auto vertex_count = static_cast<std::uint32_t>(triangles.vertex_count);
  mesh.set_num_points(vertex_count);
  for (const DracoAttribute& attribute : triangles.attributes) {
    draco::GeometryAttribute like;
    const draco::DataType type = data_type_of(attribute.component);
    like.Init(type_of(attribute.kind), nullptr, static_cast<std::int8_t>(attribute.components), type,
              attribute.normalized, draco::DataTypeLength(type) * static_cast<std::int64_t>(attribute.components), 0);
    const int id = mesh.AddAttribute(like, true, vertex_count);
    for (std::uint32_t v = 0; v < vertex_count; ++v) {
      mesh.attribute(id)->SetAttributeValue(draco::AttributeValueIndex(v),
                                            attribute.values.data() + v * attribute.stride_bytes);
    }
  }
  mesh.SetNumFaces(triangles.indices.size() / 3);
  for (std::size_t f = 0; f < triangles.indices.size() / 3; ++f) {
    draco::Mesh::Face face;
    for (std::size_t k = 0; k < 3; ++k) face[k] = triangles.indices[3 * f + k];
    mesh.SetFace(draco::FaceIndex(static_cast<std::uint32_t>(f)), face);
  }
  // Triangles that share a corner only by its values are neighbors, too.
  mesh.DeduplicateAttributeValues();
  mesh.DeduplicatePointIds();
}

Result<DracoCode> encode(const DracoTriangles& triangles) {
  draco::Mesh mesh;
  fill(mesh, triangles);
  draco::ExpertEncoder encoder(mesh);
  encoder.SetSpeedOptions(kSpeed, kSpeed);
  encoder.SetTrackEncodedProperties(true);
  for (std::size_t i = 0; i < triangles.attributes.size(); ++i) {
    const DracoAttribute& attribute = triangles.attributes[i];
    const auto id = static_cast<std::int32_t>(i), bits = static_cast<std::int32_t>(attribute.bits);
    if (bits == 0) continue;
    if (attribute.range == 0) {
      encoder.SetAttributeQuantization(id, bits);
    } else {
      encoder.SetAttributeExplicitQuantization(id, bits, static_cast<int>(attribute.components), attribute.low.data(),
                                               attribute.range);
    }
  }
  draco::EncoderBuffer buffer;
  if (const draco::Status status = encoder.EncodeToBuffer(&buffer); !status.ok())
    return std::unexpected(refused(status.error_msg_string()));
  const ByteSpan bytes = std::as_bytes(std::span(buffer.data(), buffer.size()));
  DracoCode code{ByteVector(bytes.begin(), bytes.end()), encoder.num_encoded_points(), encoder.num_encoded_faces() * 3};
  if (code.vertex_count == 0 || code.index_count == 0) return std::unexpected(refused("nothing of it is left"));
  return code;
}

}  // namespace

Result<DracoCode> encode_draco(const DracoTriangles& triangles) {
  Result<DracoCode> code;
  ASSETC_CHECK(catch_exceptions("the compression", "close other programs", [&]() -> Result<void> {
    code = encode(triangles);
    return {};
  }));
  return code;
}

}  // namespace assetc::exporter
