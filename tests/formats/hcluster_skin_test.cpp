// Joints, weights and skeletons in .hcluster files.
#include <cmath>
#include <functional>
#include <limits>

#include "assetc/formats/hcluster.hpp"
#include "formats/decoded_clusters.hpp"
#include "formats/sample_cluster.hpp"
#include "formats/support.hpp"

namespace assetc::hcluster {
namespace {

using namespace formats_test;

constexpr std::uint32_t kJoints = kSampleJoints, kWeights = kSampleWeights;

Model skinned(const std::function<void(ClusterVertices&)>& change = {}) { return skinned_clusters(change); }

std::string words_of(const std::function<void(Model&)>& change) {
  Model m = skinned();
  change(m);
  const auto r = write(m);
  return r ? "no error" : r.error().what;
}

TEST(HclusterSkin, round_trips) {
  const ByteVector file = *write(skinned());
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_TRUE(view->is_skinned());
  ASSERT_EQ(view->joints().size(), 3u);
  EXPECT_EQ(view->joints()[2], sample_cluster_joint(1));
  ASSERT_EQ(view->pose_bounds().size(), 1u);
  EXPECT_EQ(view->pose_bounds()[0].sphere_radius, 11);
  ASSERT_NE(view->names(), nullptr);
  EXPECT_EQ(view->names()->joint(2), "hand");
  EXPECT_EQ(view->desc().skin_weight, 0.25f);
  EXPECT_EQ(decode_all(*view,
                       [&](const DecodedCluster& c, const ClusterRecord&) {
                         for (std::uint32_t v = 0; v < c.vertex_count; ++v) {
                           EXPECT_EQ(c.vertices.at(kJoints, v), 0u);
                           EXPECT_EQ(c.vertices.at(kJoints + 1, v), 2u);
                           EXPECT_EQ(c.vertices.at(kWeights, v) + c.vertices.at(kWeights + 1, v), 255u);
                         }
                       }),
            "no error");
  EXPECT_FALSE(View::open(*write(sample_clusters()))->is_skinned());
}

TEST(HclusterSkin, refuses_every_prefix) { expect_every_prefix_refused(*write(skinned()), View::open); }

TEST(HclusterSkin, survives_changed_bytes) {
  expect_survives_changed_bytes(*write(skinned()), [](ByteSpan file) {
    const auto view = View::open(file);
    if (view) (void)decode_all(*view);
    return view;
  });
}

TEST(HclusterSkin, refuses_vertices_without_joints_or_with_other_weights) {
  const std::string bad = "cluster 0 of a page has a joint that does not exist, or weights that do not sum to 1";
  const auto decoded = [](const std::function<void(ClusterVertices&)>& change) {
    const ByteVector file = *write(skinned(change));
    return decode_all(*View::open(file));
  };
  EXPECT_EQ(decoded({}), "no error");
  EXPECT_EQ(decoded([](ClusterVertices& v) { v.at(kJoints, 3) = 3; }), bad);
  EXPECT_EQ(decoded([](ClusterVertices& v) { v.at(kJoints + 3, 14) = 3; }), bad);  // without a weight
  EXPECT_EQ(decoded([](ClusterVertices& v) { ++v.at(kWeights, 3); }), bad);
  EXPECT_EQ(decoded([](ClusterVertices& v) { v.at(kWeights + 2, 3) = 255; }), bad);
  EXPECT_EQ(decoded([](ClusterVertices& v) { v.at(kWeights, 0) = 0; }), bad);
}

TEST(HclusterSkin, refuses_channels_and_skeletons_that_do_not_fit) {
  const auto alone = [](const std::string& what, int set) {
    return "found " + what + " of set " + std::to_string(set) +
           ", expected joints and weights, set 0, and joints in SKEL with them";
  };
  EXPECT_EQ(words_of([](Model& m) { m.channels.pop_back(); }), alone("joints", 0));
  EXPECT_EQ(words_of([](Model& m) { m.channels.erase(m.channels.end() - 2); }), alone("weights", 0));
  EXPECT_EQ(words_of([](Model& m) { m.channels[5].set = m.channels[6].set = 1; }), alone("joints", 1));
  EXPECT_EQ(words_of([](Model& m) { m.channels[5].set = 2; }), "found set 2 of semantic 5, expected 0 or 1");
  EXPECT_EQ(words_of([](Model& m) { m.joints.clear(), m.pose_bounds.clear(), m.joint_names.clear(); }),
            alone("joints", 0));
  EXPECT_EQ(words_of([](Model& m) { m.channels.resize(5); }),
            "found joints in SKEL, but no channel of joints, expected both");
  EXPECT_EQ(words_of([](Model& m) {
              m.channels.resize(5);
              m.joints.clear();
            }),
            "found PBND in a mesh without a skeleton");
  const std::string steps = "found joints in steps of 1 with 2 bits, expected steps of 1 from 0, with at most 16";
  EXPECT_EQ(words_of([](Model& m) { m.channels[5].minimum[1] = 1; }), steps);
  EXPECT_EQ(words_of([](Model& m) { m.channels[5].step = 0.5f; }),
            "found joints in steps of 0.5 with 2 bits, expected steps of 1 from 0, with at most 16");
  EXPECT_EQ(words_of([](Model& m) { m.channels[5].bits = 17; }),
            "found joints in steps of 1 with 17 bits, expected steps of 1 from 0, with at most 16");
  EXPECT_EQ(words_of([](Model& m) { m.channels[6].step = 1; }), "found weights from 0 to 255, expected 0 to at most 1");
  EXPECT_EQ(words_of([](Model& m) { m.channels[6].minimum[0] = -0.5f; }),
            "found weights from -0.5 to 0.5, expected 0 to at most 1");
  EXPECT_EQ(words_of([](Model& m) { m.joints[0].parent = 2; }), "joint 0 is its own ancestor");
  EXPECT_EQ(words_of([](Model& m) { m.joints[1].rotation[0] = std::nanf(""); }),
            "joint 1: the rotation holds a number that is not finite");
  EXPECT_EQ(words_of([](Model& m) { m.pose_bounds[0].sphere_radius = -1; }),
            "bounds 0: found a sphere of radius -1, expected a finite center and a radius of at least 0");
  EXPECT_EQ(words_of([](Model& m) { m.joint_names.pop_back(); }), "found joint_count 2, expected 0 or 3");
  EXPECT_EQ(words_of([](Model& m) { m.desc.skin_weight = std::nanf(""); }),
            "the weight of joints holds a number that is not finite");
}

}  // namespace
}  // namespace assetc::hcluster
