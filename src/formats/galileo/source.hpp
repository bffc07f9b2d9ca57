// The input of the Galileo writer: functions that fill an attribute block by block. A mesh in any layout is converted
// directly into its file.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "assetc/formats/galileo.hpp"

namespace assetc::galileo {

// Writes elements [first, first + out.size()) of an attribute to out. The writer requests every element once, in any
// order, on any thread that ForEach uses.
template <class T>
using Fill = std::function<void(std::size_t first, std::span<T> out)>;

struct TexcoordSource {
  Fill<Float2> values;
  bool exact = false;  // also stored as floats, beside unorm: leaves_unit_square()
};

struct GroupSource {
  Float3 low{}, high{};  // of all positions
  hmesh::Topology topology = hmesh::Topology::kTriangles;
  std::uint32_t flags = 0;  // GroupTopology::flags
  std::uint32_t index_count = 0;
  std::uint32_t vertex_count = 0;
  Fill<std::uint32_t> indices;  // each below vertex_count
  Fill<Float3> positions;
  Fill<Float3> normals;
  Fill<Float4> tangents;
  std::vector<TexcoordSource> texcoords;
  std::vector<Fill<Byte4>> colors;
  std::vector<Fill<Short4>> joints;
  std::vector<Fill<Short4>> weights;  // the same count as joints; quantize_weights()
  std::span<const AttributeExtension> extensions;
  std::uint32_t material_slot = hmesh::kNoMaterial;
};

// Views and fills must outlive write().
struct Source {
  Uuid uuid{};
  std::vector<GroupSource> groups;
  std::span<const std::uint64_t> materials;
  std::span<const hmesh::GpuJoint> joints;
  const hmesh::Names* names = nullptr;    // null: none
  const hmesh::Morphs* morphs = nullptr;  // null: none
  std::span<const Extension> extensions;
};

// Returns whether any of count texture coordinates is outside [0, 1] or not finite. Unorm cannot represent these.
bool leaves_unit_square(std::size_t count, const Fill<Float2>& values);

// Calls body for each of [0, count), in any order, on any threads, and returns when all calls are done. The formats
// have no threads of their own; the caller may provide some.
using ForEach = std::function<void(std::size_t count, const std::function<void(std::size_t)>& body)>;
// Calls body in order on this thread.
void in_order(std::size_t count, const std::function<void(std::size_t)>& body);

// Checks that a file of this size can be addressed in memory of the size `most`. Errors: kLimit.
Result<void> check_addressable(std::uint64_t size_bytes, std::uint64_t most = std::numeric_limits<std::size_t>::max());

// Writes the same bytes as write(const Model&) for the same mesh, with any for_each. Errors: kUsage, kLimit, and those
// of View::open for the written file.
Result<Bytes> write(const Source& source, const ForEach& for_each = in_order);
// The same, into memory of the caller. allocate is called once with the size of the file.
Result<void> write_to(const Source& source, const std::function<std::span<std::byte>(std::uint64_t)>& allocate,
                      const ForEach& for_each = in_order);

}  // namespace assetc::galileo
