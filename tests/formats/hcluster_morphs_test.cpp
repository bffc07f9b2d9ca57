// Morph targets and offsets in .hcluster files.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <random>

#include "assetc/formats/hcluster.hpp"
#include "formats/decoded_clusters.hpp"
#include "formats/sample_cluster.hpp"
#include "formats/support.hpp"

namespace assetc::hcluster {
namespace {

using namespace formats_test;

std::string words_of_morphs(const std::function<void(Model&)>& change) {
  Model m = morphed_clusters();
  change(m);
  const auto r = write(m);
  return r ? "no error" : r.error().what;
}

// Decodes all pages with their offsets. Returns the first error.
std::string decode_offsets_of(
    const View& view,
    const std::function<void(std::uint32_t, const DecodedCluster&, const ClusterOffsets&)>& visit = {}) {
  PageDecoder decoder(view);
  const auto cluster = std::make_unique<DecodedCluster>();
  ClusterOffsets offsets;
  for (std::uint32_t p = 0; p < view.pages().size(); ++p) {
    const Exact bytes(view.page(p));
    if (const auto opened = decoder.open(p, bytes); !opened) return opened.error().what;
    while (true) {
      const auto more = decoder.next(*cluster);
      if (!more) return more.error().what;
      if (!*more) break;
      if (const auto decoded = decoder.offsets(offsets); !decoded) return decoded.error().what;
      if (visit) visit(p, *cluster, offsets);
    }
  }
  return "no error";
}

TEST(HclusterMorphs, round_trip) {
  const ByteVector file = *write(morphed_clusters());
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  ASSERT_TRUE(view->morphs());
  ASSERT_EQ(view->morphs()->targets().size(), 2u);
  EXPECT_EQ(view->morphs()->name(0), "smile");
  EXPECT_EQ(view->morphs()->targets()[0].weight, 0.25f);
  EXPECT_EQ(view->morphs()->targets()[1].high, 2);
  EXPECT_EQ(view->morph_radii()[1], 1136);
  // By position, because the decoder numbers vertices in another way.
  const SheetCluster sheet(0, 1, 4, false);
  std::size_t clusters = 0;
  EXPECT_EQ(decode_offsets_of(*view,
                              [&](std::uint32_t p, const DecodedCluster& c, const ClusterOffsets& found) {
                                ++clusters;
                                const ClusterOffsets expected = sample_offsets(p, sheet.vertex_count);
                                ASSERT_EQ(found.tracks, expected.tracks);
                                for (const OffsetTrack& track : found.tracks) {
                                  EXPECT_GT(view->offset_step(track), 0);
                                  for (std::uint32_t i = track.first; i < track.first + track.count; ++i) {
                                    const VertexOffset& offset = found.offsets[i];
                                    EXPECT_TRUE(i == track.first || found.offsets[i - 1].vertex < offset.vertex);
                                    const std::uint32_t v = c.vertices.at(0, offset.vertex) / 100 * 3 +
                                                            c.vertices.at(2, offset.vertex) / 100;
                                    const auto same = std::ranges::find_if(
                                        expected.offsets.begin() + track.first,
                                        expected.offsets.begin() + track.first + track.count,
                                        [&](const VertexOffset& other) { return other.vertex == v; });
                                    ASSERT_NE(same, expected.offsets.begin() + track.first + track.count);
                                    EXPECT_EQ(offset.value, same->value);
                                  }
                                }
                              }),
            "no error");
  EXPECT_EQ(clusters, 2u);
  const ByteVector plain_file = *write(sample_clusters());
  const auto plain = View::open(plain_file);
  EXPECT_FALSE(plain->morphs());
  EXPECT_EQ(decode_offsets_of(*plain, [](std::uint32_t, const DecodedCluster&,
                                         const ClusterOffsets& offsets) { EXPECT_TRUE(offsets.tracks.empty()); }),
            "no error");
}

// A reader that does not know the chunks: the clusters of the page have the same bytes at the same places.
TEST(HclusterMorphs, old_readers_see_the_same_clusters) {
  Model with = morphed_clusters(), without = with;
  without.morphs = {}, without.morph_radii.clear();
  const ByteVector a = *write(with), b = *write(without);
  const auto morphs = View::open(a), plain = View::open(b);
  ASSERT_TRUE(morphs && plain);
  std::vector<std::uint32_t> seen[2];
  for (const View* view : {&*morphs, &*plain}) {
    EXPECT_EQ(decode_all(*view,
                         [&](const DecodedCluster& c, const ClusterRecord&) {
                           auto& list = seen[view == &*plain ? 1 : 0];
                           for (std::uint32_t v = 0; v < c.vertex_count; ++v) list.push_back(c.vertices.at(0, v));
                         }),
              "no error");
  }
  EXPECT_EQ(seen[0], seen[1]);
}

TEST(HclusterMorphs, refuse_every_prefix) { expect_every_prefix_refused(*write(morphed_clusters()), View::open); }

TEST(HclusterMorphs, survive_changed_bytes) {
  expect_survives_changed_bytes(*write(morphed_clusters()), [](ByteSpan file) {
    const auto view = View::open(file);
    if (view) (void)decode_offsets_of(*view);
    return view;
  });
}

TEST(HclusterMorphs, refuse_tables_that_do_not_fit) {
  EXPECT_EQ(words_of_morphs([](Model&) {}), "no error");
  EXPECT_EQ(words_of_morphs([](Model& m) { m.morphs = {}; }), "found MRAD in a mesh without morph targets");
  EXPECT_EQ(words_of_morphs([](Model& m) { m.morph_radii.pop_back(); }),
            "found 2 morph targets and 1 radius in MRAD, expected as many");
  EXPECT_EQ(words_of_morphs([](Model& m) { m.morph_radii[0] = -1; }),
            "radius 0 is -1, expected a finite number of at least 0");
  EXPECT_EQ(words_of_morphs([](Model& m) { m.morph_radii[1] = std::numeric_limits<float>::infinity(); }),
            "radius 1 is inf, expected a finite number of at least 0");
  EXPECT_EQ(words_of_morphs([](Model& m) { m.morphs.targets[0].weight = std::nanf(""); }),
            "morph target 0: the weight holds a number that is not finite");
  EXPECT_EQ(words_of_morphs([](Model& m) {
              m.morphs.targets[0].move_count = 1;
              m.morphs.moves.resize(1);
            }),
            "move 0 is of vertex 0, expected an ascending number below 0");
}

TEST(HclusterMorphs, refuse_offsets_of_unknown_targets) {
  const auto decoded = [](const std::function<void(Model&)>& change) {
    Model m = morphed_clusters();
    change(m);
    const ByteVector file = *write(m);
    return decode_offsets_of(*View::open(file));
  };
  EXPECT_EQ(decoded([](Model& m) {
              m.morphs.targets.pop_back(), m.morph_radii.pop_back();
              m.morphs.channels.clear();
              m.morphs.groups[0].target_count = 1;
            }),
            "cluster 0 of a page has offsets of target 1 and attribute 4, which MRPH does not have");
  EXPECT_EQ(decoded([](Model& m) { m.morphs.targets[0].normal_step = 0; }),
            "cluster 0 of a page has offsets of target 0 and attribute 1, which MRPH does not have");
  EXPECT_EQ(decoded([](Model& m) { m.morphs.channels[0].set = 0; }),
            "cluster 0 of a page has offsets of target 1 and attribute 4, which MRPH does not have");
}

// Many offsets of a small cluster: their page is large, and only if it has one group in a file with targets.
TEST(HclusterMorphs, a_page_of_one_group_may_be_large) {
  const auto fill = [](ClusterOffsets& offsets) {
    std::mt19937 random(1);
    offsets.clear();
    for (std::uint16_t target = 0; target < 3000; ++target) {
      offsets.tracks.push_back(
          {target, OffsetAttribute::kPosition, 0, static_cast<std::uint32_t>(offsets.offsets.size()), 15});
      for (std::uint8_t v = 0; v < 15; ++v) {
        const auto number = [&] { return static_cast<std::int16_t>(random() % 65535 - 32767); };
        offsets.offsets.push_back({v, {number(), number(), number(), 0}});
      }
    }
  };
  Model m = morphed_clusters(fill, kMaxMorphPageBytes);
  EXPECT_GT(m.pages[0].size_bytes, kMaxPageBytes);
  m.morphs.targets.resize(3000, m.morphs.targets[1]);
  m.morphs.channels[0].target = 1;
  m.morphs.groups[0].target_count = 3000;
  m.morph_radii.resize(3000, 1136);
  const auto file = write(m);
  ASSERT_TRUE(file) << file.error().to_string();
  const auto view = View::open(*file);
  EXPECT_EQ(decode_offsets_of(*view), "no error");
  m.morphs = {}, m.morph_radii.clear();
  const auto refused = write(m);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("expected a page of up to 131072 inside of DATA"), std::string::npos);
}

// The bits of offsets, by hand as the specification says.
class HandWritten {
 public:
  HandWritten& put(std::uint64_t value, unsigned bits) {
    for (unsigned b = 0; b < bits; ++b) bits_.push_back((value >> b & 1) != 0);
    return *this;
  }
  HandWritten& track(std::uint32_t target, std::uint32_t attribute, std::uint32_t set) {
    return put(target, 16).put(attribute, 3).put(set, 3);
  }
  // One vertex that moves by the differences, of a width.
  HandWritten& values(std::initializer_list<std::uint32_t> differences, unsigned width) {
    put(width, 5).put(0, 15).put(0, 2);
    for (const std::uint32_t d : differences) put(d, width);
    return *this;
  }
  std::string error(std::uint32_t vertex_count = 3) const {
    ByteVector data((bits_.size() + 7) / 8);
    for (std::size_t b = 0; b < bits_.size(); ++b)
      data[b / 8] |= static_cast<std::byte>(static_cast<unsigned>(bits_[b]) << b % 8);
    const Exact bytes(data);
    ClusterOffsets out;
    const auto r = decode_offsets(bytes, vertex_count, out);
    return r ? "no error" : r.error().what;
  }

 private:
  std::vector<bool> bits_;
};

TEST(HclusterMorphs, offsets_that_break_a_rule_are_refused) {
  const std::string start = "the offsets of a cluster ";
  EXPECT_EQ(HandWritten().put(0, 20).error(), "no error");
  EXPECT_EQ(HandWritten().put(0, 16).error(), start + "end early");
  EXPECT_EQ(HandWritten().put(0, 32).error(), start + "have more bytes than they need");
  EXPECT_EQ(HandWritten().put(1, 20).track(7, 0, 0).put(0, 1).put(2, 3).values({65534, 0, 1}, 16).error(), "no error");
  EXPECT_EQ(HandWritten().put(1, 20).track(7, 0, 0).put(0, 1).put(2, 3).values({65535, 0, 1}, 16).error(),
            start + "have a number that is not from -32767 to 32767");
  EXPECT_EQ(HandWritten().put(1, 20).track(7, 0, 0).put(0, 1).put(2, 3).values({1, 1, 1}, 18).error(),
            start + "have a wide number");
  EXPECT_EQ(HandWritten().put(1, 20).track(7, 0, 0).put(0, 1).put(0, 3).values({1, 1, 1}, 2).error(),
            start + "have a track that moves no vertex");
  EXPECT_EQ(HandWritten().put(1, 20).track(7, 0, 0).put(1, 1).values({1, 1, 1}, 2).error(),
            start + "have a track that moves no vertex");
  EXPECT_EQ(HandWritten().put(1, 20).track(7, 5, 0).put(0, 1).put(2, 3).values({1, 1, 1}, 2).error(),
            start + "move an unknown attribute");
  EXPECT_EQ(HandWritten().put(1, 20).track(7, 1, 1).put(0, 1).put(2, 3).values({1, 1, 1}, 2).error(),
            start + "move a further set of an attribute");
  HandWritten twice;
  twice.put(2, 20).track(7, 3, 1).put(0, 1).put(2, 3).values({1, 1}, 2);
  EXPECT_EQ(HandWritten(twice).track(7, 3, 2).put(1, 1).values({1, 1}, 2).error(), "no error");
  EXPECT_EQ(HandWritten(twice).track(7, 3, 1).put(1, 1).values({1, 1}, 2).error(), start + "are not in order");
  EXPECT_EQ(HandWritten(twice).track(6, 4, 1).put(1, 1).values({1, 1, 1, 1}, 2).error(), start + "are not in order");
  EXPECT_EQ(twice.error(), start + "end early");
}

// A page whose offsets end too soon or too late; the hash is right.
TEST(HclusterMorphs, ends_of_offsets_are_checked) {
  const ByteVector good = *write(morphed_clusters());
  const auto view = View::open(good);
  const auto damaged = [&](std::uint32_t end) {
    ByteVector file = good;
    const ByteSpan page = view->page(0);
    ByteVector bytes(page.begin(), page.end());
    const auto records = *open_page(*view, 0, page);
    const std::size_t at = sizeof(std::uint32_t) + records.size_bytes() + records[0].data_bytes;
    std::memcpy(bytes.data() + at, &end, sizeof end);
    std::memcpy(file.data() + view->page_offset_bytes(0), bytes.data(), bytes.size());
    const std::uint64_t hash = xxh3_64(bytes);
    const auto hash_at = reinterpret_cast<const std::byte*>(&view->pages()[0].hash) - good.data();
    std::memcpy(file.data() + hash_at, &hash, sizeof hash);
    return decode_offsets_of(*View::open(file));
  };
  const ByteSpan page = view->page(0);
  const auto records = *open_page(*view, 0, page);
  const std::size_t at = sizeof(std::uint32_t) + records.size_bytes() + records[0].data_bytes;
  const auto end = load<std::uint32_t>(page, at);
  EXPECT_EQ(damaged(end), "no error");
  for (const std::uint32_t other : {end - 1, end + 1, 0xFFFFFFFFu}) {
    EXPECT_EQ(damaged(other), "the offsets of cluster 0 of a page end at " + std::to_string(other) + " of " +
                                  std::to_string(end) + ", expected ascending ends, the last at the end of the page");
  }
}

}  // namespace
}  // namespace assetc::hcluster
