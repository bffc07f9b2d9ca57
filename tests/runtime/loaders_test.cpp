#include <gmock/gmock.h>
#include <zstd.h>

#include "assetc/codec/transcode.hpp"
#include "assetc/formats/aas1_audio.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hfont.hpp"
#include "assetc/formats/hman.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/formats/ktx2.hpp"
#include "assetc/runtime/all_loaders.hpp"
#include "assetc/runtime/animation.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/mesh_layout.hpp"
#include "assetc/runtime/scene.hpp"
#include "assetc/runtime/text.hpp"
#include "codec/block/uastc_block.hpp"
#include "etc1s_files.hpp"
#include "runtime/cooked.hpp"

namespace assetc::runtime {
namespace {

using testing::HasSubstr;

// Loads assets from a folder of files.
class LoadersOf : public testing::Test {
 protected:
  Manager& start(const Loaders& loaders = {}, Layout layout = Layout::kTree) {
    std::vector<std::string> names;
    if (layout == Layout::kTree) {
      for (const auto& [path, bytes] : files.files) names.push_back(path);
    }
    Catalog catalog;
    const auto mounted = catalog.mount(files.source(), layout, "", {.files = names});
    EXPECT_TRUE(mounted) << fault_text(mounted);
    manager.emplace(std::move(catalog), ManagerOptions{.io_thread = false});
    add_loaders(*manager, loaders);
    return *manager;
  }
  template <class T>
  AssetRef<T> load(const std::string& path) {
    const auto asset = manager->catalog().find_by_path(path);
    EXPECT_TRUE(asset) << path;
    return manager->load<T>(asset.value_or(AssetHandle{}));
  }
  template <class T>
  std::string fault(const std::string& path) {
    const AssetRef<T> ref = load<T>(path);
    return ref.failure() == nullptr ? "no failure" : ref.failure()->to_string();
  }

  Files files;
  std::optional<Manager> manager;
};

ByteVector uastc_block(const Rgba8& color) {
  codec::UastcBlock block;
  block.solid_color = color;
  const codec::UastcBytes bytes = codec::pack_uastc(block);
  const auto span = std::as_bytes(std::span(bytes));
  return ByteVector(span.begin(), span.end());
}

ByteVector uastc_texture(std::uint32_t width, std::uint32_t height, bool zstd,
                         UastcChannels channels = UastcChannels::kRgba) {
  ktx2::Texture texture;
  texture.channels = channels;
  texture.width_texels = width;
  texture.height_texels = height;
  std::vector<ByteVector> levels;
  std::vector<std::uint64_t> sizes;
  for (std::uint32_t w = width, h = height;; w = std::max(w / 2, 1u), h = std::max(h / 2, 1u)) {
    ByteVector level;
    for (std::uint64_t i = 0; i < block_count(w, h); ++i) append_bytes(level, uastc_block({10, 20, 30, 255}));
    sizes.push_back(level.size());
    if (zstd) {
      ByteVector frame(ZSTD_compressBound(level.size()));
      frame.resize(ZSTD_compress(frame.data(), frame.size(), level.data(), level.size(), 3));
      level = std::move(frame);
    }
    levels.push_back(std::move(level));
    if (w == 1 && h == 1) break;
  }
  if (zstd) texture.supercompression = ktx2::Supercompression::kZstd;
  for (std::size_t i = 0; i < levels.size(); ++i) texture.levels.push_back({levels[i], sizes[i]});
  return ktx2::write(texture).value();
}

TEST_F(LoadersOf, uastc_becomes_what_the_device_takes) {
  files.files["plain.ktx2"] = Bytes(uastc_texture(10, 6, false));
  files.files["zstd.ktx2"] = Bytes(uastc_texture(10, 6, true));
  files.files["one.ktx2"] = Bytes(uastc_texture(4, 4, false, UastcChannels::kRrr));
  files.files["two.ktx2"] = Bytes(uastc_texture(4, 4, false, UastcChannels::kRg));
  struct Case {
    TextureOptions device;
    const char* path;
    TexelFormat format;
    std::size_t level0_bytes;
  };
  const TextureOptions bc{}, astc{.astc = true}, etc2{.bc = false, .etc2 = true}, none{.bc = false};
  for (const Case& c :
       {Case{bc, "plain.ktx2", TexelFormat::kBc7, 6 * 16}, Case{bc, "zstd.ktx2", TexelFormat::kBc7, 6 * 16},
        Case{bc, "one.ktx2", TexelFormat::kBc4, 8}, Case{bc, "two.ktx2", TexelFormat::kBc5, 16},
        Case{astc, "one.ktx2", TexelFormat::kAstc4x4, 16}, Case{etc2, "zstd.ktx2", TexelFormat::kEtc2Rgba, 6 * 16},
        Case{etc2, "one.ktx2", TexelFormat::kEacR11, 8}, Case{none, "zstd.ktx2", TexelFormat::kRgba8, 10 * 6 * 4}}) {
    start({.texture = texture_loader(c.device)});
    const AssetRef<TextureData> ref = load<TextureData>(c.path);
    ASSERT_TRUE(ref.is_ready()) << c.path << ref.failure()->to_string();
    EXPECT_EQ(ref.get()->format, c.format) << c.path;
    EXPECT_EQ(ref.get()->levels[0].bytes.size(), c.level0_bytes) << c.path;
    EXPECT_TRUE(ref.get()->is_srgb);
    EXPECT_EQ(ref.get()->levels.back().width_texels, 1u);
    if (c.format == TexelFormat::kRgba8) {
      EXPECT_EQ(assetc::load<Rgba8>(ref.get()->levels[0].bytes, 4 * 59), (Rgba8{10, 20, 30, 255}));
    }
  }
}

TEST_F(LoadersOf, etc1s_becomes_what_the_device_takes) {
  const etc1s::Writer rgb({.width = 10, .height = 6, .levels = 4}, 1);
  const etc1s::Writer two({.width = 4, .height = 4, .alpha = true, .gray = true, .red_green = true}, 1);
  files.files["rgb.ktx2"] = Bytes(rgb.file());
  files.files["rgba.ktx2"] = Bytes(etc1s::Writer({.width = 10, .height = 6, .alpha = true}, 1).file());
  files.files["two.ktx2"] = Bytes(two.file());
  struct Case {
    TextureOptions device;
    const char* path;
    TexelFormat format;
    std::size_t level0_bytes;
    const char* swizzle = "";
  };
  const TextureOptions bc{}, astc{.bc = false, .astc = true}, etc2{.bc = false, .etc2 = true}, none{.bc = false};
  for (const Case& c :
       {Case{bc, "rgb.ktx2", TexelFormat::kBc7, 6 * 16}, Case{bc, "two.ktx2", TexelFormat::kBc5, 16},
        Case{etc2, "rgb.ktx2", TexelFormat::kEtc2Rgb, 6 * 8}, Case{etc2, "rgba.ktx2", TexelFormat::kEtc2Rgba, 6 * 16},
        Case{etc2, "two.ktx2", TexelFormat::kEacRg11, 16}, Case{astc, "rgba.ktx2", TexelFormat::kAstc4x4, 6 * 16},
        Case{astc, "two.ktx2", TexelFormat::kAstc4x4, 16, "ra01"}, Case{none, "rgb.ktx2", TexelFormat::kRgba8, 240}}) {
    start({.texture = texture_loader(c.device)});
    const AssetRef<TextureData> ref = load<TextureData>(c.path);
    ASSERT_TRUE(ref.is_ready()) << c.path << ref.failure()->to_string();
    EXPECT_EQ(ref.get()->format, c.format) << c.path;
    EXPECT_EQ(ref.get()->levels[0].bytes.size(), c.level0_bytes) << c.path;
    EXPECT_EQ(ref.get()->swizzle, c.swizzle) << c.path;
    if (c.format == TexelFormat::kRgba8) {
      EXPECT_EQ(assetc::load<Rgba8>(ref.get()->levels[0].bytes, 4 * 59), rgb.texels(0)[59]);
      EXPECT_EQ(ref.get()->levels.size(), 4u);
    }
    if (c.format == TexelFormat::kBc5) {
      std::array<Rgba8, 16> texels;
      ASSERT_TRUE(decode_blocks(ref.get()->levels[0].bytes, BlockFormat::kBc5, 4, 4, texels));
      EXPECT_NEAR(texels[5].g, two.texels(0)[5].a, 12);
    }
  }
}

TEST_F(LoadersOf, textures_of_both_containers_may_be_cut_to_a_size) {
  files.files["big.ktx2"] = Bytes(uastc_texture(32, 8, true));
  start({.texture = texture_loader({.max_size_texels = 10})});
  const AssetRef<TextureData> big = load<TextureData>("big.ktx2");
  ASSERT_TRUE(big.is_ready());
  EXPECT_EQ(big.get()->levels[0].width_texels, 8u);
  EXPECT_EQ(big.get()->levels.size(), 4u);

  Cooked cooked;
  cooked.add(uuid(1), {AssetType::kTexture2D, "Demo/One", texture_blob(), {}, {}});
  files.files.clear();
  cooked.put(files, "");
  start({}, Layout::kCooked);
  const AssetRef<TextureData> one = load<TextureData>("Demo/One");
  ASSERT_TRUE(one.is_ready());
  EXPECT_EQ(one.get()->format, TexelFormat::kRgba8);
  EXPECT_EQ(one.get()->levels[0].bytes.size(), 64u);
}

TEST_F(LoadersOf, a_format_that_the_device_lacks_is_an_error_and_a_checkerboard) {
  const ByteVector block(16);
  ktx2::Texture texture;
  texture.format = TexelFormat::kBc7;
  texture.width_texels = texture.height_texels = 4;
  texture.levels = {{block, 16}};
  files.files["desktop.ktx2"] = Bytes(ktx2::write(texture).value());
  start({.texture = texture_loader({.bc = false, .astc = true})});
  EXPECT_THAT(fault<TextureData>("desktop.ktx2"),
              HasSubstr("unsupported: found bc7, which the device does not support"));
  const AssetRef<TextureData> ref = load<TextureData>("desktop.ktx2");
  ASSERT_NE(ref.get_or_fallback(), nullptr);
  EXPECT_EQ(ref.get_or_fallback()->levels[0].bytes.size(), 8u * 8 * 4);
}

TEST_F(LoadersOf, a_material_loads_its_textures_first) {
  hmat::GpuMaterial row;
  row.base_color_texture = hash_asset_ref("wood");
  row.normal_texture = hash_asset_ref("wood");
  row.emissive_texture = hash_asset_ref("not there");
  files.files["oak.hmat"] = Bytes(hmat::write({&row, 1}).value());
  files.files["wood.ktx2"] = Bytes(uastc_texture(4, 4, true));
  files.files["assets.hman"] = Bytes(hman::write({hman::texture_entry("wood.ktx2", hman::Colorspace::kSrgb)}).value());
  start();
  const AssetRef<MaterialData> oak = load<MaterialData>("oak.hmat");
  ASSERT_TRUE(oak.is_ready()) << oak.failure()->to_string();
  ASSERT_EQ(oak.get()->textures.size(), 2u);
  ASSERT_NE(oak.get()->hmat(), nullptr);
  EXPECT_TRUE(manager->load_async<TextureData>(oak.get()->textures[0]).is_ready());
  const AssetRef<TextureData> lost = manager->load_async<TextureData>(oak.get()->textures[1]);
  ASSERT_NE(lost.failure(), nullptr);
  EXPECT_EQ(lost.failure()->fault, Fault::kMissing);
}

TEST_F(LoadersOf, a_font_loads_its_atlas_first) {
  const hfont::Model font{.desc = {.texture = hash_asset_ref("ui.atlas"),
                                   .atlas_width_texels = 4,
                                   .atlas_height_texels = 4,
                                   .size_texels = 40,
                                   .range_texels = 4,
                                   .units_per_em = 1000},
                          .glyphs = {{.advance = 0.5f}},
                          .characters = {{'A', 0}},
                          .kerning = {},
                          .name = "Test"};
  files.files["ui.hfont"] = Bytes(hfont::write(font).value());
  files.files["ui.atlas.ktx2"] = Bytes(uastc_texture(4, 4, true));
  files.files["assets.hman"] =
      Bytes(hman::write({hman::texture_entry("ui.atlas.ktx2", hman::Colorspace::kLinear)}).value());
  start();
  const AssetRef<FontData> ui = load<FontData>("ui.hfont");
  ASSERT_TRUE(ui.is_ready()) << ui.failure()->to_string();
  EXPECT_EQ(ui.get()->view.name(), "Test");
  EXPECT_EQ(ui.get()->view.glyphs()[ui.get()->view.find_glyph(U'A')].advance, 0.5f);
  EXPECT_TRUE(manager->load_async<TextureData>(ui.get()->atlas).is_ready());
  files.files["bad.hfont"] = Bytes(ByteVector(32));
  start();
  const AssetRef<FontData> bad = load<FontData>("bad.hfont");
  ASSERT_NE(bad.failure(), nullptr);
  EXPECT_EQ(bad.failure()->fault, Fault::kCorrupt);
  ASSERT_NE(bad.get_or_fallback(), nullptr);
  EXPECT_FALSE(bad.get_or_fallback()->view.has_character(U'A'));
}

TEST_F(LoadersOf, cooked_assets_of_every_type_load) {
  Cooked cooked;
  const std::int16_t frame = 7;
  aas1::Audio audio;
  audio.frame_count = audio.frames_per_chunk = 1;
  audio.chunks = {object_bytes(frame)};
  const ByteVector clips = hanim::write(std::vector<hanim::Clip>{{"walk", 1, {}}}).value();
  const aas1::ModelNode node{-1, -1, {}, {}, {}, {0, 0, 0, 1}, {1, 1, 1}};
  cooked.add(uuid(1), {AssetType::kAudio, "Demo/Step", aas1::write(audio).value(), {}, {}});
  cooked.add(uuid(2), {AssetType::kAnimation,
                       "Demo/Walk",
                       aas1::write_payload(AssetType::kAnimation, aas1::kEncodingHanim, clips, uuid(3)).value(),
                       {},
                       {}});
  cooked.add(uuid(3), {AssetType::kModel, "Demo/Fox", aas1::write_model({&node, 1}, {}).value(), {}, {}});
  cooked.add(uuid(4), {AssetType::kRaw, "Demo/Data", raw_blob("anything"), {}, {}});
  cooked.add(uuid(5), {AssetType::kMaterial, "Demo/Wall", material_blob({uuid(6)}), {uuid(6)}, {}});
  cooked.add(uuid(6), {AssetType::kTexture2D, "Demo/Brick", texture_blob(), {}, {}});
  cooked.put(files, "");
  start({}, Layout::kCooked);
  EXPECT_EQ(load<AudioData>("Demo/Step").get()->view.chunk(0).size(), 2u);
  const AssetRef<AnimationData> walk = load<AnimationData>("Demo/Walk");
  ASSERT_TRUE(walk.is_ready());
  EXPECT_EQ(walk.get()->clips.clips()[0].name, "walk");
  EXPECT_EQ(walk.get()->model, AssetHandle{.uuid = uuid(3)});
  EXPECT_EQ(load<SceneData>("Demo/Fox").get()->view.nodes().size(), 1u);
  EXPECT_EQ(as_text(load<RawData>("Demo/Data").get()->bytes), "anything");
  const AssetRef<MaterialData> wall = load<MaterialData>("Demo/Wall");
  EXPECT_EQ(wall.get()->textures[0], AssetHandle{.uuid = uuid(6)});
  EXPECT_EQ(wall.get()->textures[0].type, AssetType::kTexture2D);
}

TEST_F(LoadersOf, fallbacks_need_no_file) {
  start();
  const AssetHandle nothing{.uuid = uuid(99)};
  const MeshData* mesh = manager->load<MeshData>(nothing).get_or_fallback();
  ASSERT_NE(mesh, nullptr);
  EXPECT_EQ(mesh->aas1()->desc().index_count, 36u);
  // Every triangle of the cube faces outward.
  const aas1::LevelView& level = mesh->aas1()->levels()[0];
  for (std::size_t i = 0; i < level.index_count; i += 3) {
    std::array<std::array<float, 3>, 3> corner;
    for (std::size_t j = 0; j < 3; ++j)
      corner[j] =
          assetc::load<std::array<float, 3>>(level.vertices, mesh->aas1()->index(level, i + j) * std::size_t{32});
    std::array<float, 3> u, v;
    for (std::size_t k = 0; k < 3; ++k) u[k] = corner[1][k] - corner[0][k], v[k] = corner[2][k] - corner[0][k];
    const float outward = (u[1] * v[2] - u[2] * v[1]) * corner[0][0] + (u[2] * v[0] - u[0] * v[2]) * corner[0][1] +
                          (u[0] * v[1] - u[1] * v[0]) * corner[0][2];
    EXPECT_GT(outward, 0) << i;
  }
  EXPECT_NE(manager->load<TextureData>(nothing).get_or_fallback(), nullptr);
  EXPECT_NE(manager->load<MaterialData>(nothing).get_or_fallback()->aas1()->vector("BaseColor"), nullptr);
  EXPECT_EQ(manager->load<AudioData>(nothing).get_or_fallback()->view.desc().frame_count, 1u);
  EXPECT_TRUE(manager->load<AnimationData>(nothing).get_or_fallback()->clips.clips().empty());
  EXPECT_TRUE(manager->load<RawData>(nothing).get_or_fallback()->bytes.empty());
  const aas1::SkeletonView& skeleton = manager->load<SkeletonData>(nothing).get_or_fallback()->view;
  ASSERT_EQ(skeleton.joints().size(), 1u);
  EXPECT_EQ(skeleton.joints()[0].parent, hmesh::kNoParent);
  const hscene::View& scene = manager->load<SceneData>(nothing).get_or_fallback()->view;
  ASSERT_EQ(scene.nodes().size(), 1u);
  EXPECT_EQ(scene.nodes()[0].mesh, hscene::kNone);
  EXPECT_EQ(scene.nodes()[0].transform, Transform());
}

TEST_F(LoadersOf, the_fallback_of_a_shader_has_an_entry_point_for_each_common_stage) {
  start();
  const ShaderData& shader =
      *manager->load<ShaderData>(AssetHandle{.uuid = uuid(99), .type = AssetType::kShader}).get_or_fallback();
  EXPECT_EQ(shader.encoding, aas1::kEncodingSpirv);
  EXPECT_EQ(shader.wants.entry_point, "main");
  EXPECT_EQ(shader.wants.stage, spirv::Stage::kVertex);
  EXPECT_TRUE(shader.wants.bindings.empty());
  EXPECT_TRUE(shader.wants.inputs.empty());
  EXPECT_EQ(shader.wants.push_constant_bytes, 0u);
  std::vector<std::uint32_t> stages;
  std::size_t place = 5 * sizeof(std::uint32_t);  // after the header
  while (place < shader.code.size()) {
    const auto word = assetc::load<std::uint32_t>(shader.code, place);
    ASSERT_GT(word >> 16, 0u);
    if ((word & 0xffff) == 15) stages.push_back(assetc::load<std::uint32_t>(shader.code, place + 4));  // OpEntryPoint
    place += std::size_t{word >> 16} * sizeof(std::uint32_t);
  }
  EXPECT_EQ(place, shader.code.size());
  EXPECT_THAT(stages, testing::ElementsAre(0u, 4u, 5u)) << "vertex, fragment, compute";
}

TEST_F(LoadersOf, a_mesh_with_a_damaged_skeleton_is_drawn_as_itself) {
  struct Vertex {
    std::array<float, 3> position;
    std::array<std::uint16_t, 4> joints;
    std::array<float, 4> weights;
  };
  aas1::Mesh mesh;
  mesh.vertex_stride_bytes = sizeof(Vertex);
  mesh.attributes = {{aas1::Semantic::kPosition, 0, aas1::VertexFormat::kRgb32F, 0, 0, 0, 0},
                     {aas1::Semantic::kJoints, 0, aas1::VertexFormat::kRgba16Uint, 0, 12, 0, 0},
                     {aas1::Semantic::kWeights, 0, aas1::VertexFormat::kRgba32F, 0, 20, 0, 0}};
  for (const std::uint16_t joint : {std::uint16_t{2}, std::uint16_t{6}, std::uint16_t{0}})
    append(mesh.vertices, Vertex{{1.0f * joint, 0, 1}, {joint, 0, 0, 0}, {1, 0, 0, 0}});
  mesh.levels = {{{0, 1, 2}, {{0, 3, 0, aas1::kNoMaterial}}, 1, {0, 0, 1}, {6, 0, 1}}};
  mesh.skeleton = uuid(2);
  Cooked cooked;
  cooked.add(uuid(1), {AssetType::kMesh, "Demo/Fox", aas1::write(mesh).value(), {uuid(2)}, {}});
  cooked.add(uuid(2), {AssetType::kSkeleton, "Demo/Bones", ByteVector(64, std::byte{7}), {}, {}});
  cooked.put(files, "");
  start({}, Layout::kCooked);
  const AssetRef<MeshData> fox = load<MeshData>("Demo/Fox");
  ASSERT_TRUE(fox.is_ready()) << fox.failure()->to_string();
  const AssetRef<SkeletonData> bones = load<SkeletonData>("Demo/Bones");
  ASSERT_NE(bones.failure(), nullptr);
  EXPECT_EQ(bones.failure()->fault, Fault::kCorrupt);

  const aas1::SkeletonView& skeleton = bones.get_or_fallback()->view;
  const std::uint32_t joint_count = joint_count_of(layout_of(*fox.get()));
  ASSERT_EQ(joint_count, 7u);
  // However the nodes of its model move, the mesh keeps its bind pose.
  const std::vector<Matrix> moved(9, to_matrix({.translation = {1, 2, 3}}));
  std::vector<Matrix> skin(joint_count, moved[0]);
  skinning_matrices(skeleton.joints(), skeleton.nodes(), moved, skin);
  EXPECT_THAT(skin, testing::Each(to_matrix({})));
}

TEST_F(LoadersOf, an_engine_replaces_and_removes_fallbacks) {
  Loaders loaders;
  loaders.mesh.fallback = {};
  loaders.scene.fallback = [](AssetType) {
    const aas1::ModelNode node{-1, -1, uuid(7), {}, {}, {0, 0, 0, 1}, {1, 1, 1}};  // the engine's own error mesh
    return open_scene(Bytes(aas1::write_model({&node, 1}, {}).value())).value();
  };
  loaders.shader.fallback = [](AssetType) { return ShaderData{Bytes(ByteVector(8)), fourcc("DXIL")}; };
  start(loaders);
  const AssetHandle nothing{.uuid = uuid(99)};
  EXPECT_EQ(manager->load<MeshData>(nothing).get_or_fallback(), nullptr);
  EXPECT_EQ(manager->load<SceneData>(nothing).get_or_fallback()->view.meshes()[0].file.uuid(), uuid(7));
  EXPECT_EQ(manager->load<ShaderData>(nothing).get_or_fallback()->encoding, fourcc("DXIL"));
}

TEST_F(LoadersOf, the_fallback_of_a_texture_has_the_shape_of_its_type) {
  struct Shape {
    AssetType type;
    std::uint32_t faces, layers;
    bool is_3d;
  };
  constexpr Shape kShapes[] = {{AssetType::kTexture2D, 1, 0, false},
                               {AssetType::kTextureCube, 6, 0, false},
                               {AssetType::kTexture2DArray, 1, 1, false},
                               {AssetType::kTextureCubeArray, 6, 1, false},
                               {AssetType::kTexture3D, 1, 0, true}};
  Loaders loaders;
  std::vector<AssetType> told;
  loaders.texture.finalize = [&](TextureData& texture, const AssetDesc& desc) -> Result<GpuObject> {
    told.push_back(desc.handle.type);
    return GpuObject{texture.face_count, 0};
  };
  start(loaders);
  // In a cooked tree and in runtime/, if the path does not determine the shape.
  for (const bool is_cooked : {true, false}) {
    for (const Shape& shape : kShapes) {
      const AssetHandle nothing = is_cooked ? AssetHandle{.uuid = uuid(99), .type = shape.type}
                                            : AssetHandle{.path_hash = 99, .type = shape.type};
      const AssetRef<TextureData> ref = manager->load_async<TextureData>(nothing);
      const TextureData* fallback = ref.get_or_fallback();
      ASSERT_NE(fallback, nullptr);
      EXPECT_EQ(fallback->face_count, shape.faces);
      EXPECT_EQ(fallback->layer_count, shape.layers);
      EXPECT_EQ(fallback->is_3d, shape.is_3d);
      EXPECT_EQ(fallback->levels[0].bytes.size(), shape.faces * 8u * 8 * 4);
      manager->pump({.time = std::chrono::seconds(60)});
      EXPECT_EQ(ref.gpu().object, shape.faces);
    }
  }
  EXPECT_THAT(told, testing::ElementsAre(AssetType::kTexture2D, AssetType::kTextureCube, AssetType::kTexture2DArray,
                                         AssetType::kTextureCubeArray, AssetType::kTexture3D));
}

TEST_F(LoadersOf, a_file_of_a_folder_has_the_shape_that_it_is_asked_for_as) {
  files.files["sky.ktx2"] = Bytes(uastc_texture(4, 4, false));
  start();
  AssetHandle sky = *manager->catalog().find_by_path("sky.ktx2");
  EXPECT_EQ(sky.type, AssetType::kTexture2D);
  sky.type = AssetType::kTextureCube;
  const AssetRef<TextureData> ref = manager->load_async<TextureData>(sky);
  EXPECT_EQ(ref.handle().type, AssetType::kTextureCube);
  EXPECT_EQ(ref.get_or_fallback()->face_count, 6u);
}

TEST_F(LoadersOf, damaged_files_are_failures) {
  for (const char* path : {"a.hmesh", "a.hmat", "a.hanim", "a.ktx2", "a.spv", "a.gali"})
    files.files[path] = Bytes(ByteVector(100, std::byte{7}));
  start();
  EXPECT_THAT(fault<MeshData>("a.hmesh"), HasSubstr("a.hmesh"));
  EXPECT_THAT(fault<MeshData>("a.gali"), HasSubstr("corrupt"));
  EXPECT_THAT(fault<MaterialData>("a.hmat"), HasSubstr("corrupt"));
  EXPECT_THAT(fault<AnimationData>("a.hanim"), HasSubstr("corrupt"));
  EXPECT_THAT(fault<TextureData>("a.ktx2"), HasSubstr("corrupt"));
  EXPECT_THAT(fault<ShaderData>("a.spv"), HasSubstr("found a magic number other than that of SPIR-V"));
}

}  // namespace
}  // namespace assetc::runtime
