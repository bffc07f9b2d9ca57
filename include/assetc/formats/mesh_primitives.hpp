// The chunk PRIM of .hmesh: primitives of points and lines, beside the submeshes of triangles.
// This chunk is an extension that other readers skip. Specification: docs/formats/hmesh.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/mesh_bounds.hpp"

namespace assetc::hmesh {

// How indices are read: three for each triangle, two for each line, one for each point.
enum class Topology : std::uint32_t { kTriangles = 0, kLines = 1, kPoints = 2 };
// Returns 3, 2 or 1.
constexpr std::uint32_t corner_count_of(Topology topology) { return 3 - static_cast<std::uint32_t>(topology); }

// One draw of points or of lines: one material and one range of the indices of PRIM.
struct GpuPrimitive {
  // The source has these attributes. Without them, the vertices of the primitive hold (0, 0, 1), any tangent or (0, 0).
  static constexpr std::uint32_t kHasNormals = 1;
  static constexpr std::uint32_t kHasTangents = 2;
  static constexpr std::uint32_t kHasTexcoords = 4;

  Topology topology;  // kLines or kPoints
  std::uint32_t flags;
  std::uint32_t first_index;  // into PrimitivesView::indices()
  std::uint32_t index_count;  // not 0
  std::uint32_t material_slot;
  std::uint32_t submeshes_before;  // in the order of the source; ascending
  std::uint32_t node;              // into the nodes of NAME, or kNoNode
  std::uint32_t name_end;          // offset in the text of names; a name begins where the one before ends
  MeshBounds bounds;               // of its vertices
  bool operator==(const GpuPrimitive&) const = default;
};
static_assert(sizeof(GpuPrimitive) == 72);

// The same in vectors. The ranges of items cover all indices, in order.
struct Primitives {
  std::vector<GpuPrimitive> items;  // write_primitives() sets name_end
  std::vector<std::string> names;   // one for each item, or none
  std::vector<std::uint32_t> indices;

  bool empty() const { return items.empty(); }
  bool operator==(const Primitives&) const = default;
};

// Primitives read in place. Copyable. The bytes that it was opened on must outlive it.
class PrimitivesView {
 public:
  // The counts of the mesh.
  struct Counts {
    std::uint32_t vertices;
    std::uint32_t submeshes;
    std::uint32_t materials;
    std::uint32_t nodes;  // of NAME
  };
  // Checks the payload of PRIM and returns a view of it. place_bytes: the offset of payload in its file, for errors.
  // box: of the mesh. Constraints: payload starts at a multiple of 4.
  static Result<PrimitivesView> open(ByteSpan payload, std::uint64_t place_bytes, const Counts& counts,
                                     std::span<const float, 3> box_min, std::span<const float, 3> box_max);

  std::span<const GpuPrimitive> items() const { return items_; }
  // Indices of the vertices of the mesh.
  std::span<const std::uint32_t> indices() const { return indices_; }
  // Returns the indices of one primitive. Requires that it is one of items().
  std::span<const std::uint32_t> indices_of(const GpuPrimitive& item) const {
    return indices_.subspan(item.first_index, item.index_count);
  }
  // Returns the name of a primitive, or "" if it has none. Requires i < items().size().
  std::string_view name(std::size_t i) const;

  Primitives to_primitives() const;

 private:
  std::span<const GpuPrimitive> items_;
  std::span<const std::uint32_t> indices_;
  std::string_view text_;
};

// Returns the payload of a PRIM chunk. Errors: kLimit for more indices or text than 32 bits count; kUsage for names of
// some items only.
Result<ByteVector> write_primitives(const Primitives& primitives);

}  // namespace assetc::hmesh
