// The NAME chunk of .hmesh: the source's names of submeshes, materials, joints and nodes.
// This chunk is an extension that other readers skip. Specification: docs/formats/hmesh.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::hmesh {

inline constexpr std::uint32_t kNoNode = 0xffffffffu;

// Each group is empty or complete. submeshes, materials and joints are parallel to the tables of the mesh.
struct Names {
  std::vector<std::string> submeshes;
  std::vector<std::string> materials;
  std::vector<std::string> joints;
  std::vector<std::string> nodes;            // the nodes that the geometry came from, in source order
  std::vector<std::uint32_t> submesh_nodes;  // for each submesh an index into nodes, or kNoNode

  bool empty() const {
    return submeshes.empty() && materials.empty() && joints.empty() && nodes.empty() && submesh_nodes.empty();
  }
  bool operator==(const Names&) const = default;
};

// Names read in place. Copyable. The bytes that it was opened on must outlive it.
class NamesView {
 public:
  struct Counts {
    std::uint32_t submeshes;
    std::uint32_t materials;
    std::uint32_t joints;
  };
  // Checks the payload and returns a view of it. place_bytes: the offset of payload in its file, for errors. counts:
  // those of the mesh.
  static Result<NamesView> open(ByteSpan payload, std::uint64_t place_bytes, Counts counts);

  // Return the name, or "" if the element has no name or the index is out of range.
  std::string_view submesh(std::size_t i) const { return at(0, i); }
  std::string_view material(std::size_t i) const { return at(1, i); }
  std::string_view joint(std::size_t i) const { return at(2, i); }
  std::string_view node(std::size_t i) const { return at(3, i); }
  std::size_t node_count() const { return counts_[3]; }
  // Returns the node of a submesh, or kNoNode if it is unknown.
  std::uint32_t submesh_node(std::size_t submesh) const {
    return submesh < submesh_nodes_.size() ? submesh_nodes_[submesh] : kNoNode;
  }
  Names to_names() const;

 private:
  std::string_view at(std::size_t group, std::size_t i) const;

  std::uint32_t counts_[4] = {};
  std::span<const std::uint32_t> submesh_nodes_;
  std::span<const std::uint32_t> ends_;
  std::string_view text_;
};

// Returns the payload of a NAME chunk.
Result<ByteVector> write_names(const Names& names);

}  // namespace assetc::hmesh
