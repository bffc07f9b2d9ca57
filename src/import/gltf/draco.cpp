// Decodes KHR_draco_mesh_compression. Exceptions of Draco (mostly from allocation) are caught here.
#include <draco/compression/decode.h>
#include <draco/core/draco_version.h>

#include <algorithm>

#include "import/gltf/parts.hpp"
#include "import/libraries.hpp"

namespace assetc::importer {
namespace {

template <class T>
void convert_points(const draco::PointAttribute& attribute, std::size_t width, std::uint32_t point_count,
                    std::byte* out) {
  // ConvertValue writes at most `width` components. It sets components that the attribute lacks to zero.
  T row[4]{};
  for (std::uint32_t p = 0; p < point_count; ++p, out += width * sizeof(T)) {
    attribute.ConvertValue<T>(attribute.mapped_index(draco::PointIndex(p)), static_cast<std::int8_t>(width), row);
    std::memcpy(out, row, width * sizeof(T));
  }
}

void convert(const draco::PointAttribute& attribute, const Accessor& like, std::uint32_t point_count, std::byte* out) {
  switch (like.component) {
    case Component::kI8:
      return convert_points<std::int8_t>(attribute, like.rows, point_count, out);
    case Component::kU8:
      return convert_points<std::uint8_t>(attribute, like.rows, point_count, out);
    case Component::kI16:
      return convert_points<std::int16_t>(attribute, like.rows, point_count, out);
    case Component::kU16:
      return convert_points<std::uint16_t>(attribute, like.rows, point_count, out);
    case Component::kU32:
      return convert_points<std::uint32_t>(attribute, like.rows, point_count, out);
    case Component::kF32:
      return convert_points<float>(attribute, like.rows, point_count, out);
  }
}

Result<DracoPrimitive> decode(GltfContext& context, const Value& primitive, const Value& extension) {
  ASSETC_TRY(const std::uint32_t view_index,
             extension.get_index("bufferView", context.data.view_count(), "buffer views"));
  ASSETC_TRY(const GltfData::View view, context.data.view(view_index));
  draco::DecoderBuffer buffer;
  buffer.Init(reinterpret_cast<const char*>(view.bytes.data()), view.bytes.size());
  draco::Decoder decoder;
  auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
  if (!decoded.ok()) {
    return extension.refuse(ErrorCode::kInvalidData,
                            "the Draco data does not decode: " + decoded.status().error_msg_string(),
                            "export the model again");
  }
  const std::unique_ptr<draco::Mesh> mesh = std::move(decoded).value();

  DracoPrimitive out;
  out.vertex_count = mesh->num_points();
  ASSETC_CHECK(context.data.budget().take(mesh->num_faces(), 12, extension.pointer()));
  out.indices.reserve(std::size_t{mesh->num_faces()} * 3);
  for (draco::FaceIndex f(0); f < mesh->num_faces(); ++f) {
    for (const draco::PointIndex& p : mesh->face(f)) out.indices.push_back(p.value());
  }
  ASSETC_TRY(const Value attributes, primitive.get("attributes"));
  ASSETC_TRY(const Value compressed, extension.get("attributes"));
  std::optional<Error> error;
  compressed.for_each_member([&](std::string_view semantic, const Value& id_json) {
    if (error) return;
    const auto add = [&]() -> Result<void> {
      ASSETC_TRY(const std::uint64_t id, id_json.as_uint());
      ASSETC_TRY(const std::uint32_t accessor_index,
                 attributes.get_index(semantic, context.data.accessor_count(), "accessors"));
      ASSETC_TRY(Accessor accessor, context.data.describe_accessor(accessor_index));
      const draco::PointAttribute* attribute =
          id <= 0xFFFFFFFFull ? mesh->GetAttributeByUniqueId(static_cast<std::uint32_t>(id)) : nullptr;
      if (attribute == nullptr) {
        return id_json.refuse(ErrorCode::kInvalidData,
                              "found " + std::to_string(id) + ", which is not an attribute of the Draco data");
      }
      if (accessor.columns != 1) return id_json.refuse(ErrorCode::kUnsupported, "a Draco attribute cannot be a matrix");
      ASSETC_CHECK(context.data.budget().take(out.vertex_count, accessor.element_bytes(), id_json.pointer()));
      ByteVector bytes(static_cast<std::size_t>(out.vertex_count) * accessor.element_bytes());
      convert(*attribute, accessor, mesh->num_points(), bytes.data());
      accessor.count = out.vertex_count;
      accessor.stride_bytes = accessor.element_bytes();
      accessor.data = Bytes(std::move(bytes));
      out.attributes.push_back({std::string(semantic), std::move(accessor)});
      return {};
    };
    if (auto added = add(); !added) error = std::move(added).error();
  });
  if (error) return std::unexpected(std::move(*error));
  return out;
}

}  // namespace

Result<DracoPrimitive> decode_draco(GltfContext& context, const Value& primitive, const Value& extension) {
  try {
    return decode(context, primitive, extension);
  } catch (const std::exception& e) {
    return extension.refuse(ErrorCode::kInvalidData, std::string("the Draco data does not decode: ") + e.what(),
                            "export the model again");
  }
}

std::string draco_version() { return draco::kDracoVersion; }

}  // namespace assetc::importer
