// The values that loaders make of valid assets of every kind.
#include <gmock/gmock.h>

#include "assetc/formats/aas1_audio.hpp"
#include "assetc/formats/aas1_mesh.hpp"
#include "assetc/formats/galileo.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/runtime/animation.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/scene.hpp"
#include "runtime/cooked.hpp"

namespace assetc::runtime {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

class LoadedValues : public testing::Test {
 protected:
  Manager& start(Layout layout) {
    std::vector<std::string> names;
    names.reserve(files.files.size());
    for (const auto& [path, bytes] : files.files) names.push_back(path);
    Catalog catalog;
    const auto mounted = catalog.mount(files.source(), layout, "", {.files = std::move(names)});
    EXPECT_TRUE(mounted) << fault_text(mounted);
    manager.emplace(std::move(catalog), ManagerOptions{.io_thread = false});
    add_loaders(*manager);
    return *manager;
  }
  Manager& start(const Cooked& cooked) {
    cooked.put(files, "");
    return start(Layout::kCooked);
  }
  template <class T>
  const T& load(const std::string& path) {
    const auto asset = manager->catalog().find_by_path(path);
    EXPECT_TRUE(asset) << path;
    AssetRef<T> ref = manager->load<T>(asset.value_or(AssetHandle{}));
    EXPECT_EQ(ref.failure(), nullptr) << ref.failure()->to_string();
    held.push_back(ref);
    return *ref.get();
  }

  Files files;
  std::optional<Manager> manager;
  std::vector<AnyRef> held;
};

// Two triangles with two materials, and one level of detail.
hmesh::Model square() {
  hmesh::Model model;
  model.vertices = {{{0, 0, 0}, {1, 2}, {3, 4}, {0, 1}},
                    {{1, 0, 0}, {5, 6}, {7, 8}, {1, 1}},
                    {{1, 1, 0}, {9, 10}, {11, 12}, {1, 0}},
                    {{0, 1, 0}, {13, 14}, {15, 16}, {0, 0}}};
  model.indices = {0, 1, 2, 0, 2, 3};
  model.has_tangents = true;
  model.bounds = {{0, 0, 0}, {1, 1, 0}, {0.5f, 0.5f, 0}, 1};
  model.submeshes = {{0, 3, 0, 0, 0, 0, model.bounds}, {3, 3, 0, 0, 1, 0, model.bounds}};
  model.materials = {hash_asset_ref("oak"), hash_asset_ref("iron")};
  model.lod_count = 1;
  model.lods = {{0, 3}, {0, 0}};
  model.lod_indices = {0, 1, 3};
  return model;
}

TEST_F(LoadedValues, an_hmesh_is_what_was_written) {
  const hmesh::Model model = square();
  files.files["a.hmesh"] = Bytes(hmesh::write(model).value());
  hmat::GpuMaterial row;
  row.base_color_factor[1] = 0.25f;
  files.files["a.hmat"] = Bytes(hmat::write({&row, 1}).value());
  start(Layout::kTree);
  const MeshData& mesh = load<MeshData>("a.hmesh");
  ASSERT_NE(mesh.hmesh(), nullptr);
  EXPECT_EQ(mesh.hmesh()->to_model(), model);
  ASSERT_EQ(mesh.materials.size(), 1u) << "the .hmat beside it";
  const MaterialData& material = *manager->load<MaterialData>(mesh.materials[0]).get();
  ASSERT_NE(material.hmat(), nullptr);
  EXPECT_EQ(material.hmat()->materials()[0].base_color_factor[1], 0.25f);
}

TEST_F(LoadedValues, a_gali_is_what_was_written) {
  const galileo::Model model = galileo::from_hmesh(square(), galileo::uuid_of_ref("a"));
  files.files["a.gali"] = Bytes(galileo::write(model).value());
  start(Layout::kTree);
  const MeshData& mesh = load<MeshData>("a.gali");
  ASSERT_NE(mesh.galileo(), nullptr);
  const galileo::View& view = *mesh.galileo();
  ASSERT_EQ(view.groups().size(), 2u);
  EXPECT_THAT(view.groups()[1].indices, ElementsAre(0u, 1u, 2u));
  EXPECT_THAT(view.groups()[1].positions,
              ElementsAre(galileo::Float3{0, 0, 0}, galileo::Float3{1, 1, 0}, galileo::Float3{0, 1, 0}));
  EXPECT_EQ(view.groups()[1].material_slot, 1u);
}

TEST_F(LoadedValues, a_cooked_mesh_is_what_was_written) {
  struct Vertex {
    std::array<float, 3> position;
    std::array<std::uint8_t, 4> color;
  };
  const std::vector<Vertex> vertices = {
      {{0, 0, 0}, {1, 2, 3, 4}}, {{2, 0, 0}, {5, 6, 7, 8}}, {{0, 2, 1}, {9, 10, 11, 12}}};
  aas1::Mesh from;
  from.vertex_stride_bytes = sizeof(Vertex);
  from.attributes = {{aas1::Semantic::kPosition, 0, aas1::VertexFormat::kRgb32F, 0, 0, 0, 0},
                     {aas1::Semantic::kColor, 0, aas1::VertexFormat::kRgba8Unorm, 0, 12, 0, 0}};
  for (const Vertex& vertex : vertices) append(from.vertices, vertex);
  from.levels = {{{0, 1, 2, 2, 1, 0}, {{0, 3, 0, 0}, {3, 3, 0, 1}}, 1, {0, 0, 0}, {2, 2, 1}},
                 {{2, 1, 0}, {{0, 3, 0, 1}}, 0.25f, {0, 0, 0}, {2, 2, 1}}};
  from.materials = {uuid(2), uuid(3)};
  from.skeleton = uuid(4);
  Cooked cooked;
  cooked.add(uuid(1), {AssetType::kMesh, "Demo/Mesh", aas1::write(from).value(), {}, {}});
  start(cooked);
  const MeshData& mesh = load<MeshData>("Demo/Mesh");
  ASSERT_NE(mesh.aas1(), nullptr);
  const aas1::MeshView& view = *mesh.aas1();
  EXPECT_THAT(view.attributes(), ElementsAreArray(from.attributes));
  ASSERT_EQ(view.levels().size(), 2u);
  EXPECT_TRUE(std::ranges::equal(view.levels()[0].vertices, from.vertices));
  EXPECT_EQ(view.index(view.levels()[0], 3), 2u);
  EXPECT_EQ(view.index(view.levels()[1], 0), 2u);
  EXPECT_EQ(view.levels()[1].screen_size, 0.25f);
  EXPECT_THAT(view.levels()[0].submeshes, ElementsAreArray(from.levels[0].submeshes));
  EXPECT_EQ(view.desc().bounds_max[2], 1.0f);
  EXPECT_EQ(view.skeleton(), uuid(4));
  EXPECT_THAT(mesh.materials, ElementsAre(AssetHandle{.uuid = uuid(2)}, AssetHandle{.uuid = uuid(3)}));
}

TEST_F(LoadedValues, skeletons_clips_and_models_are_what_was_written) {
  hmesh::GpuJoint root{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 3, 2, 1, 1}, {1, 2, 3}, {0, 0, 0, 1}, {1, 1, 1}, -1, 0};
  hmesh::GpuJoint tip = root;
  tip.parent = 0;
  tip.translation[1] = 7;
  const std::vector joints = {root, tip};
  const hanim::Clip clip{"walk",
                         2,
                         {{1, hanim::Path::kTranslation, hanim::Interpolation::kStep, {0, 1.5f}, {1, 2, 3, 4, 5, 6}},
                          {0, hanim::Path::kRotation, hanim::Interpolation::kLinear, {0}, {0, 0, 0, 1}}}};
  const aas1::ModelNode node{-1, -1, uuid(9), uuid(1), {1, 2, 3}, {0, 0, 0, 1}, {4, 5, 6}};
  Cooked cooked;
  cooked.add(uuid(1), {AssetType::kSkeleton,
                       "Demo/Bones",
                       aas1::write_skeleton(joints, std::vector<std::string>{"root", "tip"}).value(),
                       {},
                       {}});
  const ByteVector clips = hanim::write({&clip, 1}).value();
  cooked.add(uuid(2), {AssetType::kAnimation,
                       "Demo/Walk",
                       aas1::write_payload(AssetType::kAnimation, aas1::kEncodingHanim, clips, uuid(3)).value(),
                       {},
                       {}});
  cooked.add(
      uuid(3),
      {AssetType::kModel, "Demo/Fox", aas1::write_model({&node, 1}, std::vector<std::string>{"fox"}).value(), {}, {}});
  start(cooked);
  const SkeletonData& skeleton = load<SkeletonData>("Demo/Bones");
  EXPECT_THAT(skeleton.view.joints(), ElementsAreArray(joints));
  EXPECT_EQ(skeleton.view.names()->joint(1), "tip");
  const AnimationData& walk = load<AnimationData>("Demo/Walk");
  EXPECT_THAT(walk.clips.to_clips(), ElementsAre(clip));
  EXPECT_EQ(walk.model, AssetHandle{.uuid = uuid(3)});
  const SceneData& fox = load<SceneData>("Demo/Fox");
  EXPECT_THAT(fox.model()->nodes(), ElementsAre(node));

  files.files.clear();
  files.files["walk.hanim"] = Bytes(clips);
  held.clear();
  start(Layout::kTree);
  EXPECT_THAT(load<AnimationData>("walk.hanim").clips.to_clips(), ElementsAre(clip));
}

TEST_F(LoadedValues, materials_sounds_and_shaders_are_what_was_written) {
  aas1::Material from;
  from.add("Roughness", 0.75f);
  from.add("BaseColor", std::array{0.1f, 0.2f, 0.3f, 1.0f});
  from.textures.push_back({aas1::hash_parameter("Normal"),
                           uuid(8),
                           static_cast<std::uint8_t>(AssetType::kTexture2D),
                           {},
                           aas1::TextureParameter::flags_of(aas1::Wrap::kClamp, aas1::Wrap::kMirror, 1)});
  const ByteVector samples = {std::byte{1}, std::byte{0}, std::byte{255}, std::byte{127}};
  aas1::Audio audio;
  audio.frame_count = audio.frames_per_chunk = 2;
  audio.sample_rate_hz = 22050;
  audio.chunks = {samples};
  audio.loops = {{0, 2, aas1::Loop::Kind::kForward, 3}};
  const std::vector<std::uint32_t> words = {0x07230203, 0x00010500, 0, 1, 0};
  const ByteVector spirv = [&] {
    ByteVector out;
    append_array(out, std::span<const std::uint32_t>(words));
    return out;
  }();
  Cooked cooked;
  cooked.add(uuid(1), {AssetType::kMaterial, "Demo/Oak", aas1::write(from).value(), {}, {}});
  cooked.add(uuid(2), {AssetType::kAudio, "Demo/Step", aas1::write(audio).value(), {}, {}});
  cooked.add(uuid(3), {AssetType::kShader,
                       "Demo/Lit",
                       aas1::write_payload(AssetType::kShader, aas1::kEncodingSpirv, spirv).value(),
                       {},
                       {}});
  start(cooked);
  const MaterialData& oak = load<MaterialData>("Demo/Oak");
  EXPECT_EQ(oak.aas1()->scalar("Roughness")->value, 0.75f);
  EXPECT_EQ(oak.aas1()->vector("BaseColor")->value[2], 0.3f);
  EXPECT_EQ(oak.aas1()->texture("Normal")->wrap_v(), aas1::Wrap::kMirror);
  EXPECT_EQ(oak.aas1()->texture("Normal")->texcoord(), 1u);
  EXPECT_THAT(oak.textures, ElementsAre(AssetHandle{.uuid = uuid(8)}));
  const AudioData& step = load<AudioData>("Demo/Step");
  EXPECT_EQ(step.view.desc().sample_rate_hz, 22050u);
  EXPECT_TRUE(std::ranges::equal(step.view.chunk(0), samples));
  EXPECT_THAT(step.view.loops(), ElementsAreArray(audio.loops));
  const ShaderData& lit = load<ShaderData>("Demo/Lit");
  EXPECT_EQ(lit.encoding, aas1::kEncodingSpirv);
  EXPECT_TRUE(std::ranges::equal(lit.code.span(), spirv));

  files.files.clear();
  files.files["lit.spv"] = Bytes(spirv);
  held.clear();
  start(Layout::kTree);
  EXPECT_TRUE(std::ranges::equal(load<ShaderData>("lit.spv").code.span(), spirv));
}

TEST_F(LoadedValues, redirectors_lead_to_the_asset_that_there_is) {
  Cooked cooked;
  cooked.add(uuid(1), {AssetType::kRaw, "Demo/New", raw_blob("here"), {}, {}});
  cooked.redirect(uuid(2), uuid(1), "Demo/Old");
  start(cooked);
  EXPECT_EQ(as_text(load<RawData>("demo/old").bytes), "here");
  EXPECT_EQ(manager->load<RawData>({.uuid = uuid(2)}).handle(), AssetHandle{.uuid = uuid(1)});
}

}  // namespace
}  // namespace assetc::runtime
