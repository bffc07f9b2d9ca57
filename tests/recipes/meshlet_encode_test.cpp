#include "codec/mesh/encode/meshlet_encode.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "codec/mesh/decode/meshlet_stream.hpp"
#include "formats/support.hpp"

namespace assetc::recipes {
namespace {

struct Meshlets {
  std::vector<std::uint32_t> indices;
  std::vector<std::uint8_t> counts;
};

Meshlets strip(std::uint32_t first_vertex, std::uint32_t triangle_count) {
  Meshlets out{.indices = {}, .counts = {static_cast<std::uint8_t>(triangle_count)}};
  for (std::uint32_t t = 0; t < triangle_count; ++t) {
    const std::uint32_t v = first_vertex + t;
    if (t % 2 == 0) {
      out.indices.insert(out.indices.end(), {v, v + 1, v + 2});
    } else {
      out.indices.insert(out.indices.end(), {v, v + 2, v + 1});
    }
  }
  return out;
}

// Triangles of any vertices, also of one vertex twice, in meshlets of any size.
Meshlets random_source(std::uint32_t seed, std::uint32_t vertex_count) {
  std::mt19937 random(seed);
  Meshlets out;
  for (int m = 0; m < 20; ++m) {
    const std::uint32_t triangles = random() % 86, first = random() % vertex_count;  // 3 * 85 = 255 vertices
    out.counts.push_back(static_cast<std::uint8_t>(triangles));
    for (std::uint32_t i = 0; i < 3 * triangles; ++i)
      out.indices.push_back(random() % 4 == 0 ? random() % vertex_count : (first + random() % 20) % vertex_count);
  }
  return out;
}

// The corners of all meshlets as vertices, or nothing if the stream is damaged.
std::optional<Meshlets> decoded(ByteSpan stream, std::uint64_t triangle_count) {
  auto reader = meshlet_stream::Reader::open(stream, triangle_count);
  if (!reader) return std::nullopt;
  Meshlets out;
  meshlet_stream::Content content;
  for (std::uint32_t m = 0; m < reader->meshlet_count(); ++m) {
    if (!reader->next(content)) return std::nullopt;
    out.counts.push_back(static_cast<std::uint8_t>(content.triangle_count));
    for (std::uint32_t i = 0; i < 3 * content.triangle_count; ++i) {
      EXPECT_LT(content.corners[i], content.vertex_count);
      out.indices.push_back(content.vertices[content.corners[i]]);
    }
  }
  if (!reader->is_complete()) return std::nullopt;
  return out;
}

void expect_restored(const Meshlets& source) {
  const ByteVector stream = hmesh::encode_meshlets(source.indices, source.counts);
  const auto again = decoded(formats_test::Exact(stream), source.indices.size() / 3);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->indices, source.indices);
  EXPECT_EQ(again->counts, source.counts);
}

TEST(MeshletEncode, restores_triangles) {
  expect_restored({});
  expect_restored(strip(0, 253));
  expect_restored(strip(0xFFFFFF00u - 255, 253));
  expect_restored(strip(70'000, 5));
  expect_restored({.indices = {5, 5, 5, 0, 0xFFFFFFFF, 0}, .counts = {1, 0, 1}});
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    expect_restored(random_source(seed, 300));
    expect_restored(random_source(seed, 10'000'000));
  }
}

TEST(MeshletEncode, a_strip_takes_half_a_byte_a_triangle) {
  const Meshlets source = strip(0, 200);
  const std::size_t known = sizeof(meshlet_stream::Header) + 1 + (202 + 7) / 8;
  EXPECT_LE(hmesh::encode_meshlets(source.indices, source.counts).size(), known + 100 + 200 / 5 + 1);
}

TEST(MeshletEncode, rotated_triangles_need_no_rotations) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    Meshlets source = random_source(seed, 300);
    hmesh::rotate_for_meshlets(source.indices, source.counts);
    const ByteVector stream = hmesh::encode_meshlets(source.indices, source.counts);
    EXPECT_EQ(load<meshlet_stream::Header>(stream).is_rotated, 0u);
    expect_restored(source);
  }
}

TEST(MeshletEncode, survives_changed_bytes) {
  for (const Meshlets& source : {strip(0, 40), random_source(1, 300)}) {
    const ByteVector good = hmesh::encode_meshlets(source.indices, source.counts);
    const std::uint64_t triangles = source.indices.size() / 3;
    for (std::size_t size = 0; size < good.size(); ++size)
      EXPECT_FALSE(decoded(formats_test::Exact(ByteSpan(good).first(size)), triangles));
    EXPECT_FALSE(decoded(good, triangles + 5));
    for (std::size_t at = 0; at < good.size(); ++at) {
      for (const unsigned change : {1u, 0x10u, 0x80u, 0xFFu}) {
        ByteVector bad = good;
        bad[at] ^= static_cast<std::byte>(change);
        (void)decoded(formats_test::Exact(bad), triangles);
      }
    }
  }
}

}  // namespace
}  // namespace assetc::recipes
