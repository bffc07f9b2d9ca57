// The pages of a .hcluster: what they hold, and what a reader refuses.
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "assetc/formats/hcluster.hpp"
#include "formats/decoded_clusters.hpp"
#include "formats/random_clusters.hpp"
#include "formats/sample_cluster.hpp"
#include "formats/support.hpp"
#include "os/process.hpp"

namespace assetc::hcluster {
namespace {

using namespace formats_test;
constexpr float kNeverReplaced = std::numeric_limits<float>::infinity();

// The error of decoding the sample after a change of the bytes of a page, whose hash is made right.
std::string page_words(std::uint32_t page, const std::function<void(std::byte*)>& change) {
  Model m = sample_clusters();
  change(m.data.data() + m.pages[page].offset_bytes);
  m.pages[page].hash = xxh3_64(ByteSpan(m.data).subspan(m.pages[page].offset_bytes, m.pages[page].size_bytes));
  const auto file = write(m);
  if (!file) return file.error().what;
  return decode_all(*View::open(*file));
}
// The same of a record of page 0.
std::string record_words(std::size_t cluster, const std::function<void(ClusterRecord&)>& change) {
  return page_words(0, [&](std::byte* page) {
    ClusterRecord record;
    std::byte* const at = page + 4 + cluster * sizeof record;
    std::memcpy(&record, at, sizeof record);
    change(record);
    std::memcpy(at, &record, sizeof record);
  });
}

TEST(HclusterPages, refuses_a_page_with_a_flipped_byte) {
  const Model m = sample_clusters();
  const ByteVector file = *write(m);
  const View view = *View::open(file);
  PageDecoder decoder(view);
  for (std::uint32_t p = 0; p < 2; ++p) {
    ByteVector page(view.page(p).begin(), view.page(p).end());
    for (std::byte& b : page) {
      b ^= std::byte{0x10};
      EXPECT_EQ(decoder.open(p, page).error().what,
                "page " + std::to_string(p) + " has other bytes than the table of pages says");
      b ^= std::byte{0x10};
    }
    EXPECT_FALSE(decoder.open(p, ByteSpan(page).first(page.size() - 1)));
    EXPECT_FALSE(decoder.open(1 - p, page)) << "another page's bytes";
    EXPECT_TRUE(decoder.open(p, page));
  }
}

TEST(HclusterPages, refuses_clusters_that_contradict_the_tables) {
  const auto page_count = [](std::uint32_t count) {
    return page_words(0, [&](std::byte* page) { std::memcpy(page, &count, sizeof count); });
  };
  EXPECT_EQ(page_count(3), "no error");
  EXPECT_EQ(page_count(2), "page 0 has 2 clusters, expected 3");
  EXPECT_EQ(page_count(0xFFFFFFFF), "page 0 has 4294967295 clusters, expected 3");
  EXPECT_EQ(record_words(0, [](ClusterRecord& r) { r.refined_group[0] = 0; }),
            "cluster 0 of a page replaces a group that does not come after its own");
  EXPECT_EQ(record_words(0, [](ClusterRecord& r) { r.refined_group[0] = 3; }),
            "cluster 0 of a page replaces a group that does not come after its own");
  EXPECT_EQ(record_words(1, [](ClusterRecord& r) { r.refined_group[0] = 1; }),
            "cluster 1 of a page replaces a group that does not come after its own");
  EXPECT_EQ(record_words(2, [](ClusterRecord& r) { r.data_bytes = 60000; }), "cluster 2 of a page ends after the page");
  EXPECT_EQ(record_words(0, [](ClusterRecord& r) { r.last_vertex = 128; }),
            "cluster 0 of a page has more than 128 vertices or triangles");
  EXPECT_EQ(record_words(0, [](ClusterRecord& r) { r.last_triangle = 128; }),
            "cluster 0 of a page has more than 128 vertices or triangles");
  EXPECT_EQ(record_words(0, [](ClusterRecord& r) { r.material = 2; }),
            "cluster 0 of a page has a material that does not exist");
  EXPECT_EQ(record_words(0, [](ClusterRecord& r) { r.material = kNoMaterial; }), "no error");
  EXPECT_EQ(record_words(0, [](ClusterRecord& r) { r.last_vertex = 13; }),
            "a cluster ends early, or has another number of vertices than the page says");
  EXPECT_EQ(record_words(0, [](ClusterRecord& r) { r.last_triangle = 20; }),
            "a cluster ends early, or has another number of vertices than the page says");
}

TEST(HclusterPages, refuses_material_ranges_that_do_not_cover_the_triangles) {
  // The second cluster of page 0 has two ranges of 8; its data follows that of the first.
  const auto range_words = [](std::size_t at, std::uint8_t value) {
    return page_words(0, [&](std::byte* page) {
      ClusterRecord first;
      std::memcpy(&first, page + 4, sizeof first);
      page[4 + 3 * sizeof first + first.data_bytes + at] = std::byte{value};
    });
  };
  EXPECT_EQ(range_words(0, 1), "no error");
  EXPECT_EQ(range_words(3, 7), "no error");
  EXPECT_EQ(range_words(3, 6), "cluster 1 of a page has triangles without a material");
  EXPECT_EQ(range_words(3, 15), "cluster 1 of a page has a material that does not exist");
  EXPECT_EQ(range_words(1, 2), "cluster 1 of a page has a material that does not exist");
  EXPECT_EQ(record_words(1, [](ClusterRecord& r) { r.data_bytes = 3; }),
            "found 0 bytes, expected 1 for the triangles of a material");
  EXPECT_EQ(record_words(1, [](ClusterRecord& r) { r.data_bytes = 0; }),
            "found 0 bytes, expected 1 for the materials of a cluster");
}

TEST(HclusterPages, decodes_damaged_pages_safely) {
  RandomClusters random(5);
  constexpr int kPages = os::kLimitsMemory ? 4000 : 600;  // fewer under a sanitizer
  for (int i = 0; i < kPages; ++i) {
    const std::uint32_t page = random.below(2);
    (void)page_words(page, [&](std::byte* bytes) {
      for (std::uint32_t flips = 1 + random.below(4); flips > 0; --flips)
        bytes[random.below(sample_clusters().pages[page].size_bytes)] ^= static_cast<std::byte>(1u << random.below(8));
    });
  }
}

TEST(HclusterPages, a_group_larger_than_a_page_cannot_be_written) {
  RandomClusters random(1);
  Model m;
  m.channels.resize(8, {Semantic{99}, 0, 4, 24, Predictor::kNeighbors, 0, {}, 1, 1});
  m.channels[0] = {Semantic::kPosition, 0, 3, 24, Predictor::kNeighbors, 0, {}, 1, 1};
  m.desc.box_shift = 8;
  RandomClusters::Cluster c;
  c.vertex_count = kMaxClusterVertices;
  for (std::uint32_t t = 0; t < kMaxClusterTriangles; ++t) {
    const auto at = [&](std::uint32_t i) { return static_cast<std::uint8_t>((t + i) % kMaxClusterVertices); };
    c.triangles.push_back({at(0), at(1), at(2)});
  }
  const std::vector<MaterialRange> ranges{{kNone, kMaxClusterTriangles}};
  PageWriter writer(m);
  for (const std::uint32_t count : {10u, 11u}) {
    writer.begin({{0, 0, 0}, 1, kNeverReplaced, 0, 0, 0, 0});
    for (std::uint32_t i = 0; i < count; ++i) {
      for (std::uint32_t v = 0; v < c.vertex_count; ++v) {
        c.vertices.ids[v] = i * c.vertex_count + v;
        for (std::uint32_t k = 0; k < 31; ++k) c.vertices.at(k, v) = random.below(1u << 24);
      }
      writer.add({kNone, c.vertex_count, c.triangles, ranges, &c.vertices});
    }
    EXPECT_EQ(writer.end(), count == 10);
  }
}

// Any positions: boxes of all widths contain their vertices, and the cone culls no triangle that an eye can see.
TEST(HclusterPages, boxes_contain_vertices_and_cones_cull_nothing_that_faces_the_eye) {
  std::uint32_t narrow_cones = 0, culled = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomClusters random(seed);
    const auto bits = static_cast<std::uint8_t>(16 + seed % 9);
    Model m;
    m.channels = {{Semantic::kPosition, 0, 3, bits, Predictor::kNeighbors, 0, {}, 1, 0.5f}};
    m.desc.box_shift = bits - kBoxBits;
    PageWriter writer(m);
    writer.begin({{0, 0, 0}, 1, kNeverReplaced, 0, 0, 0, 0});
    // Sheets with waves of all heights, and for large heights any shape; the last value of an axis is used.
    for (std::uint32_t i = 0; i < 8; ++i) {
      SheetCluster c(0, 1, 20, false);
      const std::uint32_t top = (1u << bits) - 1, scale = 1 + random.below(top / 20);
      const std::uint32_t height = 1 + random.below(1 + (scale >> random.below(12)));
      for (std::uint32_t v = 0; v < c.vertex_count; ++v) {
        c.vertices.ids[v] = i * kMaxClusterVertices + v;
        c.vertices.at(0, v) = c.vertices.at(0, v) / 100 * scale;
        c.vertices.at(1, v) = i % 3 == 0 ? 7 : top - random.below(height);
        c.vertices.at(2, v) = top - c.vertices.at(2, v) / 100 * (scale / 2);
      }
      writer.add(c.input());
    }
    ASSERT_TRUE(writer.end());
    writer.finish();
    build_nodes(m);
    m.materials = {1};
    m.desc.source_triangle_count = m.desc.triangle_count;
    const auto file = write(m);
    ASSERT_TRUE(file) << error_of(file);
    EXPECT_EQ(decode_all(*View::open(*file),
                         [&](const DecodedCluster& c, const ClusterRecord& r) {
                           std::array<double, 3> center{}, low{}, high{};
                           double radius = 0;
                           for (std::uint32_t k = 0; k < 3; ++k) {
                             for (std::uint32_t v = 0; v < c.vertex_count; ++v) {
                               ASSERT_GE(c.vertices.at(k, v), r.low(k, m.desc.box_shift));
                               ASSERT_LE(c.vertices.at(k, v), r.high(k, m.desc.box_shift));
                             }
                             low[k] = r.low(k, m.desc.box_shift), high[k] = r.high(k, m.desc.box_shift);
                             center[k] = (low[k] + high[k]) / 2;
                             radius += (high[k] - low[k]) * (high[k] - low[k]) / 4;
                           }
                           radius = std::sqrt(radius);
                           if (r.cone_cutoff == 127) return;
                           ++narrow_cones;
                           for (int i = 0; i < 200; ++i) {
                             std::array<double, 3> eye{};
                             // From inside of the box to far away.
                             const double reach = radius * std::exp2(static_cast<double>(random.below(12)) - 1);
                             for (double& e : eye) e = (static_cast<double>(random.below(20001)) / 10000 - 1) * reach;
                             double along = 0, distance = 0;
                             for (std::size_t k = 0; k < 3; ++k) {
                               along -= eye[k] * r.cone_axis[k] / 127.0;
                               distance += eye[k] * eye[k];
                             }
                             if (along < r.cone_cutoff / 127.0 * std::sqrt(distance) + radius) continue;
                             ++culled;
                             for (std::uint32_t t = 0; t < c.triangle_count; ++t) {
                               const auto corner = [&](std::size_t i_corner, std::uint32_t k) {
                                 return static_cast<double>(c.vertices.at(k, c.triangles[t][i_corner])) - center[k];
                               };
                               std::array<double, 3> u, w;
                               for (std::uint32_t k = 0; k < 3; ++k)
                                 u[k] = corner(1, k) - corner(0, k), w[k] = corner(2, k) - corner(0, k);
                               const std::array<double, 3> n = {u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2],
                                                                u[0] * w[1] - u[1] * w[0]};
                               double facing = 0, length = 0;
                               for (std::uint32_t k = 0; k < 3; ++k)
                                 facing += n[k] * (eye[k] - corner(0, k)),
                                     length += std::fabs(n[k] * (eye[k] - corner(0, k)));
                               ASSERT_LE(facing, length * 1e-12);
                             }
                           }
                         }),
              "no error");
  }
  EXPECT_GT(narrow_cones, 100u);
  EXPECT_GT(culled, 1000u);
}

TEST(HclusterPages, nodes_hold_every_group_once_within_their_spheres_and_errors) {
  for (const std::uint32_t count : {1u, 2u, 8u, 9u, 64u, 65u, 1000u}) {
    SCOPED_TRACE(count);
    RandomClusters random(count);
    Model m;
    m.groups.resize(count);
    const auto value = [&] { return (static_cast<float>(random.below(2001)) - 1000) * 1.37f; };
    for (std::uint32_t g = 0; g < count; ++g) {
      Group& group = m.groups[g];
      for (float& c : group.center) c = value();
      group.radius = std::fabs(value());
      group.error = g == 0 ? kNeverReplaced : std::fabs(value());
      group.level = (count - 1 - g) * 5 / count;
    }
    build_nodes(m);
    std::vector<int> groups(count), nodes(m.nodes.size());
    ++nodes[0];
    for (std::uint32_t n = 0; n < m.nodes.size(); ++n) {
      const Node& node = m.nodes[n];
      ASSERT_GE(node.child_count, 1u);
      ASSERT_LE(node.child_count, kMaxNodeChildren);
      float largest = 0;
      const auto contains = [&](const float(&center)[3], float radius) {
        double distance = 0;
        for (std::size_t k = 0; k < 3; ++k) distance += std::pow(static_cast<double>(center[k]) - node.center[k], 2);
        return std::sqrt(distance) + radius <= node.radius;
      };
      for (std::uint32_t c = node.first_child; c < node.first_child + node.child_count; ++c) {
        if (node.has_groups != 0) {
          ASSERT_LT(c, count);
          ++groups[c];
          EXPECT_TRUE(contains(m.groups[c].center, m.groups[c].radius));
          EXPECT_EQ(m.groups[c].level, m.groups[node.first_child].level);
          largest = std::max(largest, m.groups[c].error);
        } else {
          ASSERT_LT(c, m.nodes.size());
          ASSERT_GT(c, n);
          ++nodes[c];
          EXPECT_TRUE(contains(m.nodes[c].center, m.nodes[c].radius));
          largest = std::max(largest, m.nodes[c].error);
        }
      }
      EXPECT_EQ(node.error, largest);
    }
    EXPECT_EQ(groups, std::vector<int>(count, 1));
    EXPECT_EQ(nodes, std::vector<int>(m.nodes.size(), 1));
  }
}

}  // namespace
}  // namespace assetc::hcluster
