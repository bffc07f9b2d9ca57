// A Galileo mesh as its writer asks for it: an attribute a block at a time, so that a mesh is converted straight into
// its file, whatever the layout it is held in.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "assetc/formats/galileo.hpp"

namespace assetc::galileo {

// Writes elements [first, first + out.size()) of an attribute to out. The writer asks for every element once, in any
// order and from whatever threads ForEach runs on.
template <class T>
using Fill = std::function<void(std::size_t first, std::span<T> out)>;

struct TexcoordSource {
  Fill<Float2> values;
  bool exact = false;  // stored as floats beside the unorm ones: leaves_unit_square()
};

struct GroupSource {
  Float3 low{}, high{};  // of all positions
  std::uint32_t index_count = 0;
  std::uint32_t vertex_count = 0;
  Fill<std::uint32_t> indices;  // below vertex_count
  Fill<Float3> positions;
  Fill<Float3> normals;
  Fill<Float4> tangents;
  std::vector<TexcoordSource> texcoords;
  std::vector<Fill<Byte4>> colors;
  std::vector<Fill<Short4>> joints;
  std::vector<Fill<Short4>> weights;  // as many as joints; quantize_weights()
  std::span<const AttributeExtension> extensions;
  std::uint32_t material_slot = hmesh::kNoMaterial;
};

// Views and fills must outlive write().
struct Source {
  Uuid uuid{};
  std::vector<GroupSource> groups;
  std::span<const std::uint64_t> materials;
  std::span<const hmesh::GpuJoint> joints;
  const hmesh::Names* names = nullptr;  // null: none
  std::span<const Extension> extensions;
};

// Whether some of count texture coordinates lie outside [0, 1] or are not finite: unorm cannot hold them.
bool leaves_unit_square(std::size_t count, const Fill<Float2>& values);

// Calls body for each of [0, count), in any order, on any threads, and returns when all are done. The formats have no
// threads of their own: who has some lends them.
using ForEach = std::function<void(std::size_t count, const std::function<void(std::size_t)>& body)>;
// One after another, on this thread.
void in_order(std::size_t count, const std::function<void(std::size_t)>& body);

// Whether a file of that many bytes has room where most can be addressed. Errors: kLimit.
Result<void> check_addressable(std::uint64_t size_bytes, std::uint64_t most = std::numeric_limits<std::size_t>::max());

// The same bytes as write(const Model&) of the same mesh, whatever for_each does.
// Errors: kUsage, kLimit, and those of View::open about what was written.
Result<Bytes> write(const Source& source, const ForEach& for_each = in_order);
// The same into memory of the caller's: allocate is called once with the size of the file.
Result<void> write_to(const Source& source, const std::function<std::span<std::byte>(std::uint64_t)>& allocate,
                      const ForEach& for_each = in_order);

}  // namespace assetc::galileo
