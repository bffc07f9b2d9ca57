// Distance fields of outlines whose inside is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "font/compile.hpp"
#include "font/cuts.hpp"
#include "font/field.hpp"
#include "font/pack.hpp"

namespace assetc::font {
namespace {

using scene::Contour;
using scene::FontGlyph;

Contour polygon(std::vector<scene::OutlinePoint> points) {
  Contour contour{.start = points[0], .segments = {}};
  for (std::size_t i = 1; i < points.size(); ++i) contour.segments.push_back({.degree = 1, .end = points[i]});
  return contour;
}

Contour box(int left, int bottom, int right, int top) {
  return polygon({{left, bottom}, {left, top}, {right, top}, {right, bottom}});
}

FontGlyph glyph(std::vector<Contour> contours) { return {.contours = std::move(contours)}; }

// The median of the channels and the true distance between texels, as a shader sees them, in texels.
struct Field {
  TexelBox box;
  double range = 4;
  std::vector<std::uint8_t> texels;

  Field(const FontGlyph& of, double scale, double range_texels = 4) : range(range_texels) {
    const Outline outline = prepare_outline(of, scale);
    box = field_box(outline, range);
    const auto width = static_cast<std::size_t>(box.width());
    texels.resize(width * static_cast<std::size_t>(box.height()) * 4);
    write_field(outline, box, range, {texels.data(), width * 4});
  }

  double channel(double x, double y, std::size_t c) const {
    const double column = x - static_cast<double>(box.left) - 0.5, row = static_cast<double>(box.top) - y - 0.5;
    const auto at = [&](double column_at, double row_at) {
      const auto i = static_cast<std::size_t>(std::clamp(column_at, 0.0, static_cast<double>(box.width() - 1)));
      const auto j = static_cast<std::size_t>(std::clamp(row_at, 0.0, static_cast<double>(box.height() - 1)));
      return static_cast<double>(texels[(j * static_cast<std::size_t>(box.width()) + i) * 4 + c]);
    };
    const double i = std::floor(column), j = std::floor(row), u = column - i, v = row - j;
    const double value =
        (at(i, j) * (1 - u) + at(i + 1, j) * u) * (1 - v) + (at(i, j + 1) * (1 - u) + at(i + 1, j + 1) * u) * v;
    return (value / 255 - 0.5) * range;
  }
  double median(double x, double y) const {
    const double r = channel(x, y, 0), g = channel(x, y, 1), b = channel(x, y, 2);
    return std::max(std::min(r, g), std::min(std::max(r, g), b));
  }
};

// Expects the median on the right side everywhere except within `tolerance` texels of the outline.
void expect_inside(const FontGlyph& of, double scale, double tolerance) {
  const Field field(of, scale);
  const Outline outline = prepare_outline(of, scale);
  const Winding winding(outline.contours);
  std::size_t wrong = 0;
  for (double y = static_cast<double>(field.box.bottom) + 0.5; y < static_cast<double>(field.box.top) - 0.5;
       y += 0.23) {
    for (double x = static_cast<double>(field.box.left) + 0.5; x < static_cast<double>(field.box.right) - 0.5;
         x += 0.23) {
      double distance = 1e9;
      for (const Edge& edge : outline.edges)
        distance = std::min(distance, std::sqrt(nearest(edge.curve, {x, y}).squared_distance));
      if (distance > tolerance && (field.median(x, y) > 0) != (winding.at({x, y}) != 0)) ++wrong;
    }
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(Curve, finds_the_nearest_point) {
  const Curve arch{{0, 0}, {2, 4}, {4, 0}, false};
  EXPECT_NEAR(nearest(arch, {2, 5}).t, 0.5, 1e-9);
  EXPECT_NEAR(nearest(arch, {2, 5}).squared_distance, 9, 1e-9);
  EXPECT_EQ(nearest(arch, {-3, -4}).t, 0);
  EXPECT_EQ(nearest(arch, {-3, -4}).squared_distance, 25);
  // Against small steps along the curve.
  for (double y = -3; y < 6; y += 0.7) {
    for (double x = -3; x < 7; x += 0.7) {
      double least = 1e9;
      for (int i = 0; i <= 4000; ++i) {
        const Point d = arch.at(i / 4000.0) - Point{x, y};
        least = std::min(least, dot(d, d));
      }
      EXPECT_NEAR(nearest(arch, {x, y}).squared_distance, least, 1e-3) << x << " " << y;
      EXPECT_LE(nearest(arch, {x, y}).squared_distance, least + 1e-9);
    }
  }
}

TEST(Curve, cubics_become_quadratics_within_the_tolerance) {
  const Point p[] = {{0, 0}, {0, 60}, {100, 100}, {100, 0}};
  std::vector<Curve> parts;
  add_cubic(p[0], p[1], p[2], p[3], 0.01, parts);
  EXPECT_GT(parts.size(), 2u);
  EXPECT_EQ(parts.front().start, p[0]);
  EXPECT_EQ(parts.back().end, p[3]);
  for (int i = 0; i <= 500; ++i) {
    const double t = i / 500.0, s = 1 - t;
    const Point at = p[0] * (s * s * s) + p[1] * (3 * s * s * t) + p[2] * (3 * s * t * t) + p[3] * (t * t * t);
    double least = 1e9;
    for (const Curve& part : parts) least = std::min(least, nearest(part, at).squared_distance);
    EXPECT_LT(std::sqrt(least), 0.01);
  }
}

TEST(Winding, counts_turns_of_lines_and_curves) {
  const Outline outline = prepare_outline(glyph({box(0, 0, 10, 10), box(5, 5, 15, 15)}), 1);
  const Winding winding(outline.contours);
  EXPECT_EQ(std::abs(winding.at({2, 2})), 1);
  EXPECT_EQ(std::abs(winding.at({7, 7})), 2);
  EXPECT_EQ(winding.at({12, 2}), 0);
  EXPECT_EQ(winding.at({-1, 5}), 0);
}

TEST(Outline, drops_edges_inside_of_overlaps) {
  const Outline cross = prepare_outline(glyph({box(0, 4, 12, 8), box(4, 0, 8, 12)}), 1);
  EXPECT_EQ(cross.edges.size(), 12u) << "a plus has twelve sides";
  double length_of_all = 0;
  for (const Edge& edge : cross.edges) {
    length_of_all += length(edge.curve.end - edge.curve.start);
    EXPECT_FALSE(edge.curve.start.x > 4 && edge.curve.start.x < 8 && edge.curve.start.y > 4 && edge.curve.start.y < 8);
    EXPECT_NE(edge.channels, kWhite) << "all of its corners are sharp";
  }
  EXPECT_NEAR(length_of_all, 48, 1e-9);
  // One contour inside of another, in the same and in the opposite turn.
  EXPECT_EQ(prepare_outline(glyph({box(0, 0, 12, 12), box(4, 4, 8, 8)}), 1).edges.size(), 4u);
  Contour turned = box(4, 4, 8, 8);
  std::ranges::reverse(turned.segments);
  turned = polygon({{4, 4}, {8, 4}, {8, 8}, {4, 8}});
  EXPECT_EQ(prepare_outline(glyph({box(0, 0, 12, 12), turned}), 1).edges.size(), 8u);
}

TEST(Outline, shared_sides_and_repeated_contours_are_one_area) {
  const Outline joined = prepare_outline(glyph({box(0, 0, 6, 6), box(6, 0, 12, 6)}), 1);
  for (const Edge& edge : joined.edges) EXPECT_FALSE(edge.curve.start.x == 6 && edge.curve.end.x == 6);
  expect_inside(glyph({box(0, 0, 6, 6), box(6, 0, 12, 6)}), 2, 0.3);
  expect_inside(glyph({box(0, 0, 6, 6), box(0, 0, 6, 6)}), 2, 0.3);
}

TEST(Outline, adjacent_edges_at_corners_share_one_channel) {
  for (int sides = 3; sides <= 9; ++sides) {
    std::vector<scene::OutlinePoint> points;
    for (int i = 0; i < sides; ++i) {
      const double angle = 2 * 3.14159265358979 * i / sides;
      points.push_back({static_cast<int>(std::lround(1000 * std::cos(angle))),
                        static_cast<int>(std::lround(1000 * std::sin(angle)))});
    }
    const Outline outline = prepare_outline(glyph({polygon(points)}), 0.02);
    ASSERT_EQ(outline.edges.size(), static_cast<std::size_t>(sides));
    for (std::size_t i = 0; i < outline.edges.size(); ++i) {
      const std::uint8_t both = outline.edges[i].channels & outline.edges[(i + 1) % outline.edges.size()].channels;
      EXPECT_TRUE(both == kRed || both == kGreen || both == kBlue) << sides << " sides, edge " << i;
    }
  }
}

TEST(Field, corners_stay_sharp) {
  const Field field(glyph({box(0, 0, 400, 400)}), 0.025);  // 10 texels
  // On the diagonal, 0.3 texels inside and outside of the corner: a plain distance field rounds it by more.
  EXPECT_GT(field.median(9.75, 9.75), 0);
  EXPECT_LT(field.median(10.25, 10.25), 0);
  EXPECT_GT(field.median(0.25, 9.75), 0);
  EXPECT_LT(field.median(-0.25, 10.25), 0);
  EXPECT_NEAR(field.channel(5.5, 11.5, 3), -1.5, 0.02) << "alpha is the true distance";
  EXPECT_NEAR(field.channel(10.5, 10.5, 3), -0.5 * std::sqrt(2.0), 0.02) << "also at the corner";
  EXPECT_NEAR(field.channel(5.5, 12.5, 3), -2, 0.02) << "clamped to half of the range";
}

TEST(Field, the_median_is_on_the_right_side) {
  expect_inside(glyph({box(0, 0, 400, 400)}), 0.025, 0.1);
  expect_inside(glyph({polygon({{0, 0}, {300, 700}, {600, 0}})}), 0.04, 0.3);
  expect_inside(glyph({polygon({{0, 0}, {30, 900}, {60, 0}})}), 0.04, 0.6);         // a spike
  expect_inside(glyph({box(0, 300, 600, 400), box(250, 0, 350, 700)}), 0.04, 0.3);  // a plus
  expect_inside(glyph({box(0, 0, 600, 600), box(100, 100, 700, 700), box(50, 250, 900, 300)}), 0.04, 0.5);
  expect_inside(glyph({box(0, 0, 50, 700), box(100, 0, 150, 700), box(200, 0, 250, 700)}), 0.04, 0.5);  // narrow gaps
  Contour star = polygon({{0, 0}, {500, 950}, {1000, 0}, {0, 620}, {1000, 620}});  // crosses itself
  expect_inside(glyph({star}), 0.04, 0.5);
}

TEST(Field, empty_and_degenerate_outlines_have_no_picture) {
  EXPECT_TRUE(prepare_outline(glyph({}), 1).is_empty());
  EXPECT_TRUE(prepare_outline(glyph({polygon({{5, 5}})}), 1).is_empty());
  EXPECT_TRUE(prepare_outline(glyph({polygon({{0, 0}, {10, 0}})}), 1).is_empty());
  EXPECT_TRUE(prepare_outline(glyph({polygon({{0, 0}, {10, 10}, {5, 5}, {20, 20}})}), 1).is_empty());
}

TEST(Pack, places_every_rectangle_once) {
  std::vector<PackedRect> rects;
  rects.reserve(100);
  for (std::uint32_t i = 0; i < 100; ++i) rects.push_back({4 + i * 7 % 23, 6 + i * 5 % 17});
  const auto size = pack(rects, 2, 512);
  ASSERT_TRUE(size);
  EXPECT_EQ(size->width % 4, 0u);
  EXPECT_EQ(size->height % 4, 0u);
  std::vector<int> owners(std::size_t{size->width} * size->height);
  std::size_t covered = 0;
  for (const PackedRect& rect : rects) {
    ASSERT_GE(rect.x, 2u);
    ASSERT_LE(rect.x + rect.width + 2, size->width);
    ASSERT_LE(rect.y + rect.height + 2, size->height);
    for (std::uint32_t y = rect.y; y < rect.y + rect.height + 2; ++y) {
      for (std::uint32_t x = rect.x; x < rect.x + rect.width + 2; ++x) EXPECT_EQ(owners[y * size->width + x]++, 0);
    }
    covered += std::size_t{rect.width} * rect.height;
  }
  EXPECT_GT(static_cast<double>(covered), 0.6 * size->width * size->height);
  EXPECT_FALSE(pack(rects, 2, 64));
  std::vector<PackedRect> wide{{600, 4}};
  EXPECT_FALSE(pack(wide, 0, 512));
}

TEST(Compile, the_same_font_gives_the_same_bytes) {
  scene::Font font;
  font.units_per_em = 1000;
  font.glyphs = {glyph({box(0, 0, 500, 700)}), glyph({polygon({{0, 0}, {300, 700}, {600, 0}})})};
  font.characters = {{'A', 1}};
  const auto first = compile(font, {}), second = compile(font, {});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->texels, second->texels);
  EXPECT_EQ(first->model.glyphs, second->model.glyphs);
  const auto refused = compile(font, {.size_texels = 256, .max_size_texels = 64});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "a glyph of 134x185 texels does not fit an atlas of 64x64 texels");
  font.glyphs = {glyph({box(0, 0, 90000, 60000)})};
  EXPECT_EQ(compile(font, {}).error().what, "a glyph of 3606x2406 texels with 4 edges is too complex");
}

}  // namespace
}  // namespace assetc::font
