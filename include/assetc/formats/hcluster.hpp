// .hcluster version 1, also as vectors and to write. Specification: docs/formats/hcluster.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
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
  hmesh::Morphs morphs;                  // without moves
  std::vector<float> morph_radii;        // of the targets
  ByteVector data;                       // of the pages
};

// A cluster to be encoded. Vertices are integers, as the channels say.
struct ClusterInput {
  std::uint32_t refined = kNone;
  std::uint32_t vertex_count = 0;
  std::span<const std::array<std::uint8_t, 3>> triangles;
  std::span<const MaterialRange> materials;  // at least one range; the last ends with the last triangle
  const ClusterVertices* vertices = nullptr;
  const ClusterOffsets* offsets = nullptr;  // with morph targets; of the vertices as they are numbered here
};

// A group with its encoded clusters.
struct EncodedGroup {
  Group group{};
  std::vector<ClusterRecord> records;
  ByteVector data;
  ByteVector offsets;                      // of all clusters, one after the other
  std::vector<std::uint32_t> offset_ends;  // of each cluster, in offsets; empty: there are no morph targets
  std::uint64_t triangle_count = 0;
};

// Encodes groups, one at a time. Several writers may encode groups of one model in parallel.
class GroupWriter {
 public:
  // channels: of the model. box_shift: at least the bits of channel 0 - 16.
  GroupWriter(std::span<const Channel> channels, std::uint32_t box_shift);
  GroupWriter(const GroupWriter&) = delete;
  GroupWriter& operator=(const GroupWriter&) = delete;

  // Begins a group: its clusters follow. group: page and clusters are set by the PageWriter.
  void begin(const Group& group);
  void add(const ClusterInput& cluster);
  EncodedGroup end() { return std::move(current_); }

 private:
  std::vector<ChannelBits> channels_;
  std::uint32_t box_shift_;
  GroupEncoder encoder_;
  EncodedGroup current_;
};

// Fills the pages of a model, group by group.
class PageWriter {
 public:
  // model: has its channels, morphs and desc.box_shift; gets groups, pages with their dependencies, and data. Must
  // outlive the writer. A group comes after all groups whose clusters replace it.
  explicit PageWriter(Model& model) : model_(model), group_(model.channels, model.desc.box_shift) {}
  PageWriter(const PageWriter&) = delete;
  PageWriter& operator=(const PageWriter&) = delete;

  // max_bytes: of a page of one group, kMaxPageBytes or, with morph targets, up to kMaxMorphPageBytes.
  // False: the group takes more, and the model cannot be written.
  bool put(const EncodedGroup& group, std::size_t max_bytes = kMaxPageBytes);
  // The same as to encode a group with a GroupWriter and to put it.
  void begin(const Group& group) { group_.begin(group); }
  void add(const ClusterInput& cluster) { group_.add(cluster); }
  bool end() { return put(group_.end()); }
  // Ends the last page.
  void finish();

 private:
  Model& model_;
  GroupWriter group_;
  std::vector<ClusterRecord> page_records_;
  ByteVector page_data_, page_offsets_;
  std::vector<std::uint32_t> page_offset_ends_;
  std::uint32_t page_groups_ = 0;
  // The pages with replacements of groups that are not written yet.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> replaced_on_;
};

// Builds the nodes of a model above its groups, whose neighbors in order should be neighbors in space.
void build_nodes(Model& model);

// Returns the bytes of a file that View::open accepts, or the error that it would give for the model. Deterministic.
Result<ByteVector> write(const Model& model);

}  // namespace assetc::hcluster
