#include "assetc/formats/cluster_codec.hpp"

#include <map>

#include "formats/random_clusters.hpp"
#include "formats/support.hpp"
#include "os/process.hpp"

namespace assetc::hcluster {
namespace {

using formats_test::error_of;
using formats_test::Exact;
using formats_test::RandomClusters;
using Channels = std::vector<ChannelBits>;
using Row = std::vector<std::uint32_t>;
constexpr const char* kDamaged =
    "byte 0: a cluster ends early, or has another number of vertices than the page says; the file is damaged or was "
    "cut "
    "short; write it again";

std::uint32_t component_count(const Channels& channels) {
  std::uint32_t count = 0;
  for (const ChannelBits& c : channels) count += c.components;
  return count;
}

// The triangles of each material as the values of their corners, in any order, each from its least corner on.
template <class Triangles>
std::map<std::pair<std::uint32_t, std::array<Row, 3>>, int> triangles_of(const Channels& channels,
                                                                         const std::vector<std::uint32_t>& ends,
                                                                         const Triangles& triangles,
                                                                         const ClusterVertices& vertices) {
  std::map<std::pair<std::uint32_t, std::array<Row, 3>>, int> all;
  std::uint32_t range = 0;
  for (std::uint32_t t = 0; t < ends.back(); ++t) {
    if (t == ends[range]) ++range;
    std::array<Row, 3> corners;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::uint32_t k = 0; k < component_count(channels); ++k)
        corners[i].push_back(vertices.at(k, triangles[t][i]));
    }
    std::array<Row, 3> least = corners;
    for (int turn = 0; turn < 2; ++turn) {
      std::ranges::rotate(corners, corners.begin() + 1);
      least = std::min(least, corners);
    }
    ++all[{range, least}];
  }
  return all;
}

// The bytes of the clusters of a group, without those to read ahead.
std::vector<ByteVector> encoded(const Channels& channels, const std::vector<RandomClusters::Cluster>& group) {
  GroupEncoder encoder(channels);
  std::vector<ByteVector> all;
  for (const auto& c : group)
    encoder.encode(c.triangles, c.material_ends, c.vertex_count, c.vertices, all.emplace_back());
  return all;
}

// In a buffer of exactly these bytes and those to read ahead, which are filled.
class Padded {
 public:
  explicit Padded(ByteSpan bytes, std::uint8_t fill = 0xA5)
      : size_(bytes.size()), exact_(formats_test::with_extra(bytes, kReadAhead, fill)) {}
  ByteSpan data() const { return ByteSpan(exact_).first(size_); }

 private:
  std::size_t size_;
  Exact exact_;
};

// Whatever the bytes are: an error, or integers and corners in range.
void expect_in_range(const Channels& channels, GroupDecoder& decoder, ByteSpan data, std::uint32_t vertex_count,
                     std::uint32_t triangle_count) {
  ClusterVertices vertices;
  ClusterTriangles triangles;
  vertices.values.fill(0xFFFFFFFF);
  triangles.fill({0xFF, 0xFF, 0xFF});
  if (const auto result = decoder.decode(data, vertex_count, triangle_count, vertices, triangles); !result) {
    EXPECT_EQ(error_of(result), kDamaged);
    return;
  }
  for (std::uint32_t t = 0; t < triangle_count; ++t) {
    for (const std::uint8_t corner : triangles[t]) ASSERT_LT(corner, vertex_count);
  }
  std::uint32_t component = 0;
  for (const ChannelBits& channel : channels) {
    for (std::uint32_t k = 0; k < channel.components; ++k, ++component) {
      for (std::uint32_t v = 0; v < vertex_count; ++v) ASSERT_LT(vertices.at(component, v), 1u << channel.bits);
    }
  }
}

TEST(ClusterCodec, round_trips_random_groups) {
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    RandomClusters random(seed);
    const Channels channels = random.channels();
    const auto group = random.group(channels, 1 + random.below(6));
    const auto bytes = encoded(channels, group);
    GroupDecoder decoder(channels);
    for (std::size_t c = 0; c < group.size(); ++c) {
      const auto count = static_cast<std::uint32_t>(group[c].triangles.size());
      ClusterVertices vertices{};
      ClusterTriangles triangles{};
      const Padded padded(bytes[c]);
      const auto result = decoder.decode(padded.data(), group[c].vertex_count, count, vertices, triangles);
      ASSERT_TRUE(result) << error_of(result);
      ASSERT_EQ(triangles_of(channels, group[c].material_ends, triangles, vertices),
                triangles_of(channels, group[c].material_ends, group[c].triangles, group[c].vertices));
    }
  }
}

TEST(ClusterCodec, round_trips_one_triangle_of_one_vertex) {
  const Channels channels{{3, 1, Predictor::kNeighbors}};
  RandomClusters::Cluster c;
  c.vertex_count = 1;
  c.triangles = {{0, 0, 0}};
  c.material_ends = {1};
  for (std::uint32_t k = 0; k < 3; ++k) c.vertices.at(k, 0) = 1;
  const Padded padded(encoded(channels, {c})[0]);
  GroupDecoder decoder(channels);
  ClusterVertices vertices{};
  ClusterTriangles triangles{};
  ASSERT_TRUE(decoder.decode(padded.data(), 1, 1, vertices, triangles));
  EXPECT_EQ(triangles[0], (std::array<std::uint8_t, 3>{0, 0, 0}));
  for (std::uint32_t k = 0; k < 3; ++k) EXPECT_EQ(vertices.at(k, 0), 1u);
}

TEST(ClusterCodec, numbers_vertices_by_first_use) {
  RandomClusters random(7);
  const Channels channels = random.channels();
  for (const auto& c : random.group(channels, 1)) {
    const Padded padded(encoded(channels, {c})[0]);
    GroupDecoder decoder(channels);
    ClusterVertices vertices{};
    ClusterTriangles triangles{};
    ASSERT_TRUE(decoder.decode(padded.data(), c.vertex_count, static_cast<std::uint32_t>(c.triangles.size()), vertices,
                               triangles));
    std::uint32_t next = 0;
    for (std::size_t t = 0; t < c.triangles.size(); ++t) {
      for (const std::uint8_t corner : triangles[t]) {
        EXPECT_LE(corner, next);
        next = std::max(next, corner + 1u);
      }
    }
  }
}

// Vertices that a group has already cost less than new ones.
TEST(ClusterCodec, copies_vertices_of_clusters_before) {
  RandomClusters random(11);
  const Channels channels{{3, 16, Predictor::kNeighbors}, {4, 8, Predictor::kNeighbors}};
  const auto one = random.group(channels, 1);
  const auto bytes = encoded(channels, {one[0], one[0]});
  EXPECT_LT(bytes[1].size(), bytes[0].size() / 2);
}

TEST(ClusterCodec, refuses_every_prefix) {
  constexpr std::uint32_t kSeeds = os::kLimitsMemory ? 12 : 4;  // fewer under a sanitizer
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    RandomClusters random(seed);
    const Channels channels = random.channels();
    const auto group = random.group(channels, 2);
    const auto bytes = encoded(channels, group);
    GroupDecoder decoder(channels);
    ClusterVertices vertices;
    ClusterTriangles triangles;
    for (std::size_t c = 0; c < group.size(); ++c) {
      const auto count = static_cast<std::uint32_t>(group[c].triangles.size());
      for (std::size_t size = 0; size < bytes[c].size(); ++size) {
        for (const std::uint8_t fill : {0x00, 0xFF}) {
          const Padded prefix(ByteSpan(bytes[c]).first(size), fill);
          const auto result = decoder.decode(prefix.data(), group[c].vertex_count, count, vertices, triangles);
          ASSERT_FALSE(result) << "a prefix of " << size << " bytes of " << bytes[c].size();
          ASSERT_EQ(error_of(result), kDamaged);
        }
      }
      const Padded whole(bytes[c]);
      ASSERT_TRUE(decoder.decode(whole.data(), group[c].vertex_count, count, vertices, triangles));
    }
  }
}

TEST(ClusterCodec, survives_flipped_bits) {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    RandomClusters random(100 + seed);
    const Channels channels = random.channels();
    const auto group = random.group(channels, 2);
    const auto bytes = encoded(channels, group);
    GroupDecoder decoder(channels);
    const auto first_count = static_cast<std::uint32_t>(group[0].triangles.size());
    const auto second_count = static_cast<std::uint32_t>(group[1].triangles.size());
    const Padded first(bytes[0]);
    for (int i = 0; i < 300; ++i) {
      decoder.reset();
      expect_in_range(channels, decoder, first.data(), group[0].vertex_count, first_count);
      ByteVector copy = bytes[1];
      for (std::uint32_t flips = 1 + random.below(3); flips > 0; --flips) {
        // Steps and corners come first, and steer all that follows.
        const std::uint32_t all = static_cast<std::uint32_t>(copy.size()) * 8;
        const std::uint32_t bit = random.below(random.below(2) == 0 ? std::min(all, 600u) : all);
        copy[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
      }
      const Padded damaged(copy);
      expect_in_range(channels, decoder, damaged.data(), group[1].vertex_count, second_count);
    }
  }
}

TEST(ClusterCodec, survives_random_bytes_and_counts) {
  constexpr std::uint32_t kSeeds = os::kLimitsMemory ? 3000 : 800;  // fewer under a sanitizer
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    RandomClusters random(seed);
    const Channels channels = random.channels(4);
    GroupDecoder decoder(channels);
    for (int i = 0; i < 3; ++i) {
      ByteVector bytes(random.below(400));
      const std::uint32_t ones = random.below(9);  // so that some have long strips, some many starts
      for (std::byte& b : bytes) {
        unsigned value = 0;
        for (unsigned bit = 0; bit < 8; ++bit) value |= (random.below(8) < ones ? 1u : 0u) << bit;
        b = static_cast<std::byte>(value);
      }
      const Padded padded(bytes);
      expect_in_range(channels, decoder, padded.data(), 1 + random.below(kMaxClusterVertices),
                      1 + random.below(kMaxClusterTriangles));
    }
  }
}

// A prediction from a vertex that is not there would return whatever the memory holds.
TEST(ClusterCodec, refuses_a_reference_before_the_first_vertex) {
  const Channels channels{{3, 8, Predictor::kNeighbors}};
  GroupDecoder decoder(channels);
  ClusterVertices vertices;
  ClusterTriangles triangles;
  // Corners: a near reference to vertex 0, a new vertex, a near reference to vertex 0; widths and tag 0.
  ByteVector bytes(8);
  bytes[0] = std::byte{0b1011'0010};  // low bits first: 0, 1, 001; 1; 0, 1,
  bytes[1] = std::byte{0b0000'0100};  // 001
  const Padded padded(bytes);
  EXPECT_EQ(error_of(decoder.decode(padded.data(), 1, 1, vertices, triangles)), kDamaged);
}

TEST(ClusterCodec, refuses_more_vertices_than_a_group_holds) {
  const Channels channels{{3, 8, Predictor::kNeighbors}};
  RandomClusters::Cluster c;
  c.vertex_count = 128;
  for (std::uint32_t t = 0; t < 128; ++t) {
    const auto at = [&](std::uint32_t i) { return static_cast<std::uint8_t>((t + i) % 128); };
    c.triangles.push_back({at(0), at(1), at(2)});
  }
  c.material_ends = {128};
  GroupEncoder encoder(channels);
  GroupDecoder decoder(channels);
  ClusterVertices vertices;
  ClusterTriangles triangles;
  for (std::uint32_t i = 0; i < kMaxGroupVertices / 128; ++i) {
    for (std::uint32_t v = 0; v < 128; ++v) c.vertices.ids[v] = i * 128 + v;
    ByteVector bytes;
    encoder.encode(c.triangles, c.material_ends, c.vertex_count, c.vertices, bytes);
    const Padded padded(bytes);
    ASSERT_TRUE(decoder.decode(padded.data(), 128, 128, vertices, triangles));
  }
  ByteVector bytes;
  GroupEncoder(channels).encode(c.triangles, c.material_ends, c.vertex_count, c.vertices, bytes);
  const Padded padded(bytes);
  EXPECT_EQ(error_of(decoder.decode(padded.data(), 128, 128, vertices, triangles)), kDamaged);
  decoder.reset();
  EXPECT_TRUE(decoder.decode(padded.data(), 128, 128, vertices, triangles));
}

}  // namespace
}  // namespace assetc::hcluster
