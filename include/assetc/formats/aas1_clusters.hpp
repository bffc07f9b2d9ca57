// Clusters in an AAS1 blob: a .hcluster, the materials of its slots and its skeleton. Specification:
// docs/formats/aas1.md.
#pragma once

#include <cstdint>
#include <span>

#include "assetc/base/uuid.hpp"
#include "assetc/formats/aas1.hpp"
#include "assetc/formats/hcluster_view.hpp"

namespace assetc::aas1 {

struct ClustersDesc {
  std::uint32_t material_count;
  std::uint32_t materials_offset_bytes;
  std::uint32_t file_offset_bytes;  // of the .hcluster; begins at a multiple of 16 in the blob
  std::uint32_t file_size_bytes;
};
static_assert(sizeof(ClustersDesc) == 16);
// A flag of the blob: the UUID of the skeleton follows those of the materials.
inline constexpr std::uint8_t kFlagSkeleton = 1u << 1;

class ClustersView {
 public:
  // file: aligned to chunks::kBufferAlignment; must outlive the view.
  static Result<ClustersView> open(ByteSpan file);
  const Blob& blob() const { return blob_; }
  const hcluster::View& clusters() const { return clusters_; }
  // The material of each slot: as many as clusters().materials().
  std::span<const Uuid> materials() const { return materials_; }
  // The skeleton that moves a skinned mesh; nil if none is known.
  const Uuid& skeleton() const { return skeleton_; }

 private:
  Blob blob_;
  std::span<const Uuid> materials_;
  Uuid skeleton_{};
  hcluster::View clusters_;
};

// Where a blob has its parts, from its first bytes, for readers that load clusters page by page.
struct ClustersHead {
  std::span<const Uuid> materials;
  Uuid skeleton{};                      // nil: none
  std::uint64_t file_offset_bytes = 0;  // of the .hcluster, in the blob
  std::uint64_t file_size_bytes = 0;
};
// The number of bytes from the start of a blob that read_clusters_head() needs. first: its first bytes; if they are too
// few to tell, the number of bytes to read before asking again.
std::uint64_t clusters_head_bytes(ByteSpan first);
// head: at least clusters_head_bytes() bytes, aligned to kBufferAlignment; must outlive the result.
// Errors: those of ClustersView, except for the .hcluster itself.
Result<ClustersHead> read_clusters_head(ByteSpan head, std::uint64_t blob_bytes);

// Returns the bytes of a blob. materials: one for each slot of the .hcluster. skeleton: nil if there is none.
Result<ByteVector> write_clusters(ByteSpan hcluster, std::span<const Uuid> materials, const Uuid& skeleton = {});

}  // namespace assetc::aas1
