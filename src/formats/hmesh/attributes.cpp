#include "assetc/formats/mesh_attributes.hpp"
#include "formats/hmesh/table.hpp"

namespace assetc::hmesh {
namespace {

using namespace formats;

struct AttributesHeader {
  std::uint32_t stride_bytes;
  std::uint32_t attribute_count;
};
static_assert(sizeof(AttributesHeader) == 8);

}  // namespace

std::uint32_t size_bytes_of(FurtherFormat format) {
  switch (format) {
    case FurtherFormat::kR32F:
    case FurtherFormat::kRgba8Unorm:
      return 4;
    case FurtherFormat::kRg32F:
    case FurtherFormat::kRgba16Unorm:
      return 8;
    case FurtherFormat::kRgb32F:
      return 12;
    case FurtherFormat::kRgba32F:
      return 16;
  }
  return 0;
}

std::uint32_t component_count_of(FurtherFormat format) {
  switch (format) {
    case FurtherFormat::kR32F:
      return 1;
    case FurtherFormat::kRg32F:
      return 2;
    case FurtherFormat::kRgb32F:
      return 3;
    case FurtherFormat::kRgba32F:
    case FurtherFormat::kRgba8Unorm:
    case FurtherFormat::kRgba16Unorm:
      return 4;
  }
  return 0;
}

std::uint32_t FurtherAttributes::stride_bytes() const {
  std::uint32_t stride = 0;
  for (const Item& item : items) stride += size_bytes_of(item.format);
  return stride;
}

Result<FurtherAttributesView> FurtherAttributesView::open(ByteSpan payload, ByteSpan vertices,
                                                          std::uint64_t place_bytes, std::uint32_t vertex_count) {
  Context context;
  ASSETC_TRY(const OpenPart part, open_part(table::kAttributesPart, payload, place_bytes, context));
  FurtherAttributesView view;
  view.attributes_ = part.rows<GpuAttribute>(0);
  view.text_ = part.texts;
  view.stride_bytes_ = part.head<AttributesHeader>().stride_bytes;
  view.vertices_ = vertices;
  std::uint32_t end = 0;
  for (std::size_t i = 0; i < view.attributes_.size(); ++i) {
    const GpuAttribute& a = view.attributes_[i];
    const std::uint64_t place = place_bytes + sizeof(AttributesHeader) + i * sizeof(GpuAttribute);
    if (a.offset_bytes < end) {
      return invalid(place + 6,
                     message("an attribute lies at ", a.offset_bytes, ", expected a multiple of 4 from ", end));
    }
    end = a.offset_bytes + size_bytes_of(a.format);
    const std::string_view name = view.name(i);
    const bool is_custom = a.semantic == FurtherSemantic::kCustom;
    if (is_custom ? name.size() < 2 || name.front() != '_' : !name.empty()) {
      return invalid(place + 8, message("found the name \"", name, "\", expected ",
                                        is_custom ? "one that begins with _" : "none for this semantic"));
    }
    const GpuAttribute* first = is_custom ? view.find(name, a.set) : view.find(a.semantic, a.set);
    if (first != &a) return invalid(place, message("attribute ", i, " is the same as one before it"));
  }
  if (view.stride_bytes_ < end || view.stride_bytes_ % 4 != 0) {
    return invalid(place_bytes, message("found a vertex stride of ", counted(view.stride_bytes_, "byte"),
                                        ", expected a multiple of 4 of at least ", end));
  }
  if (vertices.size() != std::uint64_t{vertex_count} * view.stride_bytes_) {
    return invalid(place_bytes,
                   message("found ", counted(vertices.size(), "byte"), " of VTX2, expected ",
                           std::uint64_t{vertex_count} * view.stride_bytes_, " for ", counted(vertex_count, "vertex")));
  }
  return view;
}

std::string_view FurtherAttributesView::name(std::size_t i) const {
  const std::uint32_t begin = i == 0 ? 0 : attributes_[i - 1].name_end;
  return text_.substr(begin, attributes_[i].name_end - begin);
}

const GpuAttribute* FurtherAttributesView::find(FurtherSemantic semantic, std::uint32_t set) const {
  for (const GpuAttribute& a : attributes_) {
    if (a.semantic == semantic && a.set == set) return &a;
  }
  return nullptr;
}

const GpuAttribute* FurtherAttributesView::find(std::string_view custom_name, std::uint32_t column) const {
  std::uint32_t begin = 0;
  for (const GpuAttribute& a : attributes_) {
    if (a.semantic == FurtherSemantic::kCustom && a.set == column &&
        text_.substr(begin, a.name_end - begin) == custom_name)
      return &a;
    begin = a.name_end;
  }
  return nullptr;
}

std::array<float, 4> FurtherAttributesView::value(const GpuAttribute& attribute, std::size_t vertex) const {
  const ByteSpan from = vertices_.subspan(vertex * stride_bytes_ + attribute.offset_bytes);
  std::array<float, 4> out{0, 0, 0, 1};
  if (attribute.format == FurtherFormat::kRgba8Unorm) {
    for (std::size_t k = 0; k < 4; ++k) out[k] = static_cast<float>(load<std::uint8_t>(from, k)) / 255;
  } else if (attribute.format == FurtherFormat::kRgba16Unorm) {
    for (std::size_t k = 0; k < 4; ++k) out[k] = static_cast<float>(load<std::uint16_t>(from, 2 * k)) / 65535;
  } else {
    for (std::size_t k = 0; k < component_count_of(attribute.format); ++k) out[k] = load<float>(from, 4 * k);
  }
  return out;
}

FurtherAttributes FurtherAttributesView::to_attributes() const {
  FurtherAttributes out;
  for (std::size_t i = 0; i < attributes_.size(); ++i) {
    const GpuAttribute& a = attributes_[i];
    out.items.push_back({a.semantic, a.set, a.format, std::string(name(i))});
  }
  const std::uint32_t stride = out.stride_bytes();
  if (stride == stride_bytes_) {
    out.vertices.assign(vertices_.begin(), vertices_.end());
    return out;
  }
  for (std::size_t at = 0; at < vertices_.size(); at += stride_bytes_) {
    for (const GpuAttribute& a : attributes_)
      append_bytes(out.vertices, vertices_.subspan(at + a.offset_bytes, size_bytes_of(a.format)));
  }
  return out;
}

Result<ByteVector> write_further_attributes(const FurtherAttributes& attributes) {
  if (attributes.items.size() > kMaxFurtherAttributes) {
    return fail(ErrorCode::kLimit,
                message("the mesh has ", counted(attributes.items.size(), "further attribute"), ", expected at most ",
                        kMaxFurtherAttributes),
                "list the attributes that you need in mesh.attributes");
  }
  ByteVector out;
  append(out, AttributesHeader{attributes.stride_bytes(), static_cast<std::uint32_t>(attributes.items.size())});
  std::string text;
  std::uint32_t offset = 0;
  for (const FurtherAttributes::Item& item : attributes.items) {
    text += item.name;
    append(out, GpuAttribute{item.semantic, item.set, item.format, static_cast<std::uint16_t>(offset),
                             static_cast<std::uint32_t>(text.size()), 0});
    offset += size_bytes_of(item.format);
  }
  append_bytes(out, as_bytes(text));
  return out;
}

}  // namespace assetc::hmesh
