// The other mesh containers in the command: a build writes them, info and check know them, convert reads them, and a
// .gali is a source.
#include <gmock/gmock.h>

#include "assetc/base/bytes.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/formats/hmesh.hpp"
#include "e2e/model.hpp"
#include "e2e/project.hpp"
#include "places.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;

class Containers : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    const Model model = grid_model("chair", "wood.png", 8);
    write("assets/models/chair.gltf", model.gltf);
    write("assets/models/chair.bin", model.bin);
    write("assets/models/wood.png", png(16, 16, 1));
  }
  void build_as(const std::string& container) {
    write("assetc.yml", "default: {mesh: {container: " + container + "}}\n");
    build("-q --verify");
  }
  void build_clusters() {
    write("assetc.yml", "default: {mesh: {lod: cluster}}\n");
    build("-q --verify");
  }
};

TEST_F(Containers, a_build_writes_the_container_that_the_setting_names_and_nothing_else_changes) {
  build_as("hmesh");
  const auto plain = tree();
  build_as("galileo");
  auto galileo = tree();
  EXPECT_TRUE(galileo.contains("models/chair.gali"));
  EXPECT_FALSE(galileo.contains("models/chair.hmesh")) << "an output that is no longer made is removed";
  EXPECT_EQ(galileo["models/chair.hmat"], plain.at("models/chair.hmat"));
  EXPECT_EQ(galileo["models/chair/tex_0.ktx2"], plain.at("models/chair/tex_0.ktx2"));
  build_as("hmesh-v1");
  auto v1 = tree();
  EXPECT_EQ(v1["models/chair.hmesh"][4], '\1');
  EXPECT_FALSE(v1.contains("models/chair.gali"));
}

TEST_F(Containers, info_tells_the_container_and_what_it_holds) {
  build_as("galileo");
  EXPECT_THAT(build("info --json").out, HasSubstr(R"("container":"galileo")"));
  EXPECT_THAT(build("info").out, HasSubstr("256 triangles"));
  build_as("hmesh-v1");
  EXPECT_THAT(build("info --json").out, HasSubstr(R"("container":"hmesh 1")"));
  EXPECT_THAT(build("info").out,
              testing::AllOf(HasSubstr("256 triangles"), HasSubstr("1 submesh,"), HasSubstr("hmesh 1: ")));
  build_as("hmesh");
  EXPECT_THAT(build("info --json").out, HasSubstr(R"("container":"hmesh 2")"));
}

TEST_F(Containers, check_passes_what_a_build_wrote) {
  for (const char* container : {"hmesh", "hmesh-v1", "galileo"}) {
    build_as(container);
    EXPECT_THAT(build("check").out, HasSubstr("no problem")) << container;
  }
}

TEST_F(Containers, check_finds_a_flipped_byte_and_a_cut_end_of_each) {
  for (const char* container : {"hmesh-v1", "galileo"}) {
    build_as(container);
    const std::string path = std::string("models/chair") + (container[0] == 'g' ? ".gali" : ".hmesh");
    const std::string bytes = read("runtime/" + path);
    write("runtime/" + path, bytes.substr(0, bytes.size() - 1));
    Finished done = run("check");
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.err, HasSubstr("error: " + path + ": "));
    std::string flipped = bytes;
    flipped[container[0] == 'g' ? bytes.size() / 2 : 4] ^= 64;  // anywhere under the checksum; the version
    write("runtime/" + path, flipped);
    done = run("check");
    EXPECT_EQ(done.exit_code, 1) << container;
    EXPECT_THAT(done.err, HasSubstr("error: " + path + ": "));
    write("runtime/" + path, bytes);
  }
}

TEST_F(Containers, check_compares_the_slots_of_galileo_with_the_material_table) {
  build_as("galileo");
  const hmat::GpuMaterial rows[2] = {};
  write("runtime/models/chair.hmat", as_text(*hmat::write(rows)));
  const Finished done = run("check");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("models/chair.gali: MTRL: has 1 material, but models/chair.hmat has 2 rows"));
}

// Builds a skinned, animated model in each container that has joints, then makes its clip move a joint that no mesh
// has.
TEST_F(Containers, check_compares_the_joints_of_clips_with_their_mesh_whatever_its_container) {
  remove("assets/models");
  fs::create_directories(root_ / "assets/models");
  fs::copy_file(fs::path(places::kSource) / "examples/demo/assets/models/tentacle.glb",
                root_ / "assets/models/tentacle.glb");
  const auto clip_of = [](std::uint32_t joint) {
    const std::vector<hanim::Clip> clips{
        {"sway", 1, {{joint, hanim::Path::kTranslation, hanim::Interpolation::kLinear, {0, 1}, {0, 0, 0, 1, 2, 3}}}}};
    return std::string(as_text(*hanim::write(clips)));
  };
  for (const auto& [container, file] : {std::pair("hmesh", "tentacle.hmesh"), std::pair("galileo", "tentacle.gali")}) {
    build_as(container);
    ASSERT_TRUE(exists("runtime/models/tentacle.hanim")) << container;
    EXPECT_THAT(build("check").out, HasSubstr("no problem")) << container;
    remove("runtime/.assetc-cache");  // the record of what the build wrote
    write("runtime/models/tentacle.hanim", clip_of(0));
    EXPECT_THAT(build("check").out, HasSubstr("no problem")) << container;
    write("runtime/models/tentacle.hanim", clip_of(200));
    const Finished done = run("check");
    EXPECT_EQ(done.exit_code, 1) << container;
    EXPECT_THAT(done.err, testing::MatchesRegex(
                              "error: models/tentacle.hanim: clip \"sway\" channel 0: moves joint 200, expected "
                              "less than the [0-9]+ of the mesh models/" +
                              std::string(file) + "; compile the mesh and its clips from one source\nnote: [^\n]*\n"));
    EXPECT_EQ(run("convert runtime/models/" + std::string(file) + " out.glb").exit_code, 1) << container;
  }
  // With two meshes the clip must match both.
  write("runtime/models/tentacle.hanim", clip_of(0));
  build("convert assets/models/tentacle.glb bare.hmesh --mesh.container hmesh-v1");
  fs::copy_file(root_ / "bare.hmesh", root_ / "runtime/models/tentacle.hmesh");
  EXPECT_THAT(run("check").err, HasSubstr("expected less than the 0 of the mesh models/tentacle.hmesh"));
  remove("runtime/models/tentacle.hmesh");
  remove("runtime/models/tentacle.gali");
  EXPECT_THAT(run("check").err,
              HasSubstr("models/tentacle.hanim: animates models/tentacle.hmesh or models/tentacle.hcluster or "
                        "models/tentacle.gali, but none of these is there"));
}

TEST_F(Containers, a_galileo_file_is_a_source) {
  build_as("galileo");
  fs::create_directories(root_ / "assets/again");
  fs::copy_file(root_ / "runtime/models/chair.gali", root_ / "assets/again/seat.gali");
  remove("assets/models");
  build_as("hmesh");
  EXPECT_TRUE(exists("runtime/again/seat.hmesh"));
  EXPECT_THAT(build("info").out, HasSubstr("256 triangles"));
  EXPECT_THAT(build("check").out, HasSubstr("no problem"));
  write("assets/again/seat.gali", read("assets/again/seat.gali").substr(0, 100));
  const Finished done = run();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("error: again/seat.gali: "));
}

// The other outputs stay as they are, and a change of the setting alone builds again.
TEST_F(Containers, clusters_are_built_listed_packed_and_checked) {
  build_as("hmesh");
  const auto plain = tree();
  build_clusters();
  auto clusters = tree();
  ASSERT_TRUE(clusters.contains("models/chair.hcluster"));
  EXPECT_FALSE(clusters.contains("models/chair.hmesh"));
  EXPECT_EQ(clusters["models/chair.hmat"], plain.at("models/chair.hmat"));
  EXPECT_EQ(clusters["models/chair/tex_0.ktx2"], plain.at("models/chair/tex_0.ktx2"));
  EXPECT_THAT(build("").out, HasSubstr("0 built"));
  EXPECT_THAT(build("info").out, HasSubstr("hcluster: 256 triangles"));
  EXPECT_THAT(build("info --json").out, HasSubstr(R"("container":"hcluster")"));
  EXPECT_THAT(build("check").out, HasSubstr("no problem"));
  build("-q --pack");
  EXPECT_THAT(build("pack info runtime.hpack").out, HasSubstr("models/chair.hcluster"));
  EXPECT_THAT(build("check runtime.hpack").out, HasSubstr("no problem"));
  build_as("hmesh");
  EXPECT_EQ(tree(), plain);
}

TEST_F(Containers, check_finds_damage_in_clusters) {
  build_clusters();
  const std::string path = "runtime/models/chair.hcluster", bytes = read(path);
  const auto problem = [&](std::size_t at, char bit) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ bit);
    write(path, changed);
    const Finished done = run("check");
    EXPECT_EQ(done.exit_code, 1) << at;
    return done.err;
  };
  EXPECT_THAT(problem(4, 2), HasSubstr("error: models/chair.hcluster: byte 4: found hcluster version 3, expected 1"));
  EXPECT_THAT(problem(bytes.size() - 40, 1),
              HasSubstr("error: models/chair.hcluster: page 0, byte 0: page 0 has other bytes than the table of pages "
                        "says"));
  write(path, bytes);
  const std::string table = read("runtime/models/chair.hmat");
  const hmat::GpuMaterial rows[2] = {};
  write("runtime/models/chair.hmat", as_text(*hmat::write(rows)));
  EXPECT_THAT(run("check").err,
              HasSubstr("models/chair.hcluster: MTRL: has 1 material, but models/chair.hmat has 2 rows"));
  write("runtime/models/chair.hmat", table);
  write(path, bytes.substr(0, bytes.size() - 20));
  EXPECT_THAT(run("check").err, HasSubstr("error: models/chair.hcluster: "));
  write(path, bytes);
  EXPECT_THAT(build("check").out, HasSubstr("no problem"));
}

TEST_F(Containers, meshes_of_a_scene_are_clusters_where_mesh_lod_says_so) {
  write("assetc.yml", "default: {mesh: {container: galileo, scene: true}}\n");
  build("-q --verify");
  EXPECT_TRUE(exists("runtime/models/chair/mesh_0.hmesh")) << "engines load scenes with .hmesh";
  write("assetc.yml", "default: {mesh: {lod: auto, cluster_triangles: 128, scene: true}}\n");
  build("-q --verify");
  EXPECT_TRUE(exists("runtime/models/chair.hscene"));
  EXPECT_TRUE(exists("runtime/models/chair/mesh_0.hcluster"));
  EXPECT_FALSE(exists("runtime/models/chair/mesh_0.hmesh"));
  EXPECT_THAT(build("check").out, HasSubstr("no problem"));
  build("convert runtime/models/chair.hscene scene.glb");
  EXPECT_TRUE(read("scene.glb").contains("image/png"));
  build("render runtime/models/chair.hscene scene.png --size 64x64");
  write("assetc.yml", "default: {mesh: {lod: auto, cluster_triangles: 129, scene: true}}\n");
  build("-q --verify");
  EXPECT_TRUE(exists("runtime/models/chair/mesh_0.hmesh"));
}

TEST_F(Containers, a_mesh_with_a_skin_becomes_clusters_with_its_animations) {
  fs::copy_file(fs::path(places::kSource) / "examples/demo/assets/models/tentacle.glb",
                root_ / "assets/models/tentacle.glb");
  write("assetc.yml", "default: {mesh: {lod: cluster}}\n");
  const Finished done = build("-v");
  EXPECT_TRUE(exists("runtime/models/tentacle.hcluster"));
  EXPECT_TRUE(exists("runtime/models/tentacle.hanim"));
  EXPECT_FALSE(exists("runtime/models/tentacle.hmesh"));
  EXPECT_FALSE((done.out + done.err).contains("keeps levels of detail"));
  EXPECT_THAT(build("check").out, HasSubstr("no problem"));
  EXPECT_THAT(build("info runtime/models/tentacle.hcluster").out, HasSubstr("joints"));
  build("convert runtime/models/tentacle.hcluster coarse.glb --error 100");
  EXPECT_TRUE(read("coarse.glb").contains("animations"));
  EXPECT_TRUE(read("coarse.glb").contains("JOINTS_0"));
  EXPECT_TRUE(read("coarse.glb").contains("WEIGHTS_0"));
  write("assetc.yml", "default: {mesh: {lod: cluster, scene: true}}\n");
  build("-q --verify");
  EXPECT_TRUE(exists("runtime/models/tentacle.hscene"));
  EXPECT_TRUE(exists("runtime/models/tentacle/mesh_0.hcluster"));
  EXPECT_THAT(build("check").out, HasSubstr("no problem"));
}

TEST_F(Containers, a_mesh_with_morph_targets_becomes_clusters) {
  fs::copy_file(fs::path(places::kSource) / "tests/data/corpus/models/morph_sparse.gltf",
                root_ / "assets/models/morph.gltf");
  write("assetc.yml", "default: {mesh: {lod: cluster}}\n");
  const Finished done = build("-v");
  EXPECT_TRUE(exists("runtime/models/morph.hcluster"));
  EXPECT_FALSE(exists("runtime/models/morph.hmesh"));
  EXPECT_FALSE((done.out + done.err).contains("keeps levels of detail"));
  EXPECT_THAT(build("check").out, HasSubstr("no problem"));
  EXPECT_THAT(build("info runtime/models/morph.hcluster").out, HasSubstr("morph target"));
  EXPECT_THAT(build("info --json runtime/models/morph.hcluster").out, HasSubstr(R"("morph_names":[)"));
  build("convert runtime/models/morph.hcluster back.glb");
  EXPECT_TRUE(read("back.glb").contains("targets"));
  build("render runtime/models/morph.hcluster rest.png --morph 0 --size 64x64");
  build("render runtime/models/morph.hcluster moved.png --morph 1 --size 64x64");
  EXPECT_NE(read("rest.png"), read("moved.png"));
  write("assetc.yml", "default: {mesh: {lod: cluster, scene: true}}\n");
  build("-q --verify");
  EXPECT_TRUE(exists("runtime/models/morph/mesh_0.hcluster"));
  EXPECT_THAT(build("check").out, HasSubstr("no problem"));
  build("render runtime/models/morph.hscene scene.png --morph 1 --size 64x64");
}

TEST_F(Containers, clusters_are_refused_in_formats_without_them) {
  write("assetc.yml", "default: {mesh: {lod: auto, container: hmesh-v1}}\n");
  const Finished done = run();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("error: models/chair.gltf: mesh.lod asks for clusters, but mesh.container names a "
                                  "format without them; remove mesh.container, or set mesh.lod: levels"));
}

TEST_F(Containers, clusters_convert_and_render_at_an_error) {
  build_clusters();
  build("convert runtime/models/chair.hcluster fine.glb");
  build("convert runtime/models/chair.hcluster coarse.glb --error 100");
  EXPECT_LT(read("coarse.glb").size(), read("fine.glb").size());
  EXPECT_TRUE(read("fine.glb").contains("image/png"));
  build("render runtime/models/chair.hcluster view.png --error 0.1 --meshlets --size 64x64");
  EXPECT_EQ(read("view.png").substr(1, 3), "PNG");
  EXPECT_THAT(run("convert assets/models/chair.gltf chair.glb --error 1").err,
              HasSubstr("--error does not apply to chair.glb"));
  EXPECT_THAT(run("convert assets/models/chair.gltf chair.hcluster --mesh.lods 1").err,
              HasSubstr("--mesh.lods does not apply to chair.hcluster"));
}

TEST_F(Containers, convert_turns_each_model_into_each_other) {
  build_as("hmesh");
  build("convert runtime/models/chair.hmesh chair.glb");
  build("convert chair.glb chair.gali");
  build("convert chair.gali back.glb");
  build("convert back.glb chair.hmesh --mesh.container hmesh-v1");
  EXPECT_EQ(read("chair.hmesh")[4], '\1');
  build("convert chair.hmesh v1.glb");
  build("convert chair.gali other.hmesh --mesh.lods 0");
  EXPECT_TRUE(exists("other.hmat")) << "siblings are written beside the output";
  EXPECT_THAT(read("chair.glb"), testing::AllOf(HasSubstr("Wood"), HasSubstr("image/png"), HasSubstr("MSFT_lod")));
  build("convert runtime/models/chair.hmesh bare.glb --mesh.lods 0");
  EXPECT_THAT(read("bare.glb"), testing::Not(HasSubstr("MSFT_lod")));
  EXPECT_LT(read("bare.glb").size(), read("chair.glb").size());
  build("convert runtime/models/chair.hmesh keep.glb --keep-ktx2");
  EXPECT_THAT(read("keep.glb"), testing::AllOf(HasSubstr("KHR_texture_basisu"), HasSubstr("image/ktx2")));
}

TEST_F(Containers, a_galileo_file_brings_its_siblings_along) {
  build_as("galileo");
  build("convert runtime/models/chair.gali chair.glb");
  EXPECT_THAT(read("chair.glb"), testing::AllOf(HasSubstr("Wood"), HasSubstr("image/png")));
}

TEST_F(Containers, converting_beside_a_compiled_mesh_leaves_its_siblings_alone) {
  build_as("hmesh");
  const std::string rows = read("runtime/models/chair.hmat");
  build("convert runtime/models/chair.hmesh runtime/models/chair.gali");
  EXPECT_TRUE(exists("runtime/models/chair.gali"));
  EXPECT_EQ(read("runtime/models/chair.hmat"), rows) << "its rows refer to textures that a conversion does not write";
}

TEST_F(Containers, a_compiled_mesh_keeps_its_levels_of_detail_unless_settings_ask_for_others) {
  write("assetc.yml", "default: {mesh: {lods: 3}}\n");
  build("-q");
  build("convert runtime/models/chair.hmesh same.hmesh");
  EXPECT_EQ(read("same.hmesh"), read("runtime/models/chair.hmesh"));
  EXPECT_EQ(read("same.hmat"), read("runtime/models/chair.hmat"));
  build("convert runtime/models/chair.hmesh fewer.hmesh --mesh.lods 1");
  const ByteVector fewer = [&] {
    const std::string text = read("fewer.hmesh");
    const ByteSpan span = as_bytes(text);
    return ByteVector(span.begin(), span.end());
  }();
  EXPECT_EQ(hmesh::View::open(fewer)->lod_count(), 1u);
  const Finished done = run("convert runtime/models/chair.hmesh chair.gali");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("dropped: 3 levels of detail, which Galileo cannot hold"));
}

TEST_F(Containers, convert_turns_pictures_into_textures_and_back) {
  build("convert assets/models/wood.png wood.ktx2 --texture.quality fast");
  build("convert wood.ktx2 wood.png --level 1");
  EXPECT_EQ(read("wood.png").substr(1, 3), "PNG");
  build("convert wood.png half.ktx2 --texture.max_size 4");
}

TEST_F(Containers, convert_refuses_pairs_that_have_no_meaning) {
  const auto refused = [&](const std::string& arguments, int exit_code) {
    const Finished done = run(arguments);
    EXPECT_EQ(done.exit_code, exit_code) << arguments;
    return done.err;
  };
  EXPECT_THAT(refused("convert assets/models/wood.png wood.glb", 2), HasSubstr(R"(".png" does not become ".glb")"));
  EXPECT_THAT(refused("convert assets/models/chair.gltf chair.png", 2),
              HasSubstr("a model becomes .glb, .hmesh, .gali or .hcluster"));
  EXPECT_THAT(refused("convert assets/models/chair.bin chair.glb", 2), HasSubstr("inputs are .gltf .glb"));
  EXPECT_THAT(refused("convert assets/models/none.gltf chair.glb", 1), HasSubstr("none.gltf"));
  write("cut.gali", "GALI");
  EXPECT_THAT(refused("convert cut.gali cut.glb", 1), HasSubstr("cut.gali"));
  EXPECT_FALSE(exists("cut.glb"));
  EXPECT_THAT(refused("render assets/models/wood.png out.png", 2), HasSubstr("is not a model that can be opened"));
}

TEST_F(Containers, small_meshes_are_read_by_every_command) {
  build("convert assets/models/chair.gltf plain.hmesh --mesh.quantize true");
  build("convert plain.hmesh small.hmesh --mesh.compress meshopt-zstd");
  build("convert small.hmesh again.hmesh --mesh.compress none");
  EXPECT_TRUE(read("again.hmesh") == read("plain.hmesh"));
  EXPECT_LT(read("small.hmesh").size(), read("plain.hmesh").size() / 2);
  const Finished info = run("info small.hmesh");
  EXPECT_EQ(info.exit_code, 0);
  EXPECT_THAT(info.out, HasSubstr(", encoded, "));
  EXPECT_THAT(info.out, HasSubstr(" decoded, positions in steps of 0.0039, texture coordinates in steps of 0.12"));
  EXPECT_THAT(info.out, HasSubstr(", normals of 2 bits"));
  EXPECT_THAT(run("info small.hmesh --json").out, HasSubstr("\"normal_bits\":2"));
  EXPECT_EQ(run("check small.hmesh").exit_code, 0);
  build("render plain.hmesh plain.png");
  build("render small.hmesh small.png");
  EXPECT_TRUE(read("small.png") == read("plain.png"));
  EXPECT_THAT(run("convert assets/models/chair.gltf chair.gali --mesh.compress meshopt").err,
              HasSubstr("--mesh.compress does not apply to chair.gali"));
}

TEST_F(Containers, convert_refuses_options_that_the_output_cannot_follow) {
  const auto refused = [&](const std::string& arguments) {
    const Finished done = run("convert assets/models/" + arguments);
    EXPECT_EQ(done.exit_code, 2) << arguments;
    return done.err;
  };
  EXPECT_THAT(refused("chair.gltf chair.hmesh --texture.quality best"),
              HasSubstr("--texture.quality does not apply to chair.hmesh"));
  EXPECT_THAT(refused("wood.png wood.ktx2 --mesh.lods 1"), HasSubstr("--mesh.lods does not apply to wood.ktx2"));
  EXPECT_THAT(refused("chair.gltf chair.glb --mesh.lod_ratio 0.3"),
              HasSubstr("--mesh.lod_ratio does not apply to chair.glb"));
  EXPECT_THAT(refused("chair.gltf chair.hmesh --keep-ktx2"), HasSubstr("--keep-ktx2 does not apply to chair.hmesh"));
  EXPECT_THAT(refused("wood.png wood.ktx2 --level 1"), HasSubstr("--level does not apply to wood.ktx2"));
  EXPECT_THAT(
      refused("chair.gltf chair.hmesh --mesh.container galileo"),
      HasSubstr("mesh.container is galileo, but chair.hmesh is a .hmesh; write a .gali, or remove mesh.container"));
  EXPECT_THAT(refused("chair.gltf chair.gali --mesh.container hmesh"),
              HasSubstr("--mesh.container does not apply to chair.gali"));
  EXPECT_THAT(refused("chair.gltf chair.gali --mesh.lods 1"), HasSubstr("--mesh.lods does not apply to chair.gali"));
  EXPECT_THAT(refused("chair.gltf chair.hmesh --mesh.container hmesh-v1 --mesh.lods 1"),
              HasSubstr("--mesh.lods does not apply to chair.hmesh"));
}

}  // namespace
}  // namespace assetc::e2e
