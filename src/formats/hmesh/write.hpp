// Writes meshes whose vertices are made while they are written.
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

// Writes the same bytes as write() of the model with these vertices and further vertices. Frees the arrays of the model
// that grow with the number of vertices or triangles while they are written.
Result<ByteVector> write_spent(Model& model, const chunks::Producer& vertices,
                               const chunks::Producer& further_vertices);

}  // namespace assetc::hmesh

namespace assetc::hmesh_v1 {

// Writes the triangles of a model of version 2, with these vertices, materials and names of materials.
Result<ByteVector> write(const hmesh::Model& model, const chunks::Producer& vertices,
                         std::span<const std::uint64_t> materials, std::span<const std::string> material_names);

}  // namespace assetc::hmesh_v1
