// Encoded .hmesh files decode to the plain file, and damaged ones are refused.
#include "codec/mesh/encode/hmesh_encode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/hmesh_encoded.hpp"
#include "assetc/runtime/inflate.hpp"
#include "filetypes/filetypes.hpp"
#include "formats/sample_mesh.hpp"
#include "formats/support.hpp"
#include "mesh/build.hpp"
#include "mesh/joints.hpp"
#include "mesh/quantize.hpp"
#include "mesh/shapes.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/mesh/compiled_mesh.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::recipes {
namespace {

using formats_test::error_of;
using formats_test::Exact;
using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

constexpr hmesh::HmeshEncoding kStreams{.zstd = false}, kZstd{.zstd = true};

Result<ByteVector> decode_file(ByteSpan file) {
  ASSETC_TRY(const std::uint64_t size, hmesh::decoded_size(file));
  ByteVector out(size);
  ASSETC_CHECK(hmesh::decode(file, out, runtime::inflate_frame));
  return out;
}

std::uint32_t chunk_flags(ByteSpan file, std::uint32_t id) {
  for (const auto table = *chunks::open_table(file, hmesh::kVersion); const chunks::ChunkEntry& entry : table) {
    if (entry.id == id) return entry.flags;
  }
  return 0;
}
std::uint64_t chunk_bytes(ByteSpan file, std::uint32_t id) {
  for (const auto table = *chunks::open_table(file, hmesh::kVersion); const chunks::ChunkEntry& entry : table) {
    if (entry.id == id) return entry.size_bytes;
  }
  return 0;
}

// A wavy grid with two levels of detail, two texture coordinate sets, colors and a skin, in two submeshes.
class SkinnedField {
 public:
  explicit SkinnedField(std::uint32_t width = 60, std::uint32_t height = 50) : shape_(mesh::wavy_grid(width, height)) {
    std::mt19937 random(7);
    for (std::size_t v = 0; v < shape_.positions.size(); ++v) {
      const Vec2 uv = shape_.texcoords[v];
      second_.push_back({uv.y * 7 - 3, uv.x * 0.01f});
      colors_.push_back({uv.x, uv.y * 0.5f, 0.25f, 1 - uv.x * uv.y});
      const float a = 0.5f + 0.5f * uv.x, b = (1 - a) * 0.75f;
      skin_.push_back({{0, 1, 2, 0}, {a, b, 1 - a - b, 0}});
    }
    const std::size_t half = shape_.indices.size() / 6 * 3;
    for (const auto& [first, count] : {std::pair{std::size_t{0}, half}, {half, shape_.indices.size() - half}}) {
      mesh::SubmeshInput& in = inputs_.emplace_back();
      in.material_slot = first == 0 ? 0 : 1;
      in.indices = std::span(shape_.indices).subspan(first, count);
      in.positions = shape_.positions;
      in.normals = shape_.normals;
      in.texcoords = shape_.texcoords;
      in.texcoord_sets = {shape_.texcoords, second_};
      in.color_sets = {colors_};
      in.skin = skin_;
    }
  }

  const mesh::Shape& shape() const { return shape_; }
  mesh::Mesh build(const mesh::Precision& precision = {}) const {
    mesh::MeshOptions options;
    options.position_step = mesh::position_step(inputs_, precision.position_bits);
    options.has_meshlet_order = precision.position_bits != 0;
    auto built = mesh::build_mesh(inputs_, options);
    EXPECT_TRUE(built) << error_of(built);
    mesh::Mesh mesh = std::move(built->mesh);
    mesh::quantize_streams(precision, mesh);
    if (options.has_meshlet_order) hmesh::rotate_for_encoding(mesh);
    for (std::int32_t j = 0; j < 3; ++j) mesh.joints.push_back(mesh::joint_of({}, {}, j - 1));
    return mesh;
  }
  ByteVector file(const mesh::Precision& precision = {}, MeshCompression compress = MeshCompression::kNone) const {
    CompiledMesh compiled{.mesh = build(precision), .compress = compress};
    compiled.mesh.materials = {17, 18};
    MeshReport report;
    auto bytes = kHmesh.write(compiled, report);
    EXPECT_TRUE(bytes) << error_of(bytes);
    const ByteSpan span = *bytes;
    return {span.begin(), span.end()};
  }

 private:
  mesh::Shape shape_;
  std::vector<Vec2> second_;
  std::vector<Vec4> colors_;
  std::vector<hmesh::GpuSkinVertex> skin_;
  std::vector<mesh::SubmeshInput> inputs_;
};

constexpr mesh::Precision kUsual{14, 12, 8, 8, 8};

TEST(HmeshEncode, decodes_to_the_plain_file) {
  const SkinnedField field;
  for (const ByteVector& plain : {field.file(), field.file(kUsual), *hmesh::write(formats_test::further_quad()),
                                  *hmesh::write(formats_test::quad_with_primitives())}) {
    for (const hmesh::HmeshEncoding& encoding : {kStreams, kZstd}) {
      const auto encoded = hmesh::encode_hmesh(plain, encoding);
      ASSERT_TRUE(encoded) << error_of(encoded);
      const auto again = decode_file(Exact(*encoded));
      ASSERT_TRUE(again) << error_of(again);
      EXPECT_EQ(*again, plain);
    }
  }
}

TEST(HmeshEncode, encodes_every_large_chunk) {
  const ByteVector plain = SkinnedField().file(), encoded = *hmesh::encode_hmesh(plain, kStreams);
  EXPECT_LT(encoded.size(), plain.size() * 3 / 4);
  EXPECT_FALSE(hmesh::is_encoded(plain));
  EXPECT_TRUE(hmesh::is_encoded(encoded));
  using hmesh::Encoding;
  for (const auto& [id, encoding] : {std::pair{hmesh::kVerticesId, Encoding::kAttributes},
                                     {hmesh::kIndicesId, Encoding::kTriangles},
                                     {hmesh::kLodIndicesId, Encoding::kTriangles},
                                     {hmesh::kMeshletsId, Encoding::kDerived},
                                     {hmesh::kMeshletVerticesId, Encoding::kDerived},
                                     {hmesh::kMeshletTrianglesId, Encoding::kMeshlets},
                                     {hmesh::kMeshletBoundsId, Encoding::kAttributes},
                                     {hmesh::kSkinId, Encoding::kAttributes},
                                     {hmesh::kFurtherVerticesId, Encoding::kAttributes},
                                     {hmesh::kBoundsId, Encoding::kPlain}})
    EXPECT_EQ(chunk_flags(encoded, id), static_cast<std::uint32_t>(encoding)) << id;
  EXPECT_LT(hmesh::encode_hmesh(plain, kZstd)->size(), encoded.size());
}

TEST(HmeshEncode, rounded_meshes_have_grids_and_store_their_triangles_once) {
  const ByteVector plain = SkinnedField().file(kUsual), encoded = *hmesh::encode_hmesh(plain, kStreams);
  EXPECT_LT(encoded.size(), hmesh::encode_hmesh(SkinnedField().file(), kStreams)->size() * 3 / 4);
  EXPECT_EQ(chunk_flags(encoded, hmesh::kVerticesId), static_cast<std::uint32_t>(hmesh::Encoding::kGrid));
  for (const std::uint32_t id : {hmesh::kIndicesId, hmesh::kMeshletsId, hmesh::kMeshletVerticesId}) {
    EXPECT_EQ(chunk_flags(encoded, id), static_cast<std::uint32_t>(hmesh::Encoding::kDerived));
    EXPECT_EQ(chunk_bytes(encoded, id), sizeof(hmesh::EncodedHeader));
  }
  const auto precision = hmesh::grid_precision(encoded);
  ASSERT_TRUE(precision);
  EXPECT_EQ(precision->normal_bits, 8u);
  EXPECT_EQ(precision->tangent_bits, 8u);
  EXPECT_EQ(hmesh::grid_precision(*hmesh::encode_hmesh(SkinnedField().file(), kStreams)).has_value(), false);
}

TEST(HmeshEncode, small_chunks_stay_plain) {
  const ByteVector plain = *hmesh::write(formats_test::static_quad());
  EXPECT_EQ(*hmesh::encode_hmesh(plain, kStreams), plain);
}

TEST(HmeshEncode, keeps_chunks_that_it_does_not_know) {
  const ByteVector file = SkinnedField(12, 12).file();
  std::vector<chunks::Chunk> list;
  for (const auto table = *chunks::open_table(file, hmesh::kVersion); const chunks::ChunkEntry& entry : table)
    list.push_back({entry.id, ByteSpan(file).subspan(entry.offset_bytes, entry.size_bytes)});
  list.insert(list.begin() + 2, {fourcc("WIND"), ByteSpan(file).first(21)});
  list[2].flags = 0;
  const ByteVector plain = chunks::write_file(hmesh::kVersion, list), encoded = *hmesh::encode_hmesh(plain, kStreams);
  EXPECT_TRUE(hmesh::is_encoded(encoded));
  EXPECT_EQ(*decode_file(encoded), plain);
}

TEST(HmeshEncode, a_view_says_that_the_file_must_be_decoded) {
  const ByteVector encoded = *hmesh::encode_hmesh(SkinnedField(12, 12).file(), kStreams);
  const auto view = hmesh::View::open(encoded);
  ASSERT_FALSE(view);
  EXPECT_EQ(view.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(view.error().what, ::testing::HasSubstr("has encoded chunks"));
  EXPECT_THAT(view.error().hint, ::testing::HasSubstr("hmesh::decode()"));
}

TEST(HmeshEncode, refuses_every_prefix) {
  for (const mesh::Precision& precision : {mesh::Precision{}, kUsual}) {
    const ByteVector encoded = *hmesh::encode_hmesh(SkinnedField(9, 9).file(precision), kStreams);
    formats_test::expect_every_prefix_refused(encoded, decode_file);
  }
}

TEST(HmeshEncode, survives_changed_bytes) {
  const auto open = [](ByteSpan file) -> Result<void> {
    const auto bytes = decode_file(file);
    if (!bytes) return std::unexpected(bytes.error());
    return filetypes::check_file("a.hmesh", *bytes);
  };
  for (const mesh::Precision& precision : {mesh::Precision{}, kUsual}) {
    for (const hmesh::HmeshEncoding& encoding : {kStreams, kZstd}) {
      const ByteVector encoded = *hmesh::encode_hmesh(SkinnedField(7, 7).file(precision), encoding);
      formats_test::expect_survives_changed_bytes(encoded, open);
    }
  }
}

TEST(HmeshEncode, refuses_sizes_that_streams_cannot_have) {
  const ByteVector good = *hmesh::encode_hmesh(SkinnedField(12, 12).file(), kStreams);
  for (const std::uint32_t id : {hmesh::kVerticesId, hmesh::kIndicesId, hmesh::kMeshletTrianglesId}) {
    ByteVector file = good;
    for (const auto table = *chunks::open_table(good, hmesh::kVersion); const chunks::ChunkEntry& entry : table) {
      if (entry.id != id) continue;
      auto header = load<hmesh::EncodedHeader>(file, entry.offset_bytes);
      header.decoded_bytes = std::uint64_t{84} << 40;
      std::memcpy(file.data() + entry.offset_bytes, &header, sizeof header);
    }
    const auto size = hmesh::decoded_size(file);
    ASSERT_FALSE(size);
    EXPECT_THAT(size.error().what, ::testing::HasSubstr("which its encoding cannot hold"));
  }
}

TEST(HmeshEncode, refuses_meshlets_with_vertices_that_the_mesh_lacks) {
  for (const mesh::Precision& precision : {mesh::Precision{}, kUsual}) {
    const ByteVector plain = SkinnedField(12, 12).file(precision), good = *hmesh::encode_hmesh(plain, kStreams);
    const std::span<const hmesh::GpuVertex> vertices = hmesh::View::open(plain)->vertices();
    const auto with_vertices = [&](std::size_t count) {
      std::vector<chunks::Chunk> list;
      for (const auto table = *chunks::open_table(good, hmesh::kVersion); const chunks::ChunkEntry& entry : table) {
        chunks::Chunk& chunk = list.emplace_back(chunks::Chunk{.id = entry.id, .payload = {}, .flags = entry.flags});
        chunk.payload = ByteSpan(good).subspan(entry.offset_bytes, entry.size_bytes);
        if (entry.id == hmesh::kVerticesId) chunk.payload = std::as_bytes(vertices.first(count)), chunk.flags = 0;
      }
      return decode_file(chunks::write_file(hmesh::kVersion, list));
    };
    EXPECT_TRUE(with_vertices(vertices.size()));
    for (const std::size_t count : {vertices.size() - 1, vertices.size() / 2, std::size_t{0}}) {
      const auto result = with_vertices(count);
      EXPECT_FALSE(result && filetypes::check_file("a.hmesh", *result)) << count;
    }
  }
}

TEST(HmeshEncode, refuses_memory_of_another_size) {
  const ByteVector encoded = *hmesh::encode_hmesh(SkinnedField(12, 12).file(), kStreams);
  ByteVector out(*hmesh::decoded_size(encoded) + 8);
  const auto done = hmesh::decode(encoded, out);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kUsage);
}

TEST(HmeshEncode, zstd_needs_a_function) {
  const ByteVector encoded = *hmesh::encode_hmesh(SkinnedField().file(kUsual), kZstd);
  ByteVector out(*hmesh::decoded_size(encoded));
  const auto done = hmesh::decode(encoded, out);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(done.error().what, ::testing::HasSubstr("is a Zstd frame"));
}

TEST(HmeshEncode, the_row_writes_what_the_setting_says) {
  const SkinnedField field;
  const ByteVector plain = field.file();
  for (const MeshCompression compress : {MeshCompression::kMeshopt, MeshCompression::kMeshoptZstd}) {
    const ByteVector encoded = field.file({}, compress);
    EXPECT_LT(encoded.size(), plain.size());
    EXPECT_EQ(*decode_file(encoded), plain);
  }
}

// ---- rounding ----

TEST(Quantize, positions_are_within_half_a_step) {
  const SkinnedField field;
  const ByteVector exact = field.file(), file = field.file(kUsual);
  const auto before = *hmesh::View::open(exact), after = *hmesh::View::open(file);
  const ByteVector encoded = *hmesh::encode_hmesh(file, kStreams);
  const float step = hmesh::grid_precision(encoded)->position_step;
  const auto& box = before.bounds();
  const float extent = std::max(
      {box.aabb_max[0] - box.aabb_min[0], box.aabb_max[1] - box.aabb_min[1], box.aabb_max[2] - box.aabb_min[2]});
  EXPECT_GE(step * 16384, extent);
  EXPECT_LT(step * 8192, extent);
  // Every vertex is a source position, rounded.
  std::vector<std::array<float, 3>> rounded;
  for (const Vec3& p : field.shape().positions) {
    const std::array<float, 3> r{mesh::round_to(p.x, step), mesh::round_to(p.y, step), mesh::round_to(p.z, step)};
    EXPECT_LE(std::max({std::fabs(r[0] - p.x), std::fabs(r[1] - p.y), std::fabs(r[2] - p.z)}), step / 2);
    rounded.push_back(r);
  }
  std::ranges::sort(rounded);
  for (const hmesh::GpuVertex& v : after.vertices()) {
    EXPECT_TRUE(std::ranges::binary_search(rounded, std::array<float, 3>{v.position[0], v.position[1], v.position[2]}));
  }
}

TEST(Quantize, all_bounds_are_true) {
  for (const std::uint32_t bits : {4u, 8u, 16u}) {
    const ByteVector file = SkinnedField().file({bits, bits, 4, 8, 8});
    const auto done = filetypes::check_file("a.hmesh", *hmesh::encode_hmesh(file, kStreams));
    EXPECT_TRUE(done) << error_of(done);
  }
}

TEST(Quantize, a_sphere_around_the_origin_keeps_its_center) {
  mesh::Mesh mesh;
  hmesh::MeshletBounds& bounds = mesh.meshlet_bounds.emplace_back();
  bounds.radius = 1;
  bounds.cone_cutoff = 1;
  mesh::quantize_streams({.position_bits = 14}, mesh);
  EXPECT_EQ(mesh::vector_of(bounds.center), Vec3());
  EXPECT_GE(bounds.radius, 1.0f);
  EXPECT_LE(bounds.radius, 1.01f);
}

TEST(Quantize, meshlets_that_face_away_did_so_before) {
  const mesh::Mesh exact = SkinnedField().build();
  mesh::Mesh rounded = exact;
  mesh::quantize_streams({.position_bits = 16}, rounded);
  std::mt19937 random(5);
  std::uniform_real_distribution<float> spread(-1, 1);
  const auto faces_away = [](const hmesh::MeshletBounds& b, Vec3 eye) {
    const Vec3 v = mesh::vector_of(b.center) - eye;
    return scene::dot(v, mesh::vector_of(b.cone_axis)) >= b.cone_cutoff * scene::length(v) + b.radius;
  };
  int before = 0, after = 0;
  for (std::size_t m = 0; m < exact.meshlet_bounds.size(); ++m) {
    for (int i = 0; i < 200; ++i) {
      const Vec3 eye = Vec3{spread(random), spread(random) - 0.5f, spread(random)} * 3.0f;
      const bool was = faces_away(exact.meshlet_bounds[m], eye), is = faces_away(rounded.meshlet_bounds[m], eye);
      EXPECT_TRUE(was || !is) << m;
      before += was;
      after += is;
    }
  }
  EXPECT_GT(before, 0);
  EXPECT_GT(after, before * 9 / 10);
}

TEST(Quantize, normals_are_within_the_stated_angle) {
  const auto angle = [](std::uint32_t bits) {
    mesh::Mesh mesh;
    std::mt19937 random(3);
    std::normal_distribution<float> spread;
    std::vector<Vec3> exact;
    exact.reserve(20000);
    for (int i = 0; i < 20000; ++i)
      exact.push_back(scene::normalize_or({spread(random), spread(random), spread(random)}, {0, 0, 1}));
    mesh.normals = exact;
    mesh::quantize_streams({.normal_bits = bits}, mesh);
    double worst = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const double cosine = double{scene::dot(exact[i], mesh.normals[i])};
      worst = std::max(worst, std::acos(std::min(cosine, 1.0)));
    }
    return worst * 180 / std::numbers::pi;
  };
  EXPECT_LE(angle(8), 0.95);
  EXPECT_LE(angle(10), 0.95 / 4);
  EXPECT_GT(angle(8), 0.5);
}

TEST(Quantize, weights_are_fractions_that_sum_to_one) {
  mesh::Mesh mesh;
  mesh.skin = {{{0, 1, 2, 3}, {0.4001f, 0.3f, 0.2f, 0.0999f}},
               {{0, 1, 2, 3}, {1, 0, 0, 0}},
               {{0, 1, 2, 3}, {0.25f, 0.25f, 0.25f, 0.25f}},
               {{0, 1, 2, 3}, {1 / 3.0f, 1 / 3.0f, 1 / 3.0f, 0}}};
  const std::vector<hmesh::GpuSkinVertex> exact = mesh.skin;
  mesh::quantize_streams({.weight_bits = 8}, mesh);
  for (std::size_t v = 0; v < exact.size(); ++v) {
    float sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const float weight = mesh.skin[v].weights[i];
      sum += weight;
      EXPECT_EQ(weight * 256, std::floor(weight * 256));
      EXPECT_LE(std::fabs(weight - exact[v].weights[i]), 1 / 256.0f);
      EXPECT_TRUE(i == 0 || weight <= mesh.skin[v].weights[i - 1]);
    }
    EXPECT_EQ(sum, 1);
  }
}

TEST(Quantize, colors_fit_eight_bits) {
  const auto stored = [](const mesh::Precision& precision) {
    const ByteVector file = SkinnedField().file(precision);
    const auto view = hmesh::View::open(file);
    for (const hmesh::GpuAttribute& a : view->further_attributes()->attributes()) {
      if (a.semantic == hmesh::FurtherSemantic::kColor) return a.format;
    }
    return hmesh::FurtherFormat::kR32F;
  };
  EXPECT_EQ(stored({}), hmesh::FurtherFormat::kRgba32F);
  EXPECT_EQ(stored(kUsual), hmesh::FurtherFormat::kRgba8Unorm);
}

TEST(Quantize, a_point_and_a_far_mesh_are_kept) {
  const std::vector<Vec3> same(3, {1, 2, 3}), far{{1e7f, 0, 0}, {1e7f + 1, 0, 0}, {1e7f, 1, 0}};
  mesh::SubmeshInput in;
  in.positions = same;
  EXPECT_EQ(mesh::position_step(std::span(&in, 1), 14), 0);
  in.positions = far;
  // 2^24 steps reach the coordinates.
  EXPECT_EQ(mesh::position_step(std::span(&in, 1), 14), 1);
}

TEST(Quantize, submeshes_still_meet) {
  const SkinnedField field;
  const ByteVector file = field.file({6, 12, 8, 8, 8});
  const auto view = *hmesh::View::open(file);
  // The two submeshes share a row of the grid.
  std::array<std::vector<std::array<float, 3>>, 2> points;
  for (std::size_t s = 0; s < 2; ++s) {
    const hmesh::SubMesh& submesh = view.submeshes()[s];
    for (std::uint32_t i = 0; i < submesh.index_count; ++i) {
      const float* p = view.vertices()[view.index(submesh.first_index + i)].position;
      points[s].push_back({p[0], p[1], p[2]});
    }
    std::ranges::sort(points[s]);
    points[s].erase(std::ranges::unique(points[s]).begin(), points[s].end());
  }
  std::vector<std::array<float, 3>> shared;
  std::ranges::set_intersection(points[0], points[1], std::back_inserter(shared));
  EXPECT_GE(shared.size(), 40u);
}

}  // namespace
}  // namespace assetc::recipes
