// The levels of detail of a mesh whose file is read in part.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "assetc/formats/aas1_mesh.hpp"
#include "assetc/formats/chunks.hpp"
#include "assetc/formats/hmesh.hpp"
#include "assetc/runtime/parts.hpp"

namespace assetc::runtime {

// The levels of detail of a mesh whose bytes are read in part.
// - plan: takes the first bytes of a file, and returns the ranges that all levels need. Returns nothing if the file has
//   no levels or breaks a rule. The file is then read whole, and its view reports the error.
// - open: requires these ranges.
// - ranges, build: for one level, 0 < lod < lod_count().
class HmeshLevels {
 public:
  static std::optional<std::vector<ContentRange>> plan(ByteSpan first, std::uint64_t content_bytes);
  static std::optional<HmeshLevels> open(ByteSpan content);
  std::uint32_t lod_count() const { return lod_count_; }
  std::vector<ContentRange> ranges(std::uint32_t lod) const;
  Result<Bytes> build(std::uint32_t lod) const;

 private:
  ContentRange chunk(std::uint32_t id) const;
  template <class T>
  std::span<const T> array(std::uint32_t id) const;
  // The place and width of a submesh's indices in a level.
  struct Indices {
    ContentRange range;
    std::uint32_t width_bytes;
  };
  Indices indices(std::size_t submesh, std::uint32_t lod) const;

  ByteSpan content_;
  std::span<const chunks::ChunkEntry> table_;
  hmesh::MeshDesc desc_{};
  std::span<const hmesh::SubMesh> submeshes_;
  std::span<const hmesh::MeshLod> lods_;
  std::uint32_t lod_count_ = 0;
};

class Aas1Levels {
 public:
  static std::optional<std::vector<ContentRange>> plan(ByteSpan first, std::uint64_t content_bytes);
  static std::optional<Aas1Levels> open(ByteSpan content);
  std::uint32_t lod_count() const { return static_cast<std::uint32_t>(lods_.size()); }
  std::vector<ContentRange> ranges(std::uint32_t lod) const;
  Result<Bytes> build(std::uint32_t lod) const;

 private:
  ContentRange in_data(std::uint32_t offset_bytes, std::uint64_t size_bytes) const;

  ByteSpan content_;
  std::uint64_t data_place_ = 0;
  Bytes blob_;  // without the data
  aas1::MeshDesc desc_{};
  std::vector<aas1::VertexAttribute> attributes_;
  std::vector<aas1::LodDesc> lods_;
};

}  // namespace assetc::runtime
