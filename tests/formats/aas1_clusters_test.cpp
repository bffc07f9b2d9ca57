// Clusters in AAS1 blobs.
#include "assetc/formats/aas1_clusters.hpp"

#include <gmock/gmock.h>

#include "assetc/formats/aas1_describe.hpp"
#include "assetc/formats/hcluster.hpp"
#include "formats/sample_aas1.hpp"
#include "formats/sample_cluster.hpp"
#include "formats/support.hpp"

namespace assetc::aas1 {
namespace {

using namespace formats_test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ByteVector clusters() { return *hcluster::write(sample_clusters()); }
std::vector<Uuid> materials() {
  std::vector<Uuid> all;
  for (std::size_t m = 0; m < sample_clusters().materials.size(); ++m)
    all.push_back(uuid_number(static_cast<std::uint8_t>(m + 1)));
  return all;
}
ByteVector blob() { return *write_clusters(clusters(), materials()); }

// The blob with another number in its Desc.
ByteVector changed(std::size_t offset, std::uint32_t value) {
  ByteVector file = blob();
  std::memcpy(file.data() + sizeof(BlobHeader) + offset, &value, sizeof value);
  return file;
}

TEST(Aas1Clusters, round_trip) {
  const ByteVector file = blob(), inside = clusters();
  const auto view = ClustersView::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_THAT(view->materials(), ::testing::ElementsAreArray(materials()));
  EXPECT_EQ(view->clusters().desc().cluster_count, sample_clusters().desc.cluster_count);
  const auto head = read_clusters_head(ByteSpan(file).first(clusters_head_bytes(file)), file.size());
  ASSERT_TRUE(head) << error_of(head);
  EXPECT_THAT(head->materials, ::testing::ElementsAreArray(materials()));
  EXPECT_EQ(head->file_offset_bytes % 16, 0u);
  EXPECT_TRUE(std::ranges::equal(ByteSpan(file).subspan(head->file_offset_bytes, head->file_size_bytes), inside));
  EXPECT_EQ(clusters_head_bytes(ByteSpan(file).first(20)), sizeof(BlobHeader) + sizeof(ClustersDesc));
}

TEST(Aas1Clusters, name_their_skeleton) {
  const Uuid skeleton = uuid_number(99);
  const ByteVector file = *write_clusters(clusters(), materials(), skeleton);
  const auto view = ClustersView::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->skeleton(), skeleton);
  EXPECT_THAT(view->materials(), ::testing::ElementsAreArray(materials()));
  const auto head = read_clusters_head(ByteSpan(file).first(clusters_head_bytes(file)), file.size());
  ASSERT_TRUE(head) << error_of(head);
  EXPECT_EQ(head->skeleton, skeleton);
  EXPECT_EQ(head->file_offset_bytes % 16, 0u);
  EXPECT_EQ(describe(file)->dependencies.back().asset, skeleton);
  EXPECT_TRUE(ClustersView::open(blob())->skeleton().is_nil());
  ByteVector nil = file;
  std::memset(nil.data() + sizeof(BlobHeader) + sizeof(ClustersDesc) + materials().size() * sizeof(Uuid), 0,
              sizeof(Uuid));
  EXPECT_THAT(error_of(ClustersView::open(nil)), HasSubstr("the UUID of the skeleton is all zero"));
}

TEST(Aas1Clusters, keep_their_golden_bytes) { expect_golden("clusters.aas1", blob()); }

TEST(Aas1Clusters, are_described_for_a_registry) {
  const auto description = describe(blob());
  ASSERT_TRUE(description) << error_of(description);
  EXPECT_EQ(description->type, "Clusters");
  std::vector<std::string> names;
  for (const DescriptionField& field : description->fields) names.emplace_back(field.name);
  EXPECT_THAT(
      names, ElementsAre("Bounds", "LodCount", "TriangleCount", "ClusterCount", "GroupCount", "PageCount", "ByteSize"));
  EXPECT_EQ(description->dependencies.size(), materials().size());
}

TEST(Aas1Clusters, refuse_what_breaks_a_rule) {
  const auto error = [](const ByteVector& file) { return error_of(ClustersView::open(file)); };
  EXPECT_THAT(error(changed(0, 0xFFFFFFFF)), HasSubstr("byte 20: 4294967295 materials at 0 do not fit in the data of"));
  EXPECT_THAT(error(changed(4, 1)), HasSubstr("byte 20: "));
  EXPECT_THAT(error(changed(8, 24)), HasSubstr("byte 24: a .hcluster of "));
  EXPECT_THAT(error(changed(12, 0xFFFFFFF0)), HasSubstr("does not fit in the data of"));
  EXPECT_THAT(error(changed(0, 0)), HasSubstr("byte 16: found 0 materials, expected"));
  ByteVector nil = blob();
  std::memset(nil.data() + sizeof(BlobHeader) + sizeof(ClustersDesc), 0, sizeof(Uuid));
  EXPECT_THAT(error(nil), HasSubstr("the UUID of a material is all zero"));
  ByteVector damaged = blob();
  const std::size_t inside = sizeof(BlobHeader) + sizeof(ClustersDesc) + materials().size() * sizeof(Uuid);
  damaged[inside + 4] ^= std::byte{2};
  EXPECT_THAT(error(damaged),
              HasSubstr("byte " + std::to_string(inside) + ", clusters byte 4: found hcluster version"));
  EXPECT_FALSE(write_clusters(clusters(), {}));

  const ByteVector file = blob();
  EXPECT_FALSE(read_clusters_head(ByteSpan(file).first(20), file.size()));
  EXPECT_THAT(error_of(read_clusters_head(ByteSpan(file).first(32), file.size())),
              HasSubstr("the materials end after these bytes"));
  const ByteVector other = *write_payload(Type::kRaw, kEncodingRaw, file);
  EXPECT_THAT(error_of(read_clusters_head(other, other.size())),
              HasSubstr("not the start of an AAS1 blob of clusters"));
}

}  // namespace
}  // namespace assetc::aas1
