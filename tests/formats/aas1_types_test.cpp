// Textures, meshes, materials and sounds in AAS1 blobs: breaks each rule of their readers in turn.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "assetc/formats/aas1_describe.hpp"
#include "formats/sample_aas1.hpp"
#include "formats/support.hpp"

namespace assetc::aas1 {
namespace {

using namespace formats_test;
using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Sets a field of a valid file and checks the reader's error.
template <class Open>
class Breaker {
 public:
  Breaker(ByteVector file, Open open) : file_(std::move(file)), open_(open) {}
  template <class T>
  void operator()(std::size_t offset, T value, const std::string& expected) const {
    const ByteVector broken = with(file_, offset, value);
    const auto view = open_(broken);
    EXPECT_THAT(error_of(view), HasSubstr(expected)) << "at " << offset;
  }

 private:
  ByteVector file_;
  Open open_;
};

// ---- textures ----

// 2 x 1 texels and their mip level.
const std::array<std::uint8_t, 12> kTexels = {1, 2, 3, 4, 5, 6, 7, 8, 3, 4, 5, 6};
Texture sample_texture() {
  Texture texture;
  texture.srgb = true;
  texture.width_texels = 2;
  texture.height_texels = 1;
  const ByteSpan all = std::as_bytes(std::span(kTexels));
  texture.levels = {all.first(8), all.subspan(8)};
  texture.swizzle = "rgb1";
  texture.metadata = {{"exposure", "2"}, {"by", ""}};
  return texture;
}

TEST(Aas1Texture, round_trips) {
  const ByteVector file = *write(sample_texture());
  const auto view = TextureView::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->format(), TexelFormat::kRgba8);
  EXPECT_TRUE(view->is_srgb());
  EXPECT_EQ(view->desc().row_pitch_bytes, 8u);
  ASSERT_EQ(view->levels().size(), 2u);
  EXPECT_EQ(view->levels()[1].width_texels, 1u);
  EXPECT_EQ(load<std::uint8_t>(view->levels()[1].bytes, 3), 6u);
  EXPECT_EQ(view->swizzle(), "rgb1");
  ASSERT_EQ(view->metadata().size(), 2u);
  EXPECT_EQ(view->metadata()[0].first, "exposure");
  EXPECT_EQ(view->metadata()[0].second, "2");
  EXPECT_EQ(view->metadata()[1].second, "");
}

TEST(Aas1Texture, lays_out_a_plain_one_as_the_seed_does) {
  Texture plain = sample_texture();
  plain.swizzle.clear();
  plain.metadata.clear();
  const ByteVector file = *write(plain);
  EXPECT_EQ(file.size(), 16u + 20 + 12);
  EXPECT_EQ(load<std::uint8_t>(file, 6), 1u);
  EXPECT_EQ(load<std::uint8_t>(file, 7), 1u);
  const std::uint32_t desc[] = {2, 1, 3, 2, 8};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(load<std::uint32_t>(file, 16 + 4 * i), desc[i]);
}

TEST(Aas1Texture, keeps_its_golden_bytes) { expect_golden("texture.aas1", *write(sample_texture())); }
TEST(Aas1Texture, refuses_every_prefix) { expect_every_prefix_refused(*write(sample_texture()), TextureView::open); }
TEST(Aas1Texture, survives_changed_bytes) {
  expect_survives_changed_bytes(*write(sample_texture()), TextureView::open);
}

TEST(Aas1Texture, every_format_has_a_number_and_back) {
  for (std::size_t f = 0; f < kTexelFormatCount; ++f) {
    const auto format = static_cast<TexelFormat>(f);
    const auto number = format_number(format);
    EXPECT_EQ(number.has_value(), format != TexelFormat::kEtc1s) << to_string(format);
    if (number.has_value()) {
      EXPECT_EQ(format_of(*number), format);
    }
  }
  EXPECT_EQ(format_number(TexelFormat::kBc7), 20u);
  EXPECT_EQ(format_number(TexelFormat::kAstc4x4), 21u);
  EXPECT_EQ(format_number(TexelFormat::kUastc), 23u);
}

TEST(Aas1Texture, holds_blocks_cubes_arrays_and_depth) {
  const std::vector<std::byte> bytes(6 * 3 * 16);
  Texture texture;
  texture.format = TexelFormat::kBc7;
  texture.width_texels = texture.height_texels = 3;
  texture.levels = {ByteSpan(bytes).first(16), ByteSpan(bytes).first(16)};
  EXPECT_EQ(TextureView::open(*write(texture))->desc().row_pitch_bytes, 16u);
  texture.type = Type::kTextureCubeArray;
  texture.shape = {1, 3, 6};
  texture.levels = {bytes};
  EXPECT_TRUE(write(texture));
  texture.type = Type::kTextureCube;
  EXPECT_FALSE(write(texture));
  texture.shape = {1, 1, 6};
  texture.levels = {ByteSpan(bytes).first(6 * 16)};
  EXPECT_TRUE(write(texture));
  texture.type = Type::kTexture3D;
  texture.shape = {5, 1, 1};
  texture.levels = {ByteSpan(bytes).first(5 * 16), ByteSpan(bytes).first(2 * 16), ByteSpan(bytes).first(16)};
  EXPECT_TRUE(write(texture));
  texture.type = Type::kTexture2D;
  EXPECT_FALSE(write(texture));
}

TEST(Aas1Texture, rejects_each_broken_rule) {
  const Breaker broken(*write(sample_texture()), TextureView::open);
  broken(6, std::uint8_t{2}, "found a blob of type Mesh, expected Texture2D");
  broken(16, std::uint32_t{0}, "found width 0, expected 1 to 65536");
  broken(20, std::uint32_t{65537}, "found height 65537, expected 1 to 65536");
  broken(24, std::uint32_t{4}, "found texture format 4");
  broken(28, std::uint32_t{0}, "found 0 levels, expected 1 to 2");
  broken(28, std::uint32_t{3}, "found 3 levels, expected 1 to 2");
  broken(28, std::uint32_t{1}, "found 12 bytes of data, expected 8");
  broken(32, std::uint32_t{12}, "found a row pitch of 12 bytes, expected 8");
  const std::size_t swizzle = 16 + 20 + 12 + 8 + 2 * 8;
  broken(swizzle, 'x', "found a swizzle");
  broken(swizzle + 4 + 10, 'x', "found metadata");
}

TEST(Aas1Texture, rejects_what_it_cannot_hold) {
  Texture texture = sample_texture();
  texture.format = TexelFormat::kEtc1s;
  EXPECT_EQ(error_of(write(texture)),
            "an AAS1 texture cannot hold etc1s texels; compile the picture to another format");
}

// ---- meshes ----

TEST(Aas1Mesh, round_trips) {
  const ByteVector file = *write(sample_aas1_mesh());
  const auto view = MeshView::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->blob().desc().size(), 84u);
  EXPECT_EQ(view->desc().index_type, 0u);
  ASSERT_EQ(view->levels().size(), 2u);
  EXPECT_EQ(view->levels()[0].index_count, 6u);
  EXPECT_EQ(view->index(view->levels()[0], 5), 3u);
  EXPECT_EQ(view->levels()[1].index_count, 3u);
  EXPECT_EQ(view->levels()[1].screen_size, 0.5f);
  EXPECT_EQ(view->levels()[1].submeshes.size(), 2u);
  EXPECT_EQ(view->levels()[1].vertices.data(), view->levels()[0].vertices.data());
  ASSERT_NE(view->find(Semantic::kColor), nullptr);
  EXPECT_EQ(view->find(Semantic::kColor, 1), nullptr);
  ASSERT_EQ(view->materials().size(), 1u);
  EXPECT_EQ(view->materials()[0], uuid_number(3));
  EXPECT_EQ(view->skeleton(), uuid_number(4));
  EXPECT_EQ(view->submesh_bounds().size(), 2u);
  EXPECT_EQ(view->pose_bounds().size(), 1u);
  EXPECT_EQ(view->names()->submesh(1), "back");
}

TEST(Aas1Mesh, a_plain_one_has_the_seeds_desc) {
  Mesh mesh = sample_aas1_mesh();
  mesh.levels.resize(1);
  mesh.materials.clear();
  mesh.skeleton = {};
  mesh.submesh_bounds.clear();
  mesh.pose_bounds.clear();
  mesh.names = {};
  const ByteVector file = *write(mesh);
  EXPECT_EQ(load<std::uint32_t>(file, 8), 76u);
  EXPECT_EQ(file.size(), 16u + 76 + 3 * 28 + 2 * 16 + 4 * 20 + 6 * 2);
  const std::uint32_t desc[] = {4, 6, 20, 0, 3, 2, 0, 84, 116, 196, 80, 12};
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(load<std::uint32_t>(file, 16 + 4 * i), desc[i]) << i;
  EXPECT_EQ(load<std::uint32_t>(file, 16 + 72), 3u);
}

TEST(Aas1Mesh, keeps_points_and_lines) {
  Mesh mesh = sample_aas1_mesh();
  using hmesh::Topology;
  mesh.primitives.indices = {3, 1, 2};
  mesh.primitives.names = {"edge", ""};
  mesh.primitives.items = {{Topology::kLines, 0, 0, 2, 0, 1, hmesh::kNoNode, 4, quad_bounds()},
                           {Topology::kPoints, 0, 2, 1, kNoMaterial, 2, hmesh::kNoNode, 4, quad_bounds()}};
  const ByteVector file = *write(mesh);
  const auto view = MeshView::open(file);
  ASSERT_TRUE(view) << error_of(view);
  ASSERT_TRUE(view->primitives());
  EXPECT_EQ(view->primitives()->to_primitives(), mesh.primitives);
  EXPECT_TRUE(view->has_triangles());
  expect_every_prefix_refused(file, MeshView::open);
  expect_survives_changed_bytes(file, MeshView::open);
  mesh.primitives.indices[1] = 4;
  EXPECT_EQ(write(mesh).error().what, "index 1 is 4, expected less than 4");
  mesh.primitives.indices[1] = 1;
  mesh.primitives.items[0].material_slot = 1;
  EXPECT_EQ(write(mesh).error().what, "primitive 0: found material slot 1, expected less than 1 or none");
}

TEST(Aas1Mesh, keeps_its_golden_bytes) { expect_golden("mesh.aas1", *write(sample_aas1_mesh())); }
TEST(Aas1Mesh, refuses_every_prefix) { expect_every_prefix_refused(*write(sample_aas1_mesh()), MeshView::open); }
TEST(Aas1Mesh, survives_changed_bytes) { expect_survives_changed_bytes(*write(sample_aas1_mesh()), MeshView::open); }

TEST(Aas1Mesh, wide_indices_where_16_bits_cannot_tell_vertices) {
  Mesh mesh = sample_aas1_mesh();
  mesh.levels.resize(1);
  const ByteVector four = mesh.vertices;
  while (mesh.vertices.size() < std::size_t{65536} * 20) append_bytes(mesh.vertices, four);
  mesh.levels[0].indices[5] = 65535;
  const ByteVector file = *write(mesh);
  const auto view = MeshView::open(file);
  EXPECT_EQ(view->desc().index_type, 1u);
  EXPECT_EQ(view->index(view->levels()[0], 5), 65535u);
}

TEST(Aas1Mesh, rejects_each_broken_rule) {
  const ByteVector file = *write(sample_aas1_mesh());
  const Breaker broken(file, MeshView::open);
  constexpr std::size_t kDesc = 16, kData = 16 + 84;
  constexpr std::size_t kSubmeshes = kData + 3 * 28, kTable = kSubmeshes + 4 * 16, kVertices = kTable + 2 * 60;
  broken(kDesc + 0, std::uint32_t{0}, "found vertex_count 0, expected at least 1");
  broken(kDesc + 4, std::uint32_t{0}, "found index_count 0, expected at least 1");
  broken(kDesc + 8, std::uint32_t{0}, "found vertex_stride_bytes 0, expected a multiple of 4 of at least 4");
  broken(kDesc + 8, std::uint32_t{18}, "expected a multiple of 4");
  broken(kDesc + 12, std::uint32_t{2}, "found index_type 2, expected 0 to 1");
  broken(kDesc + 0, std::uint32_t{5}, "found 80 bytes of vertices, expected 100 for 5");
  broken(kDesc + 4, std::uint32_t{9}, "found 12 bytes of indices, expected 18 for 9");
  broken(kDesc + 16, std::uint32_t{65}, "found attribute_count 65, expected 1 to 64");
  broken(kDesc + 16, std::uint32_t{60}, "60 attributes of 28 bytes at 0 do not fit in the data");
  broken(kDesc + 20, std::uint32_t{60}, "60 submeshes of 16 bytes");
  broken(kDesc + 20, std::uint32_t{0}, "found submesh_count 0, expected at least 1");
  broken(kDesc + 24, ~std::uint32_t{0}, "do not fit in the data");
  broken(kDesc + 24, std::uint32_t{2}, "expected a multiple of 4");
  broken(kDesc + 28, ~std::uint32_t{0}, "do not fit in the data");
  broken(kDesc + 32, ~std::uint32_t{3}, "bytes of vertices of 1 byte");
  broken(kDesc + 36, ~std::uint32_t{3}, "bytes of indices of 1 byte");
  broken(kDesc + 32, std::uint32_t{2}, "bytes of vertices lie at 2");
  broken(kDesc + 36, std::uint32_t{1}, "bytes of indices lie at 1");
  broken(kDesc + 48, kNan, "expected finite numbers in order");
  broken(kDesc + 60, -1.0f, "expected finite numbers in order");
  broken(kDesc + 60, 0.5f, "vertex 1 lies outside the box");
  broken(kDesc + 72, std::uint32_t{2}, "expected bit 0, one interleaved stream");
  broken(kDesc + 76, std::uint32_t{0}, "expected 1 to 16");
  broken(kDesc + 76, std::uint32_t{17}, "expected 1 to 16");
  broken(kDesc + 80, ~std::uint32_t{0}, "2 levels of detail of 60 bytes");
  // Attributes.
  broken(kData + 0, std::uint32_t{1}, "found semantic 1 with index 0 twice");
  broken(kData + 0, std::uint32_t{9}, "found no positions");
  broken(kData + 8, std::uint32_t{5}, "found vertex format 5");
  broken(kData + 8, std::uint32_t{2}, "found no positions");
  broken(kData + 12, std::uint32_t{1}, "attribute 0: found input_slot 1, expected 0");
  broken(kData + 16, std::uint32_t{12}, "an attribute of 12 bytes lies at 12 of a vertex of 20");
  broken(kData + 20, std::uint32_t{1}, "attribute 0: found per_instance 1, expected 0");
  // Submeshes.
  broken(kSubmeshes + 0, std::uint32_t{3}, "expected whole triangles from 6 to 6");
  broken(kSubmeshes + 4, std::uint32_t{2}, "expected whole triangles");
  broken(kSubmeshes + 8, std::int32_t{-1}, "draws vertices -1 to 1");
  broken(kSubmeshes + 8, std::int32_t{2}, "draws vertices 2 to 4, expected less than 4");
  broken(kSubmeshes + 12, std::uint32_t{1}, "material slot 1, expected none or less than 1");
  // Levels.
  broken(kTable + 4, std::uint32_t{3}, "level 0 is not the mesh of the Desc");
  broken(kTable + 60, std::uint32_t{5}, "found 80 bytes of vertices, expected 100");
  broken(kTable + 64, std::uint32_t{6}, "found 6 bytes of indices, expected 12");
  broken(kTable + 68, ~std::uint32_t{3}, "do not fit in the data");
  broken(kTable + 72, ~std::uint32_t{3}, "do not fit in the data");
  broken(kTable + 84, ~std::uint32_t{3}, "do not fit in the data");
  broken(kTable + 88, std::uint32_t{60}, "60 submeshes of 16 bytes");
  broken(kTable + 60 + 32, 1.5f, "screen size of 1.5, expected more than 0, at most 1");
  broken(kTable + 60 + 32, 0.0f, "expected more than 0");
  broken(kTable + 60 + 36, kNan, "expected finite numbers in order");
  broken(kVertices, kNan, "vertex 0 lies outside the box");
}

TEST(Aas1Mesh, rejects_an_index_out_of_range) {
  Mesh mesh = sample_aas1_mesh();
  mesh.levels[1].indices[1] = 4;
  EXPECT_EQ(error_of(write(mesh)), "index 1 is 4, expected less than 4");
}

// A triangle with weights of joints 0 and 1, and a custom attribute.
Mesh sample_weights(const std::array<float, 4>& first, const std::array<float, 4>& more) {
  Mesh mesh;
  mesh.attributes = {{Semantic::kPosition, 0, VertexFormat::kRgb32F, 0, 0, 0, 0},
                     {Semantic::kWeights, 0, VertexFormat::kRgba32F, 0, 12, 0, 0},
                     {Semantic::kWeights, 1, VertexFormat::kRgba32F, 0, 28, 0, 0},
                     {Semantic::kCustom, 0, VertexFormat::kR32F, 0, 44, 0, 0}};
  mesh.vertex_stride_bytes = 48;
  for (std::size_t v = 0; v < 3; ++v) {
    append(mesh.vertices, std::array<float, 3>{});
    append(mesh.vertices, v < 2 ? std::array<float, 4>{1} : first);
    append(mesh.vertices, v < 2 ? std::array<float, 4>{} : more);
    append(mesh.vertices, 0.0f);
  }
  mesh.levels.resize(1);
  mesh.levels[0].indices = {0, 1, 2};
  mesh.levels[0].submeshes = {{0, 3, 0, kNoMaterial}};
  mesh.custom_names = {"_HEAT"};
  return mesh;
}

TEST(Aas1Mesh, weights_are_those_of_hmesh) {
  const auto why = [](const std::array<float, 4>& first, const std::array<float, 4>& more) {
    const auto file = write(sample_weights(first, more));
    return file ? "" : file.error().what;
  };
  EXPECT_EQ(why({0.5f, 0.5f, 0, 0}, {0.25f, 0, 0, 0}), "");
  EXPECT_EQ(why({2, -1, 0, 0}, {}), "vertex 2: the weights sum to 1, expected four of at least 0 that sum to 1");
  EXPECT_EQ(why({0.5f, 0, 0, 0}, {}), "vertex 2: the weights sum to 0.5, expected four of at least 0 that sum to 1");
  EXPECT_THAT(why({kNan, 0, 0, 0}, {}), HasSubstr("expected four of at least 0 that sum to 1"));
  EXPECT_EQ(why({1}, {0, -1, 0, 0}), "vertex with more weights 2: found weight -1, expected 0 to 1");
  EXPECT_THAT(why({1}, {0, kNan, 0, 0}), HasSubstr("nan, expected 0 to 1"));
}

TEST(Aas1Mesh, custom_names_end_with_their_text) {
  ByteVector file = *write(sample_weights({1}, {}));
  const auto name = std::ranges::search(file, as_bytes("_HEAT"));
  const auto end = static_cast<std::size_t>(name.begin() - file.begin()) - 4;
  ASSERT_EQ(load<std::uint32_t>(file, end), 5u);
  EXPECT_EQ(MeshView::open(with(file, end, std::uint32_t{4})).error().what,
            "found 1 extra byte of text, expected the end of the last name");
}

TEST(Aas1Mesh, rejects_broken_extensions) {
  Mesh mesh = sample_aas1_mesh();
  mesh.submesh_bounds.pop_back();
  EXPECT_THAT(error_of(write(mesh)), HasSubstr("found bounds of 1 submesh, expected 2"));
  mesh = sample_aas1_mesh();
  mesh.pose_bounds[0].sphere_radius = -1;
  EXPECT_THAT(error_of(write(mesh)), HasSubstr("bounds 0: found a sphere of radius -1"));
  mesh = sample_aas1_mesh();
  mesh.materials[0] = {};
  EXPECT_THAT(error_of(write(mesh)), HasSubstr("extension MTRL names no asset"));
}

// ---- materials ----

TEST(Aas1Material, round_trips) {
  const ByteVector file = *write(sample_aas1_material());
  EXPECT_EQ(file.size(), 16u + 40 + 2 * 8 + 20 + 28);
  const auto view = MaterialView::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->desc().blend_mode, BlendMode::kMask);
  EXPECT_TRUE(view->is_double_sided());
  EXPECT_EQ(view->desc().alpha_cutoff, 0.25f);
  EXPECT_EQ(view->scalar("Metallic")->value, 0.5f);
  EXPECT_EQ(view->scalar("Clearcoat")->value, 0.75f);
  EXPECT_EQ(view->scalar("Sheen"), nullptr);
  EXPECT_EQ(view->vector("BaseColor")->value[1], 0.5f);
  const TextureParameter* texture = view->texture("BaseColorTex");
  ASSERT_NE(texture, nullptr);
  EXPECT_EQ(texture->texture, uuid_number(5));
  EXPECT_EQ(texture->wrap_u(), Wrap::kClamp);
  EXPECT_EQ(texture->wrap_v(), Wrap::kMirror);
  EXPECT_EQ(texture->texcoord(), 1u);
}

TEST(Aas1Material, flags_hold_every_sampler) {
  using sampling::Filter, sampling::MipFilter;
  for (const Wrap u : {Wrap::kRepeat, Wrap::kClamp, Wrap::kMirror}) {
    for (const Filter filter : {Filter::kDefault, Filter::kNearest, Filter::kLinear}) {
      for (const MipFilter mip : {MipFilter::kDefault, MipFilter::kNone, MipFilter::kNearest, MipFilter::kLinear}) {
        const Sampler sampler{u, Wrap::kMirror, filter, Filter::kNearest, mip};
        const TextureParameter parameter{1, uuid_number(5), 1, {}, TextureParameter::flags_of(sampler, 200)};
        EXPECT_EQ(parameter.sampler(), sampler);
        EXPECT_EQ(parameter.texcoord(), 200u);
      }
    }
  }
  // Without filters, the bits are those of old files. Bits without a meaning are ignored.
  EXPECT_EQ(TextureParameter::flags_of(Sampler{Wrap::kClamp, Wrap::kMirror}, 1), 1u | 2u << 2 | 1u << 8);
  const TextureParameter junk{1, uuid_number(5), 1, {}, ~0u};
  EXPECT_EQ(junk.sampler(), Sampler{.mip = MipFilter::kLinear});
}

// Source: the test vectors of draft-eastlake-fnv.
TEST(Aas1Material, names_are_hashed_with_fnv1a_32) {
  EXPECT_EQ(hash_parameter(""), 0x811c9dc5u);
  EXPECT_EQ(hash_parameter("a"), 0xe40c292cu);
  EXPECT_EQ(hash_parameter("foobar"), 0xbf9cf968u);
}

TEST(Aas1Material, keeps_its_golden_bytes) { expect_golden("material.aas1", *write(sample_aas1_material())); }
TEST(Aas1Material, refuses_every_prefix) {
  expect_every_prefix_refused(*write(sample_aas1_material()), MaterialView::open);
}
TEST(Aas1Material, survives_changed_bytes) {
  expect_survives_changed_bytes(*write(sample_aas1_material()), MaterialView::open);
}

TEST(Aas1Material, rejects_each_broken_rule) {
  const ByteVector file = *write(sample_aas1_material());
  const Breaker broken(file, MaterialView::open);
  constexpr std::size_t kDesc = 16, kData = 56, kVectors = kData + 16, kTextures = kVectors + 20;
  broken(kDesc + 4, std::uint32_t{3}, "found blend mode 3");
  broken(kDesc + 12, kNan, "the alpha cutoff holds a number that is not finite");
  broken(kDesc + 16, ~std::uint32_t{0}, "scalars of 8 bytes");
  broken(kDesc + 20, std::uint32_t{9}, "9 vectors of 20 bytes");
  broken(kDesc + 24, std::uint32_t{2}, "2 textures of 28 bytes");
  broken(kDesc + 28, std::uint32_t{1}, "expected a multiple of 4");
  broken(kDesc + 32, ~std::uint32_t{0}, "do not fit in the data");
  broken(kDesc + 36, ~std::uint32_t{0}, "do not fit in the data");
  broken(kData, load<std::uint32_t>(file, kData + 8), "twice");
  broken(kData + 4, kNan, "not finite");
  broken(kVectors + 8, kNan, "not finite");
  broken(kTextures + 4, Uuid{}, "names no texture, expected a UUID");
  broken(kTextures + 20, std::uint8_t{2}, "asset of type 2, expected one of 1, 16, 17, 18, 19");
}

// ---- sounds ----

TEST(Aas1Audio, round_trips) {
  const ByteVector file = *write(sample_aas1_audio());
  const auto view = AudioView::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->desc().chunk_count, 2u);
  EXPECT_EQ(view->frames_of_chunk(1), 1u);
  EXPECT_EQ(load<std::int16_t>(view->chunk(1)), 4);
  ASSERT_EQ(view->loops().size(), 1u);
  EXPECT_EQ(view->loops()[0], sample_aas1_audio().loops[0]);
}

TEST(Aas1Audio, keeps_its_golden_bytes) { expect_golden("audio.aas1", *write(sample_aas1_audio())); }
TEST(Aas1Audio, refuses_every_prefix) { expect_every_prefix_refused(*write(sample_aas1_audio()), AudioView::open); }
TEST(Aas1Audio, survives_changed_bytes) { expect_survives_changed_bytes(*write(sample_aas1_audio()), AudioView::open); }

TEST(Aas1Audio, rejects_each_broken_rule) {
  const ByteVector file = *write(sample_aas1_audio());
  const Breaker broken(file, AudioView::open);
  constexpr std::size_t kDesc = 16, kData = 56, kLoop = kData + 16 + 12 + 8 + 8;
  broken(kDesc + 0, std::uint32_t{3}, "found audio codec 3");
  broken(kDesc + 0, std::uint32_t{2}, "chunk 0 does not begin with an Ogg page");
  broken(kDesc + 4, std::uint32_t{0}, "found sample format 0");
  broken(kDesc + 4, std::uint32_t{2}, "chunk 0 has 8 bytes, expected 16");
  broken(kDesc + 8, std::uint32_t{0}, "found channel count 0, expected 1 to 64");
  broken(kDesc + 8, std::uint32_t{65}, "found channel count 65, expected 1 to 64");
  broken(kDesc + 12, std::uint32_t{0}, "found sample rate 0, expected at least 1");
  broken(kDesc + 16, std::uint32_t{0}, "found frame count 0, expected at least 1");
  broken(kDesc + 16, std::uint32_t{5}, "found 2 chunks, expected 3");
  broken(kDesc + 24, std::uint32_t{0}, "found frames of a chunk 0, expected at least 1");
  broken(kDesc + 28, std::uint32_t{24}, "2 chunks of 8 bytes");
  broken(kDesc + 32, std::uint32_t{17}, "do not fit in the data");
  broken(kDesc + 36, std::uint32_t{11}, "chunk 1 of 4 bytes does not fit in the sound");
  broken(kData + 0, std::uint32_t{0}, "chunk 0 lies at 0, expected 16");
  broken(kData + 12, std::uint32_t{100}, "does not fit in the sound");
  broken(kLoop + 0, std::uint32_t{3}, "runs from 3 to 3 of 3 frames");
  broken(kLoop + 4, std::uint32_t{4}, "runs from 1 to 4 of 3 frames");
  broken(kLoop + 8, std::uint32_t{3}, "loop 0: found kind 3, expected 0 to 2");
}

// ---- descriptions ----

std::string described(ByteSpan file) {
  const auto description = describe(file);
  if (!description) return error_of(description);
  std::string text(description->type);
  for (const DescriptionField& field : description->fields) text.append(" ").append(field.name).append(field.json);
  for (const Dependency& d : description->dependencies)
    text.append(d.is_hard ? " needs " : " may need ").append(d.asset.to_string().substr(0, 2));
  return text;
}

TEST(Aas1Describe, says_what_a_registry_lists) {
  EXPECT_EQ(described(*write(sample_texture())), "Texture2D Width2 Height1 Format\"RGBA8\" MipCount2 SRGBtrue");
  EXPECT_EQ(described(*write(sample_aas1_mesh())),
            "Mesh VertexFormat[\"Position0 RGB32F\",\"Normal0 RG16_SNORM\",\"Color0 RGBA8_UNORM\"] IndexFormat\"U16\" "
            "Bounds{\"Min\":[0,0,0],\"Max\":[1,1,0]} SubMeshes2 LodCount2 VertexCount4 IndexCount6 needs 03 needs 04");
  EXPECT_EQ(
      described(*write(sample_aas1_material())),
      "Material ShadingModel\"MetallicRoughness\" TextureBindings[\"05000000-0000-4000-0000-000000000000\"] needs "
      "05");
  EXPECT_EQ(described(*write(sample_aas1_audio())), "Audio Codec\"PCM\" Channels2 SampleRate48000 Duration6.25e-05");
  EXPECT_EQ(described(*write_payload(Type::kRaw, kEncodingRaw, as_bytes("abc"), uuid_number(7))),
            "Raw Encoding\"BYTE\" ByteSize3 may need 07");
  EXPECT_EQ(described(*write(Redirector{uuid_number(1), uuid_number(2), "a\"b"})),
            "Redirector OldUuid\"01000000-0000-4000-0000-000000000000\" "
            "NewUuid\"02000000-0000-4000-0000-000000000000\" OldVirtualPath\"a\\\"b\" needs 02");
}

}  // namespace
}  // namespace assetc::aas1
