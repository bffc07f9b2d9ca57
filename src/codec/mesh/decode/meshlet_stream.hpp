// Reads meshlet streams: the triangles and vertices of meshlets. Safe for any input.
// Specification: docs/formats/hmesh.md, "The stream of meshlets". The loader for three.js has a reader of its own:
// web/three/src/encoded.js.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "assetc/base/bytes.hpp"

namespace assetc::meshlet_stream {

inline constexpr std::uint32_t kMaxTriangles = 255;  // of a meshlet
inline constexpr std::uint32_t kMaxVertices = 255;
// A code of a triangle: below kFree, the edge times two, plus one if the third corner has a number already.
inline constexpr std::uint32_t kEdges = 7;
inline constexpr std::uint32_t kFree = 14;
// The step of a vertex that stands for one of the far vertices.
inline constexpr std::uint32_t kFar = 0xFFFF;

struct Header {
  std::uint32_t meshlet_count;
  std::uint32_t vertex_count;  // the sum of those of all meshlets
  std::uint32_t number_count;  // stored numbers
  std::uint32_t step_count;    // vertices that are stored as steps
  std::uint32_t far_count;     // steps that are too large
  std::uint32_t is_rotated;    // 1: rotations follow
};
static_assert(sizeof(Header) == 24);

// A meshlet.
struct Content {
  std::uint32_t triangle_count = 0, vertex_count = 0;
  std::array<std::uint8_t, 3 * kMaxTriangles + 1> corners;  // three of each triangle
  std::array<std::uint32_t, kMaxVertices> vertices;         // of the mesh, any values; one for each number of a corner
};

class Reader {
 public:
  // Nothing if the bytes cannot be such a stream of triangle_count triangles.
  static std::optional<Reader> open(ByteSpan stream, std::uint64_t triangle_count);

  std::uint32_t meshlet_count() const { return header_.meshlet_count; }
  std::uint32_t vertex_count() const { return header_.vertex_count; }

  // Reads the next meshlet. Returns false if the stream is damaged. Requires fewer calls than meshlets.
  bool next(Content& meshlet);
  // Whether the stream ended with the meshlets that were read.
  bool is_complete() const;

 private:
  Reader() = default;
  template <bool kChecked, bool kRotated>
  bool read_triangles(Content& meshlet);
  template <bool kChecked>
  bool read_vertices(Content& meshlet);

  Header header_{};
  const std::byte* counts_ = nullptr;
  const std::byte* codes_ = nullptr;
  const std::byte* numbers_ = nullptr;
  const std::byte* numbers_end_ = nullptr;
  const std::byte* marks_ = nullptr;  // a bit for each vertex: 1 if it is stored as a step
  const std::byte* low_ = nullptr;    // the low bytes of steps, then the high bytes
  const std::byte* far_ = nullptr;
  const std::byte* rotations_ = nullptr;
  std::uint64_t triangle_ = 0;
  std::uint32_t vertex_ = 0, step_ = 0, next_far_ = 0;
  std::uint32_t next_ = 0, last_ = 0;  // vertices of the mesh
};

}  // namespace assetc::meshlet_stream
