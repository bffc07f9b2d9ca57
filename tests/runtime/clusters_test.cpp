#include "assetc/runtime/clusters.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "runtime/allocations.hpp"
#include "runtime/cluster_strip.hpp"

namespace assetc::runtime {
namespace {

using testing::Each;

class Clusters : public testing::Test {
 protected:
  explicit Clusters(const StripOptions& options = {})
      : file(strip_file(options)), view(hcluster::View::open(file).value()), pages(view) {}
  void add(std::uint32_t page) {
    const ByteSpan bytes = view.page(page);
    ASSERT_TRUE(pages.add(page, Bytes(ByteVector(bytes.begin(), bytes.end()))));
  }
  void add_all() {
    for (std::uint32_t p = 0; p < pages.page_count(); ++p) add(p);
  }
  const ClusterSelection& select(const ClusterView& from) {
    select_clusters(pages, from, selection);
    return selection;
  }
  float times_limit_of(std::uint32_t page) const {
    for (const WantedPage& wanted : selection.wanted) {
      if (wanted.page == page) return wanted.times_limit;
    }
    return 0;
  }

  Bytes file;
  hcluster::View view;
  ClusterPages pages;
  ClusterSelection selection;
};

TEST_F(Clusters, a_near_eye_sees_the_source_and_a_far_one_the_root) {
  add_all();
  select({.eye = {128, 1, 1}, .limit = 1e-9f});
  EXPECT_EQ(selection.clusters.size(), 64u);
  EXPECT_THAT(columns_of(pages, selection), Each(1));
  EXPECT_EQ(selection.wanted.size(), pages.page_count());
  select({.eye = {1e6f, 1, 1}, .limit = 0.001f});
  ASSERT_EQ(selection.clusters.size(), 1u);
  EXPECT_EQ(selection.clusters[0].group, 0u);
  ASSERT_EQ(selection.wanted.size(), 1u);
  EXPECT_EQ(selection.wanted[0].page, 0u);
  EXPECT_TRUE(std::isinf(selection.wanted[0].times_limit));
}

TEST_F(Clusters, detail_is_near_the_eye) {
  add_all();
  select({.eye = {0, 1, 3}, .near_distance = 0.1f, .limit = 0.02f});
  EXPECT_THAT(columns_of(pages, selection), Each(1));
  EXPECT_GT(selection.clusters.size(), 3u);
  EXPECT_LT(selection.clusters.size(), 32u);
  std::uint32_t nearest_level = 99, farthest_level = 0;
  for (const SelectedCluster& c : selection.clusters) {
    const hcluster::Group& group = view.groups()[c.group];
    if (group.center[0] - group.radius < 8) nearest_level = std::min(nearest_level, group.level);
    farthest_level = std::max(farthest_level, group.level);
  }
  EXPECT_EQ(nearest_level, 0u);
  EXPECT_GT(farthest_level, 1u);
}

// Any pages but the first may be missing: whatever is left covers the strip once.
TEST_F(Clusters, missing_pages_leave_no_hole_and_nothing_is_covered_twice) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> unit(0, 1);
  std::size_t coarser = 0;
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    pages = ClusterPages(view);
    add(0);
    const float share = unit(random);
    std::vector<std::uint32_t> others;
    for (std::uint32_t p = 1; p < pages.page_count(); ++p) {
      if (unit(random) < share) others.push_back(p);
    }
    std::ranges::shuffle(others, random);
    for (const std::uint32_t p : others) add(p);
    const ClusterView from{.eye = {unit(random) * 300 - 20, unit(random) * 4, unit(random) * 40},
                           .near_distance = 0.1f,
                           .limit = std::pow(10.0f, unit(random) * 4 - 4)};
    select(from);
    ASSERT_THAT(columns_of(pages, selection), Each(1));
    const std::size_t some = selection.clusters.size();
    // The same pages without one of them, in another order of changes.
    if (!others.empty()) {
      pages.remove(others[0]);
      select(from);
      ASSERT_THAT(columns_of(pages, selection), Each(1));
      add(others[0]);
      ASSERT_EQ(select(from).clusters.size(), some);
    }
    pages = ClusterPages(view);
    add_all();
    coarser += select(from).clusters.size() > some ? 1 : 0;
  }
  EXPECT_GT(coarser, 100u);
}

TEST_F(Clusters, a_page_is_usable_with_all_that_it_depends_on) {
  const auto is_right = [&] {
    for (std::uint32_t p = 0; p < pages.page_count(); ++p) {
      bool usable = pages.has(p);
      for (const std::uint32_t d : view.dependencies(p)) usable &= pages.is_usable(d);
      if (pages.is_usable(p) != usable) return false;
    }
    return true;
  };
  std::mt19937 random(2);
  for (int i = 0; i < 3000; ++i) {
    const auto p = static_cast<std::uint32_t>(random() % pages.page_count());
    if (pages.has(p) && random() % 3 == 0) {
      pages.remove(p);
    } else if (!pages.has(p)) {
      add(p);
    }
    ASSERT_TRUE(is_right()) << i;
  }
}

TEST_F(Clusters, a_page_is_wanted_less_than_those_that_it_depends_on) {
  add(0);
  std::mt19937 random(3);
  std::uniform_real_distribution<float> unit(0, 1);
  for (int i = 0; i < 100; ++i) {
    select({.eye = {unit(random) * 300, 1, unit(random) * 9}, .limit = std::pow(10.0f, unit(random) * 3 - 3)});
    for (const WantedPage& wanted : selection.wanted) {
      ASSERT_GE(wanted.times_limit, 0.999f);
      for (const std::uint32_t d : view.dependencies(wanted.page))
        ASSERT_GE(times_limit_of(d), wanted.times_limit * 0.9999f);
    }
    const std::size_t count = selection.wanted.size();
    find_wanted_pages(pages, {.eye = {1e6f, 1, 1}}, selection);
    EXPECT_EQ(selection.wanted.size(), 1u);
    EXPECT_TRUE(selection.clusters.empty());
    EXPECT_GE(count, 1u);
  }
}

TEST_F(Clusters, outside_of_the_planes_nothing_is_drawn_or_wanted) {
  add_all();
  // Only x >= 100 and x <= 140.
  const std::array<std::array<float, 4>, 2> planes{{{1, 0, 0, -100}, {-1, 0, 0, 140}}};
  select({.eye = {120, 1, 4}, .limit = 1e-9f, .planes = planes});
  const std::vector<int> covered = columns_of(pages, selection);
  for (std::size_t x = 0; x < covered.size(); ++x) {
    const bool is_inside = x >= 100 && x < 140, is_outside = x < 95 || x > 145;
    EXPECT_TRUE(covered[x] == 1 || !is_inside) << x;
    EXPECT_TRUE(covered[x] == 0 || !is_outside) << x;
  }
  EXPECT_LT(selection.wanted.size(), pages.page_count() / 2);
}

TEST_F(Clusters, those_that_face_away_are_left_out) {
  add_all();
  const auto above = select({.eye = {128, 500, 1}, .limit = 1e-9f, .culls_facing_away = true}).clusters.size();
  const auto below = select({.eye = {128, -500, 1}, .limit = 1e-9f, .culls_facing_away = true}).clusters.size();
  EXPECT_EQ(std::max(above, below), 64u);
  EXPECT_LT(std::min(above, below), 64u);
}

// Limits at which a group changes, within the rounding of floats. The spheres of a strip touch those around them, and
// groups of neighboring levels may have equal errors.
TEST_F(Clusters, rounding_leaves_no_hole) {
  hcluster::Model model = strip_model({});
  for (hcluster::Group& group : model.groups) {
    const std::uint32_t step = group.level / 3;
    if (std::isfinite(group.error)) group.error = 0.5f + static_cast<float>(step);
  }
  hcluster::build_nodes(model);
  const ByteVector equal = hcluster::write(model).value();
  view = hcluster::View::open(equal).value();
  pages = ClusterPages(view);
  add_all();
  std::mt19937 random(7);
  std::uniform_real_distribution<float> unit(0, 1);
  for (int i = 0; i < 1500; ++i) {
    // On the line through the centers, spheres that touch are equally far.
    const float away = std::pow(10.0f, unit(random) * 6);
    const std::array<float, 3> eye{(unit(random) - 0.5f) * away, 1, 1};
    const hcluster::Group& group = view.groups()[1 + random() % (view.groups().size() - 1)];
    const float distance = std::hypot(eye[0] - group.center[0], eye[1] - group.center[1], eye[2] - group.center[2]);
    float limit = group.error / std::max(distance - group.radius, 0.01f);
    for (auto steps = static_cast<int>(random() % 9) - 4; steps != 0; steps += steps < 0 ? 1 : -1)
      limit = std::nextafter(limit, steps < 0 ? 0.0f : 1e9f);
    select({.eye = eye, .limit = limit});
    ASSERT_THAT(columns_of(pages, selection), Each(1)) << i;
  }
  view = hcluster::View::open(file).value();
  pages = ClusterPages(view);
}

TEST_F(Clusters, any_numbers_in_a_view_give_a_cover) {
  add_all();
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const float eye : {0.0f, 1e20f, 1e38f, -1e38f, inf, -inf, nan}) {
    for (const float limit : {0.0f, 1e-38f, 1e-3f, 1e30f, inf, nan}) {
      for (const float near : {1e-30f, 1.0f, 1e30f, inf}) {
        select({.eye = {eye, 1, 1}, .near_distance = near, .limit = limit});
        ASSERT_THAT(columns_of(pages, selection), Each(1)) << eye << " " << limit << " " << near;
      }
    }
  }
}

TEST_F(Clusters, a_warm_selection_does_not_allocate) {
  add_all();
  for (const float x : {0.0f, 128.0f}) select({.eye = {x, 1, 2}, .limit = 0.001f});
  const std::size_t before = allocations;
  for (int i = 0; i < 10; ++i) select({.eye = {static_cast<float>(i), 1, 2}, .limit = 0.002f});
  EXPECT_EQ(allocations, before);
}

TEST_F(Clusters, a_page_of_other_bytes_is_refused) {
  const ByteSpan good = view.page(3);
  ByteVector bytes(good.begin(), good.end());
  bytes[40] ^= std::byte{1};
  const auto added = pages.add(3, Bytes(bytes));
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().what, "page 3 has other bytes than the table of pages says");
  EXPECT_FALSE(pages.has(3));
  EXPECT_FALSE(pages.add(3, Bytes()));
  EXPECT_FALSE(pages.add(3, Bytes(ByteVector(good.begin(), good.end() - 1))));
  add(3);
}

TEST_F(Clusters, of_a_pose_cover_the_mesh_once_and_depend_on_the_distance_of_its_sphere) {
  add_all();
  std::mt19937 random(5);
  std::uniform_real_distribution<float> unit(-1, 1);
  for (int i = 0; i < 100; ++i) {
    const BoundingSphere sphere{{1000 * unit(random), 1000 * unit(random), 50}, 40};
    const ClusterView from{.eye = {1000 * unit(random), 1000 * unit(random), 200 * unit(random)},
                           .limit = std::pow(10.0f, 2 * unit(random) - 2),
                           .pose = sphere};
    select(from);
    EXPECT_THAT(columns_of(pages, selection), Each(1));
    float squared = 0;
    for (std::size_t k = 0; k < 3; ++k) squared += (from.eye[k] - sphere.center[k]) * (from.eye[k] - sphere.center[k]);
    const float distance = std::max(std::sqrt(squared) - sphere.radius, from.near_distance);
    for (const SelectedCluster& c : selection.clusters) {
      const float finer = pages.clusters(c.page)[c.cluster].refined() == hcluster::kNone
                              ? 0
                              : view.groups()[pages.clusters(c.page)[c.cluster].refined()].error;
      EXPECT_LE(finer, from.limit * distance * 1.001f);
      EXPECT_GE(view.groups()[c.group].error, from.limit * distance * 0.999f);
    }
  }
}

TEST_F(Clusters, of_a_pose_are_culled_together_with_its_sphere) {
  add_all();
  // Everything of the file has z from 0 to 2.
  const std::array<std::array<float, 4>, 1> beyond{{{0, 0, 1, -100}}};
  ClusterView from{.eye = {128, 1, 1}, .limit = 1e-9f, .planes = beyond, .culls_facing_away = true};
  select(from);
  EXPECT_TRUE(selection.clusters.empty());
  from.pose = BoundingSphere{{128, 1, 90}, 11};
  select(from);
  EXPECT_THAT(columns_of(pages, selection), Each(1));
  EXPECT_EQ(selection.clusters.size(), 64u);
  from.pose->radius = 9;
  select(from);
  EXPECT_TRUE(selection.clusters.empty());
  EXPECT_TRUE(selection.wanted.empty());
  find_wanted_pages(pages, from, selection);
  EXPECT_TRUE(selection.wanted.empty());
}

// As if the spheres of all groups were larger.
TEST_F(Clusters, of_morph_targets_cover_the_mesh_once_and_are_selected_by_larger_spheres) {
  add_all();
  std::mt19937 random(6);
  std::uniform_real_distribution<float> unit(-1, 1);
  for (int i = 0; i < 100; ++i) {
    ClusterView from{.eye = {1000 * unit(random), 1000 * unit(random), 200 * unit(random)},
                     .limit = std::pow(10.0f, 2 * unit(random) - 2)};
    select(from);
    const std::size_t usual = selection.clusters.size();
    from.morph_reach = 100 * (1 + unit(random));
    select(from);
    EXPECT_THAT(columns_of(pages, selection), Each(1));
    EXPECT_GE(selection.clusters.size(), usual);
    for (const SelectedCluster& c : selection.clusters) {
      const std::uint32_t refined = pages.clusters(c.page)[c.cluster].refined();
      if (refined == hcluster::kNone) continue;
      const hcluster::Group& group = view.groups()[refined];
      float squared = 0;
      for (std::size_t k = 0; k < 3; ++k) squared += (from.eye[k] - group.center[k]) * (from.eye[k] - group.center[k]);
      const float distance = std::max(std::sqrt(squared) - group.radius - from.morph_reach, from.near_distance);
      EXPECT_LE(group.error, from.limit * distance * 1.001f);
    }
  }
}

TEST_F(Clusters, of_morph_targets_are_culled_where_no_offset_reaches) {
  add_all();
  // Everything of the file has z from 0 to 2, and faces up.
  const std::array<std::array<float, 4>, 1> beyond{{{0, 0, 1, -100}}};
  ClusterView from{.eye = {128, -900, 1}, .limit = 1e-9f, .planes = beyond, .culls_facing_away = true};
  from.morph_reach = 97;
  select(from);
  EXPECT_TRUE(selection.clusters.empty());
  from.morph_reach = 99;
  select(from);
  EXPECT_THAT(columns_of(pages, selection), Each(1));
  from.planes = {};
  select(from);
  EXPECT_EQ(selection.clusters.size(), 64u) << "a moved triangle may face the eye";
  from.morph_reach = 0;
  select(from);
  EXPECT_LT(selection.clusters.size(), 64u);
}

TEST(ErrorLimit, is_the_tangent_of_a_pixel) {
  EXPECT_FLOAT_EQ(error_limit(1.5707964f, 1000), 0.002f);
  EXPECT_FLOAT_EQ(error_limit(1.5707964f, 1000, 4), 0.008f);
}

}  // namespace
}  // namespace assetc::runtime
