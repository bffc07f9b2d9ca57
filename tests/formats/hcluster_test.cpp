#include "assetc/formats/hcluster.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "formats/decoded_clusters.hpp"
#include "formats/random_clusters.hpp"
#include "formats/sample_cluster.hpp"
#include "formats/support.hpp"

namespace assetc::hcluster {
namespace {

using namespace formats_test;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinite = std::numeric_limits<float>::infinity();

// The error of write() for the sample after a change, without its place.
std::string words(const std::function<void(Model&)>& change) {
  Model m = sample_clusters();
  change(m);
  const auto r = write(m);
  return r ? "no error" : r.error().what;
}

TEST(Hcluster, round_trips_the_sample) {
  const Model m = sample_clusters();
  const ByteVector file = *write(m);
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->file_bytes(), file.size());
  EXPECT_EQ(view->desc().source_triangle_count, 64u);
  EXPECT_EQ(view->desc().triangle_count, 64u + 32 + 16);
  EXPECT_EQ(view->desc().cluster_count, 7u);
  EXPECT_EQ(view->desc().level_count, 3u);
  EXPECT_EQ(view->groups().size(), 3u);
  EXPECT_EQ(view->pages().size(), 2u);
  EXPECT_EQ(view->dependencies(0).size(), 0u);
  ASSERT_EQ(view->dependencies(1).size(), 1u);
  EXPECT_EQ(view->dependencies(1)[0], 0u);
  EXPECT_EQ(view->materials()[1], m.materials[1]);
  EXPECT_EQ(view->find(Semantic::kTexcoord, 1), &view->channels()[2]);
  EXPECT_EQ(view->find(Semantic::kTexcoord, 0), nullptr);
  EXPECT_EQ(view->find(Semantic::kColor), nullptr);
  EXPECT_FLOAT_EQ(view->channels()[0].value(2, 50), 2.5f);

  struct Seen {
    std::uint32_t group, refined, vertices, triangles, ranges;
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> seen;
  EXPECT_EQ(decode_all(*view,
                       [&](const DecodedCluster& c, const ClusterRecord& record) {
                         seen.push_back({c.group, c.refined, c.vertex_count, c.triangle_count, c.material_count});
                         EXPECT_EQ(record.refined(), c.refined);
                         if (c.material_count == 2) {
                           EXPECT_EQ(c.materials[0].material, 1u);
                           EXPECT_EQ(c.materials[0].end, c.triangle_count / 2);
                           EXPECT_EQ(c.materials[1].material, kNone);
                           EXPECT_EQ(c.materials[1].end, c.triangle_count);
                         } else {
                           EXPECT_EQ(c.materials[0].material, 0u);
                         }
                         // x, z and the texture coordinate are proportional.
                         for (std::uint32_t v = 0; v < c.vertex_count; ++v) {
                           EXPECT_EQ(c.vertices.at(0, v) * 64, c.vertices.at(5, v) * 100);
                           EXPECT_EQ(c.vertices.at(2, v) * 64, c.vertices.at(6, v) * 100);
                         }
                       }),
            "no error");
  EXPECT_EQ(seen, (std::vector<Seen>{{0, 1, 15, 16, 1},
                                     {1, 2, 15, 16, 2},
                                     {1, 2, 15, 16, 1},
                                     {2, kNone, 15, 16, 1},
                                     {2, kNone, 15, 16, 2},
                                     {2, kNone, 15, 16, 1},
                                     {2, kNone, 15, 16, 1}}));
}

TEST(Hcluster, keeps_its_golden_bytes) { expect_golden("sheet.hcluster", *write(sample_clusters())); }

TEST(Hcluster, lays_out_its_tables_as_specified) {
  const ByteVector file = *write(sample_clusters());
  EXPECT_EQ(as_text(ByteSpan(file).first(4)), "HCLU");
  EXPECT_EQ(load<std::uint32_t>(file, 4), 1u);
  EXPECT_EQ(load<std::uint32_t>(file, 8), 9u);
  const char* const ids[] = {"DESC", "BNDS", "CHNL", "GRUP", "NODE", "PAGE", "DEPS", "MTRL", "DATA"};
  const std::uint64_t sizes[] = {64, 40, 5 * 32, 3 * 32, 4 * 32, 2 * 32, 4, 2 * 8, 0};
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(as_text(ByteSpan(file).subspan(32 + 24 * i, 4)), ids[i]);
    if (sizes[i] > 0) {
      EXPECT_EQ(load<std::uint64_t>(file, 48 + 24 * i), sizes[i]) << ids[i];
    }
  }
  const auto page = load<std::uint64_t>(file, 40 + 24 * 8);
  EXPECT_EQ(load<std::uint32_t>(file, page), 3u);           // clusters
  EXPECT_EQ(load<std::uint16_t>(file, page + 4), 1u);       // of the root: refined group
  EXPECT_EQ(load<std::uint16_t>(file, page + 4 + 20), 0u);  // material
  EXPECT_EQ(load<std::uint8_t>(file, page + 4 + 24), 14u);  // vertices - 1
  EXPECT_EQ(load<std::uint8_t>(file, page + 4 + 25), 15u);  // triangles - 1
}

TEST(Hcluster, refuses_every_prefix) { expect_every_prefix_refused(*write(sample_clusters()), View::open); }

TEST(Hcluster, survives_changed_bytes) {
  expect_survives_changed_bytes(*write(sample_clusters()), [](ByteSpan file) {
    const auto view = View::open(file);
    if (view) (void)decode_all(*view);
    return view;
  });
}

TEST(Hcluster, rejects_another_version) {
  const ByteVector file = *write(sample_clusters());
  EXPECT_EQ(
      error_of(View::open(with(file, 4, std::uint32_t{2}))),
      "byte 4: found hcluster version 2, expected 1; read it with a newer assetc, or compile its source again with "
      "this one");
  EXPECT_EQ(error_of(View::open(with(file, 0, std::uint32_t{0x54414d48}))),
            "byte 0: found magic HMAT, expected HCLU; check that this is a hcluster file");
}

TEST(Hcluster, an_error_tells_its_place) {
  Model m = sample_clusters();
  m.groups[1].radius = -1;
  const ByteVector file = *write(sample_clusters());
  const auto groups = load<std::uint64_t>(file, 40 + 24 * 3);
  EXPECT_EQ(
      error_of(View::open(with(file, groups + 32 + 12, -1.0f))),
      "byte " + std::to_string(groups + 32 + 12) +
          ": group 1: found radius -1, expected a finite number of at least 0; the file is damaged or was cut short; "
          "write it again");
}

TEST(Hcluster, rejects_missing_tables) {
  EXPECT_EQ(words([](Model& m) { m.groups.clear(); }), "found no chunk GRUP, which every file has");
  EXPECT_EQ(words([](Model& m) { m.nodes.clear(); }), "found no chunk NODE, which every file has");
  EXPECT_EQ(words([](Model& m) { m.pages.clear(); }), "found no chunk PAGE, which every file has");
  EXPECT_EQ(words([](Model& m) { m.channels.clear(); }), "found no chunk CHNL, which every file has");
  EXPECT_EQ(words([](Model& m) { m.data.clear(); }),
            "found " + std::to_string(sample_clusters().pages[0].size_bytes) +
                " bytes at 0 of 0, expected a page of up to 131072 inside of DATA");
  const ByteVector file = *write(sample_clusters());
  EXPECT_EQ(View::open(with(file, 48 + 24 * 3, std::uint64_t{95})).error().what,
            "found 95 bytes of GRUP, expected a multiple of 32");
}

TEST(Hcluster, rejects_numbers_out_of_range) {
  EXPECT_EQ(words([](Model& m) { m.desc.normal_weight = kNan; }),
            "the weight of normals holds a number that is not finite");
  EXPECT_EQ(words([](Model& m) { m.desc.position_error = kInfinite; }),
            "the error of positions holds a number that is not finite");
  EXPECT_EQ(words([](Model& m) { m.bounds.aabb_max[1] = kInfinite; }), "the box holds a number that is not finite");
  EXPECT_EQ(words([](Model& m) { m.bounds.sphere_radius = -1; }),
            "found radius -1, expected a finite number of at least 0");
  EXPECT_EQ(words([](Model& m) { m.desc.box_shift = 9; }), "found box shift 9, expected 0 to 8");
  EXPECT_EQ(words([](Model& m) { m.desc.level_count = 0; }), "found 0 levels of 7 clusters, expected 1 to as many");
  EXPECT_EQ(words([](Model& m) { m.desc.level_count = 8; }), "found 8 levels of 7 clusters, expected 1 to as many");
  EXPECT_EQ(
      words([](Model& m) { m.desc.source_triangle_count = 113; }),
      "found 113 triangles of the source and 112 of 7 clusters, expected no more of the source than of clusters, and "
      "up to 128 of each cluster");
  EXPECT_EQ(
      words([](Model& m) { m.desc.triangle_count = 7 * 128 + 1; }),
      "found 64 triangles of the source and 897 of 7 clusters, expected no more of the source than of clusters, and "
      "up to 128 of each cluster");
  EXPECT_EQ(words([](Model& m) { m.materials.resize(0xFFFE); }), "found 65534 materials, expected fewer than 65534");
  EXPECT_EQ(words([](Model& m) { m.materials.resize(0xFFFD); }), "no error");
}

TEST(Hcluster, rejects_channels_that_no_reader_can_take) {
  EXPECT_EQ(words([](Model& m) { m.channels.resize(17, m.channels[4]); }), "found 17 channels, expected 1 to 16");
  EXPECT_EQ(words([](Model& m) { m.channels[4].components = 0; }), "channel 4: found components 0, expected 1 to 4");
  EXPECT_EQ(words([](Model& m) { m.channels[4].components = 5; }), "channel 4: found components 5, expected 1 to 4");
  EXPECT_EQ(words([](Model& m) { m.channels[4].bits = 0; }), "channel 4: found bits 0, expected 1 to 24");
  EXPECT_EQ(words([](Model& m) { m.channels[4].bits = 25; }), "channel 4: found bits 25, expected 1 to 24");
  EXPECT_EQ(words([](Model& m) {
              m.channels[4].components = 4;
              m.channels.resize(10, m.channels[4]);  // 3 + 2 + 2 + 1, and 6 times 4
            }),
            "no error");
  EXPECT_EQ(words([](Model& m) {
              m.channels[4].components = 4;
              m.channels.resize(10, m.channels[4]);
              m.channels.push_back(sample_clusters().channels[4]);
            }),
            "found 33 components of the channels up to this one, expected at most 32 in all");
  EXPECT_EQ(words([](Model& m) { m.channels[1].predictor = Predictor{2}; }),
            "channel 1: found predictor 2, expected 0 to 1");
  EXPECT_EQ(words([](Model& m) { m.channels[3].predictor = Predictor::kNormal; }),
            "found predictor 1 of 1 component, expected 0, or 1 of two");
  EXPECT_EQ(words([](Model& m) { m.channels[2].minimum[3] = kNan; }),
            "channel 2: the minimum holds a number that is not finite");
  EXPECT_EQ(words([](Model& m) { m.channels[2].step = kInfinite; }),
            "channel 2: found step inf, expected a finite number of at least 0");
  EXPECT_EQ(words([](Model& m) { m.channels[2].step = -1; }),
            "channel 2: found step -1, expected a finite number of at least 0");
  EXPECT_EQ(words([](Model& m) { m.channels[2].error = kNan; }), "channel 2: found error nan, expected at least 0");
  EXPECT_EQ(words([](Model& m) { m.channels[2].step = 1e36f; }),
            "the largest value of a channel is not a finite number");
}

TEST(Hcluster, rejects_channels_of_a_known_semantic_in_another_shape) {
  EXPECT_EQ(words([](Model& m) { m.channels[0].semantic = Semantic{77}; }), "channel 0 is not the position");
  EXPECT_EQ(words([](Model& m) { m.channels[0].components = 2; }),
            "found a channel of semantic 0 with 2 components, expected 3");
  EXPECT_EQ(words([](Model& m) { m.channels[3].semantic = Semantic::kColor; }),
            "found a channel of semantic 4 with 1 component, expected 4");
  EXPECT_EQ(words([](Model& m) { m.channels[1].set = 1; }), "found set 1 of semantic 1, expected 0");
  EXPECT_EQ(words([](Model& m) { m.channels[4] = m.channels[2]; }), "found a second channel of semantic 3 and set 1");
  EXPECT_EQ(words([](Model& m) { m.channels[4] = m.channels[0]; }), "found a second channel of semantic 0 and set 0");
  EXPECT_EQ(words([](Model& m) { m.channels[0].bits = 17; }),
            "found positions of 17 bits and a box shift of 0, expected at most 16 bits more");
}

TEST(Hcluster, rejects_pages_that_leave_the_data_or_miss_groups) {
  const std::size_t size = sample_clusters().data.size();
  const auto outside = [&](std::uint64_t bytes, std::uint64_t at) {
    return "found " + std::to_string(bytes) + " bytes at " + std::to_string(at) + " of " + std::to_string(size) +
           ", expected a page of up to 131072 inside of DATA";
  };
  const std::uint32_t second = sample_clusters().pages[1].size_bytes;
  EXPECT_EQ(words([](Model& m) { m.pages[1].size_bytes = kMaxPageBytes + 1; }),
            outside(kMaxPageBytes + 1, sample_clusters().pages[1].offset_bytes));
  EXPECT_EQ(words([](Model& m) { m.pages[0].size_bytes = 19; }), outside(19, 0));
  EXPECT_EQ(words([](Model& m) { m.pages[1].offset_bytes = 8; }), "page 1: found offset 8, expected a multiple of 16");
  EXPECT_EQ(words([](Model& m) { m.pages[1].offset_bytes = ~std::uint64_t{15}; }), outside(second, ~std::uint64_t{15}));
  EXPECT_EQ(words([](Model& m) { m.pages[1].first_group = 1; }),
            "page 1: found groups from 1, expected from 2, where the one before ends");
  EXPECT_EQ(words([](Model& m) { m.pages[1].group_count = 2; }), "page 1: found groups 2 to 4, expected at most 3");
  EXPECT_EQ(words([](Model& m) { m.pages[0].group_count = 0; }), "page 0: found group count 0, expected at least 1");
  EXPECT_EQ(words([](Model& m) { m.pages.pop_back(); }), "found 2 groups in all, expected 3");
}

TEST(Hcluster, rejects_groups_that_do_not_follow_each_other) {
  EXPECT_EQ(words([](Model& m) { m.groups[0].center[2] = kNan; }),
            "group 0: the center holds a number that is not finite");
  EXPECT_EQ(words([](Model& m) { m.groups[1].radius = -0.5f; }),
            "group 1: found radius -0.5, expected a finite number of at least 0");
  EXPECT_EQ(words([](Model& m) { m.groups[2].error = -1; }), "group 2: found error -1, expected at least 0");
  EXPECT_EQ(words([](Model& m) { m.groups[2].error = kNan; }), "group 2: found error nan, expected at least 0");
  EXPECT_EQ(words([](Model& m) { m.groups[1].page = 1; }),
            "group 1 has clusters from 1 of page 1, expected them from 1 of page 0");
  EXPECT_EQ(words([](Model& m) { m.groups[1].first_cluster = 0; }),
            "group 1 has clusters from 0 of page 0, expected them from 1 of page 0");
  EXPECT_EQ(words([](Model& m) { m.groups[1].cluster_count = 0; }),
            "group 1: found cluster count 0, expected 1 to 65535");
  EXPECT_EQ(words([](Model& m) { m.groups[1].level = 3; }), "group 1: found level 3, expected less than 3");
  EXPECT_EQ(words([](Model& m) { m.groups[2].cluster_count = 3; }), "found groups of 6 clusters, expected 7");
}

TEST(Hcluster, rejects_dependencies_on_later_pages) {
  EXPECT_EQ(words([](Model& m) { m.dependencies.clear(); }), "page 1: found end of dependencies 1, expected at most 0");
  EXPECT_EQ(words([](Model& m) { m.dependencies.push_back(1); }),
            "page 1 has dependencies 0 to 1 of 2, expected ascending ends, and all of them at the last page");
  EXPECT_EQ(words([](Model& m) { m.pages[0].dependency_end = 2; }),
            "page 0: found end of dependencies 2, expected at most 1");
  EXPECT_EQ(words([](Model& m) {
              m.pages[0].dependency_end = 1;
              m.pages[1].dependency_end = 0;
            }),
            "page 0 depends on page 0, expected ascending numbers of pages before it");
  EXPECT_EQ(words([](Model& m) { m.dependencies[0] = 1; }),
            "page 1 depends on page 1, expected ascending numbers of pages before it");
  EXPECT_EQ(words([](Model& m) {
              m.dependencies = {0, 0};
              m.pages[1].dependency_end = 2;
            }),
            "page 1 depends on page 0, expected ascending numbers of pages before it");
}

TEST(Hcluster, opens_without_its_pages) {
  const ByteVector file = *write(sample_clusters());
  const auto data = static_cast<std::size_t>(load<std::uint64_t>(file, 40 + 24 * 8));
  const View whole = *View::open(file);
  for (const std::size_t size : {data, data + 1, file.size() - 1}) {
    const Exact head(ByteSpan(file).first(size));
    const auto view = View::open_head(head, file.size());
    ASSERT_TRUE(view) << error_of(view);
    EXPECT_EQ(view->file_bytes(), file.size());
    EXPECT_EQ(view->groups().size(), 3u);
    for (std::uint32_t p = 0; p < 2; ++p) {
      EXPECT_EQ(view->page_offset_bytes(p), data + whole.pages()[p].offset_bytes);
      const auto records = open_page(*view, p, whole.page(p));
      ASSERT_TRUE(records) << error_of(records);
      EXPECT_EQ(records->size(), p == 0 ? 3u : 4u);
    }
  }
  EXPECT_TRUE(View::open_head(file, file.size()));
  for (std::size_t size = 0; size + 16 < data; ++size) {
    const Exact head(ByteSpan(file).first(size));
    EXPECT_FALSE(View::open_head(head, file.size())) << size;
  }
  EXPECT_FALSE(View::open_head(ByteSpan(file).first(data), file.size() - 1));
  EXPECT_FALSE(View::open_head(ByteSpan(file).first(data), file.size() + 16));

  // The chunk before DATA moved behind it.
  ByteVector moved = file;
  std::swap_ranges(moved.begin() + 32 + 24 * 7, moved.begin() + 32 + 24 * 7 + 4, moved.begin() + 32 + 24 * 8);
  EXPECT_EQ(View::open_head(ByteSpan(moved).first(data), file.size()).error().what,
            "found chunk MTRL after DATA, expected DATA to be the last");
}

TEST(Hcluster, rejects_nodes_whose_walk_would_not_end) {
  EXPECT_EQ(words([](Model& m) { m.nodes[0].radius = kInfinite; }),
            "node 0: found radius inf, expected a finite number of at least 0");
  EXPECT_EQ(words([](Model& m) { m.nodes[0].error = kNan; }), "node 0: found error nan, expected at least 0");
  EXPECT_EQ(words([](Model& m) { m.nodes[0].first_child = 0; }),
            "node 0 has children 0 and 3 from it of 4, expected them after the node itself");
  EXPECT_EQ(words([](Model& m) { m.nodes[0].child_count = 0; }), "node 0: found child count 0, expected 1 to 8");
  EXPECT_EQ(words([](Model& m) { m.nodes[0].child_count = 9; }), "node 0: found child count 9, expected 1 to 8");
  EXPECT_EQ(words([](Model& m) { m.nodes[0].child_count = 4; }),
            "node 0 has children 1 and 4 from it of 4, expected them after the node itself");
  EXPECT_EQ(words([](Model& m) { m.nodes[3].first_child = 3; }),
            "node 3 has children 3 and 1 from it of 3, expected them after the node itself");
  EXPECT_EQ(words([](Model& m) { m.nodes[3].has_groups = 2; }), "node 3: found has_groups 2, expected 0 to 1");
  EXPECT_EQ(words([](Model& m) { m.nodes[3].first_child = 1; }),
            "node 3 has a first child of 1, expected 2, after the children of the nodes before");
  EXPECT_EQ(words([](Model& m) { m.nodes[0].first_child = 2, m.nodes[0].child_count = 2; }),
            "node 0 has a first child of 2, expected 1, after the children of the nodes before");
  EXPECT_EQ(words([](Model& m) { m.nodes[0].child_count = 2; }),
            "found 3 nodes and 3 groups below nodes, expected 4 and 3");
  EXPECT_EQ(words([](Model& m) { m.nodes.pop_back(), m.nodes[0].child_count = 2; }),
            "found 3 nodes and 2 groups below nodes, expected 3 and 3");
}

}  // namespace
}  // namespace assetc::hcluster
