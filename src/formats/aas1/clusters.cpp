#include <algorithm>
#include <cstddef>
#include <limits>

#include "assetc/formats/aas1_clusters.hpp"
#include "assetc/formats/chunks.hpp"
#include "formats/aas1/layout.hpp"

namespace assetc::aas1 {
namespace {

using namespace formats;

constexpr std::size_t kFileAlignment = 16;
constexpr std::uint64_t kDataPlace = sizeof(BlobHeader) + sizeof(ClustersDesc);
static_assert(kDataPlace % kFileAlignment == 0);

// Requires a blob of at least kDataPlace bytes. Checks all but the .hcluster.
Result<ClustersHead> check_head(ByteSpan head, std::uint64_t blob_bytes) {
  const auto header = load<BlobHeader>(head);
  const auto desc = load<ClustersDesc>(head, sizeof header);
  if (header.desc_size_bytes != sizeof desc)
    return invalid(8, message("the Desc has ", counted(header.desc_size_bytes, "byte"), ", expected ", sizeof desc));
  const std::uint64_t data_size = std::min<std::uint64_t>(header.data_size_bytes, blob_bytes - kDataPlace);
  const bool has_skeleton = (header.flags & kFlagSkeleton) != 0;
  const std::uint64_t materials_size = (std::uint64_t{desc.material_count} + (has_skeleton ? 1 : 0)) * sizeof(Uuid);
  if (!range_fits(desc.materials_offset_bytes, materials_size, data_size) ||
      desc.materials_offset_bytes % alignof(std::uint32_t) != 0) {
    return invalid(desc_place(4), message(counted(desc.material_count, "material"), " at ", desc.materials_offset_bytes,
                                          " do not fit in the data of ", counted(data_size, "byte")));
  }
  if (!range_fits(desc.file_offset_bytes, desc.file_size_bytes, data_size) ||
      desc.file_offset_bytes % kFileAlignment != 0) {
    return invalid(desc_place(8), message("a .hcluster of ", counted(desc.file_size_bytes, "byte"), " at ",
                                          desc.file_offset_bytes, " does not fit in the data of ",
                                          counted(data_size, "byte"), ", or not at a multiple of ", kFileAlignment));
  }
  const std::uint64_t materials_place = kDataPlace + desc.materials_offset_bytes;
  if (!range_fits(materials_place, materials_size, head.size()))
    return fail_at(ErrorCode::kTruncated, byte_place(materials_place), "the materials end after these bytes");
  const auto* const materials = reinterpret_cast<const Uuid*>(head.data() + materials_place);
  const ClustersHead result{{materials, desc.material_count},
                            has_skeleton ? materials[desc.material_count] : Uuid{},
                            kDataPlace + desc.file_offset_bytes,
                            desc.file_size_bytes};
  for (const Uuid& material : result.materials) {
    if (material.is_nil()) return invalid(materials_place, "the UUID of a material is all zero");
  }
  if (has_skeleton && result.skeleton.is_nil()) return invalid(materials_place, "the UUID of the skeleton is all zero");
  return result;
}

}  // namespace

std::uint64_t clusters_head_bytes(ByteSpan first) {
  if (first.size() < kDataPlace) return kDataPlace;
  const auto header = load<BlobHeader>(first);
  const auto desc = load<ClustersDesc>(first, sizeof header);
  const std::uint64_t count = std::uint64_t{desc.material_count} + ((header.flags & kFlagSkeleton) != 0 ? 1 : 0);
  return kDataPlace + desc.materials_offset_bytes + count * sizeof(Uuid);
}

Result<ClustersHead> read_clusters_head(ByteSpan head, std::uint64_t blob_bytes) {
  if (head.size() < kDataPlace || head.size() > blob_bytes)
    return fail_at(ErrorCode::kTruncated, byte_place(0),
                   message("found ", counted(head.size(), "byte"), ", expected ", kDataPlace, " or more"));
  const auto header = load<BlobHeader>(head);
  if (header.magic != kMagic || header.version != kVersion || static_cast<Type>(header.type) != Type::kClusters)
    return invalid(0, "the bytes are not the start of an AAS1 blob of clusters");
  return check_head(head, blob_bytes);
}

Result<ClustersView> ClustersView::open(ByteSpan file) {
  ClustersView view;
  ASSETC_TRY(view.blob_, Blob::open(file, Type::kClusters, sizeof(ClustersDesc)));
  ASSETC_TRY(const ClustersHead head, check_head(file, file.size()));
  view.materials_ = head.materials;
  view.skeleton_ = head.skeleton;
  const auto clusters =
      file.subspan(static_cast<std::size_t>(head.file_offset_bytes), static_cast<std::size_t>(head.file_size_bytes));
  auto opened = hcluster::View::open(clusters);
  if (!opened) {
    opened.error().place = byte_place(head.file_offset_bytes) + ", clusters " + opened.error().place;
    return std::unexpected(std::move(opened).error());
  }
  view.clusters_ = *opened;
  if (view.clusters_.materials().size() != view.materials_.size()) {
    return invalid(desc_place(0), message("found ", counted(view.materials_.size(), "material"), ", expected ",
                                          view.clusters_.materials().size(), ", one for each slot of the .hcluster"));
  }
  return view;
}

Result<ByteVector> write_clusters(ByteSpan hcluster, std::span<const Uuid> materials, const Uuid& skeleton) {
  const ByteSpan skeleton_bytes = skeleton.is_nil() ? ByteSpan() : object_bytes(skeleton);
  const std::size_t uuids_size = materials.size_bytes() + skeleton_bytes.size();
  if (hcluster.size() > std::numeric_limits<std::uint32_t>::max() - uuids_size) {
    return fail(
        ErrorCode::kLimit,
        message("the clusters take ", counted(hcluster.size(), "byte"), ", but an AAS1 blob holds less than 4 GiB"),
        "split the model");
  }
  static_assert(sizeof(Uuid) == kFileAlignment);
  const ClustersDesc desc{static_cast<std::uint32_t>(materials.size()), 0, static_cast<std::uint32_t>(uuids_size),
                          static_cast<std::uint32_t>(hcluster.size())};
  const ByteSpan data[] = {std::as_bytes(materials), skeleton_bytes, hcluster};
  const std::uint8_t flags = skeleton.is_nil() ? 0 : kFlagSkeleton;
  ASSETC_TRY(ByteVector file, write_blob(Type::kClusters, flags, object_bytes(desc), data));
  ASSETC_CHECK(ClustersView::open(file));
  return file;
}

}  // namespace assetc::aas1
