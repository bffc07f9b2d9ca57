// Writes meshes from any layout: each array is made while it is written.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/hmesh_v1.hpp"
#include "base/release.hpp"
#include "os/pages.hpp"

namespace assetc::hmesh {

// An array in the layout of the file. It must outlive the write.
template <class T>
chunks::Producer as_it_is(const std::vector<T>& values) {
  return {values.size() * sizeof(T),
          [&values](ByteVector& file) { append_bytes(file, std::as_bytes(std::span(values))); }};
}

// The same for an array that is not needed afterwards. Its memory is freed while it is written, so that a large mesh is
// not in memory twice.
template <class T>
chunks::Producer spent(std::vector<T>& values) {
  return {values.size() * sizeof(T), [&values](ByteVector& file) {
            constexpr std::size_t kPieceBytes = 4u << 20;
            std::span<std::byte> left = std::as_writable_bytes(std::span(values));
            while (!left.empty()) {
              const std::span<std::byte> piece = left.first(std::min(left.size(), kPieceBytes));
              append_bytes(file, piece);
              if (piece.size() == kPieceBytes) os::release_pages(piece);
              left = left.subspan(piece.size());
            }
            release(values);
          }};
}

// Each producer makes the array of Model with the same name, in the layout of the file.
struct Source {
  chunks::Producer vertices, submeshes, materials, meshlets, meshlet_vertices, meshlet_triangles, meshlet_bounds, skin,
      joints, lod_indices, pose_bounds, further_skin;
  std::span<const std::uint32_t> indices;
  chunks::Producer wide_indices;  // indices, for a file with 32-bit indices
  bool has_tangents = false;
  MeshBounds bounds{};
  std::uint32_t meshlet_max_vertices = kMeshletMaxVertices;
  std::uint32_t meshlet_max_triangles = kMeshletMaxTriangles;
  std::uint32_t lod_count = 0;
  std::span<const MeshLod> lods;
  const Names* names = nullptr;                           // null: none
  const FurtherAttributes* further_attributes = nullptr;  // null: none. Its vertices may be empty; then those below are
  chunks::Producer further_vertices;                      // written.
  const Morphs* morphs = nullptr;                         // null: none
  const Primitives* primitives = nullptr;                 // null: none
};

// Writes the same bytes as write() of the same model.
Result<ByteVector> write(const Source& source);

}  // namespace assetc::hmesh

namespace assetc::hmesh_v1 {

// The same for version 1.
struct Source {
  chunks::Producer vertices, meshlets, meshlet_vertices, meshlet_triangles, meshlet_bounds;
  std::span<const std::uint32_t> indices;
  MeshBounds bounds{};
  std::span<const std::uint64_t> materials;
  std::span<const std::string> material_names;
};
Result<ByteVector> write(const Source& source);

}  // namespace assetc::hmesh_v1
