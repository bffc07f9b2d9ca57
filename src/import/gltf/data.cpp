#include "import/gltf/data.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/plural.hpp"
#include "crypto/text.hpp"
#include "import/gltf/meshopt.hpp"

namespace assetc::importer {
namespace {

// An accessor without a buffer view has only zeros and costs no bytes in the file. The limit keeps a few digits from
// requesting gigabytes.
constexpr std::uint64_t kMaxUnstoredElements = 1 << 24;

struct TypeName {
  std::string_view name;
  std::uint8_t rows, columns;
};
constexpr std::array kTypes{TypeName{"SCALAR", 1, 1}, TypeName{"VEC2", 2, 1}, TypeName{"VEC3", 3, 1},
                            TypeName{"VEC4", 4, 1},   TypeName{"MAT2", 2, 2}, TypeName{"MAT3", 3, 3},
                            TypeName{"MAT4", 4, 4}};

Result<Component> read_component(const Value& parent) {
  ASSETC_TRY(const std::uint64_t code, parent.get_uint("componentType"));
  switch (code) {
    case 5120:
      return Component::kI8;
    case 5121:
      return Component::kU8;
    case 5122:
      return Component::kI16;
    case 5123:
      return Component::kU16;
    case 5125:
      return Component::kU32;
    case 5126:
      return Component::kF32;
    default:
      break;
  }
  return fail_at(ErrorCode::kInvalidData, parent.pointer() + "/componentType",
                 "found " + std::to_string(code) + ", expected 5120, 5121, 5122, 5123, 5125 or 5126");
}

std::string_view component_name(Component c) {
  switch (c) {
    case Component::kI8:
      return "signed byte";
    case Component::kU8:
      return "unsigned byte";
    case Component::kI16:
      return "signed short";
    case Component::kU16:
      return "unsigned short";
    case Component::kU32:
      return "unsigned int";
    case Component::kF32:
      return "float";
  }
  return "?";
}

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

}  // namespace

std::size_t component_bytes(Component component) {
  switch (component) {
    case Component::kI8:
    case Component::kU8:
      return 1;
    case Component::kI16:
    case Component::kU16:
      return 2;
    case Component::kU32:
    case Component::kF32:
      return 4;
  }
  return 4;
}

std::size_t Accessor::column_bytes() const {
  const std::size_t bytes = rows * component_bytes(component);
  return columns == 1 ? bytes : (bytes + 3) / 4 * 4;
}
std::size_t Accessor::element_bytes() const {
  // The last column has no padding.
  return column_bytes() * (columns - 1u) + rows * component_bytes(component);
}
std::string Accessor::type_name() const {
  for (const TypeName& t : kTypes) {
    if (t.rows == rows && t.columns == columns) {
      return std::string(t.name) + " of " + (normalized ? "normalized " : "") + std::string(component_name(component));
    }
  }
  return "?";
}

Result<void> Budget::take(std::uint64_t count, std::uint64_t bytes_each, const std::string& place) {
  constexpr std::uint64_t kAll = std::uint64_t{1} << 60;
  const std::uint64_t bytes = std::min(kAll, checked_mul(count, bytes_each).value_or(kAll));
  if (auto fits = check_decoded(taken_ + bytes, source_bytes_, limits_); !fits) {
    Error error = std::move(fits).error().at(place);
    error.what += " (here: " + counted(count, "element") + " of " + bytes_text(bytes_each) + ")";
    return std::unexpected(std::move(error));
  }
  taken_ += bytes;
  return {};
}

GltfData::GltfData(const Value& root, std::string_view source_path, std::optional<Bytes> glb_binary,
                   const FileReader& read, Budget& budget)
    : source_path_(source_path),
      glb_binary_(std::move(glb_binary)),
      read_(read),
      budget_(budget),
      buffers_json_(*root.array_or_empty("buffers")),
      views_json_(*root.array_or_empty("bufferViews")),
      accessors_json_(*root.array_or_empty("accessors")),
      buffers_(buffers_json_.size()),
      views_(views_json_.size()) {}

bool is_data_uri(std::string_view uri) { return ascii_lower(uri.substr(0, 5)) == "data:"; }

std::optional<Result<Bytes>> decode_data_uri(std::string_view uri) {
  if (!is_data_uri(uri)) return std::nullopt;
  const std::size_t comma = uri.find(',');
  if (comma == uri.npos) return fail(ErrorCode::kInvalidData, "the data URI has no comma before its data");
  std::string_view data = uri.substr(comma + 1);
  const bool is_base64 = ends_with_ignoring_case(uri.substr(0, comma), ";base64");
  std::string decoded;
  if (!is_base64 || data.contains('%')) {
    decoded = decode_percents(data);
    data = decoded;
  }
  if (is_base64) return crypto::decode_base64(data);
  const ByteSpan bytes = as_bytes(data);
  return Bytes(ByteVector(bytes.begin(), bytes.end()));
}

Result<Bytes> GltfData::load_buffer(std::uint32_t index) {
  const Value json = buffers_json_.item(index);
  ASSETC_TRY(const std::uint64_t declared, json.get_uint("byteLength"));
  Bytes bytes;
  std::string name;
  if (const auto uri_json = json.find("uri")) {
    const auto uri = uri_json->text();
    if (!uri) return std::unexpected(uri_json->as_string().error());
    if (auto inline_data = decode_data_uri(*uri)) {
      if (!*inline_data) return std::unexpected(std::move(*inline_data).error().at(uri_json->pointer()));
      bytes = std::move(**inline_data);
      name = "the data URI";
    } else {
      auto path = resolve_uri(source_path_, *uri);
      if (!path) return std::unexpected(std::move(path).error().at(uri_json->pointer()));
      auto read = read_(*path);
      if (!read) {
        if (read.error().code != ErrorCode::kNotFound) return std::unexpected(std::move(read).error());
        return uri_json->refuse(ErrorCode::kNotFound, "the file \"" + *path + "\" is not there",
                                "put it beside the model, or export again with its buffers");
      }
      bytes = std::move(*read);
      name = "\"" + *path + "\"";
    }
  } else if (index == 0 && glb_binary_) {
    bytes = *glb_binary_;
    name = "the GLB's BIN chunk";
  } else {
    return json.refuse(ErrorCode::kInvalidData,
                       "the buffer has no \"uri\"" + std::string(index == 0 ? " and the file no BIN chunk" : ""),
                       "export the model again with its buffers");
  }
  if (bytes.size() < declared) {
    return fail_at(ErrorCode::kTruncated, json.pointer() + "/byteLength",
                   "found " + bytes_text(declared) + ", but " + name + " holds " + std::to_string(bytes.size()),
                   "the buffer was cut short; export the model again");
  }
  if (!glb_binary_ || index != 0 || json.find("uri")) budget_.add_source(declared);
  return bytes.slice(0, static_cast<std::size_t>(declared));
}

Result<Bytes> GltfData::buffer(std::uint32_t index) {
  if (!buffers_[index]) {
    ASSETC_TRY(buffers_[index], load_buffer(index));
  }
  return *buffers_[index];
}

Result<GltfData::View> GltfData::load_view(std::uint32_t index) {
  const Value json = views_json_.item(index);
  for (const char* name : {"KHR_meshopt_compression", "EXT_meshopt_compression"}) {
    if (const auto meshopt = json.extension(name)) return decompress(json, *meshopt);
  }
  ASSETC_TRY(const std::uint32_t buffer_index, json.get_index("buffer", buffers_json_.size(), "buffers"));
  ASSETC_TRY(const std::uint64_t offset, json.uint_or("byteOffset", 0));
  ASSETC_TRY(const std::uint64_t length, json.get_uint("byteLength"));
  ASSETC_TRY(const std::uint64_t stride, json.uint_or("byteStride", 0));
  if (stride > 0xFFFF)
    return json.refuse(ErrorCode::kLimit, "found a byteStride of " + std::to_string(stride) + ", expected 4 to 252");
  ASSETC_TRY(const Bytes bytes, buffer(buffer_index));
  if (!range_fits(offset, length, bytes.size())) {
    return json.refuse(ErrorCode::kInvalidData, "the view spans bytes " + std::to_string(offset) + " to +" +
                                                    std::to_string(length) + ", but buffer " +
                                                    std::to_string(buffer_index) + " has " + bytes_text(bytes.size()));
  }
  return View{bytes.slice(static_cast<std::size_t>(offset), static_cast<std::size_t>(length)),
              static_cast<std::size_t>(stride)};
}

Result<GltfData::View> GltfData::decompress(const Value& view, const Value& extension) {
  ASSETC_TRY(const std::uint32_t buffer_index, extension.get_index("buffer", buffers_json_.size(), "buffers"));
  ASSETC_TRY(const std::uint64_t offset, extension.uint_or("byteOffset", 0));
  ASSETC_TRY(const std::uint64_t length, extension.get_uint("byteLength"));
  MeshoptStream stream;
  ASSETC_TRY(stream.stride_bytes, extension.get_uint("byteStride"));
  ASSETC_TRY(stream.count, extension.get_uint("count"));
  ASSETC_TRY(stream.mode, extension.string_or("mode", ""));
  ASSETC_TRY(stream.filter, extension.string_or("filter", "NONE"));
  ASSETC_TRY(const Bytes bytes, buffer(buffer_index));
  if (!range_fits(offset, length, bytes.size())) {
    return extension.refuse(ErrorCode::kInvalidData, "the compressed data spans bytes " + std::to_string(offset) +
                                                         " to +" + std::to_string(length) + ", but buffer " +
                                                         std::to_string(buffer_index) + " has " +
                                                         bytes_text(bytes.size()));
  }
  stream.data = bytes.span().subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
  if (auto checked = check_meshopt(stream); !checked)
    return std::unexpected(std::move(checked).error().at(extension.pointer()));
  ASSETC_CHECK(budget_.take(stream.count, stream.stride_bytes, extension.pointer()));
  auto decoded = decode_meshopt(stream);
  if (!decoded) return std::unexpected(std::move(decoded).error().at(extension.pointer()));
  ASSETC_TRY(const std::uint64_t declared, view.get_uint("byteLength"));
  if (decoded->size() < declared) {
    return fail_at(
        ErrorCode::kInvalidData, view.pointer() + "/byteLength",
        "found " + bytes_text(declared) + ", but the compressed stream decodes to " + std::to_string(decoded->size()));
  }
  const bool vertices = stream.mode == "ATTRIBUTES";
  ASSETC_TRY(const std::uint64_t stride, view.uint_or("byteStride", vertices ? stream.stride_bytes : 0));
  if (stride > 0xFFFF)
    return view.refuse(ErrorCode::kLimit, "found a byteStride of " + std::to_string(stride) + ", expected 4 to 252");
  return View{Bytes(std::move(*decoded)), static_cast<std::size_t>(stride)};
}

Result<GltfData::View> GltfData::view(std::uint32_t index) {
  if (!views_[index]) {
    ASSETC_TRY(views_[index], load_view(index));
  }
  return *views_[index];
}

Result<Accessor> GltfData::describe_accessor(std::uint32_t index) {
  const Value json = accessors_json_.item(index);
  Accessor a;
  a.place = json.pointer();
  ASSETC_TRY(a.component, read_component(json));
  ASSETC_TRY(a.count, json.get_uint("count"));
  ASSETC_TRY(a.normalized, json.bool_or("normalized", false));
  if (a.component == Component::kF32 || a.component == Component::kU32) a.normalized = false;
  ASSETC_TRY(const std::string type, json.string_or("type", ""));
  const auto* known = std::ranges::find(kTypes, type, &TypeName::name);
  if (known == kTypes.end()) {
    return fail_at(ErrorCode::kInvalidData, a.place + "/type",
                   "found \"" + type + "\", expected SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3 or MAT4");
  }
  a.rows = known->rows;
  a.columns = known->columns;
  if (a.count >= scene::kNone) {
    return fail_at(ErrorCode::kLimit, a.place + "/count",
                   "found " + std::to_string(a.count) + ", expected less than 4294967295");
  }
  a.stride_bytes = a.column_bytes() * a.columns;
  return a;
}

Result<Accessor> GltfData::accessor(std::uint32_t index) {
  const Value json = accessors_json_.item(index);
  ASSETC_TRY(Accessor a, describe_accessor(index));
  ASSETC_TRY(const std::uint32_t view_index, json.index_or_none("bufferView", views_json_.size(), "buffer views"));
  ASSETC_TRY(const std::uint64_t offset, json.uint_or("byteOffset", 0));
  if (view_index != scene::kNone && a.count > 0) {
    ASSETC_TRY(const View source, view(view_index));
    if (source.stride_bytes != 0) a.stride_bytes = source.stride_bytes;
    if (a.stride_bytes < a.element_bytes()) {
      return json.refuse(ErrorCode::kInvalidData,
                         "the elements are " + a.type_name() + ", " + bytes_text(a.element_bytes()) +
                             " each, but its view's byteStride is " + std::to_string(a.stride_bytes));
    }
    // count < 2^32 and stride < 2^16, so this cannot overflow.
    const std::uint64_t needed = (a.count - 1) * a.stride_bytes + a.element_bytes();
    if (!range_fits(offset, needed, source.bytes.size())) {
      return json.refuse(ErrorCode::kInvalidData, counted(a.count, "element") + " of " + a.type_name() + " from byte " +
                                                      std::to_string(offset) + " need " + bytes_text(needed) +
                                                      ", but buffer view " + std::to_string(view_index) + " has " +
                                                      bytes_text(source.bytes.size()));
    }
    a.data = source.bytes.slice(static_cast<std::size_t>(offset), static_cast<std::size_t>(needed));
  }

  if (a.data.empty() && a.count > kMaxUnstoredElements) {
    return fail_at(ErrorCode::kLimit, a.place + "/count",
                   "found " + counted(a.count, "element") + " without a buffer view (all zero), expected at most " +
                       std::to_string(kMaxUnstoredElements));
  }
  const auto sparse_json = json.find("sparse");
  if (!sparse_json) return a;
  Accessor::Sparse sparse;
  ASSETC_TRY(sparse.count, sparse_json->get_uint("count"));
  if (sparse.count > a.count) {
    return sparse_json->refuse(ErrorCode::kInvalidData, "found " + counted(sparse.count, "replaced element") +
                                                            ", expected at most " + std::to_string(a.count));
  }
  ASSETC_TRY(const Value indices_json, sparse_json->get("indices"));
  ASSETC_TRY(const Value values_json, sparse_json->get("values"));
  ASSETC_TRY(sparse.index_component, read_component(indices_json));
  if (sparse.index_component != Component::kU8 && sparse.index_component != Component::kU16 &&
      sparse.index_component != Component::kU32) {
    return fail_at(ErrorCode::kInvalidData, indices_json.pointer() + "/componentType",
                   "expected an unsigned integer type (5121, 5123 or 5125)");
  }
  struct Part {
    const Value& json;
    std::size_t element_bytes;
    Bytes& out;
  };
  for (const Part& part : {Part{indices_json, component_bytes(sparse.index_component), sparse.indices},
                           Part{values_json, a.element_bytes(), sparse.values}}) {
    ASSETC_TRY(const std::uint32_t part_view, part.json.get_index("bufferView", views_json_.size(), "buffer views"));
    ASSETC_TRY(const std::uint64_t part_offset, part.json.uint_or("byteOffset", 0));
    ASSETC_TRY(const View source, view(part_view));
    const std::uint64_t needed = sparse.count * part.element_bytes;
    if (!range_fits(part_offset, needed, source.bytes.size())) {
      return part.json.refuse(ErrorCode::kInvalidData, counted(sparse.count, "element") + " from byte " +
                                                           std::to_string(part_offset) + " need " + bytes_text(needed) +
                                                           ", but buffer view " + std::to_string(part_view) + " has " +
                                                           bytes_text(source.bytes.size()));
    }
    part.out = source.bytes.slice(static_cast<std::size_t>(part_offset), static_cast<std::size_t>(needed));
  }
  a.sparse = std::move(sparse);
  return a;
}

}  // namespace assetc::importer
