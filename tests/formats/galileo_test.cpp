#include "assetc/formats/galileo.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "formats/galileo/source.hpp"
#include "formats/sample_mesh.hpp"
#include "formats/support.hpp"

namespace assetc::galileo {
namespace {

using namespace formats_test;

constexpr std::size_t kManifest = 36;
constexpr std::size_t kGroups = 36 + 44;

VertexGroup triangle(float z) {
  VertexGroup g;
  g.indices = {0, 1, 2};
  g.positions = {{0, 0, z}, {1, 0, z}, {0, 1, z}};
  g.normals.assign(3, {0, 0, 1});
  g.tangents.assign(3, {1, 0, 0, -1});
  return g;
}

// Two groups with every kind of channel, all our extensions and a foreign one.
Model sample() {
  Model m;
  m.uuid = uuid_of_ref("models/quad");
  VertexGroup rich = triangle(0);
  rich.texcoords = {{{0, 0}, {1, 0}, {0, 1}}, {{-0.5f, 2}, {0.25f, 0.3f}, {1, 1}}};
  rich.colors = {{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}};
  rich.joints = {{{0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}}};
  rich.weights = {{{32768, 32767, 0, 0}, {65535, 0, 0, 0}, {65535, 0, 0, 0}}};
  rich.extensions = {{"other.tool", 7, 4, ByteVector(12, std::byte{9})}};
  rich.material_slot = 0;
  m.groups = {rich, triangle(1)};
  m.materials = {hash_asset_ref("models/quad/wood")};
  m.joints = {identity_joint(1), identity_joint(hmesh::kNoParent)};
  m.names.submeshes = {"seat", "back"};
  m.names.materials = {"Wood"};
  m.extensions = {{"lights", 3, ByteVector(16, std::byte{5})}};
  return m;
}

Model plain() {
  Model m;
  m.groups = {triangle(0), triangle(1)};
  return m;
}

std::string words(const Model& base, const std::function<void(Model&)>& change) {
  Model m = base;
  change(m);
  const auto r = write(m);
  return r ? "no error" : r.error().what;
}

// A changed file with a corrected checksum.
template <class T>
ByteVector patched(const ByteVector& file, std::size_t offset, T value) {
  const ByteVector changed = with(file, offset, value);
  return with(changed, 28, xxh3_64(ByteSpan(changed).subspan(36)));
}

template <class T>
std::string patched_words(const Model& base, std::size_t offset, T value) {
  const ByteVector file = patched(*write(base), offset, value);
  const auto r = View::open(file);
  return r ? "no error" : r.error().what;
}

// --- One test for each MUST of the document.

TEST(Galileo, must_contain_a_manifest) {
  const ByteVector file = *write(plain());
  EXPECT_EQ(View::open(Exact(ByteSpan(file).first(36))).error().what, "found 0 bytes, expected a manifest of 44");
  EXPECT_EQ(View::open(Exact(ByteSpan(file).first(79))).error().what, "found 43 bytes, expected a manifest of 44");
}

TEST(Galileo, must_follow_the_manifest_with_vertex_group_infos) {
  const ByteVector file = *write(plain());
  EXPECT_EQ(load<std::uint32_t>(file, kGroups + 44), 3u);       // vertices of group 0
  EXPECT_EQ(load<std::uint32_t>(file, kGroups + 56 + 40), 3u);  // indices of group 1
  EXPECT_EQ(View::open(Exact(ByteSpan(file).first(kGroups + 56))).error().code, ErrorCode::kTruncated);
}

TEST(Galileo, must_provide_the_counts_of_groups_and_extensions_in_the_manifest) {
  const ByteVector file = *write(sample());
  EXPECT_EQ(load<std::uint32_t>(file, kManifest + 24), 2u);
  EXPECT_EQ(load<std::uint32_t>(file, kManifest + 28), 2u + 4u);
  EXPECT_FALSE(View::open(patched(file, kManifest + 24, std::uint32_t{3})));
  EXPECT_FALSE(View::open(patched(file, kManifest + 28, std::uint32_t{7})));
  EXPECT_EQ(View::open(patched(file, kManifest + 24, ~std::uint32_t{0})).error().code, ErrorCode::kTruncated);
  EXPECT_EQ(View::open(patched(file, kManifest + 28, ~std::uint32_t{0})).error().code, ErrorCode::kTruncated);
  EXPECT_EQ(View::open(patched(file, kManifest + 32, ~std::uint64_t{0})).error().code, ErrorCode::kTruncated);
}

TEST(Galileo, must_contain_one_or_more_vertex_groups) {
  EXPECT_EQ(words(plain(), [](Model& m) { m.groups.clear(); }), "found no vertex groups, expected one or more");
  EXPECT_EQ(patched_words(plain(), kManifest + 24, std::uint32_t{0}), "found no vertex groups, expected one or more");
}

TEST(Galileo, must_place_each_attribute_of_a_group_in_the_buffer) {
  EXPECT_EQ(patched_words(plain(), kGroups + 24, std::uint64_t{1} << 40),
            "vertex group 0 at 1099511627776 + 132 does not fit in the buffer of 264 bytes");
  EXPECT_EQ(patched_words(plain(), kGroups + 24, ~std::uint64_t{3}),
            "vertex group 0 at 18446744073709551612 + 132 does not fit in the buffer of 264 bytes");
  EXPECT_EQ(patched_words(plain(), kGroups + 24, std::uint64_t{2}),
            "vertex group 0: found begin of the slice 2, expected a multiple of 4");
  EXPECT_EQ(patched_words(plain(), kGroups + 32, std::uint64_t{128}),
            "vertex group 0 takes 128 bytes, expected 132 for its counts");
}

TEST(Galileo, must_have_an_index_buffer) {
  EXPECT_EQ(words(plain(), [](Model& m) { m.groups[1].indices.clear(); }),
            "vertex group 1: found index count 0, expected a multiple of 3 of at least 3");
}

TEST(Galileo, must_have_an_index_count_that_is_a_multiple_of_3) {
  EXPECT_EQ(words(plain(), [](Model& m) { m.groups[1].indices.pop_back(); }),
            "vertex group 1: found index count 2, expected a multiple of 3 of at least 3");
}

TEST(Galileo, must_have_positions_normals_and_tangents) {
  EXPECT_EQ(words(plain(), [](Model& m) { m.groups[0].positions.clear(); }),
            "found 3 elements, expected 0, as many as positions");
  EXPECT_EQ(words(plain(), [](Model& m) { m.groups[0].normals.clear(); }),
            "found 0 elements, expected 3, as many as positions");
  EXPECT_EQ(words(plain(), [](Model& m) { m.groups[0].tangents.pop_back(); }),
            "found 2 elements, expected 3, as many as positions");
  const ByteVector file = *write(plain());
  const View view = *View::open(file);
  EXPECT_EQ(view.groups()[1].positions[2], (Float3{0, 1, 1}));
  EXPECT_EQ(view.groups()[1].normals[2], (Float3{0, 0, 1}));
  EXPECT_EQ(view.groups()[1].tangents[2], (Float4{1, 0, 0, -1}));
}

TEST(Galileo, must_have_as_many_joint_channels_as_weight_channels) {
  EXPECT_EQ(words(sample(), [](Model& m) { m.groups[0].weights.clear(); }),
            "found 1 channel of joints and 0 of weights, expected the same number");
  const ByteVector file = *write(sample());
  const View view = *View::open(file);
  EXPECT_EQ(view.groups()[0].joints.size(), view.groups()[0].weights.size());
}

TEST(Galileo, must_keep_attributes_contiguous_and_de_interleaved) {
  const ByteVector file = *write(sample());
  const View view = *View::open(file);
  const GroupView& g = view.groups()[0];
  const auto* const end = reinterpret_cast<const std::byte*>(g.indices.data() + 3);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(g.positions.data()), end);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(g.normals.data()), end + 36);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(g.tangents.data()), end + 72);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(g.texcoords[0].data()), end + 120);
}

TEST(Galileo, must_keep_channels_of_one_kind_contiguous_and_de_interleaved) {
  const ByteVector file = *write(sample());
  const View view = *View::open(file);
  const GroupView& g = view.groups()[0];
  const auto* const end = reinterpret_cast<const std::byte*>(g.texcoords[0].data());
  EXPECT_EQ(reinterpret_cast<const std::byte*>(g.texcoords[1].data()), end + 12);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(g.colors[0].data()), end + 24);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(g.joints[0].data()), end + 36);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(g.weights[0].data()), end + 60);
  EXPECT_EQ(g.extensions[0].data.data(), end + 84);
}

// --- The rest.

TEST(Galileo, round_trips_every_channel_and_extension) {
  const ByteVector file = *write(sample());
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->to_model(), sample());
  EXPECT_EQ(*write(view->to_model()), file);
  EXPECT_EQ(view->materials()[0], hash_asset_ref("models/quad/wood"));
  EXPECT_EQ(view->joints().size(), 2u);
  EXPECT_EQ(view->names()->submesh(1), "back");
  EXPECT_EQ(view->find_extension("lights")->version, 3u);
  EXPECT_EQ(view->groups()[0].extensions[1].stride_bytes, 4u);
}

TEST(Galileo, keeps_texcoords_outside_unorm_exactly) {
  const ByteVector file = *write(sample());
  const View view = *View::open(file);
  const GroupView& g = view.groups()[0];
  EXPECT_FALSE(g.exact_texcoords(0));
  ASSERT_TRUE(g.exact_texcoords(1));
  EXPECT_EQ((*g.exact_texcoords(1))[0], (Float2{-0.5f, 2}));
  EXPECT_EQ(g.texcoords[1][0], (Unorm2{0, 65535}));
  EXPECT_TRUE(needs_exact_texcoords(sample().groups[0].texcoords[1]));
  EXPECT_FALSE(needs_exact_texcoords(sample().groups[0].texcoords[0]));
}

TEST(Galileo, unorm_texcoords_stay_within_half_a_step) {
  Model m = plain();
  m.groups[0].texcoords = {{{0.1f, 0.2f}, {0.333333f, 0.999f}, {0.5f, 0.00001f}}};
  const ByteVector file = *write(m);
  const Model back = View::open(file)->to_model();
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t a = 0; a < 2; ++a)
      EXPECT_NEAR(back.groups[0].texcoords[0][i][a], m.groups[0].texcoords[0][i][a], 0.5001 / 65535);
  }
}

TEST(Galileo, keeps_its_golden_bytes) { expect_golden("sample.gali", *write(sample())); }

TEST(Galileo, lays_out_the_header_as_specified) {
  const ByteVector file = *write(sample());
  EXPECT_EQ(as_text(ByteSpan(file).first(4)), "GALI");
  EXPECT_EQ(load<std::uint8_t>(file, 4), 0);
  EXPECT_EQ(load<std::uint8_t>(file, 5), 1);
  EXPECT_EQ(load<std::uint16_t>(file, 6), 0);
  EXPECT_EQ(load<Uuid>(file, 8), uuid_of_ref("models/quad"));
  EXPECT_EQ(load<std::uint32_t>(file, 24), 1u);
  EXPECT_EQ(load<std::uint64_t>(file, 28), xxh3_64(ByteSpan(file).subspan(36)));
  EXPECT_EQ(load<float>(file, kManifest + 8), 0.5f);   // center z of 0 .. 1
  EXPECT_EQ(load<float>(file, kManifest + 20), 0.5f);  // half extent
}

TEST(Galileo, uuids_are_stable_and_of_version_4) {
  const Uuid a = uuid_of_ref("models/quad");
  EXPECT_EQ(a, uuid_of_ref("models/quad"));
  EXPECT_NE(a, uuid_of_ref("models/quax"));
  EXPECT_EQ(a.to_string(), "470e7088-1018-4748-a00a-1afb16ab8738");
}

TEST(Galileo, refuses_every_prefix) { expect_every_prefix_refused(*write(sample()), View::open); }

TEST(Galileo, survives_changed_bytes) {
  const ByteVector file = *write(sample());
  for (std::size_t i = 36; i < file.size(); ++i) {
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff})
      (void)View::open(Exact(patched(file, i, static_cast<std::uint8_t>(value))));
  }
}

TEST(Galileo, rejects_extra_bytes) {
  EXPECT_EQ(View::open(with_extra(*write(sample()), 1)).error().what,
            "found 1 extra byte, expected the end of the file");
}

TEST(Galileo, rejects_a_wrong_checksum) {
  const ByteVector file = *write(sample());
  EXPECT_EQ(error_of(View::open(with(file, file.size() - 1, std::uint8_t{77}))),
            "byte 28: found a checksum that is not that of the contents; the file is damaged or was cut short; write "
            "it again");
}

TEST(Galileo, rejects_a_future_version) {
  const ByteVector file = *write(sample());
  EXPECT_EQ(error_of(View::open(with(file, 5, std::uint8_t{2}))),
            "byte 4: found Galileo version 0.2, expected 0.1 at most; read it with a newer assetc, or write it again "
            "with this one");
  EXPECT_EQ(View::open(with(file, 4, std::uint8_t{1})).error().code, ErrorCode::kVersion);
}

TEST(Galileo, rejects_other_assets) {
  const ByteVector file = *write(sample());
  EXPECT_EQ(View::open(with(file, 24, std::uint32_t{2})).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(error_of(View::open(with(file, 0, std::uint8_t{'X'}))),
            "byte 0: found magic XALI, expected GALI; check that this is a Galileo asset");
}

TEST(Galileo, rejects_a_misaligned_buffer) {
  const ByteVector file = *write(sample());
  ByteVector shifted(file.size() + 2);
  std::copy(file.begin(), file.end(), shifted.begin() + 2);
  EXPECT_EQ(View::open(ByteSpan(shifted).subspan(2)).error().code, ErrorCode::kUsage);
}

TEST(Galileo, rejects_groups_that_overlap) {
  EXPECT_EQ(patched_words(plain(), kGroups + 56 + 24, std::uint64_t{128}),
            "vertex groups 0 and 1 overlap in the buffer");
  EXPECT_EQ(patched_words(plain(), kGroups + 56 + 24, std::uint64_t{0}), "vertex groups 0 and 1 overlap in the buffer");
}

TEST(Galileo, rejects_extension_chains_that_loop) {
  const std::size_t extensions = kGroups + 2 * 56;
  EXPECT_EQ(patched_words(sample(), extensions + 28, std::uint32_t{1}), "the extension chain of vertex group 0 loops");
  EXPECT_EQ(patched_words(sample(), extensions + 5 * 32 + 28, std::uint32_t{3}),
            "the extension chain of the mesh loops");
}

TEST(Galileo, rejects_extension_chains_that_point_outside) {
  const std::size_t extensions = kGroups + 2 * 56;
  EXPECT_EQ(patched_words(sample(), kManifest + 40, std::uint32_t{7}),
            "the extension chain of the mesh points at extension 6, expected less than 6");
  EXPECT_EQ(patched_words(sample(), kGroups + 52, ~std::uint32_t{0}),
            "the extension chain of vertex group 0 points at extension 4294967294, expected less than 6");
  EXPECT_EQ(patched_words(sample(), extensions + 5 * 32 + 28, std::uint32_t{9}),
            "the extension chain of the mesh points at extension 8, expected less than 6");
}

TEST(Galileo, rejects_extension_data_outside_its_place) {
  const std::size_t extensions = kGroups + 2 * 56;
  EXPECT_NE(patched_words(sample(), extensions + 20, ~std::uint64_t{0}).find("expected at most"), std::string::npos);
  EXPECT_NE(patched_words(sample(), extensions + 20, std::uint64_t{0}).find("after the attributes of vertex group 0"),
            std::string::npos);
  EXPECT_NE(patched_words(sample(), extensions + 5 * 32 + 20, std::uint64_t{4}).find("inside a vertex group"),
            std::string::npos);
}

TEST(Galileo, rejects_extension_channels_without_an_extension) {
  EXPECT_EQ(patched_words(sample(), kGroups + 52, std::uint32_t{0}),
            "vertex group 0 has 2 extension channels, expected one for each of the 0 extensions of its chain");
}

TEST(Galileo, rejects_indices_positions_and_boxes_out_of_range) {
  EXPECT_EQ(words(plain(), [](Model& m) { m.groups[1].indices[2] = 3; }),
            "index of vertex group 1, 2 is 3, expected less than 3");
  EXPECT_NE(words(plain(), [](Model& m) { m.groups[0].positions[1][0] = std::numeric_limits<float>::quiet_NaN(); }),
            "no error");
  EXPECT_NE(words(plain(), [](Model& m) { m.groups[0].positions[1][0] = std::numeric_limits<float>::infinity(); }),
            "no error");
  EXPECT_EQ(patched_words(plain(), kGroups + 12, -1.0f),
            "vertex group 0: found half extent -1, expected a finite number of at least 0");
  EXPECT_EQ(patched_words(plain(), kGroups + 12, 0.25f),
            "vertex 0 of vertex group 0 at (0, 0, 0) lies outside its box");
  EXPECT_EQ(patched_words(plain(), kManifest + 12, 0.25f),
            "vertex 0 of vertex group 0 at (0, 0, 0) lies outside the mesh's box");
}

TEST(Galileo, rejects_bad_extensions_of_ours) {
  EXPECT_EQ(words(sample(), [](Model& m) { m.groups[1].material_slot = 1; }),
            "material slot of vertex group 1 is 1, expected less than 1 or none");
  EXPECT_EQ(words(sample(), [](Model& m) { m.groups[0].joints[0][1][2] = 2; }),
            "joint of a vertex, 6 is 2, expected less than 2");
  EXPECT_EQ(words(sample(), [](Model& m) { m.joints[1].parent = 0; }), "joint 0 is its own ancestor");
  EXPECT_EQ(words(sample(), [](Model& m) { m.names.submeshes.pop_back(); }), "found submesh_count 1, expected 0 or 2");
  EXPECT_EQ(words(sample(), [](Model& m) { m.extensions[0].name = "a name of seventeen"; }),
            "found an extension named \"a name of seventeen\", expected 1 to 16 bytes");
}

Model with_lines() {
  Model m = plain();
  m.groups[1].topology = hmesh::Topology::kLines;
  m.groups[1].flags = hmesh::GpuPrimitive::kHasNormals;
  m.groups[1].indices = {0, 1, 1, 2};
  m.groups.push_back(triangle(2));
  m.groups[2].topology = hmesh::Topology::kPoints;
  m.groups[2].indices = {2, 0, 2, 1, 1};
  return m;
}

TEST(Galileo, keeps_points_and_lines) {
  const ByteVector file = *write(with_lines());
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->to_model(), with_lines());
  expect_golden("lines.gali", file);
  EXPECT_EQ(load<std::uint32_t>(file, kFileHeaderBytes + kManifestBytes + kGroupInfoBytes + 40), 3u)
      << "a reader that skips the extension sees one triangle without area";
  EXPECT_EQ(View::open(*write(plain()))->find_extension(kTopologyExtension), nullptr);
}

TEST(Galileo, rejects_broken_points_and_lines) {
  EXPECT_EQ(words(with_lines(), [](Model& m) { m.groups[1].indices[3] = 3; }),
            "index of vertex group 1, 3 is 3, expected less than 3");
  EXPECT_EQ(words(with_lines(), [](Model& m) { m.groups[1].indices.pop_back(); }),
            "vertex group 1 has topology 1 and 3 indices, expected whole lines or points, and none of triangles");
  EXPECT_EQ(words(with_lines(), [](Model& m) { m.groups[2].indices.clear(); }),
            "vertex group 2 has topology 2 and 0 indices, expected whole lines or points, and none of triangles");
  const ByteVector file = *write(with_lines());
  const auto row =
      static_cast<std::size_t>(View::open(file)->find_extension(kTopologyExtension)->data.data() - file.data()) + 4;
  EXPECT_EQ(patched_words(with_lines(), row, 3u), "topology of vertex group 0: found topology 3, expected 0 to 2");
  EXPECT_EQ(patched_words(with_lines(), row + 2 * sizeof(GroupTopology) + 12, 4u),
            "found 8 indices in all, expected 9");
  expect_every_prefix_refused(file, View::open);
  for (std::size_t i = 36; i < file.size(); ++i) {
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff})
      (void)View::open(Exact(patched(file, i, static_cast<std::uint8_t>(value))));
  }
}

TEST(Galileo, boxes_hold_their_positions_whatever_they_are) {
  Model m = plain();
  std::uint32_t state = 1;
  for (int round = 0; round < 200; ++round) {
    for (Float3& p : m.groups[0].positions) {
      for (float& x : p) {
        state = state * 1664525u + 1013904223u;
        x = std::ldexp(static_cast<float>(static_cast<std::int32_t>(state)), static_cast<int>(state >> 8) % 60 - 60);
      }
    }
    const auto file = write(m);
    ASSERT_TRUE(file) << error_of(file);
    const View view = *View::open(*file);
    const GroupView& g = view.groups()[0];
    for (const Float3& p : g.positions) {
      for (std::size_t a = 0; a < 3; ++a) EXPECT_LE(std::fabs(p[a] - g.box.center[a]), g.box.half_extent[a]);
    }
  }
}

TEST(Galileo, weights_always_sum_to_one) {
  for (const std::vector<float>& w : {std::vector<float>{0.25f, 0.25f, 0.25f, 0.25f},
                                      {1, 1, 1, 0},
                                      {0, 0, 0, 0},
                                      {1e-9f, 1, 0, 0},
                                      {-1, 0.5f, 0.25f, NAN},
                                      {0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.3f}}) {
    std::vector<std::uint16_t> q(w.size());
    quantize_weights(w, q);
    EXPECT_EQ(std::accumulate(q.begin(), q.end(), 0u), 65535u);
  }
}

// A mesh in its own layout, larger than the writer's buffer.
struct Interleaved {
  struct Vertex {
    Float3 position, normal;
    Float4 tangent;
    Float2 uv;
  };
  std::vector<Vertex> vertices;
  std::vector<std::uint32_t> indices;

  explicit Interleaved(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto x = static_cast<float>(i) / static_cast<float>(count);
      vertices.push_back({{x, 1 - x, x * x}, {0, x, 1}, {1, x, 0, -1}, {x * 1.5f, 0.5f}});
      for (const std::uint32_t step : {0u, 1u, 2u}) indices.push_back((i + step) % count);
    }
  }
  GroupSource source() const {
    GroupSource g;
    g.low = {0, 0, 0};
    g.high = {1, 1, 1};
    g.index_count = static_cast<std::uint32_t>(indices.size());
    g.vertex_count = static_cast<std::uint32_t>(vertices.size());
    const auto column = [this](auto member) {
      return [this, member](std::size_t first, auto out) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = vertices[first + i].*member;
      };
    };
    g.indices = [this](std::size_t first, std::span<std::uint32_t> out) {
      std::copy_n(indices.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
    };
    g.positions = column(&Vertex::position);
    g.normals = column(&Vertex::normal);
    g.tangents = column(&Vertex::tangent);
    g.texcoords = {{column(&Vertex::uv), true}, {column(&Vertex::uv), false}};
    return g;
  }
  VertexGroup group() const {
    VertexGroup g;
    g.indices = indices;
    g.texcoords.resize(1);
    for (const Vertex& v : vertices) {
      g.positions.push_back(v.position);
      g.normals.push_back(v.normal);
      g.tangents.push_back(v.tangent);
      g.texcoords[0].push_back(v.uv);
    }
    return g;
  }
};

TEST(Galileo, fills_the_same_bytes_in_any_order) {
  const Interleaved mesh(100'000);
  Source source;
  source.groups = {mesh.source(), mesh.source()};
  source.groups[1].low = {-5, 0, 0};
  std::size_t pieces = 0;
  const auto forwards = write(source);
  const auto backwards = write(source, [&](std::size_t count, const std::function<void(std::size_t)>& body) {
    pieces = std::max(pieces, count);
    while (count > 0) body(--count);
  });
  ASSERT_TRUE(forwards) << error_of(forwards);
  ASSERT_TRUE(backwards) << error_of(backwards);
  EXPECT_GT(pieces, 100u);
  EXPECT_TRUE(std::ranges::equal(forwards->span(), backwards->span()));
  EXPECT_EQ(load<float>(*forwards, kManifest + 12), 3.0f);  // half of -5 to 1
}

TEST(Galileo, fills_what_a_model_holds) {
  const Interleaved mesh(10'000);
  Source source;
  source.groups = {mesh.source()};
  const auto file = write(source);
  ASSERT_TRUE(file) << error_of(file);
  const auto view = View::open(*file);
  ASSERT_TRUE(view) << error_of(view);
  Model back = view->to_model();
  // The second channel has the values of the first after rounding to unorm.
  ASSERT_EQ(back.groups[0].texcoords.size(), 2u);
  EXPECT_EQ(back.groups[0].texcoords[1][9'999], (Float2{1.0f, 32768 / 65535.0f}));
  EXPECT_EQ(back.groups[0].texcoords[1][2'000], (Float2{19661 / 65535.0f, 32768 / 65535.0f}));
  back.groups[0].texcoords.pop_back();
  EXPECT_EQ(back.groups[0], mesh.group());
}

TEST(Galileo, a_mesh_that_no_memory_holds_is_refused_before_it_is_asked_for) {
  EXPECT_TRUE(check_addressable(0xFFFFFFFF, 0xFFFFFFFF));
  const auto refused = check_addressable(0x100000000, 0xFFFFFFFF);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLimit);
  EXPECT_EQ(refused.error().to_string(),
            "found a mesh of 4294967296 bytes, expected at most 4294967295, which memory can hold; split the mesh, or "
            "write it with a 64-bit assetc");
}

TEST(Galileo, a_source_is_refused_where_a_model_is) {
  const Interleaved mesh(10);
  Source source;
  EXPECT_EQ(write(source).error().what, "found no vertex groups, expected one or more");
  source.groups = {mesh.source()};
  source.groups[0].low = {0.5f, 0, 0};
  EXPECT_EQ(write(source).error().what, "vertex 0 of vertex group 0 at (0, 1, 0) lies outside its box");
  source.groups = {mesh.source()};
  source.groups[0].vertex_count = 9;
  EXPECT_EQ(write(source).error().what, "index of vertex group 0, 23 is 9, expected less than 9");
  source.groups = {mesh.source()};
  source.groups[0].joints.resize(1);
  EXPECT_EQ(write(source).error().what, "found 1 channel of joints and 0 of weights, expected the same number");
}

TEST(Galileo, unorm_of_every_kind_of_number) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();
  VertexGroup g = triangle(0);
  g.texcoords = {{{-kNan, kNan}, {-kInfinity, kInfinity}, {-0.0f, 1e-30f}},
                 {{0.5f, 1.0f}, {1.0f / 65535, 65534.0f / 65535}, {0.99999999f, 1.0000001f}}};
  Model m;
  m.groups = {g};
  const ByteVector file = *write(m);
  const View view = *View::open(file);
  const auto& first = view.groups()[0].texcoords[0];
  const auto& second = view.groups()[0].texcoords[1];
  EXPECT_EQ(first[0], (Unorm2{0, 0}));
  EXPECT_EQ(first[1], (Unorm2{0, 65535}));
  EXPECT_EQ(first[2], (Unorm2{0, 0}));
  EXPECT_EQ(second[0], (Unorm2{32768, 65535}));
  EXPECT_EQ(second[1], (Unorm2{1, 65534}));
  EXPECT_EQ(second[2], (Unorm2{65535, 65535}));
}

TEST(Galileo, takes_a_hmesh_submesh_by_submesh) {
  const Model m = from_hmesh(full_quad(), uuid_of_ref("models/quad"));
  ASSERT_EQ(m.groups.size(), 2u);
  EXPECT_EQ(m.groups[1].indices, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(m.groups[1].positions[2], (Float3{0, 1, 0}));
  EXPECT_EQ(m.groups[0].material_slot, 1u);
  EXPECT_NEAR(m.groups[0].tangents[0][0], 1, 1e-6);
  EXPECT_EQ(m.groups[0].tangents[0][3], -1);
  const auto file = write(m);
  ASSERT_TRUE(file) << error_of(file);
  EXPECT_EQ(View::open(*file)->to_model(), m);
}

}  // namespace
}  // namespace assetc::galileo
