// .hcluster version 1, also as vectors and to write. Specification: docs/formats/hcluster.md.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "assetc/formats/hcluster_view.hpp"

namespace assetc::hcluster {

// A file in vectors: the input of write(). Members are the arrays of the file.
struct Model {
  Desc desc{};
  hmesh::MeshBounds bounds{};
  std::vector<Channel> channels;
  std::vector<Group> groups;
  std::vector<Node> nodes;
  std::vector<Page> pages;
  std::vector<std::uint32_t> dependencies;  // of the pages
  std::vector<std::uint64_t> materials;
  std::vector<hmesh::GpuJoint> joints;
  std::vector<hmesh::MeshBounds> pose_bounds;
  std::vector<std::string> joint_names;  // of all joints, or empty
  ByteVector data;                       // of the pages
};

// A cluster to be encoded. Vertices are integers, as the channels say.
struct ClusterInput {
  std::uint32_t refined = kNone;
  std::uint32_t vertex_count = 0;
  std::span<const std::array<std::uint8_t, 3>> triangles;
  std::span<const MaterialRange> materials;  // at least one range; the last ends with the last triangle
  const ClusterVertices* vertices = nullptr;
};

// Fills the pages of a model, group by group.
class PageWriter {
 public:
  // model: has its channels and desc.box_shift, at least the bits of channel 0 - 16; gets groups, pages with their
  // dependencies, and data. Must outlive the writer. A group comes after all groups whose clusters replace it.
  explicit PageWriter(Model& model);
  PageWriter(const PageWriter&) = delete;
  PageWriter& operator=(const PageWriter&) = delete;

  // Begins a group: its clusters follow. group: page and clusters are set by the writer.
  void begin(const Group& group);
  void add(const ClusterInput& cluster);
  // Ends the group. False: it takes more than a page, and the model cannot be written.
  bool end();
  // Ends the last page.
  void finish();

 private:
  struct Pending {
    std::vector<ClusterRecord> records;
    ByteVector data;
    std::size_t size_bytes() const;
    void append(const Pending& other);
  };

  Model& model_;
  std::vector<ChannelBits> channels_;
  GroupEncoder encoder_;
  Group current_{};
  Pending group_, page_;
  std::uint32_t page_groups_ = 0;
  // The pages with replacements of groups that are not written yet.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> replaced_on_;
};

// Builds the nodes of a model above its groups, whose neighbors in order should be neighbors in space.
void build_nodes(Model& model);

// Returns the bytes of a file that View::open accepts, or the error that it would give for the model. Deterministic.
Result<ByteVector> write(const Model& model);

}  // namespace assetc::hcluster
