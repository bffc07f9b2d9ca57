// The chunks ATTR and VTX2 of .hmesh: vertex attributes in addition to those of VTXS.
// These chunks are extensions that other readers skip. Specification: docs/formats/hmesh.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::hmesh {

inline constexpr std::uint32_t kMaxFurtherAttributes = 64;

// The numbers are those of aas1::Semantic.
enum class FurtherSemantic : std::uint16_t {
  kTexcoord = 3,  // set n of the source, without the transform of a texture
  kColor = 4,     // set n of the source, linear RGBA
  kCustom = 16,   // an attribute of the application, found by name
};
// The numbers are those of aas1::VertexFormat, which lacks the last one.
enum class FurtherFormat : std::uint16_t {
  kR32F = 1,
  kRg32F = 2,
  kRgb32F = 3,
  kRgba32F = 4,
  kRgba8Unorm = 19,
  kRgba16Unorm = 20,
};
// Returns 0 for an unknown format.
std::uint32_t size_bytes_of(FurtherFormat format);
// 1 to 4; 0 for an unknown format.
std::uint32_t component_count_of(FurtherFormat format);

// An attribute of the vertices in VTX2.
struct GpuAttribute {
  FurtherSemantic semantic;
  std::uint16_t set;  // of a texcoord or color; of a custom attribute, the column of its matrix
  FurtherFormat format;
  std::uint16_t offset_bytes;  // in the vertex, a multiple of 4
  std::uint32_t name_end;      // offset in the text of names; a name begins where the one before ends
  std::uint32_t pad;
  bool operator==(const GpuAttribute&) const = default;
};
static_assert(sizeof(GpuAttribute) == 16);

// The same in vectors.
struct FurtherAttributes {
  struct Item {
    FurtherSemantic semantic = FurtherSemantic::kTexcoord;
    std::uint16_t set = 0;
    FurtherFormat format = FurtherFormat::kRg32F;
    std::string name;  // of a custom attribute, with its leading '_'
    bool operator==(const Item&) const = default;
  };
  std::vector<Item> items;  // in the order of the vertex, without gaps
  ByteVector vertices;      // as in VTX2

  bool empty() const { return items.empty(); }
  std::uint32_t stride_bytes() const;
  bool operator==(const FurtherAttributes&) const = default;
};

// Attributes read in place. Copyable. The bytes that it was opened on must outlive it.
class FurtherAttributesView {
 public:
  // Checks the payloads of ATTR and VTX2 and returns a view of them. place_bytes: the offset of table in its file, for
  // errors.
  static Result<FurtherAttributesView> open(ByteSpan table, ByteSpan vertices, std::uint64_t place_bytes,
                                            std::uint32_t vertex_count);

  std::span<const GpuAttribute> attributes() const { return attributes_; }
  // Returns the name of an attribute, or "" if it has none. Requires i < attributes().size().
  std::string_view name(std::size_t i) const;
  // The vertex buffer, as it is uploaded.
  ByteSpan vertices() const { return vertices_; }
  std::uint32_t stride_bytes() const { return stride_bytes_; }

  // Return the attribute, or null if the mesh lacks it.
  const GpuAttribute* find(FurtherSemantic semantic, std::uint32_t set) const;
  const GpuAttribute* find(std::string_view custom_name, std::uint32_t column = 0) const;

  // Returns the value of an attribute of this view, with 0, 0, 0 and 1 for components that its format lacks.
  // Requires vertex < the vertex count of the mesh.
  std::array<float, 4> value(const GpuAttribute& attribute, std::size_t vertex) const;

  FurtherAttributes to_attributes() const;

 private:
  std::span<const GpuAttribute> attributes_;
  std::string_view text_;
  ByteSpan vertices_;
  std::uint32_t stride_bytes_ = 0;
};

// Returns the payload of an ATTR chunk. Errors: kLimit.
Result<ByteVector> write_further_attributes(const FurtherAttributes& attributes);

}  // namespace assetc::hmesh
